# SPDX-License-Identifier: Apache-2.0
# Completion in bash: commands, options, and kernels of the store.
. "$(dirname "$0")/lib.sh"
install_autotune
. "$prefix/share/bash-completion/completions/autotune"

completes() { # WORD…: the last is being written; what is offered, sorted, in one line
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  _autotune
  printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort -u | tr '\n' ' ' | sed 's/ $//'
}
kernel k.c other_scale
plain main.c
sed -i 's/scale(/other_scale(/; s/scale_file/other_scale_file/' main.c
check "compile" autotune cc gcc -O1 k.c main.c -o prog
export AUTOTUNE_CACHE=$work/cache
is "nothing was tuned" "$(completes autotune why '')" ""
AUTOTUNE_MODE=first AUTOTUNE_BUDGET=5s,3 ./prog > /dev/null

is "commands" "$(completes autotune tr)" "translate"
for command in cc check db doctor report tune why --version; do
  has "a command" <(completes autotune '' | tr ' ' '\n') "^$command\$"
done
for option in --cache --json --kernel --verbose; do
  has "an option of report" <(completes autotune report -- | tr ' ' '\n') "^$option\$"
done
is "an option" "$(completes autotune doctor --j)" "--json"
is "kernels of the store" "$(completes autotune why '')" "other_scale"
is "after --kernel" "$(completes autotune report --kernel o)" "other_scale"
is "of another folder" "$(completes autotune report --cache "$work/none" --kernel '')" ""
is "commands of db" "$(completes autotune db pr)" "prune"
is "kernels to forget" "$(completes autotune db forget '')" "other_scale"
is "compilers" "$(completes autotune cc gc | tr ' ' '\n' | grep -x gcc)" "gcc"
is "files are bash's own" "$(completes autotune check '')" ""
finish
