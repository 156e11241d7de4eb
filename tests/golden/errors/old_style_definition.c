#pragma autotune kernel
void f(n)
#ifdef A
  int n;
#else
  long n;
#endif
{
}
