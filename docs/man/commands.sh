#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# commands.sh PROGRAM TEMPLATE PAGE: writes the template to PAGE, and where it says @COMMANDS@ what each command says of itself.
set -eu
program=$1
template=$2
page=$3

escaped() { # literal text for mdoc: hyphens stay hyphens, no line is a macro
  sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^[.']/\\\\\&&/"
}

commands() {
  "$program" help | sed -n '/^$/q; s/^  \([a-z][a-z-]*\) .*/\1/p' | while read -r command; do
    printf '.Ss autotune %s\n.Bd -literal\n' "$command"
    case $command in
      version|help) "$program" help | sed -n "s/^  $command  *//p" ;;
      *) "$program" "$command" --help </dev/null ;;
    esac | escaped
    printf '.Ed\n'
  done
}

commands=$(commands)
while IFS= read -r line; do
  if [ "$line" = @COMMANDS@ ]; then
    printf '%s\n' "$commands"
  else
    printf '%s\n' "$line"
  fi
done <"$template" >"$page"
