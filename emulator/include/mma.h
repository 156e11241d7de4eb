/* SPDX-License-Identifier: Apache-2.0 */
/* mma.h: nvcuda::wmma. Of a matrix of R x C elements, lane l has those numbered l·n to
 * l·n + n - 1, row by row, n = R·C/32: CUDA does not say which lane has which. The
 * product is made by the lane that comes last, from the fragments of all. Sums are in
 * float, in the order of k. */
#ifndef AUTOTUNE_EMULATE_MMA_H
#define AUTOTUNE_EMULATE_MMA_H

#pragma GCC system_header

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {

struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
} // namespace precision

template <class Use, int M, int N, int K> struct shape;
template <int M, int N, int K> struct shape<matrix_a, M, N, K> {
  static constexpr int rows = M, columns = K;
};
template <int M, int N, int K> struct shape<matrix_b, M, N, K> {
  static constexpr int rows = K, columns = N;
};
template <int M, int N, int K> struct shape<accumulator, M, N, K> {
  static constexpr int rows = M, columns = N;
};
template <class T> struct stored {
  using type = T;
};
template <> struct stored<precision::tf32> {
  using type = float;
};

template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
  static_assert((M == 16 && N == 16 && (K == 16 || K == 8)) ||
                    (M == 32 && N == 8 && K == 16) || (M == 8 && N == 32 && K == 16),
                "a shape that tensor cores have");
  using element_type = typename stored<T>::type;
  using storage_element_type = element_type;
  static constexpr int rows = shape<Use, M, N, K>::rows,
                       columns = shape<Use, M, N, K>::columns;
  static constexpr int num_elements = rows * columns / 32;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];
};

static inline float __float_to_tf32(float f) {
  unsigned u = autotune_emulate::bits<unsigned>(f);
  return f != f ? f : autotune_emulate::bits<float>((u + 0x1000) & 0xffffe000u);
}

template <class Use, int M, int N, int K, class T, class L, class V>
static inline void fill_fragment(fragment<Use, M, N, K, T, L> &f, const V &value) {
  for (auto &x : f.x)
    x = value;
}

/* Returns the place of element NUMBER of the whole matrix. */
template <class F>
static inline unsigned long place(int number, unsigned stride, bool by_row) {
  unsigned row = (unsigned)(number / F::columns),
           column = (unsigned)(number % F::columns);
  return by_row ? (unsigned long)row * stride + column
                : (unsigned long)column * stride + row;
}
template <class F, class P>
static inline void load(F &f, const P *p, unsigned stride, bool by_row) {
  int first = (int)autotune_emulate::lane() * F::num_elements;
  for (int i = 0; i < F::num_elements; i++)
    f.x[i] = p[place<F>(first + i, stride, by_row)];
  autotune_emulate_warp(0xffffffffu, nullptr, nullptr);
}

template <class Use, int M, int N, int K, class T, class P>
static inline void load_matrix_sync(fragment<Use, M, N, K, T, row_major> &f, const P *p,
                                    unsigned stride) {
  load(f, p, stride, true);
}
template <class Use, int M, int N, int K, class T, class P>
static inline void load_matrix_sync(fragment<Use, M, N, K, T, col_major> &f, const P *p,
                                    unsigned stride) {
  load(f, p, stride, false);
}
template <int M, int N, int K, class T, class P>
static inline void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const P *p,
                                    unsigned stride, layout_t layout) {
  load(f, p, stride, layout == mem_row_major);
}
template <int M, int N, int K, class T, class P>
static inline void store_matrix_sync(P *p, const fragment<accumulator, M, N, K, T> &f,
                                     unsigned stride, layout_t layout) {
  using F = fragment<accumulator, M, N, K, T>;
  int first = (int)autotune_emulate::lane() * F::num_elements;
  for (int i = 0; i < F::num_elements; i++)
    p[place<F>(first + i, stride, layout == mem_row_major)] = f.x[i];
  autotune_emulate_warp(0xffffffffu, nullptr, nullptr);
}

template <class D, class A, class B, class C> struct product {
  D *d;
  const A *a;
  const B *b;
  const C *c;
  template <class F> static float at(const F *f, int number) {
    return (float)f->x[number % F::num_elements];
  }
  static void act(void *const *args, unsigned) {
    float a_[A::rows * A::columns], b_[B::rows * B::columns], sum[D::rows * D::columns];
    product *const *all = (product *const *)args;
    for (int i = 0; i < A::rows * A::columns; i++)
      a_[i] = at(all[i / A::num_elements]->a, i);
    for (int i = 0; i < B::rows * B::columns; i++)
      b_[i] = at(all[i / B::num_elements]->b, i);
    for (int i = 0; i < D::rows * D::columns; i++)
      sum[i] = at(all[i / C::num_elements]->c, i);
    for (int r = 0; r < D::rows; r++)
      for (int k = 0; k < A::columns; k++)
        for (int c = 0; c < D::columns; c++)
          sum[r * D::columns + c] += a_[r * A::columns + k] * b_[k * B::columns + c];
    for (int i = 0; i < D::rows * D::columns; i++)
      all[i / D::num_elements]->d->x[i % D::num_elements] = sum[i];
  }
};

template <int M, int N, int K, class TD, class TA, class LA, class TB, class LB, class TC>
static inline void mma_sync(fragment<accumulator, M, N, K, TD> &d,
                            const fragment<matrix_a, M, N, K, TA, LA> &a,
                            const fragment<matrix_b, M, N, K, TB, LB> &b,
                            const fragment<accumulator, M, N, K, TC> &c, bool = false) {
  using P =
      product<fragment<accumulator, M, N, K, TD>, fragment<matrix_a, M, N, K, TA, LA>,
              fragment<matrix_b, M, N, K, TB, LB>, fragment<accumulator, M, N, K, TC>>;
  P p{ &d, &a, &b, &c };
  autotune_emulate_warp(0xffffffffu, P::act, &p);
}

} // namespace wmma
} // namespace nvcuda

#endif
