# SPDX-License-Identifier: Apache-2.0
# autotune check --json: a log of SARIF that follows its schema, with the places and fixes of the text.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cc_lib.sh"
command -v node > /dev/null || { echo "skipped: there is no node"; exit 77; }
schema() { check "schema: $1" node "$here/schema.js" "$here/schemas/sarif.json" "$1" whole > "$1.lost"; is "schema: $1" "$(cat "$1.lost")" ""; }
# FILE EXPRESSION: of `r`, its results, and `at(i)`, the region of one as "line:column-end"
get() {
  node -p "const log = JSON.parse(fs.readFileSync('$1')), r = log.runs[0].results,
    region = x => x.startLine + ':' + x.startColumn + '-' + x.endColumn,
    at = i => region(r[i].locations[0].physicalLocation.region),
    fix = i => r[i].fixes[0].artifactChanges[0].replacements[0]; $2"
}

mkdir 'a b'
cat > 'a b/é.c' << 'END'
#pragma autotune /* é */ kernel param(TILE: 1 2) out(x[0:n])
void f(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] = TILE - TILE;
}
#pragma autotune kernel inout(x[0:n])
void g(int n, double *x)
{
  #pragma autotune parallel for shedule(static)
  for (int i = 1; i < n; i++)
    x[i] += x[i - 1];
}
END
sed 's/1 2/1, 2/; s/shedule/schedule/' 'a b/é.c' > warned.c
autotune check --json 'a b/é.c' > bad.json 2> err; is "errors: exit status" $? 1
is "errors: nothing else" "$(cat err)" ""
schema bad.json
is "driver" "$(get bad.json 'log.runs[0].tool.driver.name + log.runs.length')" autotune1
is "version" "$(get bad.json 'log.runs[0].tool.driver.version')" "$(autotune version | sed -n 's/^autotune //p')"
is "results" "$(get bad.json 'r.length + r[0].level')" 2error
is "path" "$(get bad.json 'r[0].locations[0].physicalLocation.artifactLocation.uri')" 'a%20b/%C3%A9.c'
text=$(get bad.json r.map'(x => x.message.text).join(";")')
is "texts" "$text" "unknown clause 'shedule' (did you mean 'schedule'?);this is not a valid value (write a comma between two values)"
is "region" "$(get bad.json 'at(0)')" 10:33-40
is "characters, not bytes" "$(get bad.json 'at(1)')" 1:45-48
is "replaced" "$(get bad.json 'region(fix(0).deletedRegion) + fix(0).insertedContent.text')" 10:33-40schedule
is "inserted" "$(get bad.json 'region(fix(1).deletedRegion) + fix(1).insertedContent.text')" 1:46-46,

autotune check --json warned.c > warned.json 2> err; is "warnings: exit status" $? 0
schema warned.json
is "warning" "$(get warned.json 'r.length + r[0].level')" 1warning
is "notes" "$(get warned.json 'r[0].relatedLocations.map(x => x.message.text).join(";")')" \
  "'x[i]' is read and written here;'x[i - 1]' is read here, by another iteration"
sed 's/parallel for.*/unroll partial({1, 2})/' warned.c > fine.c
autotune check --json fine.c warned.c > two.json; is "two files: exit status" $? 0
schema two.json
is "two files" "$(get two.json 'r.length')" 1
autotune check --json fine.c > fine.json; is "nothing wrong: exit status" $? 0
schema fine.json
is "nothing wrong" "$(get fine.json 'r.length')" 0
autotune check --json "$PWD/warned.c" > absolute.json
is "absolute path" "$(get absolute.json 'r[0].locations[0].physicalLocation.artifactLocation.uri')" "file://$PWD/warned.c"
sed 's/"level"/"grade"/' warned.json > wrong.json
check "a wrong log is refused" not node "$here/schema.js" "$here/schemas/sarif.json" wrong.json > /dev/null
autotune check --json fine.c > /dev/full 2> err; is "no room: exit status" $? 1
finish
