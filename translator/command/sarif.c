// SPDX-License-Identifier: Apache-2.0
// sarif.c: `autotune check --json`: diagnostics as a log of SARIF, version 2.1.0 (OASIS),
// which editors, and services that review changes, read.
#include <jansson.h>
#include <string.h>

#include "check.h"
#include "tools/common/json.h"

#define SCHEMA                                                  \
  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/" \
  "schemas/sarif-schema-2.1.0.json"

// Returns PATH as a URI (RFC 3986): relative to the folder in which the command ran,
// unless PATH is absolute.
static json_t *sarif_uri(const char *path) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789-._~/";
  struct text uri = { 0 };
  bool colon = strcspn(path, ":") < strcspn(path, "/"); // it would look like a scheme
  text_printf(&uri, "%s", *path == '/' ? "file://" : colon ? "./" : "");
  for (; *path; path++)
    text_printf(&uri, strchr(plain, *path) ? "%c" : "%%%02X", (unsigned char)*path);
  return json_string(uri.data);
}

// Returns the column of BYTE, a place in M's line, in characters.
static json_int_t sarif_column(const struct marked *m, const char *byte) {
  json_int_t column = 1;
  for (const char *p = m->text.data - (m->column - 1); p < byte; p++)
    column += (*p & 0xc0) != 0x80; // not the rest of a character of UTF-8
  return column;
}

// Returns the region of M, which begins LEAST bytes before its end or more.
static json_t *sarif_region(const struct marked *m, size_t least) {
  const char *end = m->text.data + m->text.size;
  json_int_t from = sarif_column(m, m->text.data), to = sarif_column(m, end);
  return json_pack("{s:I, s:I, s:I}", "startLine", (json_int_t)m->line, "startColumn",
                   from, "endColumn", m->text.size < least ? from + 1 : to);
}

static json_t *sarif_location(const struct marked *m) {
  return json_pack("{s:{s:{s:o}, s:o}}", "physicalLocation", "artifactLocation", "uri",
                   sarif_uri(m->path), "region", sarif_region(m, 1));
}

static json_t *sarif_message(const struct diagnostic *d) {
  return json_text(d->hint ? arena_printf("%s (%s)", d->text, d->hint) : d->text);
}

static json_t *sarif_fixes(const struct fix *f) {
  return json_pack("[{s:[{s:{s:o}, s:[{s:o, s:{s:o}}]}]}]", "artifactChanges",
                   "artifactLocation", "uri", sarif_uri(f->place.path), "replacements",
                   "deletedRegion", sarif_region(&f->place, 0), "insertedContent", "text",
                   json_text(f->text));
}

static json_t *sarif_result(const struct diagnostic *d) {
  static const char *const levels[] = { "error", "warning", "note" };
  json_t *result = json_pack("{s:s, s:{s:o}, s:[o]}", "level", levels[d->level],
                             "message", "text", sarif_message(d), "locations",
                             sarif_location(&d->place));
  if (d->fix.text)
    json_object_set_new(result, "fixes", sarif_fixes(&d->fix));
  return result;
}

// Adds the note D to RESULT.
static void sarif_relate(json_t *result, const struct diagnostic *d) {
  json_t *list = json_object_get(result, "relatedLocations");
  json_t *place = sarif_location(&d->place);
  if (!list)
    json_object_set_new(result, "relatedLocations", list = json_array());
  json_object_set_new(place, "message", json_pack("{s:o}", "text", sarif_message(d)));
  json_array_append_new(list, place);
}

bool sarif_print(const struct diagnostic *all, unsigned n, FILE *out) {
  json_t *results = json_array(), *last = NULL;
  for (unsigned i = 0; i < n; i++) {
    if (all[i].level == DIAG_NOTE && last)
      sarif_relate(last, &all[i]);
    else
      json_array_append_new(results, last = sarif_result(&all[i]));
  }
  json_t *log = json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s}}, s:s, s:o}]}", "$schema",
                          SCHEMA, "version", "2.1.0", "runs", "tool", "driver", "name",
                          "autotune", "version", AUTOTUNE_VERSION, "columnKind",
                          "unicodeCodePoints", "results", results);
  bool fine = log && json_dumpf(log, out, JSON_INDENT(2)) == 0 && fputc('\n', out) >= 0;
  json_decref(log);
  return fine && fflush(out) == 0;
}
