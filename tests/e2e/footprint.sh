# SPDX-License-Identifier: Apache-2.0
# kernel->footprint: the bytes that the loops within a tile touch, compared with a sum by hand, with gcc and clang.
# `// ask KERNEL ARGS; VALUES; BYTES` gives arguments, values of params by their text, and the sum.
root=$(cd "$(dirname "$0")/../.." && pwd)
library=$(cd "$1" && pwd)/lib
. "$(dirname "$0")/cc_lib.sh"

cat > kernels.c << 'END'
#define EACH 4
struct field { int n; double *data; struct { float x, y; } *points; };

// Three loops, each tiled, in either order; sizes larger than the loop do not count.
#pragma autotune kernel param(M: 64, 32)
static void product(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
  #pragma autotune unroll_and_jam partial({4, 2})
  #pragma autotune tile sizes(M, {16, 8}, {512})
  #pragma autotune interchange permutation({(1,3,2), (1,2,3)})
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// (1,3,2): i 64, k 16, j 100 of 512
// ask product { .n = 100 }; 64 4 16 512 (1,3,2); 4*(64*100 + 64*16 + 16*100)
// ask product { .n = 100 }; 32 2 8 512 (1,2,3); 4*(32*8 + 32*100 + 100*8)

// A stencil counts once, and its neighbours not at all; rows have their own type.
#pragma autotune kernel
static void stencil(int n, double (*a)[n], double (*b)[n])
{
  #pragma autotune tile sizes({16}, {32}) optional
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      b[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1];
}
// ask stencil { .n = 1000 }; yes 16 32; 2*8*16*32
// ask stencil { .n = 1000 }; no 16 32; 0

// Of the parts of a divided body the larger one counts.
#pragma autotune kernel
static void divided(int n, double (*a)[n], double (*b)[n])
{
  #pragma autotune fission optional
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      #pragma autotune tile sizes(8, 8)
      a[i][j] = 0;
      #pragma autotune tile sizes({16}, 4, {32})
      for (int k = 0; k < n; k++)
        a[i][j] += b[i][k];
    }
}
// ask divided { .n = 1000 }; yes 16 32; 8*(16*4 + 16*32)
// ask divided { .n = 1000 }; no 16 32; 0

// Sums of indices; a loop that is not tiled runs in full; a macro counts by what it is given.
#define AT(i, j) ((i) * w + (j))
#pragma autotune kernel
static void filter(int h, int w, int k, const double *image, const double *weights, double *out)
{
  #pragma autotune tile sizes({8})
  for (int y = 0; y <= h; y++)
    for (int x = 0; x < w; x++)
      for (int u = 0; u < k; u += 1)
        out[AT(y, x)] += image[y * w + x + u] * weights[u];
}
// ask filter { .h = 99, .w = 50, .k = 5 }; 8; 8*(8*50 + 8*(50 + 5 - 1) + 5)

// Blocks of registers below the tile: it counts blocks. Structures, their members, two nests.
#pragma autotune kernel
static void members(struct field *f, struct field g, int n)
{
  #pragma autotune tile sizes({8}, {16})
  #pragma autotune unroll_and_jam partial({4})
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      f->data[i] += g.points[j].x;
  #pragma autotune tile sizes({2})
  for (int i = 0; i < n; i++)
    f->data[i] = 0;
}
// ask members { .n = 1000 }; 8 16 4 2; 8*4*8 + 16*8

// What cannot be told: locals, what is read from memory, what is computed before, bounds of one's own.
#pragma autotune kernel
static void told(int n, const int *at, const double *x, double *y, int *z)
{
  double t[64] = { 0 };
  int m = n;
  #pragma autotune tile sizes({8}, {4})
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      int row = i * m;
      { int z[2] = { 0 }; t[0] += z[0]; }
      t[i % 64] += x[at[i] + j];
      y[row + j] = t[i % 64] + z[i];
    }
}
// ask told { .n = 10 }; 8 4; 8*4

// A loop counts once for each array: on a diagonal, in two subscripts, and not where it cancels out.
#pragma autotune kernel
static void diagonal(int n, double (*a)[n], double *x, const double *y)
{
  #pragma autotune tile sizes({8}, {4})
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[i * n + i + 1] += a[i][(int)(i - j)] * y[i - (i - j)] * y[i / 2 - i];
}
// ask diagonal { .n = 100 }; 8 4; 8*8 + 8*8*4 + 8*4 + 8*8

// None of this has a tile.
#pragma autotune kernel
static void none(int n, double *x)
{
  #pragma autotune unroll partial({2, 4})
  for (int i = 0; i < n; i++)
    x[i] = 0;
}
// ask none { .n = 10 }; 2; -1
END

# The arguments of each kernel, as a struct and as a list of addresses.
cat > ask.c << 'END'
#include <stdio.h>
#include <string.h>
struct args_product { int n; const float *a, *b; float *c; };
struct args_stencil { int n; double *a, *b; };
struct args_divided { int n; double *a, *b; };
struct args_filter { int h, w, k; const double *image, *weights; double *out; };
struct args_members { struct field *f; struct field g; int n; };
struct args_told { int n; const int *at; const double *x; double *y; int *z; };
struct args_diagonal { int n; double *a, *x; const double *y; };
struct args_none { int n; double *x; };
#define ADDRESSES_product(s) { &s.n, &s.a, &s.b, &s.c }
#define ADDRESSES_stencil(s) { &s.n, &s.a, &s.b }
#define ADDRESSES_divided(s) { &s.n, &s.a, &s.b }
#define ADDRESSES_filter(s) { &s.h, &s.w, &s.k, &s.image, &s.weights, &s.out }
#define ADDRESSES_members(s) { &s.f, &s.g, &s.n }
#define ADDRESSES_told(s) { &s.n, &s.at, &s.x, &s.y, &s.z }
#define ADDRESSES_diagonal(s) { &s.n, &s.a, &s.x, &s.y }
#define ADDRESSES_none(s) { &s.n, &s.x }

static int wrong;

static void ask(const struct autotune_kernel *k, void *const *args, const char *words, double bytes)
{
  static const struct autotune_machine machine = { 0 };
  const struct autotune_value *values[16];
  double got = -1;
  for (unsigned p = 0; p < k->n_params; p++) {
    size_t size = strcspn(words, " ");
    values[p] = &k->params[p].values[0];
    for (unsigned i = 0; i < k->params[p].n_values; i++)
      if (strlen(k->params[p].values[i].text) == size &&
          strncmp(k->params[p].values[i].text, words, size) == 0)
        values[p] = &k->params[p].values[i];
    if (strncmp(values[p]->text, words, size) == 0 && strlen(values[p]->text) == size)
      words += size + (words[size] == ' ');
  }
  if (k->footprint)
    got = k->footprint(values, args, &machine);
  if (*words || got != bytes)
    wrong = printf("%s: %g bytes, not %g%s%s\n", k->name, got, bytes, *words ? "; unused: " : "", words);
}
END

# One call for each line.
{
  echo 'int main(void) {'
  sed -n 's|^// ask \([a-z]*\) \({.*}\); \(.*\); \(.*\)$|  { struct args_\1 s = \2; void *args[] = ADDRESSES_\1(s); ask(\&autotune_kernel_\1, args, "\3", \4); }|p' \
    kernels.c
  echo '  return wrong != 0; }'
} > main.c

is "questions" "$(grep -c autotune_kernel_ main.c)" "$(grep -c '^// ask' kernels.c)"
for cc in $compilers; do
  check "$cc: translate" autotune translate kernels.c -o translated.c -- -O1
  cat translated.c ask.c main.c > all.c
  check "$cc: compile" $cc -O1 -w -I "$root/include" all.c -o all -L "$library" -lautotune \
    -Wl,-rpath,"$library"
  check "$cc: what a tile touches" ./all
done
finish
