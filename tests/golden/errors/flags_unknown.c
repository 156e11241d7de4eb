#pragma autotune kernel flags("-O2", "-O3 -fno-such-flag", "-mno-such-machine")
void f(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] += 1;
}
