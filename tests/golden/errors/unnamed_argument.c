#pragma autotune kernel
void f(int, double *c)
{
}
