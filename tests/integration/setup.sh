# SPDX-License-Identifier: Apache-2.0
# cmake/setup.sh says beforehand what it installs, and installs for the build only what the build needs;
# cmake/uninstall.sh removes what was installed, and nothing else; cmake/dist.sh packs what npm would fetch.
# dpkg-query, apt-get and id are stand-ins here.
. "$(dirname "$0")/lib.sh"

mkdir -p tree/cmake tree/tests tree/bin
cp "$root/cmake/setup.sh" tree/cmake
printf '# needed\nlibc6\nnew-a\nnew-b\n' > tree/cmake/packages.txt
printf 'libc6\nnew-test\n' > tree/tests/packages.txt
for folder in cmake/grammars runtime/tools/report/page tests; do # nothing is to be fetched
  mkdir -p "tree/$folder/node_modules"
  touch "tree/$folder/package-lock.json" "tree/$folder/node_modules/.package-lock.json"
done
cat > tree/bin/dpkg-query << 'E'
#!/bin/sh
printf 'installed libc6\nnot-installed new-a\n'
E
cat > tree/bin/apt-get << 'E'
#!/bin/sh
echo "$*" >> "$CALLS"
[ "$1 $FAIL" != "install yes" ] || { echo "no such package"; exit 100; }
case "$*" in *assume-no*) cat "$FIGURES"; exit 1 ;; esac
E
printf '#!/bin/sh\necho "${USER_ID:-0}"\n' > tree/bin/id
chmod +x tree/bin/*
cat > figures << 'E'
The following NEW packages will be installed:
1 upgraded, 12 newly installed, 0 to remove and 3 not upgraded.
Need to get 3575 kB/45.2 MB of archives.
After this operation, 123 MB of additional disk space will be used.
E
: > none
setup() { # [tests]
  rm -f calls
  PATH=$work/in/tree/bin:/usr/bin:/bin CALLS=$work/in/calls FAIL=${FAIL-} FIGURES=$work/in/${figures-figures} \
    sh tree/cmake/setup.sh "$@" > said 2>&1
}

check "setup" setup
has "names" said 'the build needs these Debian packages, which will be installed: new-a new-b$'
has "figures" said '12 packages with those that they need: 3575 kB to download, 123 MB on the disk'
has "installed" calls '^install -q -y --no-install-recommends new-a new-b$'
hasnt "nothing of the tests" calls new-test
check "setup tests" setup tests
has "of the tests" said 'testing needs these Debian packages, which will be installed: new-test$'
has "installed for tests" calls '^install -q -y .* new-test$'

figures=none check "without figures" setup
hasnt "no size is made up" said 'to download'
has "installed all the same" calls '^install -q -y .* new-a'
FAIL=yes check "a failure is one" not setup
has "the failure is said" said 'could not be installed: new-a new-b'
if ! [ -e /usr/bin/sudo ]; then
  USER_ID=1000 check "without root's rights" not setup
  has "what root is to do" said 'as root: apt-get install --no-install-recommends new-a new-b$'
fi
# An archive of `make dist`, also where copies have other times: npm has nothing to do, and is not there.
mkdir tree/runtime/tools/report/page/bundled only
touch tree/runtime/tools/report/page/bundled/page.html
rm -r tree/cmake/grammars tree/runtime/tools/report/page/node_modules
for program in sh grep sed tr dirname; do ln -s "$(command -v $program)" only; done
printf 'libc6\nnodejs\nnpm\n' > tree/cmake/packages.txt
PATH=$work/in/tree/bin:$work/in/only check "an archive" sh tree/cmake/setup.sh > said 2>&1
is "nothing is said of npm" "$(cat said)" ""
rm -r tree/runtime/tools/report/page/bundled

printf 'libc6\n' > tree/cmake/packages.txt
mkdir -p tree/cmake/grammars/node_modules tree/runtime/tools/report/page/node_modules
touch tree/cmake/grammars/node_modules/.package-lock.json tree/runtime/tools/report/page/node_modules/.package-lock.json
check "nothing is missing" setup
is "nothing is said" "$(cat said)" ""
check "apt-get is not called" not test -e calls

# make uninstall
place=stage/opt/x
mkdir -p $place/bin $place/lib/autotune/compilers $place/share/autotune out
touch $place/bin/autotune $place/bin/other $place/share/autotune/mine $place/share/autotune/schema
ln -s nowhere $place/lib/autotune/compilers/gcc
printf '/opt/x/%s\n' bin/autotune lib/autotune/compilers/gcc share/autotune/schema > out/installed.txt
printf '/opt/x/gone' >> out/installed.txt
uninstall() { DESTDIR=$work/in/stage PREFIX=$1 sh "$root/cmake/uninstall.sh" out > said 2>&1; }
check "another prefix" not uninstall /opt/y
check "nothing was removed" test -e $place/bin/autotune
check "uninstall" uninstall /opt/x
has "what is removed" said "^removed $work/in/$place/lib/autotune/compilers/gcc$"
has "how many" said '^uninstall: 3 files removed, 1 were not there$'
is "what is left" "$(cd $place && find . | sort | xargs)" \
  ". ./bin ./bin/other ./lib ./share ./share/autotune ./share/autotune/mine"
check "again" not uninstall ""

# make dist, of a clone whose page and grammars are as committed
page=runtime/tools/report/page
if [ -f "$build/$page/page.html" ] && git -C "$root" diff --quiet HEAD -- $page cmake/grammars 2> /dev/null; then
  mkdir -p "out/$page"
  cp "$build/$page/page.html" "out/$page"
  check "make dist" sh "$root/cmake/dist.sh" out > said 2>&1
  check "it unpacks" tar -xzf out/autotune-*.tar.gz --strip-components=1 --one-top-level=archive
  same "the page" "$build/$page/page.html" archive/$page/bundled/page.html
  for file in archive/cmake/grammars/node_modules/tree-sitter-{c,cuda}/{LICENSE,package.json,src/parser.c} \
              archive/$page/bundled/{echarts/{LICENSE,NOTICE},zrender/LICENSE,tslib/LICENSE.txt} archive/LICENSE; do
    check "$file" test -s "$file"
  done
else
  echo "make dist is not tried: there is no page, or this is no clone without changes"
fi
finish
