# SPDX-License-Identifier: Apache-2.0
# Each word of generated text may be a macro of the user's, which must have no effect there; the user's text in a
# clause keeps its macros.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/cc_lib.sh"

# Sections, constraints with arguments, a tile with a footprint, a result, an alternative, a captured call.
annotated() { cat << 'END'
#pragma autotune kernel param(T: 1, 2, 4) constraint(T <= LIMIT && T * n > 0) \
  in(a[0:LENGTH]) inout(b[0:LENGTH][0:1]) key(n, KEY) flops(2.0 * LENGTH)
double k(int n, const double *a, double (*b)[1])
{
  double r = 0;
#pragma autotune tile sizes({4, 8}, {4, 8})
  for (int p = 0; p < n; p++)
    for (int q = 0; q < n; q++)
      b[p][0] += a[q] * T;
  return r;
}
#pragma autotune alternative(k)
double other(int n, const double *a, double (*b)[1])
{
  return k_plain(n, a, b);
}
END
}
{
  echo '#define LENGTH (n * 2)'
  echo '#define LIMIT 4'
  echo '#define KEY (n % 3)'
  echo '#define T 1'
  echo 'static double k_plain(int n, const double *a, double (*b)[1]) { return n + a[0] + b[0][0]; }'
} > head.c
{ cat head.c; annotated; } > plain.c
check "plain" autotune translate plain.c -o plain.t.c

has "a footprint" plain.t.c "autotune_sum += .*sizeof"
# The words between the marks, except ours, the compiler's, and those of the file itself.
sed -n '/^AUTOTUNE_GENERATED/,/^AUTOTUNE_AS_WRITTEN/p' plain.t.c | sed 's/"\([^"\\]\|\\.\)*"//g' |
  grep -oE '[A-Za-z_][A-Za-z0-9_]*' | grep -vE '^(autotune_|AUTOTUNE_|__)' | sort -u > generated
grep -oE '[A-Za-z_][A-Za-z0-9_]*' plain.c | sort -u > own
comm -23 generated own > words
check "words: $(wc -l < words)" [ "$(wc -l < words)" -gt 50 ]
{ cat head.c; sed 's/.*/#define & @ no such text @/' words; annotated; } > words.c
check "translate" autotune translate words.c -o words.t.c
for cc in $compilers; do
  check "$cc plain" $cc -Wall -Wextra -isystem "$root/include" -Werror -fsyntax-only plain.t.c
  check "$cc words" $cc -Wall -Wextra -isystem "$root/include" -Werror -fsyntax-only words.t.c
done

# The same words with a meaning, in the user's text.
sed -e 's/LENGTH/size/g; s/LIMIT/threads/g; s/KEY/key/g' plain.c > meant.c
check "translate" autotune translate meant.c -o meant.t.c
for cc in $compilers; do
  check "$cc meant" $cc -Wall -Wextra -isystem "$root/include" -Werror -fsyntax-only meant.t.c
done

# The text for replaying a captured call is the same.
sed -n '/^static const char autotune_replay_k/,/;$/p' words.t.c | grep '^"' |
  sed -e 's/;$//' -e 's/^"//' -e 's/"$//' -e 's/\\n$//' -e 's/\\\(["\\?]\)/\1/g' > replay.c
check "a replay" test -s replay.c
check "the replay" clang-22 -w -nostdinc -fsyntax-only replay.c
finish
