/* SPDX-License-Identifier: Apache-2.0 */
/* math.h: mathematical functions of kernels beyond C's, and C's too for units, which
 * include no headers. */
#ifndef AUTOTUNE_EMULATE_MATH_H
#define AUTOTUNE_EMULATE_MATH_H

#pragma GCC system_header

#ifdef AUTOTUNE_EMULATE_UNIT_TEXT

/* clang-format off */
#define AUTOTUNE_EMULATE_1(X)                                                                \
  X(sqrt) X(cbrt) X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) X(cos)     \
  X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(erf)   \
  X(erfc) X(tgamma) X(lgamma) X(floor) X(ceil) X(trunc) X(round) X(rint) X(nearbyint) X(fabs) \
  X(logb)
/* clang-format on */
/* clang-format off */
#define AUTOTUNE_EMULATE_2(X)                                                                \
  X(pow) X(fmod) X(remainder) X(atan2) X(hypot) X(fmin) X(fmax) X(fdim) X(copysign) X(nextafter)
/* clang-format on */
#define X(name)                       \
  extern "C" double name(double);     \
  extern "C" float name##f(float);    \
  static inline float name(float x) { \
    return name##f(x);                \
  }
AUTOTUNE_EMULATE_1(X)
#undef X
#define X(name)                                \
  extern "C" double name(double, double);      \
  extern "C" float name##f(float, float);      \
  static inline float name(float x, float y) { \
    return name##f(x, y);                      \
  }
AUTOTUNE_EMULATE_2(X)
#undef X
extern "C" {
double fma(double, double, double);
float fmaf(float, float, float);
double ldexp(double, int);
float ldexpf(float, int);
double frexp(double, int *);
float frexpf(float, int *);
double modf(double, double *);
float modff(float, float *);
double exp10(double);
float exp10f(float);
void sincos(double, double *, double *);
void sincosf(float, float *, float *);
long lround(double);
long lroundf(float);
long lrint(double);
long lrintf(float);
long long llround(double);
long long llrint(double);
int abs(int);
long labs(long);
long long llabs(long long);
int printf(const char *, ...);
void *malloc(__SIZE_TYPE__);
void free(void *);
void *memcpy(void *, const void *, __SIZE_TYPE__);
void *memset(void *, int, __SIZE_TYPE__);
}
static inline float fma(float a, float b, float c) {
  return fmaf(a, b, c);
}
static inline float ldexp(float x, int n) {
  return ldexpf(x, n);
}
static inline float abs(float x) {
  return fabsf(x);
}
static inline double abs(double x) {
  return fabs(x);
}
static inline long abs(long x) {
  return labs(x);
}
static inline long long abs(long long x) {
  return llabs(x);
}
static inline double pow(double x, int n) {
  return pow(x, (double)n);
}
static inline float pow(float x, int n) {
  return powf(x, (float)n);
}
template <class T> static inline bool isnan(T x) {
  return __builtin_isnan(x);
}
template <class T> static inline bool isinf(T x) {
  return __builtin_isinf(x);
}
template <class T> static inline bool isfinite(T x) {
  return __builtin_isfinite(x);
}
template <class T> static inline bool signbit(T x) {
  return __builtin_signbit(x);
}

#endif

#define AUTOTUNE_EMULATE_MINMAX(R, A, B) \
  static inline R min(A a, B b) {        \
    return (R)a < (R)b ? (R)a : (R)b;    \
  }                                      \
  static inline R max(A a, B b) {        \
    return (R)a > (R)b ? (R)a : (R)b;    \
  }
AUTOTUNE_EMULATE_MINMAX(int, int, int)
AUTOTUNE_EMULATE_MINMAX(unsigned, unsigned, unsigned)
AUTOTUNE_EMULATE_MINMAX(unsigned, int, unsigned)
AUTOTUNE_EMULATE_MINMAX(unsigned, unsigned, int)
AUTOTUNE_EMULATE_MINMAX(long, long, long)
AUTOTUNE_EMULATE_MINMAX(unsigned long, unsigned long, unsigned long)
AUTOTUNE_EMULATE_MINMAX(unsigned long, long, unsigned long)
AUTOTUNE_EMULATE_MINMAX(unsigned long, unsigned long, long)
AUTOTUNE_EMULATE_MINMAX(long long, long long, long long)
AUTOTUNE_EMULATE_MINMAX(unsigned long long, unsigned long long, unsigned long long)
AUTOTUNE_EMULATE_MINMAX(unsigned long long, long long, unsigned long long)
AUTOTUNE_EMULATE_MINMAX(unsigned long long, unsigned long long, long long)
/* Returns the number if one operand is NaN. */
#define AUTOTUNE_EMULATE_FMINMAX(R, A, B) \
  static inline R min(A a, B b) {         \
    return __builtin_fmin((R)a, (R)b);    \
  }                                       \
  static inline R max(A a, B b) {         \
    return __builtin_fmax((R)a, (R)b);    \
  }
AUTOTUNE_EMULATE_FMINMAX(float, float, float)
AUTOTUNE_EMULATE_FMINMAX(double, double, double)
AUTOTUNE_EMULATE_FMINMAX(double, float, double)
AUTOTUNE_EMULATE_FMINMAX(double, double, float)

static inline unsigned umin(unsigned a, unsigned b) {
  return min(a, b);
}
static inline unsigned umax(unsigned a, unsigned b) {
  return max(a, b);
}
static inline long long llmin(long long a, long long b) {
  return min(a, b);
}
static inline long long llmax(long long a, long long b) {
  return max(a, b);
}
static inline unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return min(a, b);
}
static inline unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return max(a, b);
}

static inline float rsqrtf(float x) {
  return 1.0f / __builtin_sqrtf(x);
}
static inline double rsqrt(double x) {
  return 1.0 / __builtin_sqrt(x);
}
static inline float rsqrt(float x) {
  return rsqrtf(x);
}
static inline float rcbrtf(float x) {
  return 1.0f / __builtin_cbrtf(x);
}
static inline float rhypotf(float x, float y) {
  return 1.0f / __builtin_hypotf(x, y);
}
static inline float sinpif(float x) {
  return __builtin_sinf(x * 3.14159265358979f);
}
static inline float cospif(float x) {
  return __builtin_cosf(x * 3.14159265358979f);
}
static inline double sinpi(double x) {
  return __builtin_sin(x * 3.141592653589793);
}
static inline double cospi(double x) {
  return __builtin_cos(x * 3.141592653589793);
}
static inline float saturate(float x) {
  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}
static inline float norm3df(float a, float b, float c) {
  return __builtin_sqrtf(a * a + b * b + c * c);
}
static inline float normcdff(float x) {
  return 0.5f * __builtin_erfcf(-x * 0.70710678f);
}
static inline double normcdf(double x) {
  return 0.5 * __builtin_erfc(-x * 0.7071067811865476);
}

/* Macros, since the C library has functions of these names. */
#define __expf(x) __builtin_expf(x)
#define __exp10f(x) __builtin_exp2f((x) * 3.32192809f)
#define __logf(x) __builtin_logf(x)
#define __log2f(x) __builtin_log2f(x)
#define __log10f(x) __builtin_log10f(x)
#define __sinf(x) __builtin_sinf(x)
#define __cosf(x) __builtin_cosf(x)
#define __tanf(x) __builtin_tanf(x)
#define __tanhf(x) __builtin_tanhf(x)
#define __powf(x, y) __builtin_powf(x, y)
#define __sincosf(x, s, c) autotune_emulate::sine_cosine(x, s, c)
namespace autotune_emulate {
static inline void sine_cosine(float x, float *s, float *c) {
  *s = __builtin_sinf(x);
  *c = __builtin_cosf(x);
}
} // namespace autotune_emulate
static inline float __saturatef(float x) {
  return saturate(x);
}
static inline float __fdividef(float a, float b) {
  return a / b;
}
static inline float fdividef(float a, float b) {
  return a / b;
}
static inline float __frcp_rn(float x) {
  return 1.0f / x;
}
static inline float __frsqrt_rn(float x) {
  return rsqrtf(x);
}
static inline float __fsqrt_rn(float x) {
  return __builtin_sqrtf(x);
}
static inline float __fadd_rn(float a, float b) {
  return a + b;
}
static inline float __fsub_rn(float a, float b) {
  return a - b;
}
static inline float __fmul_rn(float a, float b) {
  return a * b;
}
static inline float __fdiv_rn(float a, float b) {
  return a / b;
}
static inline float __fmaf_rn(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
static inline double __dadd_rn(double a, double b) {
  return a + b;
}
static inline double __dmul_rn(double a, double b) {
  return a * b;
}
static inline double __fma_rn(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

static inline int __mul24(int a, int b) {
  return a * b;
}
static inline unsigned __umul24(unsigned a, unsigned b) {
  return a * b;
}
static inline int __mulhi(int a, int b) {
  return (int)((long long)a * b >> 32);
}
static inline unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)((unsigned long long)a * b >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline long long __mul64hi(long long a, long long b) {
  return (long long)((__int128)a * b >> 64);
}
static inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
static inline int __clz(int x) {
  return x ? __builtin_clz((unsigned)x) : 32;
}
static inline int __clzll(long long x) {
  return x ? __builtin_clzll((unsigned long long)x) : 64;
}
static inline int __ffs(int x) {
  return __builtin_ffs(x);
}
static inline int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
static inline unsigned __brev(unsigned x) {
  return __builtin_bitreverse32(x);
}
static inline unsigned long long __brevll(unsigned long long x) {
  return __builtin_bitreverse64(x);
}
static inline int __sad(int a, int b, unsigned c) {
  return (int)((a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c);
}
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
  unsigned long long both = (unsigned long long)b << 32 | a;
  unsigned r = 0;
  for (int i = 0; i < 4; i++)
    r |= (unsigned)(both >> (s >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  return r;
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned n) {
  return (unsigned)(((unsigned long long)high << 32 | low) << (n & 31) >> 32);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned n) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (n & 31));
}
#define AUTOTUNE_EMULATE_DOT(A, PA, B, PB, R)                  \
  static inline R __dp4a(A a, B b, R c) {                      \
    for (int i = 0; i < 4; i++)                                \
      c += (R)((int)(PA)(a >> 8 * i) * (int)(PB)(b >> 8 * i)); \
    return c;                                                  \
  }
AUTOTUNE_EMULATE_DOT(int, signed char, int, signed char, int)
AUTOTUNE_EMULATE_DOT(unsigned, unsigned char, unsigned, unsigned char, unsigned)
static inline int __dp2a_lo(int a, int b, int c) {
  return c + (short)a * (signed char)b + (short)(a >> 16) * (signed char)(b >> 8);
}
static inline int __dp2a_hi(int a, int b, int c) {
  return __dp2a_lo(a, b >> 16, c);
}
static inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
  return c + (a & 0xffff) * (b & 0xff) + (a >> 16) * (b >> 8 & 0xff);
}
static inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) {
  return __dp2a_lo(a, b >> 16, c);
}

namespace autotune_emulate {
template <class To, class From> static inline To bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "of one size");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}
/* Converts as a GPU does: a value out of range becomes the nearest in range, NaN 0. */
template <class I>
static inline I clamp(double x, double low, double high, I least, I most) {
  return x != x ? 0 : x <= low ? least : x >= high ? most : (I)x;
}
} // namespace autotune_emulate
static inline int __float_as_int(float x) {
  return autotune_emulate::bits<int>(x);
}
static inline unsigned __float_as_uint(float x) {
  return autotune_emulate::bits<unsigned>(x);
}
static inline float __int_as_float(int x) {
  return autotune_emulate::bits<float>(x);
}
static inline float __uint_as_float(unsigned x) {
  return autotune_emulate::bits<float>(x);
}
static inline long long __double_as_longlong(double x) {
  return autotune_emulate::bits<long long>(x);
}
static inline double __longlong_as_double(long long x) {
  return autotune_emulate::bits<double>(x);
}
static inline int __float2int_rn(float x) {
  return autotune_emulate::clamp<int>(__builtin_rintf(x), -2147483648.0, 2147483647.0,
                                      -2147483647 - 1, 2147483647);
}
static inline int __float2int_rz(float x) {
  return __float2int_rn(__builtin_truncf(x));
}
static inline int __float2int_rd(float x) {
  return __float2int_rn(__builtin_floorf(x));
}
static inline int __float2int_ru(float x) {
  return __float2int_rn(__builtin_ceilf(x));
}
static inline unsigned __float2uint_rn(float x) {
  return autotune_emulate::clamp<unsigned>(__builtin_rintf(x), 0.0, 4294967295.0, 0u,
                                           4294967295u);
}
static inline unsigned __float2uint_rz(float x) {
  return __float2uint_rn(__builtin_truncf(x));
}
static inline float __int2float_rn(int x) {
  return (float)x;
}
static inline float __uint2float_rn(unsigned x) {
  return (float)x;
}
static inline double __int2double_rn(int x) {
  return x;
}
static inline float __double2float_rn(double x) {
  return (float)x;
}
static inline int __double2int_rn(double x) {
  return autotune_emulate::clamp<int>(__builtin_rint(x), -2147483648.0, 2147483647.0,
                                      -2147483647 - 1, 2147483647);
}
static inline int __double2int_rz(double x) {
  return __double2int_rn(__builtin_trunc(x));
}

#endif
