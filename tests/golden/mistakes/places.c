// Pragmas in places where they have no meaning.

// Before a declaration
#pragma autotune kernel param(T: 1, 2)
void f1(int n, double *x);

// Before a variable
#pragma autotune kernel param(T: 1, 2)
static int f2;

// Before a type
#pragma autotune kernel param(T: 1, 2)
struct f3 { int x; };

// Before a statement that is no loop
void f4(int n, double *x)
{
  #pragma autotune kernel
  x[0] = n;
}

// Loop directive before a statement
#pragma autotune kernel
void f5(int n, double *x)
{
  #pragma autotune unroll partial({2, 4})
  x[0] = n;
}

// Loop directive before a while
#pragma autotune kernel
void f7(int n, double *x)
{
  #pragma autotune unroll partial({2, 4})
  while (n-- > 0)
    x[n] = 1;
}

// Loop directive within the loop
#pragma autotune kernel
void f8(int n, double *x)
{
  for (int i = 0; i < n; i++) {
    #pragma autotune unroll partial({2, 4})
    x[i] = 1;
  }
}

// Kernel twice
#pragma autotune kernel param(T: 1, 2)
#pragma autotune kernel param(U: 1, 2)
void f9(int n, double *x) { x[0] = n + T; }

// An alternative of nothing
#pragma autotune alternative(nothing)
void f10(int n, double *x) { x[0] = n; }

// An alternative without a name
#pragma autotune alternative
void f11(int n, double *x) { x[0] = n; }

// An alternative with other arguments
#pragma autotune kernel
void f12(int n, double *x) { x[0] = n; }
#pragma autotune alternative(f12)
void f13(int n, float *x) { x[0] = n; }

// An unknown directive
#pragma autotune kernels param(T: 1, 2)
void f14(int n, double *x) { x[0] = n; }

// Nothing
#pragma autotune
void f15(int n, double *x) { x[0] = n; }

// A clause without `kernel`
#pragma autotune param(T: 1, 2)
void f16(int n, double *x) { x[0] = n; }

// Variable arguments
#pragma autotune kernel param(T: 1, 2)
void f17(int n, ...) { (void)(n + T); }

// An operator
_Pragma("autotune kernel param(T: 1, 2)")
void f18(int n, double *x) { x[0] = n; }

// A return out of a loop that is the kernel
int f19(int n, double *x)
{
  #pragma autotune kernel param(T: 1, 2)
  for (int i = 0; i < n; i++)
    if (x[i] > T)
      return i;
  return n;
}

// Before a while
void f20(int n, double *x)
{
  #pragma autotune kernel
  while (n-- > 0)
    x[n] = 1;
}

// A semicolon after the head
#pragma autotune kernel param(T: 1, 2)
void f22(int n, double *x); { x[0] = n; }

// At the end of the file
#pragma autotune kernel param(T: 1, 2)
