// Elements of sections whose types are not in sight, or too large.
#include <stdarg.h>
#define TEN(x) x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7) x(8) x(9)
#define FIELD(n) double f##n;
struct ten { TEN(FIELD) };
#define TENS(n) struct ten t##n;
struct hundred { TEN(TENS) };
#define HUNDREDS(n) struct hundred h##n;
struct thousand { TEN(HUNDREDS) struct hundred last; };
struct list { va_list arguments; double x; };
typedef struct { double re, im; } complex;
#pragma autotune kernel param(W: 1, 2) inout(z[0:n], *l, *t) in(l[0:n])
void change(int n, complex *z, struct list *l, struct thousand *t) {
  for (int i = 0; i < n; i++)
    z[i].re = t->h0.t0.f0 + l->x * W;
}
