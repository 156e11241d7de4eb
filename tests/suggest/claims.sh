# SPDX-License-Identifier: Apache-2.0
# autotune suggest: for each function of claims/claims.c the number of its loops that threads share, the notes, and
# that the patch is valid: for `patch`, for `git apply`, and for `autotune check`.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/cc_lib.sh"
cp "$here"/claims/* .
check "suggest" autotune suggest claims.c > claims.patch 2> notes
git init -q . && check "git apply" git apply --check -p1 claims.patch
check "patch" patch -s -p1 -i claims.patch
check "autotune check" autotune check claims.c > list 2>&1
hasnt "is refused" notes "cannot be a kernel"

shared() { # FUNCTION
  awk -v name="$1" '/^[a-z].*\(/ { inside = index($0, " " name "(") > 0 }
                    inside && /pragma autotune (parallel for|reschedule)/ { n++ } END { print n + 0 }' claims.c
}
while read -r function loops said; do
  is "$function" "$(shared "$function")" "$loops"
  [ -z "$said" ] || has "$function: why" notes "$said"
done << 'END'
kept 0 outlives the call
prefix 0 share 's'
hidden 0 depend on each other
halves 0 not affine
rounded 0 share 's'
watched 0 volatile
last 0 share 't'
left 0 share 't'
again 0 share 't'
behind 1 share 'j'
shadow 0
temporary 1
expanded 1
counted 1
steady 1
unsteady 0
pointed 1
stale 1
written 1
bracketed 1
constants 1
few 0 takes at most
unsigned_constant 0 not affine
shadowed 0
of_struct 1 no other array overlaps 'r->x', 'other.y'
moved 0
renewed 0
placed 0 not affine
strided 1
strided_block 1
strided_beyond 1 line 344 is not shared out among threads: its iterations depend on each other
strided_once 0 depend on each other
row_product 1 no two rows of 'c' overlap
row_wave 0 depend on each other
row_pointers 0 more or fewer subscripts
row_shared 0 not affine
row_alias 1 no two rows of 'a' overlap
row_alias_chain 0 depend on each other
row_alias_moved 0
row_alias_twice 1 what this points to is not followed
row_alias_late 0 not known what this points to
row_alias_some 0 what this points to is not followed
row_alias_at 0
row_alias_bytes 0
row_alias_other 0
row_alias_const 1
row_block 1 no two rows of 'x' overlap
columns 1
rows_and_columns 1
sums_read 1 depend on each other
sums_of_two_kinds 2 depend on each other
sums_moved 2 depend on each other
pointer_moves 1
sums_converted 2 depend on each other
sums_of_file 2 depend on each other
truths 2 depend on each other
END
has_kernel() { # FUNCTION: how many pragmas stand on it
  grep -B1 "^[a-z].* $1(" claims.c | grep -c "pragma autotune kernel"
}
is "a static variable in a kernel: nothing varies" "$(has_kernel kept)" 0
is "a copy: nothing varies" "$(has_kernel copied)" 0
is "a fill: nothing varies" "$(has_kernel cleared)" 0
has "a place that each run moves: nothing varies" notes "the loop in line [0-9]* of 'packed' is left as it is: .*share 'k'\|a subscript is not affine"
hasnt "a place that each run moves" notes "of the loop in line [0-9]* of 'packed' only"
is "a sum: flags vary" "$(has_kernel added)" 1
hasnt "no kernel with a variable of its own" list "a copy of its own"
has "private" claims.c "private(t, u)"
has "blocks of columns outermost" <(grep -A1 'permutation((1,3,2))' claims.c) 'tile sizes({64, 256, 1024})'
is "no other sums in an array" "$(grep -c 'reduction(.: [a-z]*\[' claims.c)" 1
is "sums in an array" "$(grep -c 'num_threads([A-Z_0-9]*) reduction(+: s\[0:m\])$' claims.c)" 1
has "a section by a macro" claims.c "inout(x\[0:SIZE\]\[0:SIZE\])"
has "a section by constants" claims.c "^    in(y\[0:(long long)ROWS + (long long)NONE + (long long)COLUMNS\])"
has "a product of constants" claims.c "^    out(sums\[0:(long long)COLUMNS \* (long long)LAST + (long long)COLUMNS\])"
hasnt "constants are above 0" notes "assumed of each call: .*\(LAST\|COLUMNS\)"
has "integers of structs are the key" claims.c "key(r->n) in(other.y\[0:r->n\]) out(r->x\[0:r->n\])"
has "a stride that was read before a call" claims.c "^ *if((long long)m >= (long long)k)"
has "the condition of a stride" claims.c "if(ld >= m) inout(x\[0:(long long)ld \* n + m - ld\])"
has "the conditions of a block" claims.c "if(from >= 0 && (long long)ld >= (long long)from + m)"
has "sections of rows" claims.c "in(a\[0:n\]\[0:n\], b\[0:n\]\[0:n\]) inout(c\[0:n\]\[0:n\])"
has "of these rows alone" claims.c "inout(x\[low:(long long)high + 1 - low\]\[0:n\]\[-2:(long long)n + 2\])"
has "what a loop's condition keeps in the array" notes "claims.c:456:25: note: assumed: the array has this element also where the"
is "not where it is reached anyway" "$(grep -c "the array has this element also" notes)" 1
has "what it keeps in a written row" notes "claims.c:460:.* no sections: it cannot be told which of its elements is the last"
has "a condition of data" claims.c "^ *in(x\[0:m\]) inout(a\[0:n\]\[0:(long long)m + 1\])"
has "a name that is taken" claims.c "param(THREADS_2:"
finish
