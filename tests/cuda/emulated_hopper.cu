// SPDX-License-Identifier: Apache-2.0
// emulated_hopper.cu: what the emulator has of compute capability 9.0, by the functions of
// examples/cuda/hopper.h: tensor maps, copies of boxes, mbarriers, wgmma, clusters. Compares
// with the meaning that the PTX ISA gives, written out here.
//
//   emulated_hopper         all tests; the exit status is 1 if one fails
//   emulated_hopper CASE    one launch that must fail, a number of `failures`; prints the error
#include <cuda_runtime.h>

#include <cudaTypedefs.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "emulated.h"
#include "hopper.h"

// ---- tensor maps ----

struct Shape { // of a tensor and a box, innermost first; strides in bytes of dimensions 1 …
  unsigned rank;
  cuuint64_t dims[5], strides[4];
  cuuint32_t box[5], steps[5] = { 1, 1, 1, 1, 1 };
};
static CUresult encode(tensor_map *m, CUtensorMapDataType type, void *p, const Shape &s,
                       CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE,
                       CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
{
  return cuTensorMapEncodeTiled((CUtensorMap *)m, type, s.rank, p, s.dims, s.strides, s.box, s.steps,
                                CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
}
static void test_maps()
{
  PFN_cuTensorMapEncodeTiled by_name = nullptr;
  cudaDriverEntryPointQueryResult found;
  tensor_map m;
  Buffer<char> a(4096);
  const CUtensorMapDataType half_type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  Shape good = { 2, { 64, 16 }, { 128 }, { 64, 8 } }, s;
  CHECK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", (void **)&by_name, cudaEnableDefault, &found) == cudaSuccess);
  CHECK(found == cudaDriverEntryPointSuccess && by_name == cuTensorMapEncodeTiled);
  CHECK(cudaGetDriverEntryPointByVersion("cuNoFunction", (void **)&by_name, 12000, cudaEnableDefault, &found) == cudaSuccess);
  CHECK(found == cudaDriverEntryPointSymbolNotFound && !by_name);
  CHECK(encode(&m, half_type, a, good, CU_TENSOR_MAP_SWIZZLE_128B) == CUDA_SUCCESS);
  CHECK(m.opaque[0] == (unsigned long long)a.p);
  CHECK(cuTensorMapReplaceAddress((CUtensorMap *)&m, a + 16) == CUDA_SUCCESS && m.opaque[0] == (unsigned long long)a.p + 16);
  CHECK(cuTensorMapReplaceAddress((CUtensorMap *)&m, a + 8) == CUDA_ERROR_INVALID_VALUE);
  CHECK(encode(&m, half_type, a + 8, good) == CUDA_ERROR_INVALID_VALUE);
  CHECK(encode(&m, half_type, a, good, CU_TENSOR_MAP_SWIZZLE_64B) == CUDA_ERROR_INVALID_VALUE); // rows of 128 bytes
  s = good, s.rank = 6;
  CHECK(encode(&m, half_type, a, s) == CUDA_ERROR_INVALID_VALUE);
  s = good, s.strides[0] = 130;
  CHECK(encode(&m, half_type, a, s) == CUDA_ERROR_INVALID_VALUE);
  s = good, s.box[1] = 257;
  CHECK(encode(&m, half_type, a, s) == CUDA_ERROR_INVALID_VALUE);
  s = good, s.box[0] = 4; // rows of 8 bytes
  CHECK(encode(&m, half_type, a, s) == CUDA_ERROR_INVALID_VALUE);
  CHECK(encode(&m, CU_TENSOR_MAP_DATA_TYPE_INT32, a, { 1, { 64 }, {}, { 4 } }, CU_TENSOR_MAP_SWIZZLE_NONE,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA) == CUDA_ERROR_INVALID_VALUE);
}

// ---- copies of boxes ----

struct Box {
  int rank, at[5], bytes;
};
// Loads a box, writes shared memory to OUT, and stores the box by another map.
__global__ void copy_box(const __grid_constant__ tensor_map from, const __grid_constant__ tensor_map to, Box box,
                         unsigned char *out)
{
  AUTOTUNE_EMULATE_DYNAMIC(memory, unsigned char);
  unsigned barrier = shared_address(memory + box.bytes);
  if (threadIdx.x == 0)
    mbarrier_init(barrier, 1);
  for (int i = threadIdx.x; i < box.bytes; i += 32)
    memory[i] = 99;
  __syncwarp();
  if (threadIdx.x == 0) {
    mbarrier_expect(barrier, box.bytes);
    autotune_emulate_tensor_load(shared_address(memory), &from, box.at, box.rank, barrier, 0);
    out[box.bytes] = memory[0] == 99 && memory[box.bytes - 1] == 99; // nothing has come yet
  }
  mbarrier_wait(barrier, 0);
  for (int i = threadIdx.x; i < box.bytes; i += 32)
    out[i] = memory[i];
  __syncwarp();
  if (threadIdx.x == 0) {
    autotune_emulate_tensor_store(&to, box.at, box.rank, shared_address(memory));
    tensor_commit();
    tensor_wait_read<0>();
  }
}
// True if byte I of element X of a row in device memory, of a tensor of shape S at P, is in
// shared memory at OUT, and outside of the tensor FILL.
template <class T> static int wrong_bytes(const Shape &s, const T *p, const int *at, unsigned swizzle, const T *out, T fill)
{
  int wrong = 0;
  unsigned index[5] = {}, offset = 0;
  do {
    bool inside = true;
    size_t from = 0;
    for (unsigned i = 0; i < s.rank; i++) {
      long x = at[i] + (long)index[i] * (i ? s.steps[i] : 1);
      inside = inside && x >= 0 && x < (long)s.dims[i];
      from += i ? x * s.strides[i - 1] : x * sizeof(T);
    }
    unsigned where = offset ^ (offset >> 7 & ((1u << swizzle) - 1)) << 4;
    T expected = inside ? *(const T *)((const char *)p + from) : fill;
    wrong += memcmp((const char *)out + where, &expected, sizeof(T)) != 0;
    offset += sizeof(T);
    for (unsigned i = 0; i < s.rank; i++) {
      if (++index[i] < (s.box[i] + (i ? s.steps[i] : 1) - 1) / (i ? s.steps[i] : 1))
        break;
      index[i] = 0;
      if (i + 1 == s.rank)
        return wrong;
    }
  } while (true);
}
template <class T>
static void check_box(CUtensorMapDataType type, const Shape &s, std::vector<int> at, CUtensorMapSwizzle swizzle, T fill,
                      CUtensorMapFloatOOBfill oob = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
{
  size_t size = s.rank > 1 ? s.strides[s.rank - 2] * s.dims[s.rank - 1] : s.dims[0] * sizeof(T);
  Buffer<T> from(size / sizeof(T)), to(size / sizeof(T));
  Box box = { (int)s.rank, {}, (int)sizeof(T) };
  for (unsigned i = 0; i < s.rank; i++) {
    box.at[i] = at[i];
    box.bytes *= (s.box[i] + (i ? s.steps[i] : 1) - 1) / (i ? s.steps[i] : 1);
  }
  Buffer<unsigned char> out(box.bytes + 1);
  tensor_map a, b;
  for (size_t i = 0; i < size; i++)
    ((unsigned char *)from.p)[i] = i * 7 % 251;
  CHECK(encode(&a, type, from, s, swizzle, oob) == CUDA_SUCCESS && encode(&b, type, to, s, swizzle) == CUDA_SUCCESS);
  launch(copy_box, 1, 32, box.bytes + 8)(a, b, box, out);
  CHECK(done());
  CHECK(out[box.bytes] == 1);
  CHECK(wrong_bytes(s, from.p, box.at, swizzle, (const T *)out.p, fill) == 0);
  // What was stored can be loaded again; nothing else was written.
  size_t same = 0, zero = 0, elements = size / sizeof(T);
  for (size_t i = 0; i < elements; i++)
    same += memcmp(to + i, from + i, sizeof(T)) == 0, zero += to[i] == 0;
  CHECK(same + zero >= elements && same > 0 && zero > 0);
}
static void test_boxes()
{
  for (CUtensorMapSwizzle w : { CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B,
                                CU_TENSOR_MAP_SWIZZLE_128B }) {
    cuuint32_t row = w ? 8u << w : 64;
    Shape s = { 2, { 200, 50 }, { 416 }, { row, 16 } };
    check_box<unsigned short>(CU_TENSOR_MAP_DATA_TYPE_UINT16, s, { 8, 3 }, w, 0);
    check_box<unsigned short>(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, s, { 190, 45 }, w, 0); // beyond both edges
    check_box<unsigned short>(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, s, { -3, -2 }, w, 0x7fff,
                              CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
  }
  const CUtensorMapSwizzle none = CU_TENSOR_MAP_SWIZZLE_NONE;
  check_box<unsigned char>(CU_TENSOR_MAP_DATA_TYPE_UINT8, { 1, { 300 }, {}, { 256 } }, { 100 }, none, 0);
  check_box<int>(CU_TENSOR_MAP_DATA_TYPE_INT32, { 3, { 20, 9, 7 }, { 80, 720 }, { 8, 4, 5 } }, { 16, 7, 4 }, none, 0);
  check_box<double>(CU_TENSOR_MAP_DATA_TYPE_FLOAT64, { 4, { 6, 5, 4, 3 }, { 48, 240, 960 }, { 4, 2, 2, 2 } }, { 1, 2, 3, 2 }, none, 0);
  check_box<unsigned short>(CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                            { 5, { 64, 4, 3, 3, 2 }, { 128, 512, 1536, 4608 }, { 64, 2, 2, 2, 2 } },
                            { 0, 1, 1, 2, 0 }, CU_TENSOR_MAP_SWIZZLE_128B, 0);
  check_box<unsigned short>(CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                            { 2, { 64, 50 }, { 128 }, { 64, 30 }, { 1, 3 } }, { 0, 4 }, CU_TENSOR_MAP_SWIZZLE_128B, 0);
}

// ---- mbarriers, named barriers ----

// Warp 0 hands numbers to warp 1 through a ring of two places.
__global__ void ring(int *out, int n)
{
  AUTOTUNE_EMULATE_DYNAMIC(memory, int);
  unsigned full = shared_address(memory + 64), empty = full + 16;
  if (threadIdx.x == 0)
    for (int i = 0; i < 2; i++)
      mbarrier_init(full + 8 * i, 32), mbarrier_init(empty + 8 * i, 32);
  __syncthreads();
  for (int i = 0; i < n; i++) {
    unsigned s = i % 2, parity = i / 2 % 2, lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
      mbarrier_wait(empty + 8 * s, parity ^ 1);
      memory[32 * s + lane] = 100 * i + lane;
      mbarrier_arrive(full + 8 * s);
    } else {
      while (!autotune_emulate_mbarrier_try(full + 8 * s, parity))
        ;
      out[32 * i + lane] = memory[32 * s + 31 - lane];
      mbarrier_arrive(empty + 8 * s);
    }
  }
}
// Two pairs of warps, each with a barrier of its own; the first one only arrives.
__global__ void pairs(int *out)
{
  AUTOTUNE_EMULATE_DYNAMIC(memory, int);
  int pair = threadIdx.x / 64, i = threadIdx.x % 64;
  for (int round = 0; round < 3; round++) {
    if (i < 32) {
      memory[threadIdx.x] = round + threadIdx.x;
      named_arrive(1 + pair, 64);
      named_barrier(3 + pair, 64);
    } else {
      named_barrier(1 + pair, 64);
      out[round * 64 + pair * 32 + i - 32] = memory[threadIdx.x - 32];
      named_barrier(3 + pair, 64);
    }
  }
}
static void test_barriers()
{
  Buffer<int> out(32 * 7);
  int wrong = 0;
  launch(ring, 1, 64, 256 + 32)(out, 7);
  CHECK(done());
  for (int i = 0; i < 32 * 7; i++)
    wrong += out[i] != i / 32 * 100 + 31 - i % 32;
  CHECK(wrong == 0);
  launch(pairs, 1, 128, 512)(out);
  CHECK(done());
  for (int i = 0; i < 192; i++)
    wrong += out[i] != i / 64 + i / 32 % 2 * 64 + i % 32;
  CHECK(wrong == 0);
}

// ---- wgmma ----

// The layouts of an operand of ROWS x 16 in shared memory (PTX ISA, "Shared Memory Matrix
// Layout"): units of 16 bytes, 8 of them a row of 128 bytes with the widest swizzle.
struct Layout {
  bool major;       // neighbours lie along the rows (or columns), not along the depth
  unsigned swizzle; // 0 … 3: rows of 16, 32, 64, 128 bytes
};
static const unsigned PART = 16 << 10; // bytes of an operand's place

// Returns where element R at depth D is, with groups of eight 1 or 2 KiB apart.
static unsigned place_of(const Layout &l, unsigned r, unsigned d)
{
  unsigned row = 16u << l.swizzle, half_row = row / 2, at;
  if (!l.swizzle) // cores of 8 x 8: 128 bytes, 128 apart along the depth, 512 along the rows
    at = (l.major ? r % 8 * 2 + d % 8 * 16 : r % 8 * 16 + d % 8 * 2) + r / 8 * 512 + d / 8 * 128;
  else if (l.major)
    at = r % half_row * 2 + d % 8 * row + d / 8 * (8 * row) + r / half_row * (16 * row);
  else
    at = d * 2 + r % 8 * row + r / 8 * (8 * row);
  return at ^ (at >> 7 & ((1u << l.swizzle) - 1)) << 4;
}
static unsigned long long descriptor_of(const Layout &l, unsigned at)
{
  static const unsigned long long modes[] = { 0, 3, 2, 1 };
  unsigned row = 16u << l.swizzle, leading, stride;
  if (!l.swizzle)
    leading = 128, stride = 512;
  else if (l.major)
    leading = 16 * row, stride = 8 * row;
  else
    leading = 16, stride = 8 * row;
  return at >> 4 | (unsigned long long)(leading >> 4) << 16 | (unsigned long long)(stride >> 4) << 32 |
         modes[l.swizzle] << 62;
}

// D = A B, then D += A B, with A from shared memory or from registers. OUT: the sums, and how
// many threads saw them before they waited.
template <int N>
__global__ void products(const unsigned char *operands, unsigned long long a, unsigned long long b, unsigned flags,
                         const unsigned *registers, float *out, int *early)
{
  AUTOTUNE_EMULATE_DYNAMIC(pool, int4);
  float d[N / 2];
  for (unsigned i = threadIdx.x; i < 2 * PART; i += 128)
    ((unsigned char *)pool)[i] = operands[i];
  for (int i = 0; i < N / 2; i++)
    d[i] = -1;
  __syncthreads();
  const unsigned *mine = registers ? registers + 4 * threadIdx.x : nullptr;
  wgmma_fence();
  autotune_emulate_wgmma(d, N, mine, a, b, flags);
  wgmma_commit();
  autotune_emulate_wgmma(d, N, mine, a, b, flags | AUTOTUNE_EMULATE_WGMMA_ADD);
  wgmma_commit();
  if (d[0] != -1)
    atomicAdd(early, 1);
  wgmma_wait<1>();
  float once = d[0];
  wgmma_wait<0>();
  if (d[0] != 2 * once)
    atomicAdd(early, 1);
  int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
  for (int i = 0; i < N / 2; i++)
    out[(row + i / 2 % 2 * 8) * N + column + i / 4 * 8 + i % 2] = d[i];
}
static unsigned short bits_of(float f, bool bf16)
{
  return bf16 ? __bfloat16_as_ushort(__float2bfloat16(f)) : __half_as_ushort(__float2half(f));
}
template <int N> static void check_products(const Layout &la, const Layout &lb, bool bf16, bool from_registers)
{
  Buffer<unsigned char> operands(2 * PART);
  Buffer<unsigned> registers(128 * 4);
  Buffer<float> out(64 * N);
  Buffer<int> early(1);
  auto a = [](int r, int d) { return (float)((r * 5 + d * 3) % 11 - 5); };
  auto b = [](int d, int c) { return (float)((c * 7 + d * 2) % 13 - 6); };
  for (int d = 0; d < 16; d++) {
    for (int r = 0; r < 64; r++)
      *(unsigned short *)(operands + place_of(la, r, d)) = bits_of(a(r, d), bf16);
    for (int c = 0; c < N; c++)
      *(unsigned short *)(operands + PART + place_of(lb, c, d)) = bits_of(b(d, c), bf16);
  }
  for (int t = 0; t < 128; t++)
    for (int i = 0; i < 8; i++)
      ((unsigned short *)(registers + 4 * t))[i] =
          bits_of(a(t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8, t % 4 * 2 + i / 4 * 8 + i % 2), bf16);
  unsigned flags = (bf16 ? AUTOTUNE_EMULATE_WGMMA_BF16 : 0) | (la.major ? AUTOTUNE_EMULATE_WGMMA_MAJOR_A : 0) |
                   (lb.major ? AUTOTUNE_EMULATE_WGMMA_MAJOR_B : 0) |
                   (from_registers ? AUTOTUNE_EMULATE_WGMMA_REGISTERS : 0);
  launch(products<N>, 1, 128, 2 * PART)(operands, descriptor_of(la, 0), descriptor_of(lb, PART), flags,
                                        from_registers ? registers.p : nullptr, out, early);
  CHECK(done());
  int wrong = 0;
  for (int r = 0; r < 64; r++)
    for (int c = 0; c < N; c++) {
      float sum = 0;
      for (int d = 0; d < 16; d++)
        sum += a(r, d) * b(d, c);
      wrong += out[r * N + c] != 2 * sum;
    }
  CHECK(wrong == 0 && early[0] == 0);
}
static void test_wgmma()
{
  for (unsigned a = 0; a < 4; a++)
    for (unsigned b = 0; b < 4; b++)
      check_products<64>({ (a + b) % 2 == 1, a }, { b % 2 == 1, b }, a == b, false);
  for (unsigned s = 0; s < 4; s++) {
    check_products<256>({ true, s }, { true, s }, false, false);
    check_products<8>({ false, s }, { false, s }, true, true);
    check_products<192>({ false, s }, { true, s }, false, true);
  }
}

// ---- clusters ----

// Block 0 of each cluster loads a box for both; each reads the other's shared memory.
__global__ void __cluster_dims__(2, 1, 1) shares(const __grid_constant__ tensor_map map, int *out)
{
  autotune_emulate::clusters(2, 1, 1); // as `autotune cc --emulate` writes it
  AUTOTUNE_EMULATE_DYNAMIC(memory, int);
  unsigned barrier = shared_address(memory + 64), rank = cluster_rank();
  memory[32 + threadIdx.x] = 1000 * (int)blockIdx.x + threadIdx.x;
  if (threadIdx.x == 0) {
    mbarrier_init(barrier, 1);
    mbarrier_init_fence();
  }
  cluster_sync();
  if (threadIdx.x == 0)
    mbarrier_expect(barrier, 128);
  if (rank == 0 && threadIdx.x == 0)
    tensor_load(shared_address(memory), &map, 0, (int)blockIdx.x / 2, barrier, 3);
  mbarrier_wait(barrier, 0);
  unsigned other = cluster_address(shared_address(memory + 32 + threadIdx.x), rank ^ 1);
  out[blockIdx.x * 64 + threadIdx.x] = memory[threadIdx.x];
  out[blockIdx.x * 64 + 32 + threadIdx.x] = *(int *)autotune_emulate_shared_pointer(other);
  cluster_sync();
}
static void test_clusters()
{
  Buffer<int> from(64), out(256);
  tensor_map map;
  int wrong = 0;
  for (int i = 0; i < 64; i++)
    from[i] = i;
  CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, from, { 2, { 32, 2 }, { 128 }, { 32, 1 } }) == CUDA_SUCCESS);
  launch(shares, 4, 32, 256 + 8)(map, out);
  CHECK(done());
  for (int b = 0; b < 4; b++)
    for (int i = 0; i < 32; i++)
      wrong += out[64 * b + i] != b / 2 * 32 + i, wrong += out[64 * b + 32 + i] != 1000 * (b ^ 1) + i;
  CHECK(wrong == 0);
}

static void test_device()
{
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0) == cudaSuccess && p.major == 9);
  CHECK(p.sharedMemPerBlockOptin == 227 << 10 && p.maxThreadsPerMultiProcessor == 2048);
}

// ---- launches that must fail ----

static const struct {
  const char *what, *options, *error, *reason;
} failures[] = {
  { "no copy comes", "cc=90", "cudaErrorLaunchFailure",
    "a block ends while copies into its shared memory are under way" },
  { "no mbarrier", "cc=90", "cudaErrorLaunchFailure", "there is no initialised mbarrier" },
  { "no arrival", "cc=90", "cudaErrorLaunchFailure", "threads wait for others that never come" },
  { "not aligned to 128 bytes", "cc=90", "cudaErrorMisalignedAddress", "is not aligned as it must be" },
  { "not read at the end", "cc=90", "cudaErrorLaunchFailure", "a thread ends before its copies have read shared memory" },
  { "an arrival too many", "cc=90", "cudaErrorLaunchFailure", "an mbarrier gets more arrivals than it expects" },
  { "beyond shared memory", "cc=90", "cudaErrorIllegalAddress", "an address that is not in dynamic shared memory" },
  { "a peer's mbarrier: wait", "cc=90", "cudaErrorIllegalAddress", "where the block's own is needed" },
  { "a peer's mbarrier: try", "cc=90", "cudaErrorIllegalAddress", "where the block's own is needed" },
  { "a peer's mbarrier: init", "cc=90", "cudaErrorIllegalAddress", "where the block's own is needed" },
  { "a peer's mbarrier: expect", "cc=90", "cudaErrorIllegalAddress", "where the block's own is needed" },
  { "a peer's mbarrier: expect_tx", "cc=90", "cudaErrorIllegalAddress", "where the block's own is needed" },
  { "a peer's memory: store", "cc=90", "cudaErrorIllegalAddress", "where the block's own is needed" },
  { "named barrier 0", "cc=90", "cudaErrorLaunchFailure", "named barrier 0" },
  { "wgmma before", "cc=80", "cudaErrorLaunchFailure", "of compute capability 9.0 only" },
  { "wgmma after", "cc=100", "cudaErrorLaunchFailure", "of compute capability 9.0 only" },
};
__device__ static void fail_alone(const tensor_map &map, int which, unsigned at, unsigned barrier)
{
  unsigned peer = cluster_address(at, 0), peer_barrier = cluster_address(barrier, 0);
  switch (which) {
  case 0: mbarrier_expect(barrier, 128), tensor_load(at, &map, 0, 0, barrier); break;
  case 3: tensor_load(at + 64, &map, 0, 0, barrier); break;
  case 4: tensor_store(&map, 0, 0, at), tensor_commit(); break;
  case 5: // the phase goes on after its two arrivals, since bytes are missing
    mbarrier_expect(barrier, 128), mbarrier_arrive(barrier), mbarrier_arrive(barrier);
    break;
  case 6: mbarrier_init(barrier + 8, 1); break;
  case 7: mbarrier_wait(peer_barrier, 0); break;
  case 8: autotune_emulate_mbarrier_try(peer_barrier, 0); break;
  case 9: mbarrier_init(peer_barrier, 2); break;
  case 10: mbarrier_arrive(peer_barrier), mbarrier_expect(peer_barrier, 128); break;
  case 11: autotune_emulate_mbarrier_expect(peer_barrier, 128); break;
  case 12: tensor_store(&map, 0, 0, peer); break;
  default: mbarrier_wait(barrier, 0); // 1, 2
  }
}
__global__ void fails(const __grid_constant__ tensor_map map, int which)
{
  AUTOTUNE_EMULATE_DYNAMIC(memory, int);
  unsigned at = shared_address(memory), barrier = at + 256;
  if (threadIdx.x == 0 && which != 1)
    mbarrier_init(barrier, 2);
  __syncthreads();
  float d[4];
  if (which == 13)
    named_barrier(0, 128);
  else if (which > 13)
    wgmma<1>(d, matrix_at(at, 0), matrix_at(at, 0), false);
  else if (threadIdx.x == 0)
    fail_alone(map, which, at, barrier);
}
static int fail(int which)
{
  Buffer<int> from(64);
  tensor_map map = {};
  if (which < 13)
    CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, from, { 2, { 32, 2 }, { 128 }, { 32, 1 } }) == CUDA_SUCCESS);
  launch(fails, 1, 128, 256 + 8)(map, which);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return n_failed;
}
static void test_failures(const char *self)
{
  for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
    char command[600], said[1000] = "";
    snprintf(command, sizeof command, "AUTOTUNE_EMULATE=%s,verbose '%s' %zu 2>&1", failures[i].options, self, i);
    FILE *f = popen(command, "r");
    size_t n = f ? fread(said, 1, sizeof said - 1, f) : 0;
    said[n] = 0;
    bool good = f && pclose(f) == 0 && strstr(said, failures[i].error) && strstr(said, failures[i].reason);
    if (!good)
      printf("%s: %s", failures[i].what, said);
    CHECK(good);
  }
}

int main(int argc, char **argv)
{
  if (argc > 1)
    return fail(atoi(argv[1]));
  setenv("AUTOTUNE_EMULATE", "cc=90", 1);
  test_failures(argv[0]);
  void (*const tests[])() = { test_device, test_maps, test_boxes, test_barriers, test_wgmma, test_clusters };
  return run(tests);
}
