/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of many cases: y[0:n] from x[0:n], of types OUT and T. The case defines N, body(), and where need be:
 * FILL(i, s), x[i] at step s; BEFORE and AFTER, statements before and after the kernel. */
#ifndef T
#define T double
#endif
#ifndef OUT
#define OUT T
#endif
#ifndef FILL
#define FILL(i, s) noise(i, s)
#endif

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) out(y[0:n])
void kernel(int n, const T *x, OUT *y) {
  body(WAY, n, x, y);
}

static T x[N];
static OUT y[N], right[N];

static void step(int s) {
  for (int i = 0; i < N; i++)
    x[i] = (T)FILL(i, s);
#ifdef BEFORE
  BEFORE;
#endif
  kernel(N, x, y);
#ifdef AFTER
  AFTER;
#endif
  body(0, N, x, right);
  SAME(y, right, N);
}
