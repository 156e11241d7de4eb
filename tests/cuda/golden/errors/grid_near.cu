#pragma autotune kernel block(16x16) grid(cel)
__global__ void f(int n, float *x) { x[threadIdx.x] *= n; }
#pragma autotune kernel block(16x16) grid(gridDm.x)
__global__ void g(int n, float *x) { x[threadIdx.x] *= n; }
