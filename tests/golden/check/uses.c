/* A param counts as used wherever the preprocessor may put it. */
static int helper(int x) { return x * IN_HELPER; }
#define MACRO(x) ((x) + IN_MACRO)
#if IN_CONDITION > 2
#endif

#pragma autotune kernel param(IN_HELPER: 1, 2) param(IN_MACRO: 1, 2) param(IN_CONDITION: 1, 2) \
    param(IN_PRAGMA: 1, 2) param(IN_OPERATOR: 1, 2) param(AFTER: 1, 2)
void f(int n, int *a)
{
  #pragma omp parallel for num_threads(IN_PRAGMA)
  for (int i = 0; i < n; i++)
    a[i] = MACRO(helper(i));
  _Pragma("omp parallel for num_threads(IN_OPERATOR)")
  for (int i = 0; i < n; i++)
    a[i] = after(i);
}
static int after(int x) { return x + AFTER; }

#define FOREACH(i, n) for (int i = 0; i < (n); i++)
#define UNROLL _Pragma("GCC unroll 4")
#pragma autotune kernel out(a[0:n])
void macros_as_statements(int n, int *a)
{
  FOREACH(i, n) {
    a[i] = 0;
  }
  FOREACH(i, n)
    a[i] += i;
  FOREACH(i, n) a[i]++;
  UNROLL for (int i = 0, j = n; i < j; i++, j--)
    a[i] = j;
}
