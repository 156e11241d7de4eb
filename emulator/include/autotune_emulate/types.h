/* SPDX-License-Identifier: Apache-2.0 */
/* types.h: CUDA's qualifiers for a C++ compiler for the CPU, and CUDA's vector types. */
#ifndef AUTOTUNE_EMULATE_TYPES_H
#define AUTOTUNE_EMULATE_TYPES_H

#pragma GCC system_header

#ifndef AUTOTUNE_EMULATE
#define AUTOTUNE_EMULATE 1
#endif
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif

/* Headers of the toolkit that include those of its runtime by their folder get these. */
#define __HOST_DEFINES_H__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __BUILTIN_TYPES_H__
#define __DEVICE_TYPES_H__

#define __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END

#define __host__
#define __device__
#define __global__
#define __constant__
#define __managed__
#define __grid_constant__
/* Blocks run one after another in one thread, so one copy is enough. The section's size
 * tells how many bytes there are. */
#define __shared__ static __attribute__((section("autotune_emulate_statics")))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)

/* extern __shared__ T name[]; */
#define AUTOTUNE_EMULATE_DYNAMIC(name, ...)                        \
  [[maybe_unused]] auto &name =                                    \
      *reinterpret_cast<autotune_emulate::same<__VA_ARGS__>(*)[]>( \
          autotune_emulate_shared)

namespace autotune_emulate {
template <class T> struct same_ {
  using type = T;
};
template <class T> using same = typename same_<T>::type;
} // namespace autotune_emulate

#define AUTOTUNE_EMULATE_VECTOR(T, name, align1, align2, align4) \
  struct name##1 {                                               \
    T x;                                                         \
  };                                                             \
  struct __attribute__((aligned(align2))) name##2 {              \
    T x, y;                                                      \
  };                                                             \
  struct name##3 {                                               \
    T x, y, z;                                                   \
  };                                                             \
  struct __attribute__((aligned(align4))) name##4 {              \
    T x, y, z, w;                                                \
  };                                                             \
  static inline name##1 make_##name##1(T x) {                    \
    return name##1 { x };                                        \
  }                                                              \
  static inline name##2 make_##name##2(T x, T y) {               \
    return name##2 { x, y };                                     \
  }                                                              \
  static inline name##3 make_##name##3(T x, T y, T z) {          \
    return name##3 { x, y, z };                                  \
  }                                                              \
  static inline name##4 make_##name##4(T x, T y, T z, T w) {     \
    return name##4 { x, y, z, w };                               \
  }

AUTOTUNE_EMULATE_VECTOR(signed char, char, 1, 2, 4)
AUTOTUNE_EMULATE_VECTOR(unsigned char, uchar, 1, 2, 4)
AUTOTUNE_EMULATE_VECTOR(short, short, 2, 4, 8)
AUTOTUNE_EMULATE_VECTOR(unsigned short, ushort, 2, 4, 8)
AUTOTUNE_EMULATE_VECTOR(int, int, 4, 8, 16)
AUTOTUNE_EMULATE_VECTOR(unsigned int, uint, 4, 8, 16)
AUTOTUNE_EMULATE_VECTOR(long, long, 8, 16, 16)
AUTOTUNE_EMULATE_VECTOR(unsigned long, ulong, 8, 16, 16)
AUTOTUNE_EMULATE_VECTOR(long long, longlong, 8, 16, 16)
AUTOTUNE_EMULATE_VECTOR(unsigned long long, ulonglong, 8, 16, 16)
AUTOTUNE_EMULATE_VECTOR(float, float, 4, 8, 16)
AUTOTUNE_EMULATE_VECTOR(double, double, 8, 16, 16)

/* CUDA 13's types of four 64-bit numbers that are aligned to 16 or to 32 bytes. */
#define AUTOTUNE_EMULATE_VECTOR4(T, name, align)                                   \
  struct __attribute__((aligned(align))) name##4_##align##a {                      \
    T x, y, z, w;                                                                  \
  };                                                                               \
  static inline name##4_##align##a make_##name##4_##align##a(T x, T y, T z, T w) { \
    return name##4_##align##a{ x, y, z, w };                                       \
  }
#define AUTOTUNE_EMULATE_VECTORS4(T, name) \
  AUTOTUNE_EMULATE_VECTOR4(T, name, 16)    \
  AUTOTUNE_EMULATE_VECTOR4(T, name, 32)
AUTOTUNE_EMULATE_VECTORS4(long, long)
AUTOTUNE_EMULATE_VECTORS4(unsigned long, ulong)
AUTOTUNE_EMULATE_VECTORS4(long long, longlong)
AUTOTUNE_EMULATE_VECTORS4(unsigned long long, ulonglong)
AUTOTUNE_EMULATE_VECTORS4(double, double)

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int a = 1, unsigned int b = 1, unsigned int c = 1)
      : x(a), y(b), z(c) {
  }
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {
  }
  constexpr operator uint3() const {
    return uint3{ x, y, z };
  }
};

#endif
