# SPDX-License-Identifier: Apache-2.0
# The roofs of `autotune report --html`: no rate of a real tuning is above them, and they are measured once.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cc_lib.sh"

export AUTOTUNE_CACHE=$work/cache
check "compile a matrix product" autotune cc gcc -O2 "$here/../../examples/01_matmul.c" -lm -o matmul
check "compile a stencil" autotune cc gcc -O2 "$here/../../examples/03_jacobi2d.c" -lm -o stencil
AUTOTUNE_MODE=first AUTOTUNE_BUDGET=5s AUTOTUNE_LOG=info check "tune the matrix product" ./matmul 160 > progress 2>&1
AUTOTUNE_MODE=first AUTOTUNE_BUDGET=5s AUTOTUNE_LOG=info check "tune the stencil" ./stencil 200 4 >> progress 2>&1
autotune report --html page.html > out 2> err
case $(cat err) in *"built without the page"*)
  echo "skipped: this autotune was built without the page"; exit 77 ;;
esac
has "the page" out '^page.html: 2 results$'

# All rates in text, and those of each time on the page.
check "no rate is above the roofs" node - page.html progress << 'END'
const fs = require('node:fs'), { execSync } = require('node:child_process');
const [, , page, progress] = process.argv;
const report = JSON.parse(/id="results">([^]*?)<\/script>/.exec(fs.readFileSync(page, 'utf8'))[1]);
const units = { '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12 };
const text = execSync('autotune report --verbose', { encoding: 'utf8' });
const top = { FLOP: 0, B: 0 }, seen = { FLOP: 0, B: 0 };
for (const roof of report.roofs) {
  if (!(roof.l1 >= roof.l2 && roof.l2 >= roof.l3 && roof.l2 >= roof.memory && roof.memory > 0))
    throw new Error(`a farther level delivers more: ${JSON.stringify(roof)}`);
  top.FLOP = Math.max(top.FLOP, 2 * roof.flops);
  top.B = Math.max(top.B, roof.l1);
}
function see(rate, unit, where) {
  seen[unit] += rate > 0;
  if (!(rate <= top[unit]))
    throw new Error(`${where}: ${rate} ${unit}/s is above the roof, ${top[unit]}`);
}
// "0.3672" in the column GFLOP/s, and "3 GFLOP/s" elsewhere
let columns = [];
for (const line of [...text.split('\n'), ...fs.readFileSync(progress, 'utf8').split('\n')]) {
  for (const [, rate, unit, of] of line.matchAll(/([\d.]+) ([kMGT]?)(FLOP|B)\/s/g))
    see(rate * units[unit], of, line);
  const heads = [...line.matchAll(/([GT])(FLOP|B)\/s/g)];
  if (/^ *median/.test(line))
    columns = heads.map((m) => ({ end: m.index + m[0].length, unit: m[2], scale: units[m[1]] }));
  else if (/^ {2}(default|best) /.test(line))
    for (const { end, unit, scale } of columns)
      see(scale * /([\d.]*)$/.exec(line.slice(0, end).trimEnd())[1], unit, line);
}
if (seen.FLOP < 4 || seen.B < 2)
  throw new Error(`the text has ${JSON.stringify(seen)} rates:\n${text}`);
for (const one of report.kernels)
  for (const time of [one.default, one.best].map((e) => e.median).concat(one.columns.median.filter((t) => t > 0))) {
    see((one.flops || 0) / time, 'FLOP', one.kernel);
    see((one.bytes || 0) / time, 'B', one.kernel);
  }
END

# They are kept. One that is missing, broken, a month old or below a result is measured again.
is "the file is the user's alone" "$(stat -c %U "$AUTOTUNE_CACHE/roofs")" "$(id -un)"
again() { # WHAT SAME|NEW: makes the page, and the kept roofs are as said
  cp "$AUTOTUNE_CACHE/roofs" before
  autotune report --html page.html > out 2> err; is "$1: exit status" $? 0
  if [ "$2" = same ]; then same "$1" before "$AUTOTUNE_CACHE/roofs"
  else check "$1: measured again" not cmp -s before "$AUTOTUNE_CACHE/roofs"; fi
  has "$1: on the page" page.html '"roofs":\[{"cpu":'
}
again "once" same
sed -i 's/"flops": .*/"flops": 1e3,/; s/"when": \([0-9]*\)/"when": 1700000000/' "$AUTOTUNE_CACHE/roofs"
again "a month old" new
hasnt "a month old: the old limit is gone" "$AUTOTUNE_CACHE/roofs" '"flops": 1e3'
sed -i "s/\"flops\": .*/\"flops\": 1e3,/; s/\"when\": .*/\"when\": $(($(date +%s) - 3600)),/" "$AUTOTUNE_CACHE/roofs"
again "below a result" new
printf '[{"threads": 1, "flops": "x"}, 7' > "$AUTOTUNE_CACHE/roofs"
again "broken" new
sed -i "s/\"busy\": .*/\"busy\": true,/; s/\"when\": .*/\"when\": $(($(date +%s) - 4000)),/" "$AUTOTUNE_CACHE/roofs"
again "an hour after a busy machine" new
finish
