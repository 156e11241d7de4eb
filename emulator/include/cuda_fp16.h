/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_fp16.h: half precision by _Float16: each operation is done in float and rounded
 * once. */
#ifndef AUTOTUNE_EMULATE_CUDA_FP16_H
#define AUTOTUNE_EMULATE_CUDA_FP16_H

#pragma GCC system_header

#include "autotune_emulate/kernel.h"
#include "autotune_emulate/small.h"

struct __half_raw {
  unsigned short x;
};

struct __attribute__((aligned(2))) __half {
  _Float16 v;
  AUTOTUNE_EMULATE_SMALL_MEMBERS(__half, (_Float16))
  __half(__half_raw r) : v(autotune_emulate::bits<_Float16>(r.x)) {
  }
  operator float() const {
    return (float)v;
  }
  operator __half_raw() const {
    return __half_raw{ autotune_emulate::bits<unsigned short>(v) };
  }
  explicit operator bool() const {
    return v != (_Float16)0;
  }
};
struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  __half2(__half a, __half b) : x(a), y(b) {
  }
};
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

AUTOTUNE_EMULATE_SMALL(__half, __half2, half)

static inline __half __uint2half_rn(unsigned i) {
  return __half(i);
}
static inline __half __short2half_rn(short i) {
  return __half((int)i);
}
static inline short __half_as_short(__half h) {
  return autotune_emulate::bits<short>(h.v);
}
static inline __half __short_as_half(short x) {
  return __ushort_as_half((unsigned short)x);
}
static inline __half2 __low2half2(__half2 h) {
  return __half2(h.x, h.x);
}
static inline __half2 __high2half2(__half2 h) {
  return __half2(h.y, h.y);
}
static inline __half2 __lowhigh2highlow(__half2 h) {
  return __half2(h.y, h.x);
}
static inline __half2 __lows2half2(__half2 a, __half2 b) {
  return __half2(a.x, b.x);
}
static inline __half2 __highs2half2(__half2 a, __half2 b) {
  return __half2(a.y, b.y);
}

#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_ZERO_FP16 __ushort_as_half(0)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)

#endif
