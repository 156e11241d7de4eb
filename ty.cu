#pragma autotune kernel blok(16x16)
__global__ void f(int n, float *x) { x[threadIdx.x] *= 2; }
