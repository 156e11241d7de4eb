#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Kernels that change their data by little in each call: what a wrong variant leaves out is as small as rounding, so the
# tolerance allows it. It is found on made-up data of mixed sizes, and where there are none, by builds that round as the
# text says. Right variants that fuse operations or add in blocks still win.
set -u
build=$(cd "$1" && pwd)
PATH=$build/bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset AUTOTUNE_MODE AUTOTUNE_SEARCH AUTOTUNE_WISDOM
export AUTOTUNE_LOG=debug AUTOTUNE_BUDGET=4s LC_ALL=C
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# NAME CLAUSES DATA BODY [COMPILER SUFFIX]: tunes a kernel with this body, whose T[I] is DATA; its messages go to NAME.log.
# B is 16, and slow, as written; 32 is fast. The store is NAME.cache.
tune() {
  cat > "$1${6:-.c}" << END_OF_C
#define N 4096
#define B 16
static inline void spend(int b)
{
  for (volatile int wait = b == 16 ? 400000 : 20000; wait > 0; wait = wait - 1)
    ;
}
#pragma autotune kernel $2
void $1(int n, const float *t, float *r)
{
  $4
}
static float first[N];
static float second[N];
int main(void)
{
  for (int i = 0; i < N; i++)
    first[i] = $3, second[i] = 300;
  $1(N, first, second);
  return 0;
}
END_OF_C
  autotune cc ${5:-gcc} -O2 "$1${6:-.c}" -o "$1" -lm > "$1.cc" 2>&1 || fail "$1 does not compile: $(cat "$1.cc")"
  AUTOTUNE_CACHE=$work/$1.cache timeout -k 5 120 "./$1" > /dev/null 2> "$1.log" || fail "$1 ends with $?"
}
has() { grep -q -- "$2" "$1.log" || fail "$1 lacks '$2': $(cat "$1.log")"; }
lacks() { ! grep -q -- "$2" "$1.log" || fail "$1 has '$2': $(grep -m1 -- "$2" "$1.log")"; }
# NAME TEXT: in the report and in why
reports() {
  AUTOTUNE_CACHE=$work/$1.cache COLUMNS=400 autotune report | tr -s ' \n' '  ' | grep -q "compiled strictly: $2" || fail "$1: the report"
  AUTOTUNE_CACHE=$work/$1.cache autotune report --json | grep -q "\"strict\": *\"$2" || fail "$1: the report in JSON"
  AUTOTUNE_CACHE=$work/$1.cache autotune why "$1" 2>&1 | grep -q "compiled strictly: $2" || fail "$1: why"
}

random='323 + i * 7919 % 1009 * 0.001f'
sorted='323 + 0.05f * (i + i % 3 * 0.3f)'
sections='in(t[0:n]) out(r[0:n])'
# FACTOR: what flows between neighbours is this fraction of their difference. Between blocks nothing does.
step() {
  echo "spend(B);
  for (int i = 0; i < n; i++)
    r[i] = i % B == 0 || i + 1 == n ? t[i] : t[i] + $1 * (t[i - 1] + t[i + 1] - 2 * t[i]);"
}

# Blocks of 32 leave out other borders. With data of mixed sizes this is all that small cells have.
for language in 'gcc .c' 'g++ .cpp'; do
  tune step "param(B: 16, 32) $sections" "$random" "$(step 2e-5f)" ${language}
  has step 'wrong: on made-up data (mixed sizes): r\[0:n\]: element [0-9]* is .*B=32'
  lacks step 'tuned: .*B=32'
done

# A kernel that may search sorted data gets no such data. The parameter may be meant, so it is said, once, and wins.
for language in 'gcc .c' 'g++ .cpp'; do
  tune ordered "param(B: 16, 32) $sections" "$sorted" "$(step 1e-2f)" ${language}
  has ordered 'warning: ordered: the parameter B changes the answer itself.*r\[0:n\]: element [0-9]* is [0-9.]* instead of [0-9.]*; at most .* relative'
  [ "$(grep -c 'changes the answer itself.*instead of' ordered.log)" = 1 ] || fail "ordered: not said once"
  has ordered 'tuned: .*B=32'
  reports ordered 'B changes the answer itself: '
  rm -r ordered.cache
done
tune meant "param(B: 16, 32) $sections verify(rtol: 1e-5)" "$sorted" "$(step 1e-2f)"
lacks meant 'warning: .*changes the answer itself'
has meant 'tuned: .*B=32'
reports meant 'B changes the answer itself: '

# From the end, each cell takes what its neighbour was before, so that vectors do: a directive that must not be there.
chain='
  #pragma autotune reverse optional
  for (int i = 1; i < n; i++)
    r[i] = t[i] + 1e-5f * r[i - 1];'
tune chain "$(echo "$sections" | sed s/out/inout/)" "$sorted" "$chain"
has chain 'wrong: its directives change the answer itself: compiled strictly, as is the kernel as written, r\[0:n\]: element [0-9]* is [0-9.]* instead of [0-9.]*.*reverse'
lacks chain 'tuned: .*reverse.*=yes'

# Each element is added to once, so an addition is no excuse.
chain='
  #pragma autotune reverse optional
  for (int i = 1; i < n; i++)
    r[i] += 4e-3f * r[i - 1];'
for language in 'gcc .c' 'g++ .cpp'; do
  tune adds "$(echo "$sections" | sed s/out/inout/)" "$sorted" "$chain" ${language}
  has adds 'wrong: its directives change the answer itself: compiled strictly.*reverse'
  lacks adds 'tuned: .*reverse.*=yes'
  rm -r adds.cache
done

# Right: the same step in tiles and with fused operations, and a sum by blocks, which the parameter makes another one.
whole='spend(B);
  #pragma autotune tile sizes(B)
  for (int i = 1; i < n - 1; i++)
    r[i] = t[i] + 0.1f * (t[i - 1] + t[i + 1] - 2 * t[i]);'
for data in "$random" "$sorted"; do
  tune whole "param(B: 16, 32) flags(\"-ffp-contract=fast\") $sections" "$data" "$whole"
  has whole 'tuned: .*B=32'
  lacks whole 'warning: '
  reports whole 'the same bits as the kernel as written'
  rm -r whole.cache
done
sums='spend(B);
  for (int i = 0; i < n; i += B) {
    float s = 0;
    for (int j = i; j < i + B; j++)
      s += t[j] * t[j];
    r[0] = i ? r[0] + s : s;
  }'
tune sums "param(B: 16, 32) in(t[0:n]) out(r[0]) verify(rtol: 1e-4)" "$random" "$sums"
has sums 'tuned: .*B=32'
lacks sums 'warning: '
reports sums 'B changes the answer itself: '
rm -r sums.cache
tune sums "param(B: 16, 32) in(t[0:n]) out(r[0])" "$random" "$sums"
has sums 'tuned: .*B=32'
has sums 'warning: sums: the parameter B changes the answer itself'

# Six runs of a long call take more than the tuning may spend on this. That is said.
long='volatile float chain = 1; // divisions that wait for each other: about as long on each processor
  float x = chain;
  for (int wait = B == 16 ? 50000000 : 20000000; wait > 0; wait--)
    x = 1 / (1 + x);
  for (int i = 0; i < n; i++)
    r[i] = t[i] + (x > 0);'
tune long_call "param(B: 16, 32) $sections" "$sorted" "$long"
has long_call 'tuned: .*B=32'
[ "$(grep -c 'long_call: strict builds are not compared' long_call.log)" = 1 ] || fail "long_call: not said once: $(cat long_call.log)"
reports long_call 'not compared, the tuning was too short'
exit $failed
