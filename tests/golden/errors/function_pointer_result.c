#pragma autotune kernel
int (*f(int n))(int)
{
  return 0;
}
