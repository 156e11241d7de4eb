// What prepare(…) does not take.
struct tile { const float *from; int width; };
static tile tile_of(const float *a, int width) { return tile{ a, width }; }

#pragma autotune kernel param(W: 16, 32) prepare(tyle = tile_of(a, W))
__global__ void unknown(tile tile, const float *a, float *b) { b[threadIdx.x] = a[threadIdx.x] * W * tile.width; }

#pragma autotune kernel param(W: 16, 32) prepare(W = 2)
__global__ void param(tile t, const float *a, float *b) { b[threadIdx.x] = a[threadIdx.x] * W * t.width; }

#pragma autotune kernel param(W: 16, 32) prepare(t = tile_of(a, W)) prepare(t = tile_of(b, W))
__global__ void twice(tile t, const float *a, float *b) { b[threadIdx.x] = a[threadIdx.x] * W * t.width; }

#pragma autotune kernel param(W: 16, 32) prepare(tile_of(a, W))
__global__ void form(tile t, const float *a, float *b) { b[threadIdx.x] = a[threadIdx.x] * W * t.width; }

#pragma autotune kernel param(W: 16, 32) prepare(t = made<float, 2>(a, W))
__global__ void commas(tile t, const float *a, float *b) { b[threadIdx.x] = a[threadIdx.x] * W * t.width; }

#pragma autotune kernel param(W: 16, 32) prepare(t = tile_of(a, WW))
__global__ void name(tile t, const float *a, float *b) { b[threadIdx.x] = a[threadIdx.x] * W * t.width; }

#pragma autotune kernel param(W: 16, 32) prepare(t = tile_of(a, AUTOTUNE_SM))
__global__ void machine(tile t, const float *a, float *b) { b[threadIdx.x] = a[threadIdx.x] * W * t.width; }

#pragma autotune kernel param(W: 16, 32) prepare(n = n++ * W)
__global__ void changes(int n, float *b) { b[threadIdx.x] = n * W; }

void all(float *a)
{
  unknown<<<1, 32>>>(tile_of(a, 16), a, a);
  param<<<1, 32>>>(tile_of(a, 16), a, a);
  twice<<<1, 32>>>(tile_of(a, 16), a, a);
  form<<<1, 32>>>(tile_of(a, 16), a, a);
  commas<<<1, 32>>>(tile_of(a, 16), a, a);
  name<<<1, 32>>>(tile_of(a, 16), a, a);
  machine<<<1, 32>>>(tile_of(a, 16), a, a);
  changes<<<1, 32>>>(2, a);
}
