/* SPDX-License-Identifier: Apache-2.0 */
/* small.h: arithmetic of a 16-bit type and of pairs of it: the operators and the
 * functions that CUDA has. Both types are made of float, where sums, products and
 * quotients of two are exact enough to be rounded once. */
#ifndef AUTOTUNE_EMULATE_SMALL_H
#define AUTOTUNE_EMULATE_SMALL_H

#pragma GCC system_header

#define AUTOTUNE_EMULATE_SMALL_OPERATOR(H, H2, op, name) \
  static inline H operator op(H a, H b) {                \
    return H((float)a op(float) b);                      \
  }                                                      \
  static inline H &operator op## = (H & a, H b) {        \
    return a = a op b;                                   \
  }                                                      \
  static inline H2 operator op(H2 a, H2 b) {             \
    return H2(a.x op b.x, a.y op b.y);                   \
  }                                                      \
  static inline H2 &operator op## = (H2 & a, H2 b) {     \
    return a = a op b;                                   \
  }                                                      \
  static inline H name(H a, H b) {                       \
    return a op b;                                       \
  }                                                      \
  static inline H name##_rn(H a, H b) {                  \
    return a op b;                                       \
  }                                                      \
  static inline H2 name##2(H2 a, H2 b) {                 \
    return a op b;                                       \
  }                                                      \
  static inline H2 name##2_rn(H2 a, H2 b) {              \
    return a op b;                                       \
  }
#define AUTOTUNE_EMULATE_SMALL_COMPARE(H, H2, op, name)                  \
  static inline bool operator op(H a, H b) {                             \
    return (float)a op(float) b;                                         \
  }                                                                      \
  static inline bool name(H a, H b) {                                    \
    return (float)a op(float) b;                                         \
  }                                                                      \
  static inline H2 name##2(H2 a, H2 b) {                                 \
    return H2(H(a.x op b.x ? 1.0f : 0.0f), H(a.y op b.y ? 1.0f : 0.0f)); \
  }
#define AUTOTUNE_EMULATE_SMALL_FUNCTION(H, H2, name, f) \
  static inline H h##name(H a) {                        \
    return H(f((float)a));                              \
  }                                                     \
  static inline H2 h2##name(H2 a) {                     \
    return H2(h##name(a.x), h##name(a.y));              \
  }

/* The constructors of H and its assignment. ROUND makes its member V of any number. */
#define AUTOTUNE_EMULATE_SMALL_MEMBERS(H, ROUND) \
  H() = default;                                 \
  H(float n) : v(ROUND(n)) {                     \
  }                                              \
  H(double n) : v(ROUND(n)) {                    \
  }                                              \
  H(int n) : v(ROUND(n)) {                       \
  }                                              \
  H(unsigned n) : v(ROUND(n)) {                  \
  }                                              \
  H(long n) : v(ROUND(n)) {                      \
  }                                              \
  H(unsigned long n) : v(ROUND(n)) {             \
  }                                              \
  H(long long n) : v(ROUND(n)) {                 \
  }                                              \
  H(unsigned long long n) : v(ROUND(n)) {        \
  }                                              \
  template <class T> H &operator=(T n) {         \
    return *this = H(n);                         \
  }
/* Conversions of H, which CUDA calls NAME, and of H2. */
#define AUTOTUNE_EMULATE_SMALL_CONVERSIONS(H, H2, name)      \
  static inline H __float2##name(float f) {                  \
    return H(f);                                             \
  }                                                          \
  static inline H __float2##name##_rn(float f) {             \
    return H(f);                                             \
  }                                                          \
  static inline H __double2##name(double f) {                \
    return H(f);                                             \
  }                                                          \
  static inline H __int2##name##_rn(int i) {                 \
    return H(i);                                             \
  }                                                          \
  static inline float __##name##2float(H h) {                \
    return (float)h;                                         \
  }                                                          \
  static inline int __##name##2int_rn(H h) {                 \
    return __float2int_rn(h);                                \
  }                                                          \
  static inline int __##name##2int_rz(H h) {                 \
    return __float2int_rz(h);                                \
  }                                                          \
  static inline unsigned short __##name##_as_ushort(H h) {   \
    return autotune_emulate::bits<unsigned short>(h.v);      \
  }                                                          \
  static inline H __ushort_as_##name(unsigned short x) {     \
    return H(H##_raw{ x });                                  \
  }                                                          \
  static inline H2 __float2##name##2_rn(float f) {           \
    return H2(f, f);                                         \
  }                                                          \
  static inline H2 __floats2##name##2_rn(float a, float b) { \
    return H2(a, b);                                         \
  }                                                          \
  static inline H2 __float22##name##2_rn(float2 f) {         \
    return H2(f.x, f.y);                                     \
  }                                                          \
  static inline float2 __##name##22float2(H2 h) {            \
    return make_float2(h.x, h.y);                            \
  }                                                          \
  static inline H2 __##name##2##name##2(H h) {               \
    return H2(h, h);                                         \
  }                                                          \
  static inline H2 __halves2##name##2(H a, H b) {            \
    return H2(a, b);                                         \
  }                                                          \
  static inline H2 make_##name##2(H a, H b) {                \
    return H2(a, b);                                         \
  }                                                          \
  static inline H __low2##name(H2 h) {                       \
    return h.x;                                              \
  }                                                          \
  static inline H __high2##name(H2 h) {                      \
    return h.y;                                              \
  }                                                          \
  static inline float __low2float(H2 h) {                    \
    return h.x;                                              \
  }                                                          \
  static inline float __high2float(H2 h) {                   \
    return h.y;                                              \
  }

#define AUTOTUNE_EMULATE_SMALL(H, H2, name)                           \
  AUTOTUNE_EMULATE_SMALL_CONVERSIONS(H, H2, name)                     \
  AUTOTUNE_EMULATE_SMALL_OPERATOR(H, H2, +, __hadd)                   \
  AUTOTUNE_EMULATE_SMALL_OPERATOR(H, H2, -, __hsub)                   \
  AUTOTUNE_EMULATE_SMALL_OPERATOR(H, H2, *, __hmul)                   \
  AUTOTUNE_EMULATE_SMALL_OPERATOR(H, H2, /, __hdiv)                   \
  AUTOTUNE_EMULATE_SMALL_COMPARE(H, H2, ==, __heq)                    \
  AUTOTUNE_EMULATE_SMALL_COMPARE(H, H2, !=, __hne)                    \
  AUTOTUNE_EMULATE_SMALL_COMPARE(H, H2, <, __hlt)                     \
  AUTOTUNE_EMULATE_SMALL_COMPARE(H, H2, <=, __hle)                    \
  AUTOTUNE_EMULATE_SMALL_COMPARE(H, H2, >, __hgt)                     \
  AUTOTUNE_EMULATE_SMALL_COMPARE(H, H2, >=, __hge)                    \
  AUTOTUNE_EMULATE_SMALL_FUNCTION(H, H2, sqrt, __builtin_sqrtf)       \
  AUTOTUNE_EMULATE_SMALL_FUNCTION(H, H2, rsqrt, ::rsqrtf)             \
  AUTOTUNE_EMULATE_SMALL_FUNCTION(H, H2, rcp, 1.0f /)                 \
  AUTOTUNE_EMULATE_SMALL_FUNCTION(H, H2, exp, __builtin_expf)         \
  AUTOTUNE_EMULATE_SMALL_FUNCTION(H, H2, exp2, __builtin_exp2f)       \
  AUTOTUNE_EMULATE_SMALL_FUNCTION(H, H2, log, __builtin_logf)         \
  AUTOTUNE_EMULATE_SMALL_FUNCTION(H, H2, log2, __builtin_log2f)       \
  AUTOTUNE_EMULATE_SMALL_FUNCTION(H, H2, sin, __builtin_sinf)         \
  AUTOTUNE_EMULATE_SMALL_FUNCTION(H, H2, cos, __builtin_cosf)         \
  AUTOTUNE_EMULATE_SMALL_FUNCTION(H, H2, tanh, __builtin_tanhf)       \
  AUTOTUNE_EMULATE_SMALL_FUNCTION(H, H2, floor, __builtin_floorf)     \
  AUTOTUNE_EMULATE_SMALL_FUNCTION(H, H2, ceil, __builtin_ceilf)       \
  AUTOTUNE_EMULATE_SMALL_FUNCTION(H, H2, trunc, __builtin_truncf)     \
  AUTOTUNE_EMULATE_SMALL_FUNCTION(H, H2, rint, __builtin_rintf)       \
  static inline H operator-(H a) {                                    \
    return H(-(float)a);                                              \
  }                                                                   \
  static inline H operator+(H a) {                                    \
    return a;                                                         \
  }                                                                   \
  static inline H2 operator-(H2 a) {                                  \
    return H2(-a.x, -a.y);                                            \
  }                                                                   \
  static inline H &operator++(H &a) {                                 \
    return a = a + H(1.0f);                                           \
  }                                                                   \
  static inline H &operator--(H &a) {                                 \
    return a = a - H(1.0f);                                           \
  }                                                                   \
  static inline H __hneg(H a) {                                       \
    return -a;                                                        \
  }                                                                   \
  static inline H2 __hneg2(H2 a) {                                    \
    return -a;                                                        \
  }                                                                   \
  static inline H __habs(H a) {                                       \
    return H(__builtin_fabsf((float)a));                              \
  }                                                                   \
  static inline H2 __habs2(H2 a) {                                    \
    return H2(__habs(a.x), __habs(a.y));                              \
  }                                                                   \
  /* Exact in double, then rounded once. */                           \
  static inline H __hfma(H a, H b, H c) {                             \
    return H((double)(float)a * (double)(float)b + (double)(float)c); \
  }                                                                   \
  static inline H2 __hfma2(H2 a, H2 b, H2 c) {                        \
    return H2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));          \
  }                                                                   \
  static inline H __hmax(H a, H b) {                                  \
    return H(__builtin_fmaxf((float)a, (float)b));                    \
  }                                                                   \
  static inline H __hmin(H a, H b) {                                  \
    return H(__builtin_fminf((float)a, (float)b));                    \
  }                                                                   \
  static inline H2 __hmax2(H2 a, H2 b) {                              \
    return H2(__hmax(a.x, b.x), __hmax(a.y, b.y));                    \
  }                                                                   \
  static inline H2 __hmin2(H2 a, H2 b) {                              \
    return H2(__hmin(a.x, b.x), __hmin(a.y, b.y));                    \
  }                                                                   \
  static inline bool __hisnan(H a) {                                  \
    return (float)a != (float)a;                                      \
  }                                                                   \
  static inline int __hisinf(H a) {                                   \
    return __builtin_isinf((float)a) ? (float)a < 0 ? -1 : 1 : 0;     \
  }                                                                   \
  static inline H __hadd_sat(H a, H b) {                              \
    return H(__saturatef((float)a + (float)b));                       \
  }                                                                   \
  static inline H __hmul_sat(H a, H b) {                              \
    return H(__saturatef((float)a * (float)b));                       \
  }                                                                   \
  AUTOTUNE_EMULATE_ATOMIC(atomicAdd, H, old + v)                      \
  AUTOTUNE_EMULATE_ATOMIC(atomicAdd, H2, old + v)

#endif
