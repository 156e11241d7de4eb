/* SPDX-License-Identifier: Apache-2.0 */
/* util_ptx.cuh: shuffles and votes that CUB's collectives are made of. The header of the
 * toolkit has them as inline PTX. */
#ifndef AUTOTUNE_EMULATE_CUB_UTIL_PTX_H
#define AUTOTUNE_EMULATE_CUB_UTIL_PTX_H

#pragma GCC system_header

#include <cub/config.cuh>
#include <cub/util_arch.cuh>
#include <cub/util_type.cuh>

#include "../autotune_emulate/kernel.h"

CUB_NAMESPACE_BEGIN

/* NUM_BITS bits of SOURCE from BIT_START on. */
template <class T>
static inline unsigned BFE(T source, unsigned bit_start, unsigned num_bits) {
  auto bits = (unsigned long long)source >> bit_start;
  return (unsigned)(num_bits < 64 ? bits & ((1ull << num_bits) - 1) : bits);
}

/* FLAGS is the shuffle's last operand in PTX: bits 8 to 12 part the warp, bits 0 to 4 are
 * the last lane to read. */
static inline unsigned SHFL_UP_SYNC(unsigned word, int offset, int flags, unsigned mask) {
  unsigned lane = autotune_emulate::lane(), part = (unsigned)flags >> 8 & 31;
  int first = (int)((lane & part) | ((unsigned)flags & 31 & ~part)),
      from = (int)lane - offset;
  return autotune_emulate::exchange(mask, word, from >= first ? (unsigned)from : lane);
}
static inline unsigned SHFL_DOWN_SYNC(unsigned word, int offset, int flags,
                                      unsigned mask) {
  unsigned lane = autotune_emulate::lane(), part = (unsigned)flags >> 8 & 31;
  int last = (int)((lane & part) | ((unsigned)flags & 31 & ~part)),
      from = (int)lane + offset;
  return autotune_emulate::exchange(mask, word, from <= last ? (unsigned)from : lane);
}

/* The same for any type. FIRST and LAST are lanes of the logical warp of LANES lanes. */
template <int LANES, class T>
static inline T ShuffleUp(T input, int offset, int first, unsigned mask) {
  unsigned lane = autotune_emulate::lane(), begin = lane & ~(unsigned)(LANES - 1);
  int from = (int)lane - offset;
  return autotune_emulate::exchange(mask, input,
                                    from >= (int)begin + first ? (unsigned)from : lane);
}
template <int LANES, class T>
static inline T ShuffleDown(T input, int offset, int last, unsigned mask) {
  unsigned lane = autotune_emulate::lane(), begin = lane & ~(unsigned)(LANES - 1);
  int from = (int)lane + offset;
  return autotune_emulate::exchange(mask, input,
                                    from <= (int)begin + last ? (unsigned)from : lane);
}
template <int LANES, class T>
static inline T ShuffleIndex(T input, int from, unsigned mask) {
  return autotune_emulate::shuffle_index(mask, input, from, LANES);
}

[[noreturn]] static inline void ThreadExit() {
  autotune_emulate_exit();
}
static inline int RowMajorTid(int x, int y, int) {
  return (int)threadIdx.x + x * ((int)threadIdx.y + y * (int)threadIdx.z);
}

/* The lanes of the logical warp WARP. Logical warps whose size is no power of two have a
 * warp each. */
template <int LANES> constexpr unsigned WarpMask(unsigned warp) {
  return 0xffffffffu >> (32 - LANES)
      << (LANES < 32 && (LANES & (LANES - 1)) == 0 ? warp * LANES : 0);
}

namespace detail {
static inline uint32_t LogicShiftLeft(uint32_t v, uint32_t by) {
  return by < 32 ? v << by : 0;
}
static inline uint32_t LogicShiftRight(uint32_t v, uint32_t by) {
  return by < 32 ? v >> by : 0;
}
} // namespace detail

/* The lanes whose LABEL has the same last BITS bits, of the first LANES lanes. */
template <int BITS, int LANES = detail::warp_threads>
static inline unsigned MatchAny(unsigned label) {
  unsigned known = BITS < 32 ? label & ((1u << BITS) - 1) : label;
  return __match_any_sync(0xffffffffu, known) & 0xffffffffu >> (32 - LANES);
}

CUB_NAMESPACE_END

#endif
