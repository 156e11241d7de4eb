#define dynamc dynamic
#pragma autotune kernel
void f(int n, double *x)
{
  #pragma autotune parallel for schedule({static, dynmic}, {1, 8})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}
#pragma autotune kernel param(KIND: static, guidd)
void g(int n, double *x)
{
  #pragma autotune parallel for schedule(KIND)
  for (int i = 0; i < n; i++)
    x[i] = 1;
}
#pragma autotune kernel
void h(int n, double *x)
{
  #pragma autotune parallel for schedule(dynamc) proc_bind( clos )
  for (int i = 0; i < n; i++)
    x[i] = 1;
}
