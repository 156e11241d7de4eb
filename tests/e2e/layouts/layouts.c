// SPDX-License-Identifier: Apache-2.0
// Sections with elements of many types. The program prints what the translated file says of
// their fields.
#include <complex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#include "layouts.h"

typedef float v4 __attribute__((vector_size(16)));
enum color { RED, GREEN };
struct inner {
  char kind;
  dcomplex z[4][3];
  long double w;
};
struct all {
  char tag;
  struct inner parts[2];
  real3 position;
  v4 lanes;
  double complex c;
  float complex cs[5];
  union {
    int i;
    float f;
  } u;
  union {
    int ai;
    double ad;
  };
  union {
    struct {
      float x, y, z, w;
    };
    float v[4];
    struct inner2 {
      v4 r;
    } rows[2];
  } vector;
  union {
    double d;
    float f[2];
  } other;
  struct {
    float hidden;
    int deep;
    unsigned deep_bits : 3;
  };
  int flag : 3;
  unsigned : 2;
  bool ready : 1;
  unsigned short ok;
  unsigned char byte;
  enum color color;
  void (*function)(int);
  const char *names[3];
  struct all *next;
  struct timeval when;
  __typeof__(1.0) computed;
  _Static_assert(sizeof(int) == 4, "int");
#pragma GCC diagnostic ignored "-Wunused"
  double (*rows)[3], *columns[2];
};
#pragma pack(push, 1)
struct packed {
  char c;
  double d;
};
#pragma pack(pop)
struct open {
  int n;
  double x[];
};
#define SIZE 10
static double rhs[10 * SIZE][2 * SIZE];
static struct all globals[7];
static struct {
  dcomplex *p;
  struct all *q[3];
} context, *link = &context;
static long counter;
static _Complex double plain;

#define real other
#define imag 1 +
#pragma autotune kernel param(W: 1, 2) inout(y[0:n], f[0:n], f[1], pairs[0:n][0:2], rhs, rhs[0:10], \
                                             rhs[1][0:20])                            \
    inout(context.p[0:n], link->q[1][0:n], z[0:n], (y + 2)[0:2], ((pair *)y)[0:n], rows[0:n][0:3]) \
    inout(bytes[0:n], wide[0:n], counter, plain, packed[0:n], *open, pointers[0:n], *&f[3], vla[0:n])
dcomplex fill(int n, dcomplex *y, real3 *f, pair *pairs, double complex *z, double rows[][3],
              char *bytes, unsigned long long *wide, struct packed *packed, struct open *open,
              double **pointers, double vla[n][n])
{
  (void)f, (void)pairs, (void)z, (void)rows, (void)bytes, (void)wide, (void)packed, (void)open;
  (void)pointers, (void)vla;
  return y[W - 1];
}
#undef real
#undef imag

#pragma autotune kernel param(W: 1, 2) out(*x, globals)
void change(struct all *x)
{
  x->tag = W;
}

static void print_layout(const char *name, const struct autotune_layout *t)
{
  static const char *const elements[] = { "bytes", "f16",  "bf16",   "f32",      "f64",
                                          "f80",   "f128", "signed", "unsigned", "pointer" };
  unsigned i, r;
  size_t b;
  printf("%s: %zu bytes\n", name, t->size);
  for (i = 0; i < t->n_leaves; i++) {
    const struct autotune_leaf *l = &t->leaves[i];
    const unsigned char *mask = l->mask;
    printf("  %s %s %zu at %zu", *l->path ? l->path : "itself", elements[l->element], l->size,
           l->offset);
    for (r = l->repeat; r < l->repeat + l->n_repeats; r++)
      printf(" x %zu by %zu", t->repeats[r].count, t->repeats[r].stride);
    for (b = 0; mask && b < l->size; b++)
      if (mask[b])
        printf(" byte %zu & %02x", b, mask[b]);
    putchar('\n');
  }
}

static void print_kernel(const struct autotune_kernel *k)
{
  unsigned i;
  for (i = 0; i < k->n_sections; i++)
    if (k->layouts[i])
      print_layout(k->sections[i].name, k->layouts[i]);
    else
      printf("%s: element %d of %zu bytes\n", k->sections[i].name, k->sections[i].element,
             k->sections[i].element_size);
  if (k->ret_layout)
    print_layout("result", k->ret_layout);
}

int main(void)
{
  print_kernel(&autotune_kernel_fill);
  print_kernel(&autotune_kernel_change);
  return 0;
}
