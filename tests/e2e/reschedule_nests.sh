# SPDX-License-Identifier: Apache-2.0
# `#pragma autotune reschedule` on nests made up from seeds, in tiles of any size, for few and many threads: what a
# variant computes is what the plain loops do. NESTS and SWEEPS: how many; FIRST: from which seed on.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cc_lib.sh"
. "$here/nests_lib.sh"
export OMP_NUM_THREADS=2

# ---- nests made up from seeds ----------------------------------------------------------
check "the generator" gcc -O1 -o nests "$here/reschedule_nests.c"
cat > driver.c << 'EOF_C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void tuned(int variant, int n, unsigned (*a)[n + 8], unsigned (*b)[n + 8], unsigned *c);
void plain(int n, unsigned (*a)[n + 8], unsigned (*b)[n + 8], unsigned *c);
// Memory for the buffers of tiles, with a guard after it.
enum { HEAD = 64, GUARD = 4096 };
void *guarded_malloc(size_t bytes)
{
  char *p = bytes < 1 << 28 ? malloc(HEAD + bytes + GUARD) : NULL;
  if (!p)
    return NULL;
  memcpy(p, &bytes, sizeof bytes);
  memset(p + HEAD + bytes, 'g', GUARD);
  return p + HEAD;
}
void guarded_free(void *x)
{
  char *p = (char *)x - HEAD;
  size_t bytes;
  if (!x)
    return;
  memcpy(&bytes, p, sizeof bytes);
  for (int i = 0; i < GUARD; i++)
    if (p[HEAD + bytes + i] != 'g') {
      printf("something is written after the buffers\n");
      exit(1);
    }
  free(p);
}
int main(int argc, char **argv)
{
  int variant = argc > 1 ? atoi(argv[1]) : 0;
  static const int sizes[] = { 0, 1, 2, 3, 5, 8, 13, 19 };
  for (int k = 0; k < 8; k++) {
    size_t n = sizes[k], m = n + 8, all = 2 * m * m + m;
    unsigned *x[2];
    for (int s = 0; s < 2; s++) {
      x[s] = malloc(all * sizeof *x[s]);
      for (size_t i = 0; i < all; i++)
        x[s][i] = (unsigned)i * 2654435761u >> 7;
    }
    plain(n, (void *)x[0], (void *)(x[0] + m * m), x[0] + 2 * m * m);
    tuned(variant, n, (void *)x[1], (void *)(x[1] + m * m), x[1] + 2 * m * m);
    if (memcmp(x[0], x[1], all * sizeof *x[0])) {
      printf("wrong for n = %zu\n", n);
      return 1;
    }
  }
  return 0;
}
EOF_C
cat > head.c << 'EOF_C'
#include <stddef.h>
void *guarded_malloc(size_t bytes);
void guarded_free(void *x);
#ifndef __builtin_malloc
#define __builtin_malloc guarded_malloc
#endif
#define __builtin_free guarded_free
EOF_C
gcc -O1 -c driver.c
# answers SEED VALUES…: those of out.c's variants, in which params have VALUES, are those of plain.c.
extra=
answers() {
  seed=$1 v=0
  shift
  {
    cat head.c
    variants_of "int n, unsigned (*a)[n + 8], unsigned (*b)[n + 8], unsigned *c" "n, (void *)a, (void *)b, c" "$@"
  } > all.c
  clang-22 -O1 -w -fopenmp -DAUTOTUNE_PART_THREADS=1 ${extra:+"$extra"} all.c plain.c driver.o -o nest ||
    { fail "seed $seed: compiles"; return; }
  for values in "$@"; do
    is "seed $seed with $values" "$(timeout 60 ./nest $v; echo $?)" 0
    v=$((v + 1))
  done
}
first=${FIRST-1} tried=0 blocks=0
for seed in $(seq "$first" $((first + ${NESTS-30} - 1))); do
  more=yes good=yes
  ./nests registers "$seed" > nest.c
  ./nests plain "$seed" > plain.c
  if autotune translate nest.c -o out.c > err 2>&1; then
    blocks=$((blocks + 1))
  elif grep -q 'no tile of these loops has only statements that update one element' err; then
    more=
    ./nests "$seed" > nest.c
    autotune translate nest.c -o out.c > err 2>&1 || good=
  else
    good=
  fi
  if [ ! "$good" ]; then
    has "seed $seed: refused for a reason" err "cannot order these loops: "
    continue
  fi
  tried=$((tried + 1))
  answers "$seed" "1 1 1 ${more:+2 2 }1" "2 5 3 ${more:+4 2 }2" "100 64 200 ${more:+4 3 }2" "3 1 200 ${more:+1 2 }3"
done
check "some nests were tried" [ $tried -ge 1 ]
check "some of them in blocks of sums" [ $blocks -ge 1 ]

# ---- sweeps over lines, with buffers in place of a work array --------------------------
check "the generator of sweeps" gcc -O1 -o nests "$here/reschedule_lines.c"
buffers=0
for seed in $(seq "$first" $((first + ${SWEEPS-8} - 1))); do
  ./nests "$seed" > nest.c
  ./nests plain "$seed" > plain.c
  if ! autotune translate nest.c -o out.c > err 2>&1; then
    has "sweeps of seed $seed: refused for a reason" err "cannot order these loops: "
    continue
  fi
  extra=
  if grep -q autotune_local out.c; then
    buffers=$((buffers + 1))
    extra='-D__builtin_malloc(bytes)=((void)(bytes),(char*)0)' # there is no memory for them
    answers "$seed" "3 5 2"
    extra=
  fi
  answers "$seed" "1 1 1" "2 5 2" "100 64 2" "7 1 3"
done
check "some of them with buffers" [ $buffers -ge 1 ]
finish
