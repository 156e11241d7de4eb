# SPDX-License-Identifier: Apache-2.0
# Declarations between loops move into the inner loop where a directive needs it. All variants compute the same, and none
# is left out. With constants the loops over so few iterations are unrolled, and some variants are sure to lose.
. "$(dirname "$0")/cc_lib.sh"
export AUTOTUNE_SEARCH=exhaustive AUTOTUNE_BUDGET=60s AUTOTUNE_LOG=warn

cat > between.c << 'END'
#include <stdio.h>
#include <stdlib.h>

/* A number that a product is split by, and counters that are declared outside. */
#pragma autotune kernel key(n, m) constant() in(a[0:n*n], b[0:n*m]) inout(c[0:n*m]) verify(exact)
static int product(int n, int m, long scale, const long *a, const long *b, long *c)
{
  int i, k, j;
  #pragma autotune parallel for num_threads({1, 2})
  #pragma autotune tile sizes({3, 8}, {2, 16}, {5, 64}) optional
  #pragma autotune unroll_and_jam partial({1, 2, 3}, {1, 4})
  for (i = 0; i < n; ++i) {
    for (k = 0; k < n; ++k) {
      const long part = scale * a[i * n + k]; // used by each j
      for (j = 0; j < m; ++j) {
        c[i * m + j] += part * b[k * m + j];
      }
    }
  }
  return i + k + j;
}

/* Pointers to rows, and a number that needs another declaration. */
#pragma autotune kernel key(n, m) in(w[0:n], y[0:m]) inout(x[0:n][0:m]) verify(exact)
static void rows(int n, int m, long **x, const long *w, const long *y)
{
  #pragma autotune interchange permutation(any)
  #pragma autotune unroll_and_jam partial({1, 2}, {1, 3})
  for (int i = 0; i < n; i++) {
    long *row = x[i];
    long factor = w[i] + 1, twice = 2 * factor;
    for (int j = 0; j < m; j++)
      row[j] += twice * y[j] - factor;
  }
}

/* Declarations at two levels, and a loop that no directive acts on. */
#pragma autotune kernel key(n) in(w[0:n]) inout(c[0:n*n*n]) verify(exact)
static void levels(int n, const long *w, long *c)
{
  #pragma autotune parallel for num_threads({1, 2}) optional
  #pragma autotune tile sizes({2, 4}, {3, 5})
  for (int i = 0; i < n; i++) {
    long outer = w[i];
    for (int j = n - 1; j >= 0; j--) {
      long inner = outer * w[j];
      long *at = c + (i * n + j) * n;
      for (int k = 0; k < n; k++)
        at[k] += inner + outer * k;
    }
  }
}

int main(void)
{
  enum { N = 13, M = 21 };
  static long a[N * N], b[N * M], c[N * M], d[N * N * N], cells[N][M], w[N], y[M];
  long *x[N], sum = 0;
  for (int i = 0; i < N; i++) {
    x[i] = cells[N - 1 - i];
    w[i] = i * i - 7;
  }
  for (int i = 0; i < N * N; i++)
    a[i] = i % 11 - 5;
  for (int i = 0; i < N * M; i++)
    b[i] = i % 17 + 3;
  for (int j = 0; j < M; j++)
    y[j] = 3 * j + 1;
  sum = product(N, M, 3, a, b, c);
  rows(N, M, x, w, y);
  levels(N, w, d);
  for (int i = 0; i < N * M; i++)
    sum = 31 * sum % 1000003 + c[i] + cells[i / M][i % M];
  for (int i = 0; i < N * N * N; i++)
    sum = 31 * sum % 1000003 + d[i];
  printf("%ld\n", sum);
  return 0;
}
END
# Rows are not followed in C++.
sed 's/ inout(x\[0:n\]\[0:m\])//' between.c > between.cpp

for cc in $compilers g++; do
  source=between.c
  [ "$cc" = g++ ] && source=between.cpp
  check "$cc: the program as it was" "$cc" -O1 -w -fopenmp $source -o was
  check "$cc: compiles" autotune cc "$cc" -O1 -w -fopenmp $source -o now
  export AUTOTUNE_CACHE=$work/$cc.cache
  is "$cc: tuned" "$(AUTOTUNE_MODE=first ./now 2> /dev/null)" "$(./was)"
  autotune report > report
  has "$cc: all variants of product: $(cat report)" report '  *108 tried'
  hasnt "$cc: wrong: $(cat report)" report '[0-9] wrong\|did not compile'
done

# A directive that has loops enough acts on no others: here the inner loop over k must run to its end for each j.
cat > enough.c << 'END'
#include <stdio.h>
#pragma autotune kernel key(n) in(length[0:n]) inout(a[0:n*n]) verify(exact)
static void f(int n, long *a, const int *length)
{
  #pragma autotune unroll_and_jam partial({1, 2})
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int end = length[j];
      for (int k = 0; k < n; k++)
        for (int l = 0; l < end; l++)
          a[i * n + j] += k * l;
    }
}
#pragma autotune kernel key(n) inout(a[0:n*n]) in(w[0:n]) verify(exact)
static void g(int n, long *a, const long *w)
{
  #pragma autotune unroll_and_jam partial({1, 2})
  for (int i = 1; i < n; i++)
    for (int j = 0; j < 1; j++) {
      long s = w[j];
      for (int k = 0; k < n - 1; k++)
        a[i * n + k] = a[(i - 1) * n + k + 1] + s;
    }
}
int main(void)
{
  enum { N = 9 };
  static long a[N * N], w[N];
  int length[N];
  long sum = 0;
  for (int i = 0; i < N; i++)
    length[i] = i % 4, w[i] = i + 2;
  f(N, a, length);
  g(N, a, w);
  for (int i = 0; i < N * N; i++)
    sum = 31 * sum % 1000003 + a[i];
  printf("%ld\n", sum);
  return 0;
}
END
check "enough: the program as it was" gcc -O1 -w enough.c -o was
check "enough: compiles" autotune cc gcc -O1 -w enough.c -o now
export AUTOTUNE_CACHE=$work/enough.cache
is "enough: tuned" "$(AUTOTUNE_MODE=first ./now 2> /dev/null)" "$(./was)"
autotune report > report
is "enough: all variants of both: $(cat report)" "$(grep -c '  *2 tried' report)" 2
hasnt "enough: wrong: $(cat report)" report '[0-9] wrong\|did not compile'

# The declaration stands as far outside as it can.
cat > outside.c << 'END'
#pragma autotune kernel key(n)
void f(int n, double *a, const double *w)
{
  #pragma autotune tile sizes({8, 16}, {4, 32})
  for (int i = 0; i < n; i++) {
    double s = w[i];
    for (int j = 0; j < n; j++)
      a[i * n + j] += s;
  }
}
END
autotune translate outside.c > outside.txt
is "outside: it stands before the inner loop" "$(sed -n '/^"double s = w\[i\];/,/a\[i/p' outside.txt | grep -c '"for (int j = autotune')" 1
finish
