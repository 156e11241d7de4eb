#pragma autotune kernel
void before(int n, const float *restrict in, float *restrict tmp, float *restrict out)
{
#pragma autotune chain sizes(64) local(tmp)
  {
    for (int i = 1; i < n - 1; i++)
      tmp[i] = in[i - 1] + in[i];
    for (int i = 1; i < n - 1; i++)
      out[i] = tmp[i - 1] + tmp[i];
  }
}

#pragma autotune kernel in(in[0:n]) out(tmp[0:n], out[0:n])
void seen(int n, const float *restrict in, float *restrict tmp, float *restrict out)
{
#pragma autotune chain sizes(64) local(tmp)
  {
    for (int i = 0; i < n; i++)
      tmp[i] = in[i] * 2;
    for (int i = 1; i < n; i++)
      out[i] = tmp[i - 1] + tmp[i];
  }
}

#pragma autotune kernel
void place(int n, float *restrict in, float *restrict tmp)
{
#pragma autotune chain sizes(64) local(tmp)
  {
    for (int i = 0; i < n; i++)
      tmp[i] = in[i] * 2;
    for (int i = 1; i < n; i++)
      in[i] = tmp[i - 1] + tmp[i];
  }
}

#pragma autotune kernel
void carried(int n, const float *restrict in, float *restrict tmp, float *restrict out)
{
#pragma autotune chain sizes(64) local(tmp)
  {
    for (int i = 0; i < n; i++)
      tmp[i] = in[i] * 2;
    for (int i = 1; i < n; i++)
      out[i] = tmp[i] + out[i - 1];
  }
}

#pragma autotune kernel
void alone(int n, const float *restrict in, float *restrict tmp)
{
#pragma autotune chain sizes(64) local(tmp)
  for (int i = 0; i < n; i++)
    tmp[i] = in[i] * 2;
}
