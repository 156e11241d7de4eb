// SPDX-License-Identifier: Apache-2.0
// errors.c: edits the compiler's messages about a translated file.
//
// An error in the declaration of a kernel is repeated in each function that is generated
// from it, as "<autotune>:17:3: error: …". The user needs only the message about the
// user's own line. A kernel that is a statement is compiled twice, in its place and as a
// function of its own, so a message about it would come twice.
#include <ctype.h>
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

// Lines that begin a message or come before it. The others belong to the line before
// them, as source and carets do.
enum errors_kind {
  LINE_HEADING, // "k.c: In function ‘f’:"
  LINE_CONTEXT, // "k.cpp:5:2:   required from here"
  LINE_MESSAGE,
  LINE_NOTE,
  LINE_WITHIN, // nvcc's `instantiation of "void f(T)" at line 5`
  LINE_REST
};

// Returns the line from P to END without colours and the end of the line.
static struct slice errors_plain(const char *p, const char *end) {
  struct text out = { 0 };
  text_add(&out, "", 0);
  for (const char *next; p < end; p = next + (next < end)) {
    next = memchr(p, '\033', (size_t)(end - p));
    next = next ? next : end;
    text_add(&out, p, (size_t)(next - p));
    while (next < end && *next != 'm' && *next != 'K')
      next++;
  }
  return slice_trim((struct slice){ out.data, out.size });
}

static bool errors_has(struct slice line, const char *word) {
  return memmem(line.data, line.size, word, strlen(word)) != NULL;
}

static bool errors_begins(struct slice line, const char *word) {
  return line.size >= strlen(word) && memcmp(line.data, word, strlen(word)) == 0;
}

static bool errors_has_any(struct slice line, const char *const *words) {
  while (*words && !errors_has(line, *words))
    words++;
  return *words != NULL;
}

// True if LINE is one of the source, as gcc shows it: "   12 |   f(x);".
static bool errors_is_source(struct slice line) {
  const char *p = line.data, *end = p + line.size;
  while (p < end && (*p == ' ' || isdigit((unsigned char)*p)))
    p++;
  return p < end && *p == '|' && p > line.data && p[-1] == ' ';
}

static enum errors_kind errors_kind_of(struct slice line) {
  static const char *const messages[] = { "error: ",
                                          "warning: ",
                                          "In file included from ",
                                          " generated.",
                                          " detected in the compilation of ",
                                          "): warning ",
                                          NULL };
  static const char *const programs[] = { "cc1", "collect2: ", "nvcc ", NULL };
  const char *const *program = programs;
  while (*program && !errors_begins(line, *program))
    program++;
  if (errors_is_source(line))
    return LINE_REST;
  if (*program || errors_has(line, "/ld: ") || errors_has_any(line, messages))
    return LINE_MESSAGE;
  if (errors_has(line, ": note: "))
    return LINE_NOTE;
  if (errors_has(line, ":   required from "))
    return LINE_CONTEXT;
  if (line.size && line.data[line.size - 1] == ':' &&
      (errors_has(line, ": In ") || errors_has(line, ": At ")))
    return LINE_HEADING;
  return errors_begins(line, "instantiation of ") ? LINE_WITHIN : LINE_REST;
}

// True if the message in LINE is about a line of generated text.
static bool errors_is_ours(struct slice line) {
  return errors_begins(line, "<autotune>:") || errors_begins(line, "<autotune>(");
}

// Names before the user's own: of the default variant, and of a launch.
static const char *const errors_prefixes[] = { "autotune_default_", "autotune_launch_",
                                               NULL };

// Returns LINE, which is not source, with the user's names of functions. *OURS becomes
// true if it names something else that is generated.
static struct slice errors_user_names(struct slice line, bool *ours) {
  struct text out = { 0 };
  const char *p = line.data, *end = p + line.size;
  text_add(&out, "", 0);
  *ours = errors_has(line, "<autotune>");
  for (const char *at; (at = memmem(p, (size_t)(end - p), "autotune_", 9)) != NULL;) {
    size_t skip = 0;
    for (const char *const *w = errors_prefixes; *w && !skip; w++)
      if ((size_t)(end - at) > strlen(*w) && memcmp(at, *w, strlen(*w)) == 0)
        skip = strlen(*w);
    *ours = *ours || !skip;
    text_add(&out, p, (size_t)(at - p));
    text_add(&out, at, skip ? 0 : 9);
    p = at + (skip ? skip : 9);
  }
  text_add(&out, p, (size_t)(end - p));
  return (struct slice){ out.data, out.size };
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

// ---- errors about clauses -----------------------------------------------------------

// Expressions of clauses are written once in a function `autotune_checks_…`, under their
// place in the pragma (front/emit/checks.c), and again where they are used.
struct clauses {
  bool headings;         // the compiler prints them
  struct slice *kernels; // those with errors in their clauses
  unsigned n_kernels;
  struct slice *told; // the messages about clauses
  unsigned n_told;
};

enum errors_place { PLACE_USER, PLACE_CHECKS, PLACE_STUB };

static bool errors_is_letter(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$';
}

// True if LINE has NAME as a whole word.
static bool errors_names(struct slice line, struct slice name) {
  const char *p = line.data, *end = p + line.size, *after;
  for (; (p = memmem(p, (size_t)(end - p), name.data, name.size)) != NULL; p = after) {
    after = p + name.size;
    if ((p == line.data || !errors_is_letter(p[-1])) &&
        (after == end || !errors_is_letter(*after)))
      return true;
  }
  return false;
}

// Returns the function that HEADING names.
static enum errors_place errors_place_of(const struct clauses *c, struct slice heading) {
  bool ours;
  errors_user_names(heading, &ours);
  if (errors_has(heading, "autotune_checks_"))
    return PLACE_CHECKS;
  for (unsigned i = 0; i < c->n_kernels; i++)
    ours = ours || errors_names(heading, c->kernels[i]);
  return ours ? PLACE_STUB : PLACE_USER;
}

// Returns the text after `error: ` in LINE; empty: there is none.
static struct slice errors_message(struct slice line) {
  const char *at = memmem(line.data, line.size, "error: ", 7);
  return at ? (struct slice){ at, (size_t)(line.data + line.size - at) }
            : (struct slice){ 0 };
}

// Returns the line from P on, *NEXT is the one after it.
static struct slice errors_line(const char *p, const char *end, const char **next) {
  const char *newline = memchr(p, '\n', (size_t)(end - p));
  *next = newline ? newline + 1 : end;
  return errors_plain(p, *next);
}

// True if the compiler shows a line of the stub for its message: Clang has no headings.
static bool errors_shows_stub(const char *next, const char *end) {
  static const char *const lines[] = { "autotune_k[] = {", "autotune_e != 0 ",
                                       "autotune_e != nullptr ", NULL };
  return next < end && errors_has_any(errors_line(next, end, &next), lines);
}

static struct clauses errors_clauses(const struct text *printed) {
  static const char word[] = "autotune_checks_";
  struct clauses c = { 0 };
  enum errors_place place = PLACE_USER;
  const char *end = printed->data + printed->size;
  for (const char *p = printed->data, *next; p < end; p = next) {
    struct slice line = errors_line(p, end, &next), message = errors_message(line);
    const char *name = memmem(line.data, line.size, word, sizeof word - 1);
    enum errors_kind kind = errors_kind_of(line);
    if (kind == LINE_HEADING) {
      c.headings = true;
      place = errors_place_of(&c, line);
    }
    if (kind == LINE_HEADING && name) {
      struct slice kernel = { name + sizeof word - 1, 0 };
      while (errors_is_letter(kernel.data[kernel.size])) // the line ends with ':'
        kernel.size++;
      if (kernel.size)
        *GROW(c.kernels, c.n_kernels) = kernel;
    }
    if (message.size && !errors_is_ours(line) && !errors_shows_stub(next, end) &&
        (place == PLACE_CHECKS || !c.headings))
      *GROW(c.told, c.n_told) = message;
  }
  return c;
}

// ---- two copies of a kernel ---------------------------------------------------------

struct told {               // an error or a warning
  struct slice place, line; // place: FILE:LINE:COLUMN and its kind
  bool copy;                // it is about the copy that is a function of its own
};

struct copies {
  struct told *list;
  unsigned n, next; // next: of the pass that leaves some out
};

// Returns the part of LINE before its text: "k.c:4:7: warning: "; empty: it has none.
static struct slice errors_start(struct slice line) {
  static const char *const kinds[] = { "error: ", "warning: ", NULL };
  for (const char *const *k = kinds; *k; k++) {
    const char *at = memmem(line.data, line.size, *k, strlen(*k));
    if (at)
      return (struct slice){ line.data, (size_t)(at - line.data) + strlen(*k) };
  }
  return (struct slice){ 0 };
}

static struct copies errors_copies(const struct text *printed) {
  struct copies all = { .list = NULL };
  const char *end = printed->data + printed->size;
  bool copy = false, heading = false; // heading: no message came after it
  for (const char *p = printed->data, *next; p < end; p = next) {
    struct slice line = errors_line(p, end, &next), start = errors_start(line);
    enum errors_kind kind = errors_kind_of(line);
    if (kind == LINE_HEADING) {
      heading = true;
      copy = errors_has(line, errors_prefixes[0]);
    } else if (kind == LINE_REST) {
      copy |= heading && errors_has(line, errors_prefixes[0]); // "inlined from"
    } else {
      heading = false;
      if (kind == LINE_MESSAGE && start.size)
        *GROW(all.list, all.n) = (struct told){ start, line, copy };
    }
  }
  return all;
}

// True if the next error or warning is printed once more for the other copy. gcc's words
// may differ between the copies; Clang, without HEADINGS, does not say which copy it
// means.
static bool errors_again(struct copies *all, bool headings) {
  const struct told *it = &all->list[all->next++];
  for (const struct told *other = all->list; other < all->list + all->n; other++)
    if (headings ? it->copy && !other->copy && slices_same(it->place, other->place)
                 : other < it && slices_same(it->line, other->line))
      return true;
  return false;
}

// ---- the messages that are left ------------------------------------------------------

struct filter {
  bool failed; // the compiler did
  struct clauses clauses;
  struct copies copies;
  enum errors_place place;
  struct text kept, before; // BEFORE: lines that come before the next message
  struct slice last;        // those before the last message that was kept
  bool keep, keep_note;     // the message, and its note
  bool error;               // one was kept
};

// True if LINE, a message, is said of a clause as well, and is about a function that is
// generated.
static bool errors_repeats(const struct filter *f, struct slice line, bool shows_stub) {
  struct slice message = errors_message(line);
  bool told = false;
  for (unsigned i = 0; i < f->clauses.n_told && message.size; i++)
    told = told || slices_same(f->clauses.told[i], message);
  return told && (f->place == PLACE_STUB || shows_stub);
}

static void errors_add(struct text *out, struct slice line) {
  text_add(out, line.data, line.size);
}

// Adds what comes before a message, unless that came before the last one, too.
static void errors_begin(struct filter *f) {
  struct slice before = { f->before.data, f->before.size };
  if (!slices_same(before, f->last))
    errors_add(&f->kept, before);
  if (before.size)
    f->last = slice_of(arena_copy(before.data, before.size));
  f->before.size = 0;
}

// Adds the line PRINTED, which is LINE with colours; NEXT is what follows.
static void errors_next(struct filter *f, struct slice printed, struct slice line,
                        const char *next, const char *end) {
  enum errors_kind kind = errors_kind_of(line);
  bool ours;
  struct slice named = errors_user_names(printed, &ours);
  if (kind == LINE_HEADING) {
    f->place = errors_place_of(&f->clauses, line);
    f->before.size = 0;
  }
  if (kind == LINE_HEADING || kind == LINE_CONTEXT)
    errors_add(&f->before, ours ? (struct slice){ "", 0 } : named);
  if (kind == LINE_HEADING || kind == LINE_CONTEXT)
    return;
  if (kind == LINE_MESSAGE) {
    bool again = errors_start(line).size && errors_again(&f->copies, f->clauses.headings);
    bool generated = errors_is_ours(line) ||
        errors_repeats(f, line, errors_shows_stub(next, end));
    f->keep = !again && !(f->failed && generated);
    f->keep_note = true;
    f->error = f->error || (f->keep && errors_message(line).size);
    if (f->keep)
      errors_begin(f);
  } else if (kind == LINE_NOTE) {
    f->keep_note = !f->failed || !ours;
  }
  if (f->keep && f->keep_note && !(kind == LINE_WITHIN && ours))
    errors_add(&f->kept, kind == LINE_REST ? printed : named);
}

struct text cc_errors_filter(struct text printed, bool failed) {
  struct filter f = { .failed = failed,
                      .clauses = errors_clauses(&printed),
                      .copies = errors_copies(&printed),
                      .keep = true };
  const char *end = printed.data + printed.size;
  text_add(&f.kept, "", 0);
  text_add(&f.before, "", 0);
  f.keep_note = true;
  for (const char *p = printed.data, *next; p < end; p = next) {
    struct slice line = errors_line(p, end, &next);
    errors_next(&f, (struct slice){ p, (size_t)(next - p) }, line, next, end);
  }
  return f.error || !failed ? f.kept : printed;
}
