// Kernels of CUDA.

// A product of threads
#pragma autotune kernel block(16*16)
__global__ void f1(int n, float *x) { x[threadIdx.x] = n; }

// No threads
#pragma autotune kernel block({0, 32})
__global__ void f2(int n, float *x) { x[threadIdx.x] = n; }

// More threads than a block can have
#pragma autotune kernel block({2048, 4096})
__global__ void f3(int n, float *x) { x[threadIdx.x] = n; }

// Four dimensions
#pragma autotune kernel block(8, 8, 8, 8)
__global__ void f4(int n, float *x) { x[threadIdx.x] = n; }

// Shared memory of an unknown name
#pragma autotune kernel block({32, 64}) shared(BLOCK * 4)
__global__ void f6(int n, float *x) { x[threadIdx.x] = n; }

// A condition of calls
#pragma autotune kernel block({32, 64}) if(n > 4)
__global__ void f7(int n, float *x) { x[threadIdx.x] = n; }

// A function of the device
#pragma autotune kernel param(T: 1, 2)
__device__ void f8(int n, float *x) { x[threadIdx.x] = n + T; }

// A loop directive of processors
#pragma autotune kernel block({32, 64})
__global__ void f9(int n, float *x)
{
  #pragma autotune parallel for
  for (int i = 0; i < n; i++)
    x[i] = 1;
}
