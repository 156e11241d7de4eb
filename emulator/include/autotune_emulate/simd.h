/* SPDX-License-Identifier: Apache-2.0 */
/* simd.h: CUDA's functions on two halves or four bytes of a word. */
#ifndef AUTOTUNE_EMULATE_SIMD_H
#define AUTOTUNE_EMULATE_SIMD_H

#pragma GCC system_header

namespace autotune_emulate {
/* Applies F to the parts of type T of A and B. */
template <class T, class F> static inline unsigned by_parts(unsigned a, unsigned b, F f) {
  constexpr int bits = 8 * sizeof(T);
  constexpr unsigned mask = (1u << bits) - 1;
  unsigned out = 0;
  for (int i = 0; i < 32; i += bits)
    out |= ((unsigned)f((int)(T)(a >> i & mask), (int)(T)(b >> i & mask)) & mask) << i;
  return out;
}
/* The sum of what F gives for the parts. */
template <class T, class F> static inline unsigned of_parts(unsigned a, unsigned b, F f) {
  unsigned sum = 0;
  for (int i = 0; i < 32; i += 8 * (int)sizeof(T))
    sum += (unsigned)f((int)(T)(a >> i), (int)(T)(b >> i));
  return sum;
}
static inline int within(int v, int low, int high) {
  return v < low ? low : v > high ? high : v;
}
} // namespace autotune_emulate

#define AUTOTUNE_EMULATE_PARTS(name, T, e)                        \
  static inline unsigned name(unsigned x, unsigned y) {           \
    return autotune_emulate::by_parts<T>(x, y, [](int a, int b) { \
      (void)b;                                                    \
      return (e);                                                 \
    });                                                           \
  }
#define AUTOTUNE_EMULATE_PART(name, T, e)                                       \
  static inline unsigned name(unsigned x) {                                     \
    return autotune_emulate::by_parts<T>(x, 0, [](int a, int) { return (e); }); \
  }
/* For S and U, the signed and the unsigned type of a part, of which a word has N. */
#define AUTOTUNE_EMULATE_SIMD(N, S, U)                                                 \
  AUTOTUNE_EMULATE_PARTS(__vadd##N, U, a + b)                                          \
  AUTOTUNE_EMULATE_PARTS(__vsub##N, U, a - b)                                          \
  AUTOTUNE_EMULATE_PARTS(__vaddss##N, S,                                               \
                         autotune_emulate::within(a + b, -(1 << (8 * sizeof(S) - 1)),  \
                                                  (1 << (8 * sizeof(S) - 1)) - 1))     \
  AUTOTUNE_EMULATE_PARTS(__vsubss##N, S,                                               \
                         autotune_emulate::within(a - b, -(1 << (8 * sizeof(S) - 1)),  \
                                                  (1 << (8 * sizeof(S) - 1)) - 1))     \
  AUTOTUNE_EMULATE_PARTS(__vaddus##N, U,                                               \
                         autotune_emulate::within(a + b, 0, (1 << 8 * sizeof(U)) - 1)) \
  AUTOTUNE_EMULATE_PARTS(__vsubus##N, U, a > b ? a - b : 0)                            \
  AUTOTUNE_EMULATE_PARTS(__vmins##N, S, a < b ? a : b)                                 \
  AUTOTUNE_EMULATE_PARTS(__vmaxs##N, S, a > b ? a : b)                                 \
  AUTOTUNE_EMULATE_PARTS(__vminu##N, U, a < b ? a : b)                                 \
  AUTOTUNE_EMULATE_PARTS(__vmaxu##N, U, a > b ? a : b)                                 \
  AUTOTUNE_EMULATE_PARTS(__vabsdiffs##N, S, a > b ? a - b : b - a)                     \
  AUTOTUNE_EMULATE_PARTS(__vabsdiffu##N, U, a > b ? a - b : b - a)                     \
  AUTOTUNE_EMULATE_PARTS(__vavgs##N, S, (a + b + (a + b >= 0)) >> 1)                   \
  AUTOTUNE_EMULATE_PARTS(__vavgu##N, U, (a + b + 1) >> 1)                              \
  AUTOTUNE_EMULATE_PARTS(__vhaddu##N, U, (a + b) >> 1)                                 \
  AUTOTUNE_EMULATE_PARTS(__vcmpeq##N, U, -(a == b))                                    \
  AUTOTUNE_EMULATE_PARTS(__vcmpne##N, U, -(a != b))                                    \
  AUTOTUNE_EMULATE_PARTS(__vcmpgts##N, S, -(a > b))                                    \
  AUTOTUNE_EMULATE_PARTS(__vcmpges##N, S, -(a >= b))                                   \
  AUTOTUNE_EMULATE_PARTS(__vcmplts##N, S, -(a < b))                                    \
  AUTOTUNE_EMULATE_PARTS(__vcmples##N, S, -(a <= b))                                   \
  AUTOTUNE_EMULATE_PARTS(__vcmpgtu##N, U, -(a > b))                                    \
  AUTOTUNE_EMULATE_PARTS(__vcmpgeu##N, U, -(a >= b))                                   \
  AUTOTUNE_EMULATE_PARTS(__vcmpltu##N, U, -(a < b))                                    \
  AUTOTUNE_EMULATE_PARTS(__vcmpleu##N, U, -(a <= b))                                   \
  AUTOTUNE_EMULATE_PARTS(__vseteq##N, U, a == b)                                       \
  AUTOTUNE_EMULATE_PARTS(__vsetne##N, U, a != b)                                       \
  AUTOTUNE_EMULATE_PARTS(__vsetgts##N, S, a > b)                                       \
  AUTOTUNE_EMULATE_PARTS(__vsetges##N, S, a >= b)                                      \
  AUTOTUNE_EMULATE_PARTS(__vsetlts##N, S, a < b)                                       \
  AUTOTUNE_EMULATE_PARTS(__vsetles##N, S, a <= b)                                      \
  AUTOTUNE_EMULATE_PARTS(__vsetgtu##N, U, a > b)                                       \
  AUTOTUNE_EMULATE_PARTS(__vsetgeu##N, U, a >= b)                                      \
  AUTOTUNE_EMULATE_PARTS(__vsetltu##N, U, a < b)                                       \
  AUTOTUNE_EMULATE_PARTS(__vsetleu##N, U, a <= b)                                      \
  AUTOTUNE_EMULATE_PART(__vabs##N, S, a < 0 ? -a : a)                                  \
  AUTOTUNE_EMULATE_PART(__vneg##N, U, -a)                                              \
  static inline unsigned __vsads##N(unsigned x, unsigned y) {                          \
    return autotune_emulate::of_parts<S>(                                              \
        x, y, [](int a, int b) { return a > b ? a - b : b - a; });                     \
  }                                                                                    \
  static inline unsigned __vsadu##N(unsigned x, unsigned y) {                          \
    return autotune_emulate::of_parts<U>(                                              \
        x, y, [](int a, int b) { return a > b ? a - b : b - a; });                     \
  }
AUTOTUNE_EMULATE_SIMD(2, short, unsigned short)
AUTOTUNE_EMULATE_SIMD(4, signed char, unsigned char)
#undef AUTOTUNE_EMULATE_SIMD
#undef AUTOTUNE_EMULATE_PART
#undef AUTOTUNE_EMULATE_PARTS

#endif
