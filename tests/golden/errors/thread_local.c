#define T 1
static _Thread_local int mine;
static __thread long buffer[4];
static int other;
#pragma omp threadprivate(other)
static int helper(void) { return (int)++buffer[0]; }
#pragma autotune kernel param(T: 1, 2)
int k(int n, double *a)
{
  static int calls;
  static const int table[] = { 1, 2 };
  static const char *word = "";
  mine += T;
  calls++;
  return n + other + helper() + table[0] + *word;
}
