#pragma autotune kernel param(T: 8, 16) constraint(T <= AUTOTUNE_SMS) inout(a[0:n])
void scale(float *a, int n)
{
  for (int i = 0; i < n; i += T)
    for (int j = i; j < i + T && j < n; j++)
      a[j] *= 2;
}
