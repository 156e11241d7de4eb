// Arguments that the host makes for each variant.
struct tile { const float *from; int width; };
static tile tile_of(const float *a, int width) { return tile{ a, width }; }

#pragma autotune kernel param(W: 16, 32, 64) param(EACH: 1, 2) block(64, 128) \
  prepare(t = tile_of(a, W), blocks = (n + EACH - 1) / EACH) in(a[0:n]) out(b[0:n])
__global__ void scale(const __grid_constant__ tile t, const float *a, float *b, int n, int blocks)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < blocks; i += gridDim.x * blockDim.x)
    for (int k = 0; k < EACH && i + k * blocks < n; k++)
      b[i + k * blocks] = t.from[i + k * blocks] * 2;
}

void run(const float *a, float *b, int n) { scale<<<8, 64>>>(tile_of(a, 16), a, b, n, n); }
