#include <setjmp.h>
#include <stdarg.h>
void *alloca(unsigned long);
static jmp_buf place;

int leaves(int n, double *x)
{
#pragma autotune kernel
  for (int i = 0; i < n; i++)
    if (x[i] < 0)
      return i;
  for (;;) {
#pragma autotune kernel
    {
      for (int i = 0; i < n; i++)
        break; /* fine */
      if (x[0] > 0)
        break;
    }
#pragma autotune kernel
    {
      switch (n) {
      default: continue;
      }
    }
#pragma autotune kernel
    for (int i = 0; i < n; i++)
      if (x[i] > 9)
        goto out;
  }
  if (x[1] > 3)
    goto inside;
#pragma autotune kernel
  for (int i = 0; i < n; i++) {
  inside:
    x[i] = 0;
  }
  switch (n) {
#pragma autotune kernel
    {
    case 3:
      x[0] = 1;
    }
  }
out:
  return 0;
}

void around(int n, double *x, ...)
{
  va_list list;
  va_start(list, x);
#pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] = va_arg(list, double);
#pragma autotune kernel
  for (int i = 0; i < n; i++)
    if (setjmp(place))
      x[i] = 0;
#pragma autotune kernel
  {
    double *y = alloca(8 * n);
    y[0] = x[0];
  }
#pragma autotune kernel
  for (int i = 0; i < n; i++)
    __asm__("nop");
#pragma autotune kernel
  for (int i = 0; i < n; i++) {
    static int calls;
    static const int step = 2;
    x[i] = calls++ * step;
  }
#pragma omp parallel
  {
#pragma autotune kernel
#pragma omp for
    for (int i = 0; i < n; i++)
      x[i] = 1;
#pragma autotune kernel
    {
#pragma omp parallel for
      for (int i = 0; i < n; i++)
        x[i] = 1;
#pragma omp barrier
    }
  }
  va_end(list);
}
