#pragma autotune kernel block(16x16, 32x8) grid(ceil) shared(16) isolate(on) flush(off) prepare(n = n + 1) out(a[0:n])
void scale(float *a, int n)
{
  for (int i = 0; i < n; i++)
    a[i] *= 2;
}
