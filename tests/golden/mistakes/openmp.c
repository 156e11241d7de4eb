// Directives and clauses of OpenMP.

// No colon in a reduction
#pragma autotune kernel
void f1(int n, double *x, double *c)
{
  double s = 0;
  #pragma autotune parallel for reduction(+ s) num_threads({1, 2})
  for (int i = 0; i < n; i++)
    s += x[i];
  *c = s;
}

// A reduction without an operation
#pragma autotune kernel
void f2(int n, double *x, double *c)
{
  double s = 0;
  #pragma autotune parallel for reduction(s) num_threads({1, 2})
  for (int i = 0; i < n; i++)
    s += x[i];
  *c = s;
}

// A reduction of an unknown variable
#pragma autotune kernel
void f3(int n, double *x, double *c)
{
  double s = 0;
  #pragma autotune parallel for reduction(+: sum) num_threads({1, 2})
  for (int i = 0; i < n; i++)
    s += x[i];
  *c = s;
}

// A reduction by an operation that does not exist
#pragma autotune kernel
void f4(int n, double *x, double *c)
{
  double s = 0;
  #pragma autotune parallel for reduction(plus: s) num_threads({1, 2})
  for (int i = 0; i < n; i++)
    s += x[i];
  *c = s;
}

// An unknown private variable
#pragma autotune kernel
void f5(int n, double *x)
{
  #pragma autotune parallel for private(zz) num_threads({1, 2})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// No threads
#pragma autotune kernel
void f6(int n, double *x)
{
  #pragma autotune parallel for num_threads({0, 2})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// `threads` for `num_threads`
#pragma autotune kernel
void f7(int n, double *x)
{
  #pragma autotune parallel for threads({1, 2})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// A vector longer than is safe
#pragma autotune kernel
void f8(int n, double *x)
{
  #pragma autotune simd safelen(8) simdlen(16)
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// A vector longer than is safe, in a set
#pragma autotune kernel
void f9(int n, double *x)
{
  #pragma autotune simd safelen(8) simdlen({4, 16})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// A vector of no elements
#pragma autotune kernel
void f10(int n, double *x)
{
  #pragma autotune simd simdlen({0, 8})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// A misspelled schedule
#pragma autotune kernel
void f11(int n, double *x)
{
  #pragma autotune parallel for schedule(dynamc)
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// A misspelled schedule in a set
#pragma autotune kernel
void f12(int n, double *x)
{
  #pragma autotune parallel for schedule({static, dynamik})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// A schedule that does not exist
#pragma autotune kernel
void f13(int n, double *x)
{
  #pragma autotune parallel for schedule(balanced)
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// A chunk of zero
#pragma autotune kernel
void f14(int n, double *x)
{
  #pragma autotune parallel for schedule(static, {0, 8})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// Only `parallel`
#pragma autotune kernel
void f15(int n, double *x)
{
  #pragma autotune parallel
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// A clause of another directive
#pragma autotune kernel
void f16(int n, double *x)
{
  #pragma autotune simd num_threads({1, 2})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// More loops than there are
#pragma autotune kernel
void f17(int n, double *x)
{
  #pragma autotune parallel for collapse(2)
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// No loops
#pragma autotune kernel
void f18(int n, double *x)
{
  #pragma autotune parallel for collapse({0, 1})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// Directives of OpenMP with its prefix
#pragma autotune kernel param(T: 1, 2)
void f19(int n, double *x)
{
  #pragma autotune omp parallel for
  for (int i = 0; i < n; i++)
    x[i] = T;
}

// An unknown argument of default
#pragma autotune kernel
void f20(int n, double *x)
{
  #pragma autotune parallel for default(nothing)
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// A variable in two lists
#pragma autotune kernel
void f21(int n, double *x)
{
  double t;
  #pragma autotune parallel for private(t) shared(t)
  for (int i = 0; i < n; i++) {
    t = i;
    x[i] = t;
  }
}

// A section in private
#pragma autotune kernel
void f22(int n, double *x)
{
  #pragma autotune parallel for private(x[0:n])
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

// A loop that ends early
#pragma autotune kernel
void f23(int n, double *x)
{
  #pragma autotune parallel for
  for (int i = 0; i < n; i++) {
    if (x[i] < 0)
      break;
    x[i] = 1;
  }
}

// An unknown word of proc_bind
#pragma autotune kernel
void f24(int n, double *x)
{
  #pragma autotune parallel for proc_bind({close, wide})
  for (int i = 0; i < n; i++)
    x[i] = 1;
}
