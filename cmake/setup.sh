#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# setup.sh [tests]: installs what is missing to build, with `tests` also what is missing to test and measure. These are
# Debian packages (cmake/packages.txt, tests/packages.txt) and, from npm, pinned with integrity hashes, the Tree-sitter
# grammars (cmake/grammars), the packages of the report's page (runtime/tools/report/page) and what drives a browser in
# its tests (tests). Says beforehand which Debian packages, and what they take. Does nothing twice.
set -eu
cd "$(dirname "$0")/.."
export LC_ALL=C

bundled=runtime/tools/report/page/bundled/page.html # archives of `make dist` have it, and the grammars

fail() {
  echo "autotune: $*" >&2
  exit 1
}

# Prints the packages of the list FILE that are not installed.
missing_of() {
  wanted=$(grep -v '^#' "$1")
  installed=" $(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $wanted 2> /dev/null |
    sed -n 's/^installed //p' | tr '\n' ' ')"
  for package in $wanted; do
    case $package in # a Node.js from elsewhere has its own npm; an archive of `make dist` needs neither to build
      npm | nodejs) [ "$1" = tests/packages.txt ] || ! [ -f "$bundled" ] || continue ;;
    esac
    case $package in
      npm) command -v npm > /dev/null && continue ;;
      nodejs) command -v node > /dev/null && continue ;;
    esac
    case $installed in
      *" $package "*) ;;
      *) printf ' %s' "$package" ;;
    esac
  done
}

# Prints apt's own figures for PACKAGE…: how many come with them, what is downloaded, what they take. Nothing where apt
# gives none. It works without root's rights, since nothing is locked and nothing done.
size_of() {
  apt-get install --assume-no -o Debug::NoLocking=1 --no-install-recommends "$@" 2> /dev/null | awk '
    / newly installed/ { for (i = 2; i <= NF; i++) if ($i == "newly") count = $(i - 1) }
    /^Need to get / { sub(/^Need to get /, ""); sub(/ of archives\.$/, ""); sub(/\/.*/, ""); download = $0 }
    /^After this operation, .* will be used/ { sub(/^After this operation, /, ""); sub(/ of additional.*/, ""); disk = $0 }
    END { if (download != "" && disk != "")
      printf "autotune: %d packages with those that they need: %s to download, %s on the disk\n", count, download, disk }'
}

# packages FILE PURPOSE: installs those of the list FILE that are missing.
packages() {
  missing=$(missing_of "$1")
  [ -n "$missing" ] || return 0
  command -v apt-get > /dev/null || {
    echo "autotune: there is no apt-get here to install what $2 needs. Debian has it in:$missing" >&2
    return 0
  }
  root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo > /dev/null ||
      fail "please run this as root: apt-get install --no-install-recommends$missing"
    root=sudo
  fi
  echo "autotune: $2 needs these Debian packages, which will be installed:$missing"
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  { $root apt-get update -q > "$log" 2>&1 && size_of $missing &&
    $root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing > "$log" 2>&1
  } || {
    tail -n 15 "$log" >&2
    fail "these Debian packages could not be installed:$missing"
  }
  rm -f "$log"
}

# fetch FOLDER WHAT: the npm packages of its lock file.
fetch() {
  stamp=$1/node_modules/.package-lock.json
  [ -f "$stamp" ] && [ ! "$1/package-lock.json" -nt "$stamp" ] && return 0
  echo "autotune: fetching $2"
  (cd "$1" &&
    npm ci --ignore-scripts --omit=peer --legacy-peer-deps --no-audit --no-fund --loglevel=error) &&
    touch "$stamp"
}

packages cmake/packages.txt "the build"
[ -f "$bundled" ] || {
  fetch cmake/grammars "the grammars" || fail "npm could not fetch tree-sitter-c and tree-sitter-cuda"
  fetch runtime/tools/report/page "what the report's page is made of" ||
    echo "autotune: npm could not fetch it: this build has no \`autotune report --html\`" >&2
}
[ "${1-}" = tests ] || exit 0
packages tests/packages.txt "testing"
fetch tests "what drives the browser in tests" ||
  echo "autotune: npm could not fetch it: the test of the report's page is skipped" >&2
