/* args: -fsanitize=address,undefined */
#pragma autotune kernel inout(y[0:n])
void shift(int n, double *y)
{
  for (int i = 0; i < n; i++)
    y[i] += 1;
}
#pragma autotune kernel inout(y[0:n])
void scale(int n, double *y)
{
  for (int i = 0; i < n; i++)
    y[i] *= 2;
}
