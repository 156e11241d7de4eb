# SPDX-License-Identifier: Apache-2.0
# autotune report --html: the page in Chromium, of a store with 50 000 variants whose texts are markup.
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
. "$here/cc_lib.sh"

export AUTOTUNE_CACHE=$work/cache
autotune report --against x > out 2> err; is "--against alone: exit status" $? 2
has "--against alone: said" err "it needs --html"
autotune report --html out.html > out 2> err
case $(cat err) in *"built without the page"*)
  echo "skipped: this autotune was built without the page"; exit 77 ;;
esac
check "nothing measured: no page" [ ! -e out.html ]

mkdir -m 700 "$AUTOTUNE_CACHE"
check "a store" "$build/tests/page_store" "$AUTOTUNE_CACHE" 50000
autotune report --html large.html > out 2> err; is "exit status" $? 0
has "said" out '^large.html: 4 results$'
check "at most 12 MB" [ "$(wc -c < large.html)" -lt 12000000 ]
hasnt "no markup of the results" large.html '<img src=x'
autotune db export --output other.jsonl
sed -i -E 's/(\["n", ?)64\]/\165]/; s/"sum": ?"[^"]*", ?//' other.jsonl
autotune report --kernel scan --against other.jsonl --html small.html > out; is "exit status" $? 0
autotune report --html no/such/folder.html > out 2> err; is "no folder: exit status" $? 1
has "no folder: said" err 'no/such/folder.html: No such file'
autotune report --against none.jsonl --html x.html > out 2> err; is "nothing to compare with: exit status" $? 1
check "nothing to compare with: no page" [ ! -e x.html ]

chromium=$(command -v chromium || command -v chromium-browser) ||
  { echo "skipped: chromium is missing"; exit 77; }
[ -d "$here/../node_modules/playwright-core" ] ||
  { echo "skipped: playwright-core is missing"; exit 77; }
check "in the browser" node "$here/page.mjs" "$chromium" "$work/in"
finish
