/* SPDX-License-Identifier: Apache-2.0 */
/* cooperative_groups.h: the block, tiles of a warp, and coalesced lanes as groups. The
 * grid as a group needs blocks that run at the same time, so it is not supported. */
#ifndef AUTOTUNE_EMULATE_COOPERATIVE_GROUPS_H
#define AUTOTUNE_EMULATE_COOPERATIVE_GROUPS_H

#pragma GCC system_header

#include "autotune_emulate/kernel.h"

namespace cooperative_groups {

class thread_block {
public:
  static void sync() {
    __syncthreads();
  }
  static void barrier_sync() {
    __syncthreads();
  }
  static unsigned thread_rank() {
    return autotune_emulate_rank();
  }
  static unsigned size() {
    return blockDim.x * blockDim.y * blockDim.z;
  }
  static unsigned num_threads() {
    return size();
  }
  static dim3 group_index() {
    return dim3(blockIdx);
  }
  static dim3 thread_index() {
    return dim3(threadIdx);
  }
  static dim3 group_dim() {
    return blockDim;
  }
  static dim3 dim_threads() {
    return blockDim;
  }
};
static inline thread_block this_thread_block() {
  return thread_block();
}

/* This thread's place in the grid. Waiting for the whole grid is not supported. */
class grid_group {
public:
  static bool is_valid() {
    return false;
  }
  static unsigned long long num_threads() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * thread_block::size();
  }
  static unsigned long long size() {
    return num_threads();
  }
  static unsigned long long thread_rank() {
    unsigned long long block = ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) *
            gridDim.x +
        blockIdx.x;
    return block * thread_block::size() + thread_block::thread_rank();
  }
  static void sync() {
    autotune_emulate_trap();
  }
};
static inline grid_group this_grid() {
  return grid_group();
}

/* Some lanes of a warp. RANK counts those of them below the caller. */
class lanes {
protected:
  unsigned mask_;
  unsigned nth(unsigned n) const {
    unsigned rest = mask_;
    for (; n; n--)
      rest &= rest - 1;
    return rest ? (unsigned)__builtin_ctz(rest) : 32;
  }
  unsigned own() const {
    return autotune_emulate::lane();
  }

public:
  explicit lanes(unsigned mask) : mask_(mask) {
  }
  void sync() const {
    __syncwarp(mask_);
  }
  unsigned size() const {
    return (unsigned)__popc(mask_);
  }
  unsigned num_threads() const {
    return size();
  }
  unsigned thread_rank() const {
    return (unsigned)__popc(mask_ & ((1u << own()) - 1));
  }
  template <class T> T shfl(T v, int rank) const {
    unsigned n = size();
    return autotune_emulate::exchange(mask_, v, nth((unsigned)rank % n));
  }
  template <class T> T shfl_down(T v, unsigned by) const {
    unsigned to = thread_rank() + by;
    return autotune_emulate::exchange(mask_, v, to < size() ? nth(to) : own());
  }
  template <class T> T shfl_up(T v, unsigned by) const {
    unsigned at = thread_rank();
    return autotune_emulate::exchange(mask_, v, at >= by ? nth(at - by) : own());
  }
  template <class T> T shfl_xor(T v, unsigned by) const {
    unsigned to = thread_rank() ^ by;
    return autotune_emulate::exchange(mask_, v, to < size() ? nth(to) : own());
  }
  int any(int p) const {
    return __any_sync(mask_, p);
  }
  int all(int p) const {
    return __all_sync(mask_, p);
  }
  /* Returns a mask by ranks, not by lanes. */
  unsigned ballot(int p) const {
    return by_rank(__ballot_sync(mask_, p));
  }
  template <class T> unsigned match_any(T v) const {
    return by_rank(__match_any_sync(mask_, v));
  }

private:
  unsigned by_rank(unsigned set) const {
    unsigned out = 0, rank = 0;
    for (unsigned rest = mask_; rest; rest &= rest - 1, rank++)
      out |= (set >> __builtin_ctz(rest) & 1) << rank;
    return out;
  }
};

template <unsigned N, class Parent = void> class thread_block_tile : public lanes {
  static_assert(N && N <= 32 && (N & (N - 1)) == 0,
                "tiles are of 1, 2, 4, 8, 16 or 32 threads");
  static unsigned first() {
    return autotune_emulate::lane() & ~(N - 1);
  }

public:
  thread_block_tile() : lanes((N == 32 ? ~0u : (1u << N % 32) - 1) << first()) {
  }
  template <class Other>
  thread_block_tile(const thread_block_tile<N, Other> &) : thread_block_tile() {
  }
  static constexpr unsigned size() {
    return N;
  }
  static constexpr unsigned num_threads() {
    return N;
  }
  unsigned thread_rank() const {
    return own() - first();
  }
  static unsigned meta_group_size() {
    return (thread_block::size() + N - 1) / N;
  }
  static unsigned meta_group_rank() {
    return thread_block::thread_rank() / N;
  }
};
template <unsigned N, class Parent>
static inline thread_block_tile<N, Parent> tiled_partition(const Parent &) {
  return thread_block_tile<N, Parent>();
}

class coalesced_group : public lanes {
public:
  explicit coalesced_group(unsigned mask) : lanes(mask) {
  }
};
/* A macro, because the place must be the caller's. */
#define coalesced_threads() coalesced_group(autotune_emulate_active())

template <class T> struct plus {
  T operator()(T a, T b) const {
    return a + b;
  }
};
template <class T> struct less {
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
template <class T> struct greater {
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
template <class T> struct bit_and {
  T operator()(T a, T b) const {
    return a & b;
  }
};
template <class T> struct bit_or {
  T operator()(T a, T b) const {
    return a | b;
  }
};
template <class T> struct bit_xor {
  T operator()(T a, T b) const {
    return a ^ b;
  }
};

/* Combines in the order of the ranks, so that every thread gets the same result. */
template <class G, class T, class F> static inline T reduce(const G &g, T v, F f) {
  T sum = g.shfl(v, 0);
  for (unsigned i = 1; i < g.size(); i++)
    sum = f(sum, g.shfl(v, (int)i));
  return sum;
}
template <class G, class T, class F>
static inline T inclusive_scan(const G &g, T v, F f) {
  T sum = g.shfl(v, 0);
  T mine = sum;
  for (unsigned i = 1; i < g.size(); i++) {
    sum = f(sum, g.shfl(v, (int)i));
    if (i == g.thread_rank())
      mine = sum;
  }
  return mine;
}
template <class G, class T> static inline T inclusive_scan(const G &g, T v) {
  return inclusive_scan(g, v, plus<T>());
}
template <class G, class T, class F>
static inline T exclusive_scan(const G &g, T v, F f) {
  T before = g.shfl_up(inclusive_scan(g, v, f), 1);
  return g.thread_rank() ? before : T();
}
template <class G, class T> static inline T exclusive_scan(const G &g, T v) {
  return exclusive_scan(g, v, plus<T>());
}

template <class G> static inline void sync(const G &g) {
  g.sync();
}

/* Each thread copies its part at once. */
template <class G>
static inline void memcpy_async(const G &g, void *to, const void *from,
                                unsigned long bytes) {
  for (unsigned long i = g.thread_rank(); i < bytes; i += g.size())
    ((char *)to)[i] = ((const char *)from)[i];
}
template <class G> static inline void wait(const G &g) {
  g.sync();
}

} // namespace cooperative_groups

#endif
