#pragma autotune kernel
void f(n)
  int n;
{
}
