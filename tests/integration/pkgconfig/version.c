// SPDX-License-Identifier: Apache-2.0
#include <autotune.h>
#include <stdio.h>

int main(void) {
  return puts(autotune_version()) < 0;
}
