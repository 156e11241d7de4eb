// SPDX-License-Identifier: Apache-2.0
// Vector extensions and the compiler's own intrinsics: only those that are reached.
#include <immintrin.h>
#include <stdio.h>
#define W 4
typedef float vec __attribute__((vector_size(16)));
typedef int ivec __attribute__((vector_size(16), aligned(4)));
__extension__ typedef __int128 wide;

static inline __attribute__((always_inline)) vec twice(vec v) { return v + v; }

#pragma autotune kernel param(W: 4, 8) inout(c[0:n]) in(a[0:n])
__attribute__((target("popcnt")))
void work(int n, const float *a, float *c)
{
  for (int i = 0; i + 4 <= n; i += 4) {
    vec v = { a[i], a[i + 1], a[i + 2], a[i + 3] };
    __m128 m = _mm_add_ps(_mm_loadu_ps(a + i), (__m128)twice(v));
#ifdef __AVX2__
    if (W == 8)
      m = _mm_add_ps(m, _mm_setzero_ps());
#endif
    _mm_storeu_ps(c + i, m);
    c[i] += (float)(wide)_mm_popcnt_u32(7);
    const ivec one = { 1, 1, 1, 1 };
    c[i + 1] += (float)one[3];
  }
}

int main(void)
{
  if (!__builtin_cpu_supports("popcnt"))
    return 0;
  float a[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, c[8] = { 0 };
  work(8, a, c);
  printf("%g %g %g\n", (double)c[0], (double)c[5], (double)c[7]);
  return 0;
}
