/* SPDX-License-Identifier: Apache-2.0 */
/* wgmma.c: products of matrices by a warpgroup, D (64 x N, float) = A (64 x 16) B (16 x
 * N) or D += A B. PTX ISA, "Asynchronous warpgroup level matrix instructions".
 *
 * A product is computed when the 128 threads wait for its group, from what is in shared
 * memory then. So a sum that is read too early is the old one, and memory that is filled
 * again too early gives a wrong product. With the word `early` of AUTOTUNE_EMULATE it is
 * computed when the last thread issues it. */
#include <stdlib.h>
#include <string.h>

#include "block.h"

enum { M = 64, K = 16, MAX_N = 256, GROUPS = MAX_THREADS / WARPGROUP };

struct wgmma {
  struct wgmma *next;
  unsigned number, group;           /* in the order of issue; the committed group */
  unsigned n, flags, threads;       /* threads that have issued it */
  uint64_t a, b;                    /* descriptors */
  uint32_t registers[WARPGROUP][4]; /* A, if it is not in shared memory */
  float *d[WARPGROUP];
};
struct warpgroup {
  struct wgmma *first;
  unsigned waiting, times; /* threads that wait; how often all did */
};
static struct warpgroup warpgroups[MAX_CLUSTER][GROUPS];

static struct warpgroup *warpgroup_now(void) {
  unsigned rank = thread_rank(),
           size = b.grid->block.x * b.grid->block.y * b.grid->block.z;
  if (rank / WARPGROUP * WARPGROUP + WARPGROUP > size)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED, "a warpgroup of fewer than 128 threads");
  return &warpgroups[thread_now()->block][rank / WARPGROUP];
}

/* ---- operands -------------------------------------------------------------------- */

static float wgmma_number(uint16_t bits, bool bf16) {
  float f;
  uint32_t wide = (uint32_t)bits << 16;
  _Float16 h;
  if (bf16) {
    memcpy(&f, &wide, sizeof f);
    return f;
  }
  memcpy(&h, &bits, sizeof h);
  return (float)h;
}

/* Returns the offset in shared memory of the element in row (or column) R of A (or B) and
 * at depth K, by a descriptor. MAJOR: neighbours lie along R, not along the depth. */
static unsigned wgmma_offset(uint64_t descriptor, bool major, unsigned r, unsigned k) {
  static const unsigned units[] = { 1, 8, 4, 2 }; /* of 16 bytes in a swizzled row */
  unsigned start = (unsigned)(descriptor & 0x3fff) << 4,
           leading = (unsigned)(descriptor >> 16 & 0x3fff) << 4,
           stride = (unsigned)(descriptor >> 32 & 0x3fff) << 4,
           u = units[descriptor >> 62], at = start;
  if (u == 1)
    at += major ? r % 8 * 2 + r / 8 * stride + k % 8 * 16 + k / 8 * leading
                : r % 8 * 16 + r / 8 * stride + k % 8 * 2 + k / 8 * leading;
  else
    at += major
        ? r % (8 * u) * 2 + r / (8 * u) * leading + k % 8 * u * 16 + k / 8 * stride
        : r % 8 * u * 16 + r / 8 * stride + k * 2;
  return at ^ (at >> 7 & (u - 1)) << 4;
}

static void wgmma_operand(const struct block *k, const struct wgmma *w,
                          uint64_t descriptor, bool major, unsigned rows,
                          float (*out)[K]) {
  if (descriptor >> 49 & 7)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED,
                 "base offsets of descriptors are not emulated");
  for (unsigned r = 0; r < rows; r++)
    for (unsigned d = 0; d < K; d++) {
      unsigned at = wgmma_offset(descriptor, major, r, d);
      uint16_t bits;
      if (at + sizeof bits > b.grid->shared)
        launch_abort(CUDA_ERROR_ILLEGAL_ADDRESS,
                     "a descriptor of a matrix beyond the dynamic shared memory");
      memcpy(&bits, k->shared + at, sizeof bits);
      out[r][d] = wgmma_number(bits, w->flags & AUTOTUNE_EMULATE_WGMMA_BF16);
    }
}

/* Lane L of a warp has rows L / 4 and 8 more of its 16, at depths 2 (L % 4), 1 more, and
 * 8 more than these. */
static void wgmma_fragments(const struct wgmma *w, float (*out)[K]) {
  for (unsigned t = 0; t < WARPGROUP; t++)
    for (unsigned i = 0; i < 8; i++) {
      unsigned row = t / WARP * 16 + t % WARP / 4 + i / 2 % 2 * 8;
      unsigned depth = t % 4 * 2 + i / 4 * 8 + i % 2;
      out[row][depth] = wgmma_number((uint16_t)(w->registers[t][i / 2] >> i % 2 * 16),
                                     w->flags & AUTOTUNE_EMULATE_WGMMA_BF16);
    }
}

/* ---- products -------------------------------------------------------------------- */

/* Adds a row of the product to the sums of the four threads that have it. */
static void wgmma_row(const struct wgmma *w, unsigned row, const float *product) {
  bool add = w->flags & AUTOTUNE_EMULATE_WGMMA_ADD;
  for (unsigned c = 0; c < w->n; c++) {
    unsigned thread = row / 16 * WARP + row % 8 * 4 + c % 8 / 2;
    float *d = &w->d[thread][c / 8 * 4 + row % 16 / 8 * 2 + c % 2];
    *d = product[c] + (add ? *d : 0);
  }
}

static void wgmma_do(const struct block *k, const struct wgmma *w) {
  static float x[M][K], y[MAX_N][K], across[K][MAX_N];
  if (w->flags & AUTOTUNE_EMULATE_WGMMA_REGISTERS)
    wgmma_fragments(w, x);
  else
    wgmma_operand(k, w, w->a, w->flags & AUTOTUNE_EMULATE_WGMMA_MAJOR_A, M, x);
  wgmma_operand(k, w, w->b, w->flags & AUTOTUNE_EMULATE_WGMMA_MAJOR_B, w->n, y);
  for (unsigned c = 0; c < w->n; c++)
    for (unsigned d = 0; d < K; d++)
      across[d][c] = y[c][d];
  for (unsigned r = 0; r < M; r++) {
    float product[MAX_N] = { 0 };
    for (unsigned d = 0; d < K; d++)
      for (unsigned c = 0; c < w->n; c++)
        product[c] += x[r][d] * across[d][c];
    wgmma_row(w, r, product);
  }
}

/* Computes the products of the first UNTIL groups. */
static void warpgroup_do(const struct block *k, struct warpgroup *g, unsigned until) {
  for (struct wgmma **at = &g->first; *at;) {
    struct wgmma *w = *at;
    if (w->group >= until) {
      at = &w->next;
      continue;
    }
    if (w->threads != WARPGROUP)
      launch_abort(CUDA_ERROR_LAUNCH_FAILED,
                   "a product that not all threads of the warpgroup have issued");
    if (!settings_get()->early)
      wgmma_do(k, w);
    *at = w->next;
    free(w);
  }
}

/* Returns the product that the running thread issues now, which its warpgroup may have.
 */
static struct wgmma *wgmma_issued(struct warpgroup *g, const struct wgmma *like) {
  struct wgmma **at = &g->first;
  while (*at && (*at)->number != like->number)
    at = &(*at)->next;
  if (!*at && (*at = malloc(sizeof **at)) != NULL)
    **at = *like;
  if (!*at)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED, "out of memory of the host");
  return *at;
}

EXPORT void autotune_emulate_wgmma(float *d, unsigned n, const unsigned *registers,
                                   unsigned long long a, unsigned long long descriptor,
                                   unsigned flags) {
  struct thread *me = thread_now();
  struct warpgroup *g = warpgroup_now();
  unsigned t = thread_rank() % WARPGROUP;
  if (settings_get()->cc != 90)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED,
                 "wgmma is an instruction of compute capability 9.0 only");
  if (!n || n > MAX_N || n % 8)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED, "there is no wgmma of this size");
  struct wgmma like = { .number = me->wgmmas++,
                        .group = me->wgmma_groups,
                        .n = n,
                        .flags = flags,
                        .a = a,
                        .b = descriptor };
  struct wgmma *w = wgmma_issued(g, &like);
  if (w->n != n || w->flags != flags || w->a != a || w->b != descriptor ||
      w->group != like.group)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED,
                 "the threads of a warpgroup issue different products");
  w->d[t] = d;
  if (registers)
    memcpy(w->registers[t], registers, sizeof w->registers[t]);
  if (++w->threads == WARPGROUP && settings_get()->early)
    wgmma_do(block_now(), w);
}

EXPORT void autotune_emulate_wgmma_commit(void) {
  thread_now()->wgmma_groups++;
}

static bool wgmma_passed(const struct thread *t) {
  return ((const struct warpgroup *)t->on)->times != t->value;
}

EXPORT void autotune_emulate_wgmma_wait(unsigned groups_left) {
  const struct thread *me = thread_now();
  struct warpgroup *g = warpgroup_now();
  unsigned times = g->times;
  if (++g->waiting == WARPGROUP) {
    unsigned groups = me->wgmma_groups;
    g->waiting = 0;
    g->times++;
    warpgroup_do(block_now(), g, groups > groups_left ? groups - groups_left : 0);
  }
  thread_wait(wgmma_passed, g, times);
}

void wgmma_end(void) {
  for (unsigned i = 0; i < MAX_CLUSTER * GROUPS; i++) {
    struct warpgroup *g = &warpgroups[i / GROUPS][i % GROUPS];
    for (struct wgmma *w = g->first, *next; w; w = next) {
      next = w->next;
      free(w);
    }
    *g = (struct warpgroup){ 0 };
  }
}
