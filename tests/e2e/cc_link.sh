# SPDX-License-Identifier: Apache-2.0
# The arguments of a link with a kernel, whatever file contains it; a link without one is unchanged.
. "$(dirname "$0")/cc_lib.sh"

kernel k.c
plain main.c
echo 'int main(void) { return 0; }' > none.c
cat > team.c << 'END'
#include <omp.h>
int team(void)
{
  int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
  n += omp_get_num_threads() == 2;
  return n;
}
END
sed 's/int main(void)/int team(void);\n&/; s/  return 0/  return team() - 2/' main.c > teams.c

libraries() { readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | sort | tr '\n' ' '; }
linked() { # WHAT ARGS…: prog holds libautotune, and runs
  local what=$1
  shift
  check "$what" autotune cc "$@" -o prog
  has "$what: libautotune" <(libraries prog) libautotune
  # Position-independent stubs have thread variables, so the program needs the loader, before the sanitizer does.
  is "$what: answer" "$(LD_PRELOAD=$sanitizer LD_LIBRARY_PATH=. ./prog)" "3 k.c"
  rm -f prog
}

for cc in $compilers; do
  autotune cc "$cc" -fPIC -c k.c main.c none.c
  rm -f libk.a libthin.a
  ar rc libk.a k.o
  ar rcT libthin.a k.o
  linked "$cc object" "$cc" main.o k.o
  linked "$cc archive" "$cc" main.o libk.a
  linked "$cc thin archive" "$cc" main.o libthin.a
  linked "$cc -l" "$cc" main.o -L. -lk
  linked "$cc -l:" "$cc" main.o -L . -l:libk.a
  linked "$cc --whole-archive" "$cc" main.o -Wl,--whole-archive,libk.a,--no-whole-archive
  linked "$cc -static-libgcc" "$cc" -static-libgcc main.o k.o
  linked "$cc -Bstatic" "$cc" main.o -L. -Wl,-Bstatic -lk -Wl,-Bdynamic
  printf 'main.o\nk.o\n' > objects
  linked "$cc @file" "$cc" @objects
  check "$cc -shared" autotune cc "$cc" -shared k.o -o libshared.so
  has "$cc -shared: libautotune" <(libraries libshared.so) libautotune
  check "$cc with it" autotune cc "$cc" main.o -L. -lshared -o prog
  is "$cc answer" "$(LD_PRELOAD=$sanitizer LD_LIBRARY_PATH=. ./prog)" "3 k.c"
  check "$cc -r" autotune cc "$cc" -r main.o k.o -o partial.o
  linked "$cc after -r" "$cc" partial.o

  # not if no file has a site
  "$cc" none.o -o plain
  check "$cc without sites" autotune cc "$cc" none.o -o prog
  same "$cc without sites" plain prog
  check "$cc without sites" autotune cc "$cc" none.o -L. -lk -Wl,--as-needed -o prog
  hasnt "$cc archive not used" <(libraries prog) libautotune

  # -static cannot work, and a message says so before anything is compiled or linked
  rm -f prog
  autotune cc "$cc" -static main.o k.o -o prog 2> message
  is "$cc -static: status" $? 1
  has "$cc -static: message" message 'autotune: -static: .*shared'
  check "$cc -static: no output" [ ! -e prog ]

  # nor can a program with another C library, judged by the name of its compiler
  mkdir -p "musl-$cc"
  ln -sf "$(command -v "$cc")" "musl-$cc/musl-$cc"
  "musl-$cc/musl-$cc" none.o -o plain
  check "musl-$cc without sites" autotune cc "musl-$cc/musl-$cc" none.o -o prog
  same "musl-$cc without sites" plain prog
  rm -f prog
  autotune cc "musl-$cc/musl-$cc" main.o k.o -o prog 2> message
  is "musl-$cc: status" $? 1
  has "musl-$cc: message" message "autotune: musl.*musl-$cc: .*GNU C library"
  check "musl-$cc: no output" [ ! -e prog ]

  # one OpenMP runtime: LLVM's
  teams() {
    local what=$1
    shift
    check "$what" autotune cc "$cc" "$@" -o prog
    is "$what: answer" "$(./prog)" "3 k.c"
    has "$what: libomp" <(ldd ./prog) 'libomp\.so'
    hasnt "$what: libgomp" <(ldd ./prog) libgomp
  }
  omp=-fopenmp
  if ! "$cc" $omp -c team.c 2> /dev/null; then
    echo "$cc has no omp.h: its OpenMP is not tried"
    continue
  fi
  check "$cc -fopenmp -c" autotune cc "$cc" $omp -c team.c teams.c k.c
  teams "$cc -fopenmp link" $omp team.o teams.o k.o
  teams "$cc -fopenmp all at once" $omp team.c teams.c k.c
  teams "$cc -fopenmp one source" $omp team.o teams.o k.c
  teams "$cc -fopenmp plain sources" $omp team.c teams.c k.o
  teams "$cc -lgomp" team.o teams.o k.o -lgomp
  for threads in '' abc 2x -1 0 1,; do
    is "$cc OMP_NUM_THREADS='$threads': answer" "$(OMP_NUM_THREADS=$threads ./prog 2> message)" "3 k.c"
    has "$cc OMP_NUM_THREADS='$threads': said" message "OMP_NUM_THREADS is '$threads', which is not a number of threads"
  done
  is "$cc OMP_NUM_THREADS=' 2 , 1': answer" "$(OMP_NUM_THREADS=' 2 , 1' ./prog 2>&1)" "3 k.c"
done

AUTOTUNE_HOME=$PWD/nowhere autotune cc gcc main.o k.o -o prog 2> message
is "libautotune missing: status" $? 1
has "libautotune missing: message" message 'nowhere/lib/libautotune.so: No such file.*AUTOTUNE_HOME'
AUTOTUNE_OPENMP=/nowhere/libomp.so autotune cc gcc -fopenmp main.o k.o -o prog 2> message
is "libomp missing: status" $? 1
has "libomp missing: message" message '/nowhere/libomp.so: No such file.*AUTOTUNE_OPENMP'
mkdir -p "home, moved"
cp -r "$(cd "$1" 2> /dev/null || cd "$(dirname "$(command -v autotune)")/.." && pwd)"/{lib,include} "home, moved"
AUTOTUNE_HOME="$PWD/home, moved" autotune cc gcc main.o k.o -o prog
has "AUTOTUNE_HOME" <(ldd ./prog) 'home, moved/lib/libautotune'
# An empty folder in a RUNPATH is the current one: the loader would take any libm.so.6 there.
lib=$(cd "$(dirname "$(command -v autotune)")/../lib" && pwd)
for file in "$lib"/libautotune*.so "$(command -v autotune)"; do
  hasnt "$file looks for libraries in the current folder" <(readelf -d "$file") 'PATH.*\(\[:\|::\|:\]\|\[\]\)'
done
finish
