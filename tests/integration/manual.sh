# SPDX-License-Identifier: Apache-2.0
# The manual pages: no warning of mandoc's or groff's, and every command, option and variable is in them.
. "$(dirname "$0")/lib.sh"
install_autotune
pages=$prefix/share/man
tools=0

if command -v mandoc > /dev/null; then
  tools=1
  for page in "$pages"/man?/*; do
    check "$(basename "$page")" mandoc -K utf-8 -T lint -W warning "$page"
  done
fi
if command -v man > /dev/null && command -v groff > /dev/null; then
  tools=1
  for page in "$pages"/man?/*; do
    LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l "$page" > /dev/null 2> warnings
    is "$(basename "$page")" "$(cat warnings)" ""
  done
fi

one=$pages/man1/autotune.1
for command in $(autotune help | sed -n '/^$/q; s/^  \([a-z]*\) .*/\1/p'); do
  has "autotune(1): $command" "$one" "^\.Ss autotune $command"
done
has "autotune(1): what db takes" "$one" 'older'
for name in $(autotune help variables | sed -n 's/^  \([A-Z_]*\)=.*/\1/p'); do
  has "autotune(1): $name" "$one" "^\.It Ev $name "
  has "docs/runtime.md: $name" "$root/docs/runtime.md" "^|.*\`$name\`"
done
has "autotune(1): a variable's values" "$one" "exhaustive, random"
for name in $(sed -n 's,^AUTOTUNE_API.*[ *]\(autotune_[a-z_]*\)(.*,\1,p' \
              "$root/include/autotune.h"); do
  has "libautotune(3): $name" "$pages/man3/libautotune.3" "^\.Fo $name\$"
done
for clause in $(sed -n '/kernel_rules\[\]/,/^};/s/^  { "\([a-z_]*\)".*/\1/p' "$root/translator/front/pragma/table.c"); do
  has "autotune-pragmas(7): $clause" "$pages/man7/autotune-pragmas.7" "^\.It .*Ic $clause"
done
for directive in tile stripe interchange reverse unroll unroll_and_jam fuse fission; do
  has "autotune-pragmas(7): $directive" "$pages/man7/autotune-pragmas.7" "^\.It Ic $directive"
done
[ $tools = 1 ] || echo "neither mandoc nor man and groff are installed: no page was formatted"
finish
