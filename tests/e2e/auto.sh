# SPDX-License-Identifier: Apache-2.0
# Builds without a pragma: `autotune cc --auto`, `autotune auto -- make`, one-word compilers. Nothing may fail that
# builds without it, lines stay the user's, and variants run only where arrays do not overlap.
. "$(dirname "$0")/cc_lib.sh"

cat > blur.c << 'EOF'
#include <assert.h>
#include <stdio.h>

// a b c
void blur(int n, const double *x, double *y)
{
  for (int t = 0; t < n; t++)
    for (int i = 1; i < n - 1; i++)
      y[t * n + i] = x[t * n + i - 1] + x[t * n + i] + x[t * n + i + 1];
}
int line(void) { return __LINE__; }
void fails(int n) { assert(n == 1); }
EOF
cat > main.c << 'EOF'
#include <stdio.h>
#include <stdlib.h>
void blur(int n, const double *x, double *y);
int line(void);
void fails(int n);
int main(int argc, char **argv)
{
  int n = 60;
  double *x = calloc(n * n, 8), *y = calloc(n * n, 8), s = 0;
  (void)argv;
  for (int i = 0; i < n * n; i++)
    x[i] = i % 7;
  for (int i = 0; i < 20; i++)
    blur(n, x, y);
  blur(n - 1, y, y + 1);
  for (int i = 0; i < n * n; i++)
    s += y[i] * (i % 13);
  printf("%.17g %d\n", s, line());
  if (argc > 1)
    fails(argc);
  return 0;
}
EOF
cat > Makefile << 'EOF'
prog: main.o blur.o
	$(CC) $^ -o $@
%.o: %.c
	$(CC) -O1 -g -Wall -Wextra -Werror -pedantic -MMD -c $< -o $@
EOF
for cc in $compilers; do
  check "$cc plain" make -s CC="$cc"
  expected=$(./prog) assertion=$(./prog 1 2>&1 | tail -1)
  rm -f prog ./*.o ./*.d
  check "$cc --auto" make -s CC="autotune cc --auto $cc"
  check "$cc a kernel" grep -q autotune_begin blur.o
  check "$cc its calls look for overlaps" grep -q autotune_measures_blur blur.o
  check "$cc loops of main" grep -q autotune_begin main.o
  has "$cc depends on the user's file" blur.d '^blur.o: blur.c'
  is "$cc untuned answer" "$(./prog)" "$expected"
  is "$cc tuned answer" "$(AUTOTUNE_MODE=first AUTOTUNE_CACHE=$work/cache ./prog)" "$expected"
  is "$cc assert" "$(./prog 1 2>&1 | tail -1)" "$assertion"
  check "$cc linked without the library" "$cc" main.o blur.o -o alone
  is "$cc answer without the library" "$(./alone)" "$expected"
  check "$cc -static" autotune cc --auto "$cc" -static main.o blur.o -o alone
  is "$cc static answer" "$(./alone)" "$expected"
  check "$cc both at once" autotune cc --auto "$cc" -O1 main.c blur.c -o both
  is "$cc answer of both" "$(./both)" "$expected"
  rm -f prog ./*.o ./*.d
done

AUTOTUNE_LOG=info autotune cc --auto gcc -c blur.c 2> log
is "a line at the level info" "$(cat log)" "autotune: blur.c: kernels once they are hot: 'blur'"
autotune cc --auto gcc -c blur.c 2> log
is "quiet" "$(cat log)" ""

# what cannot be taken is compiled as it is
cat > refuses << 'END'
#!/bin/bash
# a compiler that fails where the text has kernels
for word; do [ -f "$word" ] && grep -q autotune_begin "$word" && exit 1; done
exec gcc "$@"
END
chmod +x refuses
autotune cc --auto ./refuses -c blur.c -o plain.o 2> log || fail "the compiler refuses kernels"
is "no kernels" "$(nm plain.o | grep -c autotune_)" 0
has "and that is said" log 'autotune: warning: blur.c: compiled without the kernels of --auto.*the compiler refused them'
printf 'void f(int n, double *restrict x)\n{\n  for (int i = 0; i < n; i++)\n    x[i] = 2 * x[i] + 1;\n}\n' > early.c
check "a loop in the first lines" autotune cc --auto gcc -c early.c
AUTOTUNE_CLANG=/nonexistent check "no clang" autotune cc --auto gcc -c blur.c
same "no clang, the same object" blur.o <(gcc -c blur.c -o plain.o; cat plain.o)
echo 'int f(void) { return }' >> early.c
autotune cc --auto gcc -c early.c 2> log
gcc -c early.c 2> plain
same "the compiler's own messages" log plain
autotune cc --auto gcc -E blur.c > log
gcc -E blur.c > plain
same "-E" log plain

# kernels of the user's stay, and are tuned at once
sed 's/^void blur/#pragma autotune kernel\nvoid blur/' blur.c > own.c
cat early.c | head -5 >> own.c
check "a file with a pragma" autotune cc --auto gcc -c own.c
check "it needs the library" not gcc main.o own.o -o alone 2> log

# other ways to ask for it
rm -f prog ./*.o
check "auto -- make" autotune auto -- make -s
check "auto -- make: a kernel" grep -q autotune_begin blur.o
check "auto -- make: links" ./prog > log
hasnt "once" <(nm blur.o) 'autotune_slow_autotune'
rm -f prog ./*.o
check "one word" make -s CC=autotune-gcc
check "one word, no pragma, nothing done" not grep -q autotune_begin blur.o
is "--version" "$(autotune-gcc --version | head -1)" "$(gcc --version | head -1 | sed 's/^gcc/gcc/')"
is "-dumpversion" "$(autotune-gcc -dumpversion)" "$(gcc -dumpversion)"
is "-M" "$(AUTOTUNE_AUTO=1 autotune-gcc -M blur.c)" "$(gcc -M blur.c)"
if command -v cmake > /dev/null && command -v ninja > /dev/null; then
  printf 'cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES C)\nadd_executable(prog main.c blur.c)\n' > CMakeLists.txt
  export AUTOTUNE_AUTO=1
  check "cmake" cmake -S . -B b -G Ninja -DCMAKE_C_COMPILER=autotune-gcc > log
  check "ninja" ninja -C b > log
  unset AUTOTUNE_AUTO
  check "cmake: a kernel" grep -q autotune_begin b/prog
  is "cmake: answer" "$(b/prog)" "$expected"
fi
finish
