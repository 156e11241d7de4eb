/* What a function's header may look like. */
#define EXPORT __attribute__((visibility("default")))
#define RESTRICT restrict
typedef double real;
struct point { double x, y; };
static int helper(int (*f)(int), int n);
void plain(int n);

#pragma autotune kernel
void plain(int n) { helper(0, n); }

#pragma autotune kernel
// a comment between
EXPORT void macros(unsigned n, const real *RESTRICT a, real *RESTRICT b) { b[n] = a[n]; }

#pragma autotune kernel
__attribute__((noinline)) static inline struct point *
tagged(struct point *p, enum { A, B } e, size_t n)
{
  return p + n + e;
}

#pragma autotune kernel
static const unsigned long long int *words(long int x, unsigned y[static 4], char c)
{
  return x + y + c;
}

#pragma autotune kernel
real vla(int n, int m, real A[n][m], real (*B)[m], int (*f)(int), void (**g)(real))
{
  return A[0][0] + B[0][0] + f(m) + !g;
}

#pragma GCC diagnostic push
#ifdef __GNUC__
#pragma autotune kernel key() out(*result) mode(locked)
#pragma GCC optimize("O2")
#define BETWEEN 1
extern __inline__ __attribute__((always_inline, hot)) void attributes(int *result, real typed) {
  *result = BETWEEN + typed;
}
#endif
