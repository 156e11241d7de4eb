#pragma autotune kernel search(extern: ./propose)
void f(int n, float *x)
{
  x[0] = n;
}

#pragma autotune kernel search(extern: "./propose", random)
void g(int n, float *x)
{
  x[0] = n;
}
