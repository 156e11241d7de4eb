#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# commands.sh PROGRAM TEMPLATE PAGE: writes the template to PAGE; where it says @COMMANDS@, what each command says of
# itself, and where it says @ENVIRONMENT@, the variables.
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

# "  NAME=VALUES", and below it, further to the right, what it does.
environment() {
  printf '.Bl -tag -width Ds\n'
  "$program" help variables | escaped | sed 's/^      //; s/^  \([A-Z_]*\)=\(.*\)/.It Ev \1 Ns = Ns Ar \2/'
  printf '.El\n'
}

commands=$(commands)
environment=$(environment)
while IFS= read -r line; do
  case $line in
    @COMMANDS@) printf '%s\n' "$commands" ;;
    @ENVIRONMENT@) printf '%s\n' "$environment" ;;
    *) printf '%s\n' "$line" ;;
  esac
done <"$template" >"$page"
