#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing to build and test: Debian packages (cmake/packages.txt) and, from npm, pinned
# with integrity hashes, the Tree-sitter grammars (cmake/grammars) and the packages of the report's page
# (runtime/tools/report/page). Does nothing twice.
set -eu
cd "$(dirname "$0")/.."

missing=
for package in $(grep -v '^#' cmake/packages.txt); do
  case $package in
    # A Node.js from elsewhere brings its own npm; a compiler may come without the metapackage.
    npm) command -v npm >/dev/null 2>&1 && continue ;;
    nodejs) command -v node >/dev/null 2>&1 && continue ;;
  esac
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
    missing="$missing $package"
done

if [ -n "$missing" ]; then
  root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null 2>&1 && root=sudo || {
      echo "autotune: please install, as root:$missing" >&2
      exit 1
    }
  fi
  echo "autotune: installing$missing"
  export DEBIAN_FRONTEND=noninteractive
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  { $root apt-get update -q && $root apt-get install -q -y --no-install-recommends $missing; } \
    >"$log" 2>&1 || {
    tail -n 15 "$log" >&2
    echo "autotune: these Debian packages could not be installed:$missing" >&2
    exit 1
  }
fi

# fetch FOLDER WHAT: the npm packages of its lock file.
fetch() {
  stamp=$1/node_modules/.package-lock.json
  [ -f "$stamp" ] && [ ! "$1/package-lock.json" -nt "$stamp" ] && return 0
  echo "autotune: fetching $2"
  (cd "$1" &&
    npm ci --ignore-scripts --omit=peer --legacy-peer-deps --no-audit --no-fund --loglevel=error) &&
    touch "$stamp"
}

fetch cmake/grammars "the grammars" || {
  echo "autotune: npm could not fetch tree-sitter-c and tree-sitter-cuda" >&2
  exit 1
}
fetch runtime/tools/report/page "what the report's page is made of" ||
  echo "autotune: npm could not fetch it: this build has no \`autotune report --html\`" >&2
