#pragma autotune kernel
void kernel(int n, double *x)
{
  #pragma autotune reverse
  for (int i = n; i > 0; i += -1 - n)
    x[i] = 0;
}
