# SPDX-License-Identifier: Apache-2.0
# Colours of diagnostics: on a terminal (script(1) makes one), as options and variables say, and as those of the compiler
# that `autotune cc` runs.
. "$(dirname "$0")/cc_lib.sh"
unset NO_COLOR CLICOLOR CLICOLOR_FORCE
export TERM=xterm
escape=$(printf '\033')

cat > bad.c << 'END'
#include <math.h>
#pragma autotune kernel param(T: 1, 2) ot(x[0:n])
void f(int n, double *x) { x[0] = T - T + n; }
END
# The last line has a mistake of which the compiler warns.
cat > good.c << 'END'
#define T 1
#pragma autotune kernel param(T: 1, 2) out(x[0:n])
void f(int n, double *x) { x[0] = T - T + n; }
#pragma autotune kernel inout(x[0:n])
void g(int n, double *x)
{
  double t;
  #pragma autotune parallel for
  for (int i = 0; i < n; i++)
    x[i] += t = i;
}
int h(void) { int unused; return 1; }
END
terminal() { # OUTPUT COMMAND: on a terminal
  SHELL=/bin/sh script -qec "$2" /dev/null < /dev/null | tr -d '\r' > "$1"
}

autotune check bad.c > /dev/null 2> plain; is "check: exit status" $? 1
hasnt "a pipe: no colours" plain "$escape"
terminal out "autotune check bad.c"
has "terminal: place" out "^$escape\[1mbad.c:2:40:$escape\[0m "
has "terminal: error" out "$escape\[1;31merror:$escape\[0m unknown clause 'ot'"
has "terminal: caret" out "$escape\[1;32m^~$escape\[0m"
has "terminal: hint" out "$escape\[1;36mhint:$escape\[0m did you mean 'out'?"
sed "s/$escape\[[0-9;]*m//g" out > stripped
same "terminal: the same text" plain stripped
for how in NO_COLOR=1 TERM=dumb CLICOLOR=0; do
  terminal out "env $how autotune check bad.c"
  same "$how: no colours" plain out
done
terminal out "autotune check --color=never bad.c"; same "--color=never" plain out
autotune check --color=always bad.c > /dev/null 2> out
has "--color=always: in a pipe" out "$escape\[1;31merror:"
CLICOLOR_FORCE=1 autotune translate bad.c > /dev/null 2> out
has "CLICOLOR_FORCE: in a pipe" out "$escape\[1;31merror:"
autotune check --color=sometimes bad.c > out 2> err; is "no such time: exit status" $? 2
has "no such time" err "--color: unknown value; there are auto, always, never"

terminal out "autotune check good.c"
has "warning" out "$escape\[1;35mwarning:$escape\[0m threads of 'parallel for' share 't'"
cat > many.c << 'END'
void s(int n, double *restrict x) { for (int i = 1; i < n; i++) x[i] += x[i - 1]; }
END
terminal out "autotune suggest --color always many.c > /dev/null"
has "suggest: note" out "$escape\[1;36mnote:$escape\[0m"

# The compiler's options say it for both.
for cc in $compilers; do
  command="autotune cc $cc -Wall -c good.c -o good.o"
  $command 2> out; is "$cc: exit status" $? 0
  hasnt "$cc: a pipe" out "$escape"
  $command -fdiagnostics-color=always 2> out
  has "$cc: always: ours" out "$escape\[1;35mwarning:$escape\[0m threads"
  has "$cc: always: the compiler's" out "$escape\[[^ ]*warning:.*unused"
  terminal out "$command"
  has "$cc: terminal: ours" out "$escape\[1;35mwarning:$escape\[0m threads"
  has "$cc: terminal: the compiler's" out "$escape\[[^ ]*warning:.*unused"
  terminal out "$command -fno-diagnostics-color"
  hasnt "$cc: never" out "$escape"
  terminal out "$command -fdiagnostics-color=never -fdiagnostics-color=auto"
  has "$cc: auto: the compiler's" out "$escape\[[^ ]*warning:.*unused"
done
finish
