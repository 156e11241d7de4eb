#ifdef A
#ifdef B
#include <b.h>
#endif
#else
#pragma autotune kernel out(a[0:n]) flags("","-O2")
void kk(int n, double *a)
{
 for (int i = 0; i < n; i++) a[i] = i; }
#endif
