# SPDX-License-Identifier: Apache-2.0
# Completion for fish. The program itself says what can be completed.

# The kinds of words at the cursor: command, topic, database, kernel, option, other, file.
function __autotune_kind
  set -l words (commandline -opc)
  set -l word (commandline -ct)
  switch (count $words)
    case 1
      echo command
      return
    case 2
      switch $words[2]
        case help
          echo topic
          return
        case db
          string match -q -- '-*' $word; or echo database; and return
      end
  end
  if __autotune_skip >/dev/null
    echo other
  else if test "$words[-1]" = --kernel
    echo kernel
  else if string match -q -- '-*' $word
    echo option
  else if string match -qr -- '^(-o|--cache)$' $words[-1]
    echo file
  else if string match -qr -- '^(why|export|db (forget|export))( |$)' "$words[2..-1]"
    echo kernel
  else
    echo file
  end
end

# The number of words before the command that autotune passes on, if there is one.
function __autotune_skip
  set -l words (commandline -opc)
  set -l end (contains -i -- -- $words)
  if test "$words[2]" = tune -a -n "$end"
    echo $end
  else if test "$words[2]" = cc
    set -l skip 2
    switch "$words[3]"
      case --emulate
        set skip 3
      case --bake
        set skip 4
    end
    string match -q -- '-*' (commandline -ct); and test (count $words) -eq 2; and return 1
    test (count $words) -ge $skip; and echo $skip
  else
    return 1
  end
end

function __autotune_other
  set -l words (commandline -opc)
  set -e words[1..(__autotune_skip)]
  complete -C (string join ' ' -- (string escape -- $words) (commandline -ct))
end

function __autotune_is
  test (__autotune_kind) = $argv[1]
end

# The first words of the indented lines that `autotune …` prints.
function __autotune_lines
  autotune $argv 2>/dev/null </dev/null | string replace -rf '^  ([a-z][a-z-]*) .*' '$1'
end

function __autotune_commands
  autotune help 2>/dev/null | sed -n '/^$/q; s/^  \([a-z][a-z-]*\) .*/\1/p'
  printf '%s\n' --help --version
end

function __autotune_options
  set -l words (commandline -opc)
  autotune $words[2] --help 2>/dev/null </dev/null | grep -oE -- '--[a-z][a-z0-9-]+' | sort -u
  echo -- --help
end

function __autotune_kernels
  autotune db list 2>/dev/null </dev/null | awk 'NR > 1 && NF > 4 { print $1 }' | sort -u
end

complete -c autotune -n '__autotune_is command' -f -a '(__autotune_commands)'
complete -c autotune -n '__autotune_is topic' -f -a '(__autotune_lines help)'
complete -c autotune -n '__autotune_is database' -f -a '(__autotune_lines db --help)'
complete -c autotune -n '__autotune_is kernel' -f -a '(__autotune_kernels)'
complete -c autotune -n '__autotune_is option' -f -a '(__autotune_options)'
complete -c autotune -n '__autotune_is other' -f -a '(__autotune_other)'
