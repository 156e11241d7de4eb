// What NVRTC has no way for is said when the file is translated.
extern __device__ float elsewhere(float x);
__device__ float here(float x);
__device__ float here(float x) { return x + 1; }

#pragma autotune kernel block(64, 128)
__global__ void calls(float *a) { a[threadIdx.x] = elsewhere(here(a[threadIdx.x])); }

#pragma autotune kernel block(64, 128)
__global__ void allocates(float **a) { cudaMalloc((void **)a, 64); }

#pragma autotune kernel block(64, 128)
__global__ void fine(float *a) { a[threadIdx.x] = here(a[threadIdx.x]); }

void run(float *a, float **b)
{
  calls<<<1, 64>>>(a);
  allocates<<<1, 64>>>(b);
  fine<<<1, 64>>>(a);
}
