// Expressions that only a compiler can judge: its errors are about the pragma.
struct vector { int size; double *data; };
struct other { double *data; };

// A member that does not exist
#pragma autotune kernel param(T: 1, 2) out(v->data[0:v->length])
void f1(struct vector *v) { for (int i = 0; i < v->size; i++) v->data[i] = T / T; }

// A member of a number
#pragma autotune kernel param(T: 1, 2) key(n / 2 + x[0].y)
void f2(int n, double *x) { x[0] = n + T; }

// A pointer in a product
#pragma autotune kernel param(T: 1, 2) flops(n * x)
void f3(int n, double *x) { x[0] = n + T; }

// The remainder of a fraction
#pragma autotune kernel param(T: 1, 2) if(n % 2.0)
void f4(int n, double *x) { x[0] = n + T; }

// An arrow after a pointer to numbers
#pragma autotune kernel param(T: 1, 2) in(x[0:n]) out((y->z)[0:n])
void f5(int n, const double *x, double *y) { y[0] = x[0] + n + T; }

// A struct as a number
#pragma autotune kernel param(T: 1, 2) bytes(v * 8)
void f6(struct other v, int n) { v.data[0] = n + T; }

// A call with the wrong number of arguments
static int halved(int n) { return n / 2; }
#pragma autotune kernel param(T: 1, 2) key(halved(n, 2))
void f7(int n, double *x) { x[0] = n + T; }

// A subscript of a number
#pragma autotune kernel param(T: 1, 2) \
  inout(x[0:n]) key(n,                 \
                 n[n])
void f8(int n, double *x) { x[0] = n + T; }

// A constraint on a member that does not exist
#pragma autotune kernel param(T: 1, 2) constraint(T < v->length)
void f9(struct vector *v) { v->data[0] = T; }

// A constraint on the product of a pointer, after one that is right
#pragma autotune kernel param(T: 1, 2) constraint(T <= AUTOTUNE_CORES * n) \
  constraint(T < 3 || \
             x * T > 1)
void f10(int n, double *x) { x[0] = n + T; }

// A struct as a condition
#pragma autotune kernel param(T: 1, 2) if(v)
void f11(struct other v, int n) { v.data[0] = n + T; }

// A struct as a key
#pragma autotune kernel param(T: 1, 2) key(n, *v)
void f12(const struct other *v, int n) { v->data[0] = n + T; }

// A pointer as a number
#pragma autotune kernel param(T: 1, 2) flops(x)
void f13(int n, double *x) { x[0] = n + T; }

// A first element that is no number
#pragma autotune kernel param(T: 1, 2) inout(x[*v : n])
void f14(int n, double *x, const struct other *v) { x[0] = n + T + v->data[0]; }

// An unknown member in the key of a loop
void f15(struct vector *v)
{
#pragma autotune kernel param(T: 1, 2) key(v->length)
  for (int i = 0; i < v->size; i++)
    v->data[i] = T;
}
