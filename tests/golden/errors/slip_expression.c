// What stands in clauses must be expressions of C that change nothing.
#pragma autotune kernel param(T: 1, 2) constraint(T = 2)
void assigned(int n, double *x)
{
  x[0] = n + T;
}
#pragma autotune kernel param(T: 1, 2) constraint(T <<)
void unfinished(int n, double *x)
{
  x[0] = n + T;
}
#pragma autotune kernel key(n; m)
void semicolon(int n, int m, double *x)
{
  x[0] = n + m;
}
#pragma autotune kernel key(n m)
void no_comma(int n, int m, double *x)
{
  x[0] = n + m;
}
#pragma autotune kernel param(T: 1, 2) constraint((T, 1))
void comma(int n, double *x)
{
  x[0] = n + T;
}
#pragma autotune kernel flops(2 * n n)
void work(int n, double *x)
{
  x[0] = n;
}
#pragma autotune kernel if(n++ > 2)
void counted(int n, double *x)
{
  x[0] = n;
}
#pragma autotune kernel key((n + ) * 2)
void within(int n, double *x)
{
  x[0] = n;
}
