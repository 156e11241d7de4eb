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
  AUTOTUNE_EMULATE_SMALL_MEMBERS(__nv_bfloat16, rounded)
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
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {
  }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

AUTOTUNE_EMULATE_SMALL(__nv_bfloat16, __nv_bfloat162, bfloat16)

#endif
