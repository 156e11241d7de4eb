// SPDX-License-Identifier: Apache-2.0
// No arguments, no key, no section; a kernel on one line.
#include <stdio.h>
static int calls;
#define STEP 1
/* before */ 
#pragma autotune kernel param(STEP: 1, 2)
int work(void) { calls += 0; int s = 0; for (int i = 0; i < 8; i += STEP) s += STEP; return s; } int after(void);
int after(void) { return __LINE__; }
int main(void)
{
  printf("%d %d %d\n", work(), after(), __LINE__);
  return 0;
}
