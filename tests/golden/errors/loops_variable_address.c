#pragma autotune kernel
void f(int n, double *a)
{
  extern void g(int *);
  #pragma autotune reverse
  for (int i = 0; i < n; i++)
    g(&i);
}
