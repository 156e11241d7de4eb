# SPDX-License-Identifier: Apache-2.0
# autotune check --fix: the changes that are certain, in the files that are named and nowhere else.
. "$(dirname "$0")/cc_lib.sh"

cat > bad.c << 'END'
// Übung
#pragma autotune kernl param(TILE: 1 2) out(x[0:n])
void f(int n, double *x)
{
  #pragma autotune unroll partal({1, 2})
  for (int i = 0; i < n; i++)
    x[i] = TILE - TILE; /* é */
}
#pragma autotune kernel key(n; m) in(x[0:lenght] y[0:n]) out(z[0:n]) param(T: 1, 2) constraint(T = 1)
void g(int n, int m, int length, const double *x, const double *y, double *z)
{
  for (int i = 0; i < n; i++)
    z[i] = x[i] + y[i] + T + m + length;
}
#pragma omp autotun kernel param(U: 1, 2) \
  ouput(z[0:n])
void h(int n, double *z) { z[0] = U - U; }
END
cat > wanted.c << 'END'
// Übung
#pragma autotune kernel param(TILE: 1, 2) out(x[0:n])
void f(int n, double *x)
{
  #pragma autotune unroll partial({1, 2})
  for (int i = 0; i < n; i++)
    x[i] = TILE - TILE; /* é */
}
#pragma autotune kernel key(n, m) in(x[0:length], y[0:n]) out(z[0:n]) param(T: 1, 2) constraint(T == 1)
void g(int n, int m, int length, const double *x, const double *y, double *z)
{
  for (int i = 0; i < n; i++)
    z[i] = x[i] + y[i] + T + m + length;
}
#pragma autotune kernel param(U: 1, 2) \
  out(z[0:n])
void h(int n, double *z) { z[0] = U - U; }
END
chmod 640 bad.c
cp -p bad.c fixed.c
for round in 1 2 3 4 5 6; do
  autotune check --fix fixed.c > out 2> err && break
  grep -q "changed\|added" out || { fail "round $round changes nothing"; break; }
done
same "all is mended" wanted.c fixed.c
is "the mode" "$(stat -c %a fixed.c)" 640
autotune check --fix fixed.c > out 2> err; is "once more: exit status" $? 0
hasnt "once more: nothing to change" out "changed\|added"
same "once more" wanted.c fixed.c

# What was changed is said.
cp bad.c said.c
autotune check --fix said.c > out 2> err; is "exit status" $? 1
has "a word" out "^said.c:2:18: changed 'kernl' to 'kernel'$"
has "the diagnostics, too" err "^said.c:2:18: error: unknown directive 'kernl'"
is "no file beside it" "$(ls said.c*)" said.c

# Lines that end with CR LF, and a byte that is no UTF-8, stay as they are.
printf '#pragma autotune kernl out(x[0:n])\r\nvoid f(int n, double *x) { x[0] = n; } // \351\r\n' > crlf.c
printf '#pragma autotune kernel out(x[0:n])\r\nvoid f(int n, double *x) { x[0] = n; } // \351\r\n' > wanted.c
autotune check --fix crlf.c > out 2> err
same "CR LF" wanted.c crlf.c

# A link stays one, and its file is changed.
cp bad.c target.c; ln -s target.c link.c
autotune check --fix link.c > out 2> err
check "a link" [ -L link.c ]
has "a link: its file" target.c "^#pragma autotune kernel"

# Headers are changed only where they are named; other files of a #line, not at all.
mkdir sub
cat > sub/k.h << 'END'
#pragma autotune kernl out(x[0:n])
static void f(int n, double *x) { x[0] = n; }
END
echo '#include "sub/k.h"' > user.c
cp sub/k.h before.h
autotune check --fix user.c > out 2> err; is "header: exit status" $? 1
same "header: not named" before.h sub/k.h
has "header: said" err "sub/k.h:1: not changed: only files that are named are"
autotune check --fix user.c sub/k.h > out 2> err
has "header: named" sub/k.h "^#pragma autotune kernel out"
printf '#line 1 "sub/other.h"\n#pragma autotune kernl out(x[0:n])\nvoid f(int n, double *x) { x[0] = n; }\n' > line.c
cp before.h sub/other.h
autotune check --fix line.c > out 2> err
same "#line: another file" before.h sub/other.h
hasnt "#line: nothing changed" out "changed"
printf '#line 1 "line2.c"\n\n#pragma autotune kernl out(x[0:n])\nvoid f(int n, double *x) { x[0] = n; }\n' > line2.c
cp line2.c before.c
autotune check --fix line2.c > out 2> err
same "#line: another line" before.c line2.c

# Hints that are guesses change nothing.
cat > guess.c << 'END'
#pragma autotune kernel tolerance(1e-3) out(x[0,n])
void f(int n, double *x) { x[0] = n; }
END
cp guess.c before.c
autotune check --fix guess.c > out 2> err; is "a guess: exit status" $? 1
same "a guess" before.c guess.c

# A file that may not be written.
if [ "$(id -u)" != 0 ]; then
  cp bad.c locked.c; chmod 444 locked.c; cp bad.c before.c
  autotune check --fix locked.c > out 2> err; is "read only: exit status" $? 1
  has "read only" err "locked.c: not changed: "
  same "read only" before.c locked.c
fi
autotune check --fix --json bad.c > out 2> err; is "--fix --json: exit status" $? 2
finish
