#pragma autotune kernel in(a[0:n) /* never closed
void f(int n, const double *a)
{
}
