#define T 1
#pragma autotune kernel param(T: 1, 2)
int k(int n)
{
  // #include "this"
# include <stddef.h>
  return n + T;
}
