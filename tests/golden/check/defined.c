/* args: -DSZ(n)=(n) -D LEN=8 */
// Names that options of the build define may be used in clauses.
#pragma autotune kernel param(T: 1, 2) in(x[0:SZ(n)]) out(y[0:LEN])
void copy(int n, const double *x, double *y)
{
  for (int i = 0; i < LEN; i++)
    y[i] = x[i % SZ(n)] * T / T;
}
