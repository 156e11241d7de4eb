#pragma autotune kernel block(64, 128) if(n > 0)
__global__ void scale(float *a, int n)
{
  a[blockIdx.x * blockDim.x + threadIdx.x] *= n;
}
