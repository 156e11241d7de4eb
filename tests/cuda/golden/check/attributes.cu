// args: --extended-lambda
struct __align__(16) quad { float x[4]; };
typedef struct __builtin_align__(8) { float x, y; } pair_t;

__device__ __align__(16) float table[4];
__constant__ float weights[3];

#pragma autotune kernel block(128, 256) grid(ceil) out(a[0:n])
[[maybe_unused]] static __global__ void __launch_bounds__(256, 2, 1)
fill(float *__restrict__ const a, const __grid_constant__ quad q, int n, float (*rows)[4], pair_t p)
{
  extern __shared__ __align__(16) unsigned char bytes[];
  __shared__ alignas(16) float tile[32];
  auto at = [=] __device__ (int i) { return i * 2; };
  auto both = [&] __host__ __device__ (int i) -> float { return q.x[i] + p.x; };
  asm volatile("bar.sync 0;" ::: "memory");
  a[threadIdx.x] = both(at(1)) + tile[0] + bytes[0] + rows[0][0] + table[0] + weights[0];
}

void run(float *a, quad q, int n)
{
  fill<<<dim3{ 4, 2 }, 128, n * sizeof(float)>>>(a, q, n, {}, pair_t{ 1, 2 });
}
