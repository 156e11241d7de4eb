# SPDX-License-Identifier: Apache-2.0
# The user's text keeps its line and column in the translated file, with any line ends: for warnings, errors, assert
# and __LINE__. Errors leave no file; generated text causes no warning. Threads call a function for each row, never for each element.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/cc_lib.sh"

# A file in which each word L<n> is on line n.
cat > unix.c << 'END'
int L1;
#define T 2
#define LONGER T \
  + 0
static int five(int L5) { return L5 + LONGER; }
/* a comment
   over lines */ int L7;
int L8;
#pragma autotune kernel param(T: 1, 2, 4) \
  constraint(T \
             < 8)
/* between */ static int k(int n, const double *L12,
                           double *c)
{
  int L15 = 0, sum = 0;
  #pragma autotune unroll \
     partial({2, 4})
  for (int L18 = 0; L18 < n; L18++)
    sum += five(T), c[0] = 1;
  int L20 = sum;
  return 21 + sum;
} int L22;
int L23 = __LINE__;
#pragma autotune alternative(k)
static int other(int n, const double *L25, double *c)
{
  int L27 = n;
  return n;
}
int L30; int user(int n, const double *a, double *L30_, const char *L30_c);
int user(int n, const double *a, double *L31, const char *L31_c) { return k(n, a, L31); }
END
sed 's/$/\r/' unix.c > dos.c
printf '\357\273\277' | cat - unix.c > mark.c
head -c -1 unix.c > cut.c

# The line of each L<n> as the compiler counts.
misplaced() {
  awk -v file="$2" '
    /^# [0-9]+ "/ { line = $2 - 1; split($0, part, "\""); path = part[2]; next }
    { line++ }
    path == file { while (match($0, /L[0-9]+/)) {
                     found++
                     if (substr($0, RSTART + 1, RLENGTH - 1) + 0 != line) print line ": " $0
                     $0 = substr($0, RSTART + RLENGTH) } }
    END { if (found < 18) print "found " found + 0 }' "$1"
}

for name in unix dos mark cut; do
  check "$name" autotune translate $name.c -o $name.t.c
  for cc in $compilers; do
    $cc -E -isystem "$root/include" $name.t.c -o $name.i 2> message ||
      fail "$cc -E $name.t.c: $(head -3 message)"
    is "$cc $name: lines" "$(misplaced $name.i $name.c)" ""
    [ $name = cut ] || check "$cc $name" $cc -Wall -Wextra -Wpedantic -Wno-unused -Wno-unused-parameter \
      -isystem "$root/include" -Werror -c $name.t.c -o $name.o
  done
done

# The same warnings and errors at the same lines and columns as without autotune.
cat > bad.c << 'END'
#define T 2
#pragma autotune kernel param(T: 1, 2)
void k(int n, double *unused)
{
  int never, x = 1.5; if (n = T) n++;
#ifdef ERROR
  undeclared(n) + another;
#endif
} int after(char *p) { return p; }
/* here */
#pragma autotune kernel param(T: 1, 2)
/* and */ int j(unsigned u, int s) { return u < s * T; }
END
places() { grep -E '^bad.c:[0-9]+:[0-9]+: (warning|error)' | sed 's/autotune_default_//g' | sort; }
check "bad.c" autotune translate bad.c -o bad.t.c
for cc in $compilers; do
  for define in -DFINE -DERROR; do
    # We add a prototype: hence no -Wmissing-prototypes.
    $cc -Wall -Wextra -Wconversion -Wno-unknown-pragmas $define -c bad.c -o bad.o 2>&1 |
      places > expected
    $cc -Wall -Wextra -Wconversion $define -isystem "$root/include" -c bad.t.c -o bad.o 2>&1 |
      places > got
    check "$cc: nothing to see" test -s expected
    same "$cc $define" expected got
  done
done

# A kernel that is a statement is compiled in its place and as a function of its own: each message comes once. So does
# an error of a clause, but errors of the user's own functions are kept, whatever a clause has.
cat > copies.c << 'END'
#include <stdio.h>
#define T 1
struct vector { int size; };
int before(int n, struct vector *v) { return n + v->FIELD; }
int main(void)
{
  double x[10] = { 0 };
  int n = sizeof x / sizeof *x;
  #pragma autotune kernel flags("", "-O3") inout(x[0:n])
  for (int i = 0; i < n; i++)
    if (printf("%d", x[i]))
      x[i] += 1;
  return x[0] != before(n, 0);
}
#pragma autotune kernel param(T: 1, 2) key(n + v->FIELD)
void after(int n, struct vector *v) { v->size = n + T; }
END
sed 's/+= 1/+= undeclared/' copies.c > errors.c
lines_with() { # KIND: the lines that have such messages, as often as they have them
  sed -n "s/^[a-z]*.c:\([0-9]*\):[0-9]*: $1: .*/\1/p" log | sort -n | tr '\n' ' '
}
for cc in $compilers; do
  check "copies, $cc" autotune cc $cc -Wall -DFIELD=size -c copies.c -o copies.o 2> log
  is "copies, $cc: warnings" "$(lines_with warning)" "11 "
  hasnt "copies, $cc: not of the other copy" log 'main_[0-9a-f]'
  check "errors, $cc" not autotune cc $cc -Wall -DFIELD=length -c errors.c -o errors.o 2> log
  is "errors, $cc" "$(lines_with error)" "4 12 15 "
  autotune cc $cc -Wall -Wextra -c bad.c -o bad.o 2> log
  has "names, $cc: warnings" log 'warning: '
  hasnt "names, $cc: the user's" log autotune_
done

# An error leaves no file, and does not change an older one.
echo '#pragma autotune kernel param(X: )' > wrong.c
echo old > wrong.t.c
check "an error's status" not autotune translate wrong.c -o wrong.t.c 2> /dev/null
is "after an error" "$(cat wrong.t.c) $(ls | grep -c tmp)" "old 0"
printf '#include "missing.h"\n#pragma autotune kernel\nvoid k(void) {}\n' > wrong.c
check "a header's absence" not autotune translate wrong.c -o none.c 2> message
has "a header's absence" message "^wrong.c:1:10: .*missing.h"
has "a header's absence" message "^wrong.c:2:1: error: .*preprocess"
is "after that" "$(ls none.c 2> /dev/null)" ""
printf 'int plain;\r\nno C at all {' > plain.c
check "no pragma" autotune translate plain.c -o plain.t.c
same "no pragma" plain.c plain.t.c
autotune translate unix.c > stdout.c
same "standard output" stdout.c unix.t.c
# An output that is no plain file is written to, never replaced.
echo old > target.c
ln -s target.c link.c
check "to a link" autotune translate unix.c -o link.c
check "a link stays" test -L link.c
same "to a link" target.c unix.t.c
mkfifo pipe.c
cat pipe.c > piped.c &
check "to a pipe" autotune translate unix.c -o pipe.c
wait
check "a pipe stays" test -p pipe.c
same "to a pipe" piped.c unix.t.c
# What threads share becomes a function, which keeps `restrict`: one for each way to write the loop, and its call.
cat > shared.c << 'END'
#pragma autotune kernel in(x[0:n]) inout(y[0:n])
void elements(int n, double a, const double *restrict x, double *restrict y)
{
#pragma autotune parallel for num_threads({1, 2})
#pragma autotune unroll partial({2, 4}) optional
  for (int i = 0; i < n; i++)
    y[i] += a * x[i];
}
#pragma autotune kernel in(x[0:n*n]) inout(y[0:n])
void rows(int n, const double *restrict x, double *restrict y)
{
#pragma autotune parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      y[i] += x[i * n + j];
}
END
autotune translate shared.c > shared.t.c
is "functions of elements" "$(grep -c '_part[0-9]*_elements(' shared.t.c)" 4
is "functions of rows" "$(grep -c '_part[0-9]*_rows(' shared.t.c)" 2
finish
