# SPDX-License-Identifier: Apache-2.0
# autotune suggest on each kind of OpenMP loop: for openmp/NAME.c exactly the patch and the notes of NAME.out, but for
# the numbers of this machine. The patch applies, and builds. With AUTOTUNE_UPDATE=1 the .out files are written anew:
# read the difference before you commit it.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/cc_lib.sh"
[ "$(nproc)" -gt 1 ] || { echo "skipped: one processor, no team"; exit 77; }
cp "$here"/openmp/*.c .

portable() { # vectors, caches and processors differ from machine to machine, and so do the lines that flags take
  sed -z -E 's/ (\\\n\+ +)?flags\([^)]*\)//g' | sed -E 's/^@@ .*/@@/; s/param\(THREADS: [0-9, ]*\)/param(THREADS: …)/
          s/(tile sizes|partial)\(.*\)/\1(…)/'
}

for c in *.c; do
  name=${c%.c}
  autotune suggest "$c" -- -fopenmp > patch 2> notes || fail "suggest $c"
  (grep -v '^[-+][-+]' patch | grep '^[-+@]'; cat notes) | portable > out
  [ -z "${AUTOTUNE_UPDATE:-}" ] || cp out "$here/openmp/$name.out"
  check "$name: other suggestions than in $name.out" diff -u "$here/openmp/$name.out" out
  check "$name: patch" patch -s -p1 -i patch
  check "$name: builds" autotune cc gcc -O1 -fopenmp -Werror=all -Wno-unused -c "$c" -o "$name.o"
  hasnt "$name: never serial" <(grep '^-' patch | grep -v '^---') 'omp'
done

# Clauses need no proof where the author shares the loop out; `collapse` shares out the loop in it, and no call can look
# whether arrays overlap whose last elements are not known.
mkdir auto
cat > auto/unchecked.c << 'END'
void few(const double (*x)[3][5000], double (*y)[3][5000])
{
  #pragma omp parallel for
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 5000; j++)
      for (int k = 0; k < 5000; k += 2)
        y[0][i][j] += 2 * x[k][i][j];
}
END
has "collapse for a person" <(autotune suggest auto/unchecked.c -- -fopenmp 2> notes) 'collapse({1, 2})'
check "automatic" env AUTOTUNE_LOG=info autotune cc --auto gcc -O1 -fopenmp -c auto/unchecked.c -o unchecked.o 2> log
has "automatic: a kernel" log "the loop in line 4 of 'few'"
hasnt "automatic: no collapse" <(strings unchecked.o) collapse
finish
