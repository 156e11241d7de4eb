#pragma autotune kernel
void f(int n, ...)
{
}
