void f(int n)
{
#pragma autotune kernel
  for (int i = 0; i < n; i++)
    ;
}
