# SPDX-License-Identifier: Apache-2.0
# autotune doctor: on this machine, and on one where things are missing. autotune --version.
. "$(dirname "$0")/lib.sh"
export AUTOTUNE_CACHE=$work/cache

state() { # CHECK: "STATE" in the output of the last doctor, in the file found
  sed -n "s/^  \([a-z]*\)  *$1  *.*/\1/p" found
}
check "here" autotune doctor > found
for name in compiler clang results 'kept code' processes; do
  is "$name" "$(state "$name")" ok
done
has "where results are" found "$AUTOTUNE_CACHE: user $(id -u)'s, mode 700"
has "the end" found '^C kernels can be tuned here'
is "nothing is left" "$(ls "$AUTOTUNE_CACHE" | grep doctor)" ""

check "JSON" autotune doctor --json > json
python3=$(command -v python3 || command -v node)
case $python3 in
  *python3) check "it is JSON" python3 -m json.tool json > tree ;;
  *node) check "it is JSON" node -e 'JSON.parse(require("fs").readFileSync("json"))' ;;
esac
has "a verdict" json '"good": true'
is "all checks" "$(grep -c '"check":' json)" "$(grep -c '^  [a-z]* *[A-Za-z]' found)"

# Each missing part is reported, with a way out, and the exit status is 1.
check "no compiler" not env AUTOTUNE_JIT=/none autotune doctor > found
is "compiler" "$(state compiler)" failed
is "kept code, then" "$(state 'kept code')" missing
has "advice" found '-> install libautotune-jit.so'
has "another end" found '^C kernels cannot be tuned'
check "no clang" not env AUTOTUNE_CLANG=/none autotune doctor > found
is "clang" "$(state clang)" failed
# A compiler may be installed later, or have another name.
mkdir path
ln -s "$(command -v autotune)" path/autotune
check "no gcc is no failure" env PATH="$PWD/path" autotune doctor > found
is "C compiler" "$(state 'C compiler')" missing
check "no OpenMP is no failure" env AUTOTUNE_OPENMP=/none autotune doctor > found
is "OpenMP" "$(state OpenMP)" missing
mkdir -m 777 open
check "a folder for all" not env AUTOTUNE_CACHE="$PWD/open" autotune doctor > found
has "whose fault it is" found 'failed *results .*can be written by others'
check "no folder" env AUTOTUNE_CACHE=off autotune doctor > found
is "results" "$(state results)" note
is "kept code in memory" "$(state 'kept code')" ok
printf '#include <stdlib.h>\nconst void *autotune_jit(void) { abort(); }\n' > crash.c
check "compile" gcc -shared -fPIC crash.c -o crash.so
check "a compiler that crashes" not env AUTOTUNE_JIT="$PWD/crash.so" autotune doctor > found
has "of what" found 'failed *compiler *it died of signal 6'
is "others are asked all the same" "$(state results)" ok

is "an unknown option" "$(autotune doctor --jsn 2>&1 > /dev/null | head -n 1)" \
  "autotune doctor: --jsn: unknown option; did you mean --json?"
autotune --version > version
has "autotune's" version '^autotune [0-9.]*$'
has "LLVM's" version '^  LLVM  *clang [0-9.]*$'
has "SQLite's" version '^  SQLite  *3\.[0-9.]*$'
has "the grammar's" version "^  grammar C  *tree-sitter-c $(sed -n 's/.*"tree-sitter-c": "\(.*\)".*/\1/p' \
  "$root/cmake/grammars/package.json")\$"
has "isl's" version '^  isl  *isl-[0-9.]*[^ ]*$'
has "the driver's" version '^  CUDA driver  *[^ ]'
finish
