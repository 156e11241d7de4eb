# SPDX-License-Identifier: Apache-2.0
# Folders and names that break careless scripts, places that cannot be written, and signals.
. "$(dirname "$0")/cc_lib.sh"

odd="a b'c\$d, \"e\"=(é)"
mkdir -p "$odd/src" "$odd/in clude" out
kernel "$odd/src/my k.c"
plain "$odd/src/main 1.c"
echo '#define OWN 1' > "$odd/src/own it.h"
echo '#define FAR 1' > "$odd/in clude/far.h"
sed -i '1i #include "own it.h"\n#include <far.h>' "$odd/src/my k.c"

for cc in $compilers; do
  at="autotune cc $cc"
  (
    cd "$odd" && failures=0 || exit 1
    check "$cc odd names" $at -g -MD "-Iin clude" -c "src/my k.c" -o "../out/my k.o"
    $cc -w -MD "-Iin clude" -c "src/my k.c" -o "../out/my k.o" -MF ../out/expected.d
    same "$cc odd dependencies" "../out/my k.d" ../out/expected.d
    check "$cc odd names" $at "-Iin clude" "src/my k.c" "src/main 1.c" -o "../out/my prog"
    is "$cc odd answer" "$("../out/my prog")" "3 src/my k.c"
    exit $failures
  ) || failures=$((failures + $?))
  (
    cd out && failures=0 || exit 1
    check "$cc odd folder" $at "-I../$odd/in clude" "../$odd/src/my k.c" "../$odd/src/main 1.c"
    is "$cc odd answer" "$(./a.out)" "3 ../$odd/src/my k.c"
    check "$cc odd folder: a kernel" grep -q autotune_kernel_scale a.out
    exit $failures
  ) || failures=$((failures + $?))
done

# A folder of sources that nobody may write to (root may; then this tests nothing).
kernel src.c
mkdir readonly
cp src.c readonly/k.c
chmod a-w readonly
check "read-only sources" autotune cc gcc -c readonly/k.c -o k.o
chmod u+w readonly

# No temporary folder: a message, status 1, no file made.
TMPDIR=/nowhere autotune cc gcc -c src.c -o no.o 2> message
is "no temporary folder: status" $? 1
has "no temporary folder: message" message 'autotune: /nowhere: no temporary folder'
check "no temporary folder: no output" [ ! -e no.o ]
check "a file without pragmas needs none" \
  env TMPDIR=/nowhere sh -c 'echo "int x;" > x.c && autotune cc true -c x.c'

# The compiler itself complains about an output that cannot be written.
autotune cc gcc -c src.c -o /nowhere/no.o 2> message
is "no output folder: status" $? 1

# A compiler that is stopped in the middle leaves no temporary files.
cat > slow << 'END'
#!/bin/sh
echo started > "$STARTED"
exec sleep 60
END
chmod +x slow
for signal in INT TERM HUP; do
  rm -f started
  # background processes ignore INT, and we would inherit that
  STARTED=started env --default-signal=INT autotune cc ./slow -c src.c &
  pid=$!
  for _ in $(seq 200); do [ -e started ] && break; sleep 0.05; done
  check "$signal: a folder was made" [ -n "$(ls -A "$TMPDIR")" ]
  kill -$signal $pid
  wait $pid
  is "$signal: status" $? $((128 + $(kill -l $signal)))
  is "$signal: nothing left" "$(ls -A "$TMPDIR")" ""
done

# A compiler that a signal ends, and one with a status of its own.
printf '#!/bin/sh\nkill -SEGV $$\n' > dying
printf '#!/bin/sh\nexit 42\n' > leaving
chmod +x dying leaving
autotune cc ./dying -c src.c
is "status of a compiler that dies" $? 139
autotune cc ./leaving -c src.c
is "status of a compiler" $? 42

# More arguments than one exec may have are passed on in a file.
for i in $(seq 3000); do echo "-DLONG_NAME_NUMBER_$i=\"a b\""; done > many
check "many arguments" autotune cc gcc @many -c src.c -o many.o
finish
