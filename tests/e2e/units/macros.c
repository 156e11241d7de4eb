// SPDX-License-Identifier: Apache-2.0
// Macros: of the file, transitive, function-like, pasted from a param, redefined after the kernel,
// defined in and around #if on a param; helpers whose text depends on params.
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#define MR 4
#define SCALE 3
#define SQUARE(x) ((x) * (x))
#define STEP (MR * SCALE)
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define BIG (MR > 2)
#define ROUND_UP(n) (((n) + MR - 1) / MR * MR)

#if MR == 2
#define NAME "two"
static int extra(int x) { return x + 1; }
#elif MR == 4
#define NAME "four"
static int extra(int x) { return x * 2 - x + 1; }
#else
#define NAME "more"
static int extra(int x) { return 1 + x; }
#endif

__attribute__((unused)) static int add_2(int x) { return x + 7; }
__attribute__((unused)) static int add_4(int x) { return x + 8 - 1; }
__attribute__((unused)) static int add_8(int x) { return 7 + x; }

static int blocked(const int *a, int n)
{
  int sum = 0;
#if BIG
  for (int i = 0; i < n; i += MR)
    for (int j = i; j < i + MR && j < n; j++)
      sum += a[j];
#else
  for (int i = 0; i < n; i++)
    sum += a[i];
#endif
  return sum;
}

#pragma autotune kernel param(MR: 2, 4, 8) inout(c[0:n]) in(a[0:n])
void work(int n, const int *a, int *c)
{
  assert(sizeof NAME > 1);
  int padded = ROUND_UP(n), block[MR] = { 0 };
  for (int i = 0; i < n; i++) {
    block[i % MR] = SQUARE(a[i]) + extra(i);
    c[i] += block[i % MR] + CAT(add_, MR)(i) + (STEP % MR);
#if MR > 4
    c[i] += SCALE;
#elif MR > 2
    c[i] += SCALE + 0;
#else
    c[i] += 2 + 1;
#endif
  }
  c[0] += blocked(a, n) + (padded >= n);
}
#undef SCALE
#define SCALE 1000

int main(void)
{
  int a[37], c[37] = { 0 };
  for (int i = 0; i < 37; i++)
    a[i] = i * 7 % 11;
  work(37, a, c);
  work(37, a, c);
  for (int i = 0; i < 37; i += 6)
    printf("%d ", c[i]);
  printf("%d\n", SCALE);
  return 0;
}
