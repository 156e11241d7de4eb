/* args: -fsanitize=address -fno-sanitize=all */
#pragma autotune kernel inout(y[0:n])
void shift(int n, double *y)
{
  for (int i = 0; i < n; i++)
    y[i] += 1;
}
