/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_bf16.h: bfloat16 as the upper half of a float, rounded to nearest even. */
#ifndef AUTOTUNE_EMULATE_CUDA_BF16_H
#define AUTOTUNE_EMULATE_CUDA_BF16_H

#pragma GCC system_header

#include "autotune_emulate/kernel.h"
#include "autotune_emulate/small.h"

struct __nv_bfloat16_raw {
  unsigned short x;
};

struct __attribute__((aligned(2))) __nv_bfloat16 {
  unsigned short v;
  static unsigned short rounded(float f) {
    unsigned u = autotune_emulate::bits<unsigned>(f);
    return f != f ? 0x7fff : (unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16);
  }
  __nv_bfloat16() = default;
  __nv_bfloat16(float f) : v(rounded(f)) {
  }
  __nv_bfloat16(double f) : v(rounded((float)f)) {
  }
  __nv_bfloat16(int i) : v(rounded((float)i)) {
  }
  __nv_bfloat16(unsigned i) : v(rounded((float)i)) {
  }
  __nv_bfloat16(long i) : v(rounded((float)i)) {
  }
  __nv_bfloat16(unsigned long i) : v(rounded((float)i)) {
  }
  __nv_bfloat16(long long i) : v(rounded((float)i)) {
  }
  __nv_bfloat16(unsigned long long i) : v(rounded((float)i)) {
  }
  __nv_bfloat16(__nv_bfloat16_raw r) : v(r.x) {
  }
  operator float() const {
    return autotune_emulate::bits<float>((unsigned)v << 16);
  }
  operator __nv_bfloat16_raw() const {
    return __nv_bfloat16_raw{ v };
  }
  explicit operator bool() const {
    return (v & 0x7fff) != 0;
  }
  template <class T> __nv_bfloat16 &operator=(T f) {
    return *this = __nv_bfloat16(f);
  }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {
  }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

AUTOTUNE_EMULATE_SMALL(__nv_bfloat16, __nv_bfloat162)

static inline __nv_bfloat16 __float2bfloat16(float f) {
  return __nv_bfloat16(f);
}
static inline __nv_bfloat16 __float2bfloat16_rn(float f) {
  return __nv_bfloat16(f);
}
static inline __nv_bfloat16 __double2bfloat16(double f) {
  return __nv_bfloat16(f);
}
static inline __nv_bfloat16 __int2bfloat16_rn(int i) {
  return __nv_bfloat16(i);
}
static inline float __bfloat162float(__nv_bfloat16 h) {
  return (float)h;
}
static inline int __bfloat162int_rn(__nv_bfloat16 h) {
  return __float2int_rn(h);
}
static inline int __bfloat162int_rz(__nv_bfloat16 h) {
  return __float2int_rz(h);
}
static inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) {
  return h.v;
}
static inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) {
  return __nv_bfloat16(__nv_bfloat16_raw{ x });
}
static inline __nv_bfloat162 __float2bfloat162_rn(float f) {
  return __nv_bfloat162(f, f);
}
static inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return __nv_bfloat162(a, b);
}
static inline __nv_bfloat162 __float22bfloat162_rn(float2 f) {
  return __nv_bfloat162(f.x, f.y);
}
static inline float2 __bfloat1622float2(__nv_bfloat162 h) {
  return make_float2(h.x, h.y);
}
static inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 h) {
  return __nv_bfloat162(h, h);
}
static inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}
static inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}
static inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 h) {
  return h.x;
}
static inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 h) {
  return h.y;
}
static inline float __low2float(__nv_bfloat162 h) {
  return h.x;
}
static inline float __high2float(__nv_bfloat162 h) {
  return h.y;
}

#endif
