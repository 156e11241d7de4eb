// SPDX-License-Identifier: Apache-2.0
// errors.c: edits the compiler's messages about a translated file.
//
// An error in the declaration of a kernel is repeated in each function that is generated
// from it, as "<autotune>:17:3: error: …". The user needs only the message about the
// user's own line.
#include <string.h>

#include "cc.h"

void cc_errors_colour(const struct cc_command *c) {
  static const struct {
    const char *word;
    enum diag_colour when;
  } options[] = {
    { "-fdiagnostics-color", COLOUR_ALWAYS },
    { "-fdiagnostics-color=always", COLOUR_ALWAYS },
    { "-fcolor-diagnostics", COLOUR_ALWAYS },
    { "-fdiagnostics-color=auto", COLOUR_AUTO },
    { "-fdiagnostics-color=never", COLOUR_NEVER },
    { "-fno-diagnostics-color", COLOUR_NEVER },
    { "-fno-color-diagnostics", COLOUR_NEVER },
    { "-fdiagnostics-plain-output", COLOUR_NEVER },
  };
  for (unsigned i = 0; i < c->n_args; i++)
    for (size_t j = 0; j < sizeof options / sizeof *options; j++)
      if (strcmp(c->args[i].words[0], options[j].word) == 0)
        diag_colour(options[j].when);
}

static const char *skip_colours(const char *p, const char *end) {
  while (end - p > 1 && p[0] == '\033' && p[1] == '[') {
    for (p += 2; p < end && (*p == ';' || (*p >= '0' && *p <= '9'));)
      p++;
    p += p < end; // skips `m` or `K`
  }
  return p;
}

enum line_kind { OURS, THEIRS, CONTINUED };

static bool errors_mentions(const char *line, const char *end, const char *const *words) {
  for (; *words; words++)
    if (memmem(line, (size_t)(end - line), *words, strlen(*words)))
      return true;
  return false;
}

// Returns the author of the message in LINE. Lines of source, carets and notes belong to
// the message before them.
static enum line_kind errors_kind_of(const char *line, const char *end) {
  static const char name[] = "<autotune>"; // followed by `:17:3`, or nvcc's `(17)`
  static const char *const begins[] = { "error: ",
                                        "warning: ",
                                        ": In function ",
                                        ": At top level:",
                                        "In file included from ",
                                        " generated.",
                                        " detected in the compilation of ",
                                        "): warning ",
                                        NULL };
  const char *p = skip_colours(line, end);
  if (!errors_mentions(p, end, begins))
    return CONTINUED;
  size_t n = sizeof name - 1;
  return (size_t)(end - p) > n && memcmp(p, name, n) == 0 && strchr(":(", p[n]) ? OURS
                                                                                : THEIRS;
}

struct text cc_errors_unname(const struct cc_source *s, struct text printed) {
  struct text out = { 0 };
  size_t n = strlen(s->file);
  const char *p = printed.data, *end = p + printed.size;
  text_add(&out, "", 0);
  for (const char *at; (at = memmem(p, (size_t)(end - p), s->file, n)) != NULL;
       p = at + n) {
    text_add(&out, p, (size_t)(at - p));
    text_printf(&out, "%s", s->shown);
  }
  text_add(&out, p, (size_t)(end - p));
  return out;
}

// Returns the text after `error: ` in the line from P to END; empty: there is none.
static struct slice errors_message(const char *p, const char *end) {
  const char *at = memmem(p, (size_t)(end - p), "error: ", 7);
  return at ? (struct slice){ at, (size_t)(end - at) } : (struct slice){ 0 };
}

// Expressions of clauses are written once in a function `autotune_checks_…`, under their
// place in the pragma (front/emit/checks.c), and again where they are used.
struct repeats {
  bool headings;  // the compiler prints them
  bool generated; // the messages that follow are about a function of the stub
  bool checks;    // and about that of the checks
  struct slice *told;
  unsigned n_told;
};

// True if the line from P to END, the compiler's heading of a function or a message,
// repeats what was said of a clause, or is the heading of a function of checks. ALL: the
// end of what was printed.
static bool errors_repeats(struct repeats *r, const char *p, const char *end,
                           const char *all) {
  static const char *const headings[] = { ": In function ", ": At top level:", NULL };
  static const char *const generated[] = { "autotune_k[] = {", "autotune_e != 0 ", NULL };
  struct slice message = errors_message(p, end);
  const char *next = memchr(end, '\n', (size_t)(all - end));
  if (errors_mentions(p, end, headings)) {
    r->headings = true;
    r->generated = memmem(p, (size_t)(end - p), "autotune_", 9) != NULL;
    r->checks = memmem(p, (size_t)(end - p), "autotune_checks_", 16) != NULL;
    return r->checks;
  }
  if (message.size == 0)
    return false;
  if (next && r->n_told && errors_mentions(end, next, generated))
    return true; // Clang has no headings, but shows the line
  for (unsigned i = 0; r->generated && !r->checks && i < r->n_told; i++)
    if (slices_same(r->told[i], message))
      return true;
  if (r->checks || !r->headings)
    *GROW(r->told, r->n_told) = message;
  return false;
}

struct text cc_errors_filter(struct text printed) {
  struct text kept = { 0 };
  bool keep = true, error = false;
  struct repeats repeats = { 0 };
  struct slice heading = { 0 }; // without a message yet
  const char *p = printed.data, *end = p + printed.size;
  text_add(&kept, "", 0);
  while (p < end) {
    const char *newline = memchr(p, '\n', (size_t)(end - p)),
               *next = newline ? newline + 1 : end;
    enum line_kind kind = errors_kind_of(p, next);
    if (kind == THEIRS && errors_repeats(&repeats, p, next, end))
      kind = OURS;
    keep = kind == CONTINUED ? keep : kind == THEIRS;
    if (memmem(p, (size_t)(next - p), ": In function ", 14)) {
      heading = (struct slice){ p, keep ? (size_t)(next - p) : 0 };
    } else if (keep) {
      text_add(&kept, heading.data, heading.size);
      heading = (struct slice){ 0 };
      text_add(&kept, p, (size_t)(next - p));
    }
    error |= keep && kind == THEIRS && memmem(p, (size_t)(next - p), "error: ", 7);
    p = next;
  }
  return error ? kept : printed;
}
