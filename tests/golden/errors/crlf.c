#pragma autotune kernel \
    in(a[0:n]) frob(3)
void f(int n, const double *a)
{
}
