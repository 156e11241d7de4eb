BEGIN(whole, int n, double *x)
{
#pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] = 1;
}
#pragma autotune kernel
for (int i = 0; i < 3; i++)
  ;
