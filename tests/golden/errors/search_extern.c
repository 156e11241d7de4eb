#pragma autotune kernel search(extern: ./propose)
void f(int n, float *x);

#pragma autotune kernel search(extern: "./propose", random)
void g(int n, float *x);
