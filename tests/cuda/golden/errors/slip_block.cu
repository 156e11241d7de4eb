// A product of numbers is not a size of a block; one with a param is.
#pragma autotune kernel block(16*16, 8) grid(ceil)
__global__ void product(float *x, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = i;
}
#pragma autotune kernel param(BX: 16, 32) block(2 * BX BX) grid(ceil)
__global__ void no_operator(float *x, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = i + BX;
}
void run(float *x, int n)
{
  product<<<1, 256>>>(x, n);
  no_operator<<<1, 256>>>(x, n);
}
