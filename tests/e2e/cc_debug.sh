# SPDX-License-Identifier: Apache-2.0
# Debug information and assert name the user's file and lines, not ours.
. "$(dirname "$0")/cc_lib.sh"

mkdir src
kernel src/k.c
sed -i 's/^{$/{\n  assert(n < 100);/' src/k.c
plain src/main.c
sed 's/scale(3, x)/scale(100, x)/' src/main.c > src/abort.c

for cc in $compilers; do
  at="autotune cc $cc -g -O0"
  check "$cc -g" $at src/k.c src/main.c -o prog
  check "$cc -g -c" $at -c src/k.c -o k.o
  readelf --debug-dump=info k.o > info 2> /dev/null
  has "$cc DW_AT_name" info 'DW_AT_name.*src/k\.c'
  has "$cc DW_AT_comp_dir" info "DW_AT_comp_dir.*$PWD"
  hasnt "$cc temporary names" k.o "$TMPDIR"
  $at src/k.c src/abort.c -o aborts
  bash -c './aborts; true' 2> message
  has "$cc assert" message 'src/k.c:6: .*n < 100'
  if command -v gdb > /dev/null; then
    gdb -nx -batch -ex 'break src/k.c:8' -ex run -ex 'info source' -ex 'list 8,8' -ex bt ./prog \
      > session 2>&1
    has "$cc break" session '^Breakpoint 1, .*src/k.c:8'
    has "$cc list" session '^8.*x\[i\] \*='
    has "$cc source" session "^Located in $PWD/src/k.c"
    has "$cc backtrace" session 'main () at src/main.c:7'
    # By its name: at the kernel's own first line, with its arguments.
    gdb -nx -batch -ex 'break scale' -ex run -ex list -ex bt ./prog > session 2>&1
    line=$(grep -n '^void scale(' src/k.c | cut -d: -f1)
    has "$cc break by name" session "^Breakpoint 1, .*scale (n=3, .*at .*src/k.c:$line"
    has "$cc list by name" session '^[0-9]*.*x\[i\] \*='
    hasnt "$cc generated text" session '<autotune>'
  else
    echo "gdb is missing: its sessions are not tried"
  fi
done
finish
