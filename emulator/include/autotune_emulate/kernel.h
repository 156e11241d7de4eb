/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.h: functions by which the threads of a kernel see each other: indices, barriers,
 * shuffles, votes, atomics. */
#ifndef AUTOTUNE_EMULATE_KERNEL_H
#define AUTOTUNE_EMULATE_KERNEL_H

#pragma GCC system_header

#include "device.h"
#include "math.h"
#include "simd.h"
#include "types.h"

extern "C" {
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
}
static constexpr int warpSize = 32;

/* The CPU cannot run PTX. */
#define asm                                                                             \
  static_assert(                                                                        \
      false, "inline PTX cannot be emulated: give another way under AUTOTUNE_EMULATE"); \
  (void)

namespace autotune_emulate {

static inline unsigned lane() {
  return autotune_emulate_rank() % 32;
}

/* The first call of a kernel with __cluster_dims__. */
static inline void clusters(unsigned x, unsigned y = 1, unsigned z = 1) {
  autotune_emulate_cluster(x, y, z);
}

/* ---- shuffles -------------------------------------------------------------------- */

template <class T> struct shuffle {
  T value, result;
  unsigned source;
  static void act(void *const *args, unsigned lanes) {
    for (unsigned l = 0; l < 32; l++)
      if (lanes >> l & 1) {
        shuffle *me = (shuffle *)args[l];
        const shuffle *from = (const shuffle *)args[me->source];
        me->result = from ? from->value
                          : me->value; /* CUDA leaves this value undefined */
      }
  }
};
template <class T> static inline T exchange(unsigned mask, T value, unsigned source) {
  shuffle<T> s{ value, value, source };
  autotune_emulate_warp(mask, shuffle<T>::act, &s);
  return s.result;
}
template <class T>
static inline T shuffle_index(unsigned mask, T v, int from, int width) {
  return exchange(mask, v,
                  (lane() & ~(unsigned)(width - 1)) |
                      ((unsigned)from & (unsigned)(width - 1)));
}
template <class T>
static inline T shuffle_up(unsigned mask, T v, unsigned by, int width) {
  unsigned l = lane(), first = l & ~(unsigned)(width - 1);
  return exchange(mask, v, l >= first + by ? l - by : l);
}
template <class T>
static inline T shuffle_down(unsigned mask, T v, unsigned by, int width) {
  unsigned l = lane(), last = l | (unsigned)(width - 1);
  return exchange(mask, v, l + by <= last ? l + by : l);
}
template <class T> static inline T shuffle_xor(unsigned mask, T v, int by, int width) {
  unsigned l = lane(), last = l | (unsigned)(width - 1), from = l ^ (unsigned)by;
  return exchange(mask, v, from <= last ? from : l);
}

/* ---- votes: each lane gives a value, and all get one answer --------------------- */

struct vote {
  unsigned value, result, who;
  static void act(void *const *args, unsigned lanes) {
    unsigned set = 0;
    for (unsigned l = 0; l < 32; l++)
      if (lanes >> l & 1)
        set |= (unsigned)(((vote *)args[l])->value != 0) << l;
    for (unsigned l = 0; l < 32; l++)
      if (lanes >> l & 1) {
        ((vote *)args[l])->result = set;
        ((vote *)args[l])->who = lanes;
      }
  }
};
static inline vote voted(unsigned mask, unsigned value) {
  vote v{ value, 0, 0 };
  autotune_emulate_warp(mask, vote::act, &v);
  return v;
}

struct matching {
  unsigned long long value;
  unsigned result, who;
  static void act(void *const *args, unsigned lanes) {
    for (unsigned l = 0; l < 32; l++) {
      if (!(lanes >> l & 1))
        continue;
      matching *me = (matching *)args[l];
      me->who = lanes;
      me->result = 0;
      for (unsigned o = 0; o < 32; o++)
        if ((lanes >> o & 1) && ((matching *)args[o])->value == me->value)
          me->result |= 1u << o;
    }
  }
};
template <class T> static inline matching matched(unsigned mask, T value) {
  static_assert(sizeof(T) <= sizeof(long long), "of eight bytes at most");
  matching m{ 0, 0, 0 };
  __builtin_memcpy(&m.value, &value, sizeof value);
  autotune_emulate_warp(mask, matching::act, &m);
  return m;
}

template <class T, class F> struct folding {
  T value;
  static void act(void *const *args, unsigned lanes) {
    F f;
    bool any = false;
    T sum{};
    for (unsigned l = 0; l < 32; l++)
      if (lanes >> l & 1) {
        sum = any ? f(sum, ((folding *)args[l])->value) : ((folding *)args[l])->value;
        any = true;
      }
    for (unsigned l = 0; l < 32; l++)
      if (lanes >> l & 1)
        ((folding *)args[l])->value = sum;
  }
};
template <class F, class T> static inline T folded(unsigned mask, T value) {
  folding<T, F> f{ value };
  autotune_emulate_warp(mask, folding<T, F>::act, &f);
  return f.value;
}
struct plus_ {
  template <class T> T operator()(T a, T b) const {
    return (T)(a + b);
  }
};
struct less_ {
  template <class T> T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct more_ {
  template <class T> T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct and_ {
  template <class T> T operator()(T a, T b) const {
    return (T)(a & b);
  }
};
struct or_ {
  template <class T> T operator()(T a, T b) const {
    return (T)(a | b);
  }
};
struct xor_ {
  template <class T> T operator()(T a, T b) const {
    return (T)(a ^ b);
  }
};

/* ---- votes of the block ---------------------------------------------------------- */

struct counting {
  int value, result;
  static void act(void *const *args, unsigned n) {
    int sum = 0;
    for (unsigned i = 0; i < n; i++)
      sum += ((counting *)args[i])->value != 0;
    for (unsigned i = 0; i < n; i++)
      ((counting *)args[i])->result = sum | (sum == (int)n ? 1 << 30 : 0);
  }
};
static inline int counted(int value) {
  counting c{ value, 0 };
  autotune_emulate_block(counting::act, &c);
  return c.result;
}

/* Fibres switch only where they wait, so a plain read and write is atomic. Loops that
 * wait for another thread's write by atomics let that thread run now and then. */
static inline void atomic_step() {
  static unsigned steps;
  if (++steps % 64 == 0)
    autotune_emulate_yield();
}
template <class T> static inline T swap_in(T *p, T v) {
  T old = *p;
  *p = v;
  atomic_step();
  return old;
}

} // namespace autotune_emulate

static inline void __syncthreads() {
  autotune_emulate_block(nullptr, nullptr);
}
static inline int __syncthreads_count(int p) {
  return autotune_emulate::counted(p) & ~(1 << 30);
}
static inline int __syncthreads_and(int p) {
  return autotune_emulate::counted(p) >> 30 & 1;
}
static inline int __syncthreads_or(int p) {
  return (autotune_emulate::counted(p) & ~(1 << 30)) != 0;
}
static inline void __syncwarp(unsigned mask = 0xffffffffu) {
  autotune_emulate_warp(mask, nullptr, nullptr);
}
static inline void __threadfence() {
  __asm__ volatile("" ::: "memory");
}
static inline void __threadfence_block() {
  __threadfence();
}
static inline void __threadfence_system() {
  __threadfence();
}
static inline void __nanosleep(unsigned) {
  autotune_emulate_yield();
}
static inline long long clock64() {
  return autotune_emulate_clock();
}
static inline unsigned long long __globaltimer() {
  return (unsigned long long)autotune_emulate_clock();
}
[[noreturn]] static inline void __trap() {
  autotune_emulate_trap();
}
static inline void __brkpt() {
}

template <class T>
static inline T __shfl_sync(unsigned mask, T v, int from, int width = 32) {
  return autotune_emulate::shuffle_index(mask, v, from, width);
}
template <class T>
static inline T __shfl_up_sync(unsigned mask, T v, unsigned by, int width = 32) {
  return autotune_emulate::shuffle_up(mask, v, by, width);
}
template <class T>
static inline T __shfl_down_sync(unsigned mask, T v, unsigned by, int width = 32) {
  return autotune_emulate::shuffle_down(mask, v, by, width);
}
template <class T>
static inline T __shfl_xor_sync(unsigned mask, T v, int by, int width = 32) {
  return autotune_emulate::shuffle_xor(mask, v, by, width);
}
static inline unsigned __ballot_sync(unsigned mask, int p) {
  return autotune_emulate::voted(mask, (unsigned)(p != 0)).result;
}
static inline int __any_sync(unsigned mask, int p) {
  return __ballot_sync(mask, p) != 0;
}
static inline int __all_sync(unsigned mask, int p) {
  autotune_emulate::vote v = autotune_emulate::voted(mask, (unsigned)(p != 0));
  return v.result == v.who;
}
#define __activemask() autotune_emulate_active()
template <class T> static inline unsigned __match_any_sync(unsigned mask, T value) {
  return autotune_emulate::matched(mask, value).result;
}
template <class T>
static inline unsigned __match_all_sync(unsigned mask, T value, int *all) {
  autotune_emulate::matching m = autotune_emulate::matched(mask, value);
  *all = m.result == m.who;
  return *all ? m.who : 0;
}
#define AUTOTUNE_EMULATE_REDUCE(name, op, T)                        \
  static inline T __reduce_##name##_sync(unsigned mask, T v) {      \
    return autotune_emulate::folded<autotune_emulate::op>(mask, v); \
  }
AUTOTUNE_EMULATE_REDUCE(add, plus_, int)
AUTOTUNE_EMULATE_REDUCE(add, plus_, unsigned)
AUTOTUNE_EMULATE_REDUCE(min, less_, int)
AUTOTUNE_EMULATE_REDUCE(min, less_, unsigned)
AUTOTUNE_EMULATE_REDUCE(max, more_, int)
AUTOTUNE_EMULATE_REDUCE(max, more_, unsigned)
AUTOTUNE_EMULATE_REDUCE(and, and_, unsigned)
AUTOTUNE_EMULATE_REDUCE(or, or_, unsigned)
AUTOTUNE_EMULATE_REDUCE(xor, xor_, unsigned)

#define AUTOTUNE_EMULATE_ATOMIC1(name, T, value)        \
  static inline T name(T *p, T v) {                     \
    T old = *p;                                         \
    return autotune_emulate::swap_in<T>(p, (T)(value)); \
  }
#define AUTOTUNE_EMULATE_ATOMIC(name, T, value)    \
  AUTOTUNE_EMULATE_ATOMIC1(name, T, value)         \
  AUTOTUNE_EMULATE_ATOMIC1(name##_block, T, value) \
  AUTOTUNE_EMULATE_ATOMIC1(name##_system, T, value)
#define AUTOTUNE_EMULATE_ATOMICS(T)              \
  AUTOTUNE_EMULATE_ATOMIC(atomicAdd, T, old + v) \
  AUTOTUNE_EMULATE_ATOMIC(atomicExch, T, ((void)old, v))
#define AUTOTUNE_EMULATE_ATOMICS_INT(T)                    \
  AUTOTUNE_EMULATE_ATOMICS(T)                              \
  AUTOTUNE_EMULATE_ATOMIC(atomicMin, T, v < old ? v : old) \
  AUTOTUNE_EMULATE_ATOMIC(atomicMax, T, old < v ? v : old) \
  AUTOTUNE_EMULATE_ATOMIC(atomicAnd, T, old &v)            \
  AUTOTUNE_EMULATE_ATOMIC(atomicOr, T, old | v)            \
  AUTOTUNE_EMULATE_ATOMIC(atomicXor, T, old ^ v)
AUTOTUNE_EMULATE_ATOMICS_INT(int)
AUTOTUNE_EMULATE_ATOMICS_INT(unsigned)
AUTOTUNE_EMULATE_ATOMICS_INT(unsigned long long)
AUTOTUNE_EMULATE_ATOMIC(atomicMin, long long, v < old ? v : old)
AUTOTUNE_EMULATE_ATOMIC(atomicMax, long long, old < v ? v : old)
AUTOTUNE_EMULATE_ATOMIC(atomicAnd, long long, old &v)
AUTOTUNE_EMULATE_ATOMIC(atomicOr, long long, old | v)
AUTOTUNE_EMULATE_ATOMIC(atomicXor, long long, old ^ v)
AUTOTUNE_EMULATE_ATOMICS(float)
AUTOTUNE_EMULATE_ATOMIC(atomicAdd, double, old + v)
AUTOTUNE_EMULATE_ATOMIC(atomicSub, int, old - v)
AUTOTUNE_EMULATE_ATOMIC(atomicSub, unsigned, old - v)
AUTOTUNE_EMULATE_ATOMIC(atomicInc, unsigned, old >= v ? 0 : old + 1)
AUTOTUNE_EMULATE_ATOMIC(atomicDec, unsigned, old == 0 || old > v ? v : old - 1)
#define AUTOTUNE_EMULATE_CAS1(name, T)                               \
  static inline T name(T *p, T expected, T v) {                      \
    return autotune_emulate::swap_in<T>(p, *p == expected ? v : *p); \
  }
#define AUTOTUNE_EMULATE_CAS(T)             \
  AUTOTUNE_EMULATE_CAS1(atomicCAS, T)       \
  AUTOTUNE_EMULATE_CAS1(atomicCAS_block, T) \
  AUTOTUNE_EMULATE_CAS1(atomicCAS_system, T)
AUTOTUNE_EMULATE_CAS(int)
AUTOTUNE_EMULATE_CAS(unsigned)
AUTOTUNE_EMULATE_CAS(unsigned long long)
AUTOTUNE_EMULATE_CAS(unsigned short)

/* CUDA 13's atomics with a memory order and a scope. Both are ignored: blocks run one by
 * one, and threads see each write at once. */
enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};
template <class T>
static inline T __nv_atomic_load_n(const T *p, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  autotune_emulate::atomic_step();
  return *(const volatile T *)p;
}
template <class T>
static inline void __nv_atomic_store_n(T *p, autotune_emulate::same<T> v, int,
                                       int = __NV_THREAD_SCOPE_SYSTEM) {
  autotune_emulate::swap_in<T>(p, v);
}
template <class T>
static inline T __nv_atomic_exchange_n(T *p, autotune_emulate::same<T> v, int,
                                       int = __NV_THREAD_SCOPE_SYSTEM) {
  return autotune_emulate::swap_in<T>(p, v);
}
template <class T>
static inline bool __nv_atomic_compare_exchange_n(T *p, T *expected,
                                                  autotune_emulate::same<T> v, bool, int,
                                                  int, int = __NV_THREAD_SCOPE_SYSTEM) {
  T old = *p;
  bool same = __builtin_memcmp(&old, expected, sizeof old) == 0;
  autotune_emulate::swap_in<T>(p, same ? v : old);
  *expected = old;
  return same;
}
#define AUTOTUNE_EMULATE_NV_ATOMIC(name, value)                                    \
  template <class T>                                                               \
  static inline T __nv_atomic_fetch_##name(T *p, autotune_emulate::same<T> v, int, \
                                           int = __NV_THREAD_SCOPE_SYSTEM) {       \
    T old = *p;                                                                    \
    return autotune_emulate::swap_in<T>(p, (T)(value));                            \
  }                                                                                \
  template <class T>                                                               \
  static inline void __nv_atomic_##name(T *p, autotune_emulate::same<T> v, int,    \
                                        int = __NV_THREAD_SCOPE_SYSTEM) {          \
    T old = *p;                                                                    \
    autotune_emulate::swap_in<T>(p, (T)(value));                                   \
  }
AUTOTUNE_EMULATE_NV_ATOMIC(add, old + v)
AUTOTUNE_EMULATE_NV_ATOMIC(sub, old - v)
AUTOTUNE_EMULATE_NV_ATOMIC(min, v < old ? v : old)
AUTOTUNE_EMULATE_NV_ATOMIC(max, old < v ? v : old)
AUTOTUNE_EMULATE_NV_ATOMIC(and, old &v)
AUTOTUNE_EMULATE_NV_ATOMIC(or, old | v)
AUTOTUNE_EMULATE_NV_ATOMIC(xor, old ^ v)

/* Loads and stores with a hint for the cache. */
template <class T> static inline T __ldg(const T *p) {
  return *p;
}
template <class T> static inline T __ldca(const T *p) {
  return *p;
}
template <class T> static inline T __ldcg(const T *p) {
  return *p;
}
template <class T> static inline T __ldcs(const T *p) {
  return *p;
}
template <class T> static inline T __ldlu(const T *p) {
  return *p;
}
template <class T> static inline T __ldcv(const T *p) {
  return *p;
}
template <class T> static inline void __stcg(T *p, autotune_emulate::same<T> v) {
  *p = v;
}
template <class T> static inline void __stcs(T *p, autotune_emulate::same<T> v) {
  *p = v;
}
template <class T> static inline void __stwb(T *p, autotune_emulate::same<T> v) {
  *p = v;
}
template <class T> static inline void __stwt(T *p, autotune_emulate::same<T> v) {
  *p = v;
}

static inline unsigned long __cvta_generic_to_shared(const void *p) {
  return (unsigned long)((const unsigned char *)p - autotune_emulate_shared);
}
static inline unsigned __isShared(const void *p) {
  return (unsigned long)((const unsigned char *)p - autotune_emulate_shared) <
      (228u << 10);
}

#endif
