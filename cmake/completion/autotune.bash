# SPDX-License-Identifier: Apache-2.0
# Completion for bash. The program itself says what can be completed.

# _autotune_options COMMAND…: the options in the command's help
_autotune_options()
{
  "$program" "$@" --help 2> /dev/null < /dev/null | grep -oE -- '(^|[[ (])--[a-z][a-z0-9-]+' |
    grep -oE -- '--[a-z0-9-]+'
}

# The first words of the indented lines that `autotune …` prints.
_autotune_lines()
{
  "$program" "$@" 2> /dev/null < /dev/null | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'
}

_autotune_commands()
{
  "$program" help 2> /dev/null < /dev/null | sed -n '/^$/q; s/^  \([a-z][a-z-]*\) .*/\1/p'
}

# Kernels of the store, or of that of --cache on this line.
_autotune_kernels()
{
  local i store=()
  for ((i = 2; i < COMP_CWORD - 1; i++)); do
    [[ ${COMP_WORDS[i]} == --cache ]] && store=(--cache "${COMP_WORDS[i + 1]}")
  done
  "$program" db list "${store[@]}" 2> /dev/null < /dev/null | awk 'NR > 1 && NF > 4 { print $1 }'
}

# _autotune_other N: completes the command that begins at word N
_autotune_other()
{
  if ((COMP_CWORD == $1)); then
    COMPREPLY=($(compgen -c -- "${COMP_WORDS[COMP_CWORD]}"))
  elif declare -F _command_offset > /dev/null; then
    _command_offset "$1"
  fi
}

_autotune()
{
  local program=${COMP_WORDS[0]/#\~/$HOME} command=${COMP_WORDS[1]} i
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "$(_autotune_commands) --help --version" -- "$word"))
    return
  fi
  for ((i = 2; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == -- && $command == tune ]] && { _autotune_other $((i + 1)); return; }
  done
  case $command:$before in
    cc:cc)
      if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$(_autotune_options cc)" -- "$word"))
      else
        _autotune_other 2
      fi ;;
    cc:--bake) ;;
    cc:*)
      case ${COMP_WORDS[2]} in
        --emulate) _autotune_other 3 ;;
        --bake) _autotune_other 4 ;;
        *) _autotune_other 2 ;;
      esac ;;
    *:--cache) COMPREPLY=($(compgen -d -- "$word")) ;;
    *:--kernel) COMPREPLY=($(compgen -W "$(_autotune_kernels)" -- "$word")) ;;
    help:help) COMPREPLY=($(compgen -W "$(_autotune_lines help)" -- "$word")) ;;
    db:db) COMPREPLY=($(compgen -W "$(_autotune_lines db --help)" -- "$word")) ;;
    *)
      if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$(_autotune_options "$command") --help" -- "$word"))
      elif [[ $command == @(why|export) || $command:${COMP_WORDS[2]} == db:@(forget|export) ]]; then
        COMPREPLY=($(compgen -W "$(_autotune_kernels)" -- "$word"))
      fi ;;
  esac
}
# File names where nothing else fits.
complete -o default -F _autotune autotune
