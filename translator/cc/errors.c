// SPDX-License-Identifier: Apache-2.0
// errors.c: edits the compiler's messages about a translated file.
//
// An error in the declaration of a kernel is repeated in each function that is generated
// from it, as "<autotune>:17:3: error: …". The user needs only the message about the
// user's own line. A kernel that is a statement is compiled twice, in its place and as a
// function of its own, so a message about it would come twice.
#include <stdlib.h>
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
static const char default_prefix[] = "autotune_default_"; // the kernel's function has it
static const char *const errors_headings[] = { ": In function ",
                                               ": At top level:", NULL };

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

static struct text errors_replace(struct text printed, const char *name,
                                  const char *shown) {
  struct text out = { 0 };
  size_t n = strlen(name);
  const char *p = printed.data, *end = p + printed.size;
  text_add(&out, "", 0);
  for (const char *at; (at = memmem(p, (size_t)(end - p), name, n)) != NULL; p = at + n) {
    text_add(&out, p, (size_t)(at - p));
    text_printf(&out, "%s", shown);
  }
  text_add(&out, p, (size_t)(end - p));
  return out;
}

struct text cc_errors_unname(const struct cc_source *s, struct text printed) {
  return errors_replace(printed, s->file, s->shown);
}

// Returns the text after `error: ` in the line from P to END; empty: there is none.
static struct slice errors_message(const char *p, const char *end) {
  const char *at = memmem(p, (size_t)(end - p), "error: ", 7);
  return at ? (struct slice){ at, (size_t)(end - at) } : (struct slice){ 0 };
}

// True if the message from P to END is about a column behind the end of the line that the
// compiler shows below it. gcc counts generated text in the user's function there.
static bool errors_beyond(const char *p, const char *end, const char *all) {
  const char *colon = memmem(p, (size_t)(end - p), "error: ", 7),
             *next = memchr(end, '\n', (size_t)(all - end)),
             *bar = next ? memchr(end, '|', (size_t)(next - end)) : NULL;
  while (colon && colon > p && *colon != ':')
    colon--;
  const char *column = colon;
  while (column && column > p && column[-1] >= '0' && column[-1] <= '9')
    column--;
  return bar && column < colon && strtol(column, NULL, 10) > next - bar - 2;
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
  static const char *const generated[] = { "autotune_k[] = {", "autotune_e != 0 ", NULL };
  struct slice message = errors_message(p, end);
  const char *next = memchr(end, '\n', (size_t)(all - end));
  if (errors_mentions(p, end, errors_headings)) {
    r->headings = true;
    r->generated = memmem(p, (size_t)(end - p), "autotune_", 9) != NULL;
    r->checks = memmem(p, (size_t)(end - p), "autotune_checks_", 16) != NULL;
    return r->checks;
  }
  if (message.size == 0)
    return false;
  if (next && r->n_told && errors_mentions(end, next, generated))
    return true; // Clang has no headings, but shows the line
  bool ours = r->generated || (r->headings && errors_beyond(p, end, all));
  for (unsigned i = 0; ours && !r->checks && i < r->n_told; i++)
    if (slices_same(r->told[i], message))
      return true;
  if (r->checks || !r->headings)
    *GROW(r->told, r->n_told) = message;
  return false;
}

// ---- two copies of a kernel ---------------------------------------------------------

struct told {               // a message
  struct slice place, line; // place: FILE:LINE:COLUMN and its kind
  bool copy;                // it is about the copy that is a function of its own
};

struct messages {
  struct told *list;
  unsigned n, next; // next: of the pass that leaves some out
  bool headings;    // the compiler prints them
};

static struct messages errors_read(struct text printed) {
  struct messages m = { .list = NULL };
  const char *p = printed.data, *end = p + printed.size;
  for (bool copy = false, heading = false; p < end;) {
    const char *newline = memchr(p, '\n', (size_t)(end - p)),
               *next = newline ? newline + 1 : end;
    static const char *const kinds[] = { "error: ", "warning: ", NULL },
                             *const copies[] = { default_prefix, NULL };
    if (errors_mentions(p, next, errors_headings)) {
      m.headings = heading = true;
      copy = errors_mentions(p, next, copies);
    } else if (errors_kind_of(p, next) == CONTINUED) {
      copy |= heading && errors_mentions(p, next, copies); // "inlined from"
    } else {
      heading = false;
      for (const char *const *k = kinds; *k; k++) {
        const char *at = memmem(p, (size_t)(next - p), *k, strlen(*k));
        if (!at)
          continue;
        *GROW(m.list, m.n) = (struct told){ { p, (size_t)(at - p) + strlen(*k) },
                                            { p, (size_t)(next - p) },
                                            copy };
        break;
      }
    }
    p = next;
  }
  return m;
}

// True if LINE is a message that is printed once more for the other copy. gcc's words may
// differ between the copies; Clang does not say which copy it means.
static bool errors_again(struct messages *m, const char *line) {
  if (m->next >= m->n || m->list[m->next].line.data != line)
    return false;
  const struct told *it = &m->list[m->next++];
  for (const struct told *other = m->list; other < m->list + m->n; other++)
    if (m->headings ? it->copy && !other->copy && slices_same(it->place, other->place)
                    : other < it && slices_same(it->line, other->line))
      return true;
  return false;
}

struct text cc_errors_filter(struct text printed, bool failed) {
  struct text kept = { 0 };
  bool keep = true, error = false, begins = false;
  struct repeats repeats = { 0 };
  struct messages messages = errors_read(printed);
  struct slice heading = { 0 }, last = { 0 }; // HEADING has no message yet
  const char *p = printed.data, *end = p + printed.size;
  text_add(&kept, "", 0);
  while (p < end) {
    const char *newline = memchr(p, '\n', (size_t)(end - p)),
               *next = newline ? newline + 1 : end;
    size_t size = (size_t)(next - p);
    enum line_kind kind = errors_kind_of(p, next);
    bool again = errors_again(&messages, p),
         repeats_it = kind == THEIRS && errors_repeats(&repeats, p, next, end);
    if (kind != CONTINUED)
      keep = !again && !(failed && (kind == OURS || repeats_it));
    if (errors_mentions(p, next, errors_headings)) {
      heading = (struct slice){ p, keep ? size : 0 };
      begins = true;
    } else if (begins && kind == CONTINUED) {
      heading.size += keep ? size : 0;
    } else if (keep) {
      begins = false;
      if (heading.size && !slices_same(heading, last))
        text_add(&kept, heading.data, heading.size);
      last = heading.size ? heading : last;
      heading = (struct slice){ 0 };
      text_add(&kept, p, size);
    } else {
      begins = false;
    }
    error |= keep && kind == THEIRS && memmem(p, size, "error: ", 7);
    p = next;
  }
  return errors_replace(error || !failed ? kept : printed, default_prefix, "");
}
