// Pragmas whose first word is nearly ours.
#pragma autotunes kernel
#pragma auto_tune kernel
#pragma Autotune kernel
#pragma omp autotune kernel
#pragma omp parallel for
#pragma optimize kernel
#pragma autotune kernel param(T: 1, 2) \  
  key(n)
void f(int n, double *x)
{
  x[0] = n + T;
}
