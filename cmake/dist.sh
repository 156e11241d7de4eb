#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dist.sh BUILD: writes BUILD/autotune-VERSION.tar.gz, from which autotune is built without npm, Node.js and a network:
# the files of the last commit, the sources of both grammars, and the report's page as BUILD bundled it, with their
# licences. The same commit and packages give the same bytes.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
export LC_ALL=C

fail() {
  echo "dist: $*" >&2
  exit 1
}

version=$(sed -nE 's/^project\(autotune VERSION ([0-9.]+) .*/\1/p' CMakeLists.txt)
[ -n "$version" ] || fail "CMakeLists.txt has no version"
name=autotune-$version
page=runtime/tools/report/page
git rev-parse -q --verify HEAD > /dev/null 2>&1 || fail "this is no clone of the repository"
# The page is built from the files of the folder, and the archive has those of the commit.
git diff --quiet HEAD -- $page cmake/grammars || fail "please commit the changes in $page and cmake/grammars first"
[ -f "$build/$page/page.html" ] || fail "$build has no page of the report: Node.js or npm's packages are missing"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git archive --prefix="$name/" HEAD > "$work/tar"
tar -x -C "$work" -f "$work/tar"
to=$work/$name

# The grammars go where npm puts them.
mkdir -p "$to/cmake/grammars/node_modules"
for grammar in tree-sitter-c tree-sitter-cuda; do
  from=cmake/grammars/node_modules/$grammar
  mkdir "$to/$from"
  cp -r "$from/src" "$from/grammar.js" "$from/package.json" "$from/LICENSE" "$to/$from"
done

# The page, and the licences of what is bundled into it.
mkdir "$to/$page/bundled"
cp "$build/$page/page.html" "$to/$page/bundled"
modules=$page/node_modules
for licence in echarts/LICENSE echarts/NOTICE echarts/licenses/LICENSE-d3 zrender/LICENSE tslib/LICENSE.txt; do
  mkdir -p "$to/$page/bundled/$(dirname $licence)"
  cp "$modules/$licence" "$to/$page/bundled/$licence"
done

tar --sort=name --mtime="@$(git log -1 --format=%ct)" --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX \
  -C "$work" -c "$name" | gzip -9n > "$work/gz"
mv "$work/gz" "$build/$name.tar.gz"
echo "$build/$name.tar.gz: $(du -h "$build/$name.tar.gz" | cut -f1)"
