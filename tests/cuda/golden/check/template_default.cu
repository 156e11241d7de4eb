// A template's head with defaults in which `<`, `{` and `;` are no end of it.
#pragma autotune kernel param(P: 1, 2)
template <class T, int N = 1 << 2, auto F = [] { return 1; }> __global__ void k(T *x) { x[0] = P * N; }
void f(float *x) { k<float><<<1, 1>>>(x); }
