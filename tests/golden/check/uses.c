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
