/* Functions as they were before prototypes do not hide what comes behind them. */
int copy(in, out)
    int in, *out;
{
  *out = in;
  return 0;
}
#pragma autotune kernel flags("", "-O2") out(x[0:n])
void behind(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] = i;
}
