# SPDX-License-Identifier: Apache-2.0
# Completion in bash, and in zsh and fish where they are installed: commands, options, topics, and kernels
# of the store.
. "$(dirname "$0")/lib.sh"
install_autotune
. "$prefix/share/bash-completion/completions/autotune"

completes() { # WORD…: the last word is being written; prints the offers, sorted, in one line
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


in_zsh() { # WORD…: the words that zsh may choose from; "of: WORD…" if it is to ask another command
  zsh -f -c 'compadd() {
      [[ $1 == -a ]] || { print -l -- $@; return }
      print -l -- ${(P)@[-1]}
    }
    _normal() { print -r -- of: $words }
    _files() { print files }
    words=("$@[2,-1]") CURRENT=$(($# - 1)) && source $1' \
    zsh "$prefix/share/zsh/site-functions/_autotune" "$@" < /dev/null | tr '\n' ' ' | sed 's/ $//'
}
in_fish() { # WORD…: the offers of fish
  fish --no-config -c "source $prefix/share/fish/vendor_completions.d/autotune.fish
    complete -C '$*'" < /dev/null 2>&1 | cut -f 1 | LC_ALL=C sort -u | tr '\n' ' ' | sed 's/ $//'
}

# in_each OFFERS: tests OFFERS WORD… for the words that every shell completes
in_each() {
  local shell=$1 command option
  for command in cc check db doctor report tune why --version; do
    has "$shell: a command" <($shell autotune '' | tr ' ' '\n') "^$command\$"
  done
  for option in --cache --json --kernel --verbose; do
    has "$shell: an option of report" <($shell autotune report -- | tr ' ' '\n') "^$option\$"
  done
  is "$shell: kernels of the store" "$($shell autotune why '')" "other_scale"
  is "$shell: after --kernel" "$($shell autotune report --kernel '')" "other_scale"
  has "$shell: commands of db" <($shell autotune db '' | tr ' ' '\n') '^prune$'
  is "$shell: kernels to forget" "$($shell autotune db forget '')" "other_scale"
  has "$shell: topics" <($shell autotune help '' | tr ' ' '\n') '^tutorial$'
  has "$shell: commands have help" <($shell autotune help '' | tr ' ' '\n') '^bake$'
}
in_each completes
is "one command" "$(completes autotune tr)" "translate"
is "one topic" "$(completes autotune help tut)" "tutorial"
is "an option" "$(completes autotune doctor --j)" "--json"
is "of another folder" "$(completes autotune report --cache "$work/none" --kernel '')" ""
is "compilers" "$(completes autotune cc gc | tr ' ' '\n' | grep -x gcc)" "gcc"
is "compilers behind --bake" "$(completes autotune cc --bake w gc | tr ' ' '\n' | grep -x gcc)" "gcc"
is "files are bash's own" "$(completes autotune check '')$(completes autotune cc --bake '')" ""

if command -v zsh > /dev/null; then
  in_each in_zsh
  is "zsh: files" "$(in_zsh autotune check k)" "files"
  is "zsh: the compiler's own" "$(in_zsh autotune cc gcc -O)" "of: gcc -O"
  is "zsh: behind --bake" "$(in_zsh autotune cc --bake w gcc -O)" "of: gcc -O"
  is "zsh: the program's own" "$(in_zsh autotune tune --until 2% -- ./prog x)" "of: ./prog x"
else
  echo "zsh is not installed: its completion was not looked at"
fi
if command -v fish > /dev/null; then
  in_each in_fish
  is "fish: files" "$(in_fish autotune check k)" "k.c"
  is "fish: the compiler's own" "$(in_fish autotune cc ls k)" "k.c"
  is "fish: the program's own" "$(in_fish autotune tune --until 2% -- autotune help tut)" "tutorial"
else
  echo "fish is not installed: its completion was not looked at"
fi
finish
