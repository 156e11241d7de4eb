# SPDX-License-Identifier: Apache-2.0
# Kernels in headers, which are put inline: found as the compiler finds them, once, with their own lines.
. "$(dirname "$0")/cc_lib.sh"

mkdir -p src/sub inc/deep other
# The kernel's header includes by quotes a file next to it, also if that is not next to the source.
cat > inc/deep/kernel.h << 'END'
#ifndef KERNEL_H
#define KERNEL_H
#include "beside.h"
#define UNROLL 1
#pragma autotune kernel param(UNROLL: 1, 2)
static inline void scale(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] *= FACTOR * UNROLL / UNROLL;
}
static inline const char *kernel_file(void) { return __FILE__; }
enum { KERNEL_LINE = __LINE__ };
#endif
END
echo '#define FACTOR 2' > inc/deep/beside.h
echo '#define FACTOR 1000' > src/wrong.h
cat > inc/all.h << 'END'
#pragma once
#ifdef WANTED
# include "deep/kernel.h" // and once more below
#else
# error not wanted
#endif
#include <deep/kernel.h>
/*
#include "not/there.h"
*/
enum { ALL_LINE = __LINE__ };
END
cat > src/main.c << 'END'
#include <stdio.h>
#define WANTED
#include "all.h"
#include "all.h"
#ifdef NOBODY
#include "all.h"
#endif
enum { MAIN_LINE = __LINE__ };
int main(void)
{
  double x[2] = { 1, 2 };
  scale(2, x);
  printf("%g %s %d %d %d %s\n", x[1], kernel_file(), KERNEL_LINE, ALL_LINE, MAIN_LINE, __FILE__);
  return 0;
}
END
for cc in $compilers; do
  at="autotune cc $cc -Iinc"
  $cc -w -Iinc src/main.c -o plain
  check "$cc" $at -Wall -Wextra -Werror -MMD -MF ours.d src/main.c -o prog
  is "$cc answer, files and lines" "$(./prog)" "$(./plain)"
  is "$cc answer" "$(./prog)" "4 inc/deep/kernel.h 12 11 8 src/main.c"
  check "$cc -pedantic" $at -std=c99 -Wall -Wextra -pedantic -Werror src/main.c -o pedantic
  is "$cc -pedantic files and lines" "$(./pedantic)" "$(./prog)"
  check "$cc: the kernel is a site" grep -q autotune_begin prog
  $cc -w -Iinc -MMD -MF plain.d src/main.c -o prog
  same "$cc dependencies" ours.d plain.d

  # an error in the header names the header
  sed 's/x\[i\] \*=/x[j] *=/' inc/deep/kernel.h > other/kernel.h
  echo '#include "kernel.h"' > src/user.c
  not $at -Iother -Iinc/deep -c src/user.c 2> message
  has "$cc error in a header" message '^other/kernel.h:9:7: error: '
  sed 's/kernel param/kernel parm/' inc/deep/kernel.h > other/kernel.h
  not $at -Iother -Iinc/deep -c src/user.c 2> message
  has "$cc bad pragma in a header" message '^other/kernel.h:5:[0-9]*: error: '
  rm other/kernel.h

  # -iquote of the source's folder would give inc/user.h the wrong config.h
  echo '#define FACTOR 7' > src/config.h
  echo '#define FACTOR 3' > other/config.h
  printf '#include "config.h"\nenum { GOT = FACTOR };\n' > inc/user.h
  cat > src/astray.c << 'END'
#include "user.h"
#undef FACTOR
#include "config.h"
#include <stdio.h>
#define UNROLL 1
#pragma autotune kernel param(UNROLL: 1, 2)
void scale(int n, double *x) { for (int i = 0; i < n; i++) x[i] *= UNROLL; }
int main(void) { printf("%d %d\n", GOT, FACTOR); return 0; }
END
  check "$cc two headers of one name" $at -Iother src/astray.c -o prog
  is "$cc two headers of one name" "$(./prog)" "3 7"

  # -iquote, absolute folders, a source in the current folder, cycles, include_next
  cat > here.c << 'END'
#include "kernel.h"
#include "cycle.h"
#include <stdio.h>
int main(void) { double x[1] = { 1 }; scale(1, x); printf("%g\n", x[0]); return 0; }
END
  printf '#pragma once\n#include "cycle.h"\n#include "kernel.h"\n' > inc/cycle.h
  check "$cc -iquote" autotune cc "$cc" -iquote inc/deep "-I$PWD/inc" here.c -o prog
  is "$cc -iquote" "$(./prog)" 2
  # system headers are not searched
  check "$cc -isystem" autotune cc "$cc" -isystem inc -isystem inc/deep here.c -o prog
  hasnt "$cc -isystem" prog autotune_begin
  # an include whose file a macro names is not followed, and does no harm
  printf '#define H "kernel.h"\n#include H\nint main(void) { scale(0, 0); return 0; }\n' > macro.c
  check "$cc #include MACRO" $at -w -Iinc/deep macro.c -o prog
  # templates: no guard, a type that the includer names; the kernel's name must be in the header
  cat > inc/template.h << 'END'
#define UNROLL 1
#pragma autotune kernel param(UNROLL: 1, 2)
static void one(int n, REAL *x)
{
  for (int i = 0; i < n; i++)
    x[i] += UNROLL;
}
#undef UNROLL
END
  printf '#define REAL float\n#include "template.h"\nint main(void) { one(0, 0); return 0; }\n' > t.c
  check "$cc a header without a guard" $at t.c -o prog
  check "$cc: it is a site" grep -q autotune_begin prog
  sed -i 's/void one(/void NAME(/' inc/template.h
  not $at -DNAME=one t.c -o prog 2> message
  has "$cc a name by a macro" message "^inc/template.h:3:13: error: 'NAME' becomes"
done

# text that was put inline has its own lines, seen by -E
autotune cc gcc -Iinc -E src/main.c > expanded
has "the header's marker" expanded '^# 1 "inc/deep/kernel.h" 1'
has "the way back" expanded '^# [0-9]* "inc/all.h" 2'

# check and translate read headers as cc does
autotune check src/main.c -- -Iinc > checked
has "check: a kernel in a header" checked '^inc/deep/kernel.h:6: kernel scale$'
check "check: two headers of one name" autotune check src/astray.c -- -Iinc -Iother
autotune translate src/main.c -o translated.c -- -Iinc
has "translate: a kernel in a header" translated.c autotune_begin
finish
