# SPDX-License-Identifier: Apache-2.0
# Completion for fish. What there is to complete is asked of the program itself.

function __autotune_commands
  autotune help 2>/dev/null | sed -n '/^$/q; s/^  \([a-z][a-z-]*\) .*/\1/p'
end
function __autotune_command
  set -l words (commandline -opc)
  test (count $words) -gt 1; and echo $words[2]
end
function __autotune_options
  set -l command (__autotune_command)
  test -n "$command"; and test "$command" != cc
  and autotune $command --help 2>/dev/null </dev/null | grep -oE -- '--[a-z][a-z0-9-]+' | sort -u
end
function __autotune_kernels
  autotune db list 2>/dev/null </dev/null | awk 'NR > 1 && NF > 4 { print $1 }' | sort -u
end

complete -c autotune -n 'test -z (__autotune_command)' -f -a '(__autotune_commands)'
complete -c autotune -n 'test -n (__autotune_command)' -a '(__autotune_options)'
complete -c autotune -n 'string match -qr "^(why|export)$" -- (__autotune_command)' \
  -a '(__autotune_kernels)'
