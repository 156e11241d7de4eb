// SPDX-License-Identifier: Apache-2.0
// headers.c: remembers what the preprocessor made of the first lines of a file, down to
// its last #include. While kernels are proposed, made functions and translated, a file is
// preprocessed again and again with other text below these lines: after the first time
// only that text is, with the macros that the lines have left.
#include <ctype.h>
#include <string.h>

#include "front/include.h"
#include "unit.h"

static const char headers_mark[] = "#pragma autotune_below\n";

struct known {
  const char *const *command; // of the preprocessor, without a file; ends with NULL
  struct slice top;           // the lines
  const char *path;           // of their file
  struct slice out;
  const char *macros; // the path of a file with them
};
static struct { // in the arena
  struct known *list;
  unsigned n;
} headers;

static void headers_forget(void *unused) {
  (void)unused;
  headers.list = NULL;
  headers.n = 0;
}

size_t headers_end(const struct source *s) {
  struct slice text = { s->text, s->size };
  struct directive d;
  unsigned depth = 0;
  bool pending = false;
  size_t end = 0;
  for (size_t at = 0; directive_next(text, &at, &d);) {
    enum line kind = line_kind(d.word);
    depth += kind == LINE_IF;
    depth -= kind == LINE_ENDIF && depth > 0;
    pending = pending || kind == LINE_INCLUDE || kind == LINE_INCLUDE_NEXT ||
        slice_is(d.word, "import") || slice_is(d.word, "embed");
    end = pending && depth == 0 ? d.end : end;
    pending = pending && depth > 0;
  }
  return pending ? 0 : end;
}

// True if the commands A and B are the same.
static bool headers_same(const char *const *a, const char *const *b) {
  for (; *a && *b && strcmp(*a, *b) == 0; a++, b++)
    ;
  return !*a && !*b;
}

static const struct known *headers_find(const struct source *s, struct slice top,
                                        const char *const *command) {
  for (unsigned i = 0; i < headers.n; i++) {
    const struct known *k = &headers.list[i];
    if (slices_same(k->top, top) && strcmp(k->path, s->path) == 0 &&
        headers_same(k->command, command))
      return k;
  }
  return NULL;
}

static bool headers_is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// True if TEXT has the word NAME, also in strings, but for `#undef NAME`, which the feed
// has of params.
static bool headers_has(struct slice text, struct slice name) {
  static const char undef[] = "#undef ";
  const char *end = text.data + text.size;
  for (const char *p = text.data;
       (p = memmem(p, (size_t)(end - p), name.data, name.size)) != NULL; p++) {
    size_t before = (size_t)(p - text.data), size = sizeof undef - 1;
    bool word = (before == 0 || !headers_is_word(p[-1])) &&
        (p + name.size == end || !headers_is_word(p[name.size]));
    if (word && (before < size || memcmp(p - size, undef, size) != 0))
      return true;
  }
  return false;
}

// True if TEXT mentions a param of the N KERNELS: the preprocessor is not to see these.
static bool headers_mention(struct slice text, const struct kernel *kernels, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < kernels[i].n_params; j++)
      if (kernels[i].params[j].macro &&
          headers_has(text, slice_of(kernels[i].params[j].macro)))
        return true;
  return false;
}

// Returns the lines of OUT that define macros or end them, without the compiler's own
// and those of the command.
static struct text headers_macros(struct slice out) {
  struct text macros = { 0 };
  bool own = false;
  text_add(&macros, "", 0);
  for (const char *line = out.data, *end = out.data + out.size, *next; line < end;
       line = next) {
    next = memchr(line, '\n', (size_t)(end - line));
    next = next ? next + 1 : end;
    if (strncmp(line, "# ", 2) == 0)
      own = !memmem(line, (size_t)(next - line), "\"<", 2);
    else if (own &&
             (strncmp(line, "#define ", 8) == 0 || strncmp(line, "#undef ", 7) == 0))
      text_add(&macros, line, (size_t)(next - line));
  }
  return macros;
}

// Appends the mark and the text of F below the lines.
static void headers_below(const struct source *s, const struct feed *f,
                          struct text *out) {
  text_printf(out, "%s", headers_mark);
  source_resume(s, f->top, out);
  text_add(out, f->text.data + f->below, f->text.size - f->below);
}

static char *headers_find_mark(const struct text *out) {
  return out->size ? memmem(out->data, out->size, headers_mark, sizeof headers_mark - 1)
                   : NULL;
}

// Remembers OUT up to its mark, and makes the mark blank.
static void headers_keep(const struct source *s, const struct feed *f,
                         const char *const *command, struct text *out) {
  char *mark = headers_find_mark(out);
  if (!mark)
    return;
  struct slice above = { out->data, (size_t)(mark - out->data) };
  memset(mark, ' ', sizeof headers_mark - 2);
  if (memmem(above.data, above.size, "pop_macro", 9))
    return; // what such a pragma defines is not written
  struct text macros = headers_macros(above);
  const char *path = temp_path(arena_printf("autotune_macros_%u.h", headers.n));
  if (headers.n == 0)
    arena_defer(headers_forget, NULL);
  file_write(path, macros.data, macros.size);
  *GROW(headers.list, headers.n) =
      (struct known){ command, { s->text, f->top }, s->path, above, path };
}

// Sets OUT to what K and the text below its lines are. False: COMMAND failed.
static bool headers_continue(const struct source *s, const struct feed *f,
                             const struct known *k, struct text *out) {
  struct text in = { 0 }, below = { 0 }, errors = { 0 };
  headers_below(s, f, &in);
  const char *mark = preprocess_run(k->command, k->macros, &in, &below, &errors) == 0
      ? headers_find_mark(&below)
      : NULL;
  if (!mark)
    return false;
  mark += sizeof headers_mark - 1;
  *out = (struct text){ 0 };
  text_add(out, k->out.data, k->out.size);
  text_add(out, mark, (size_t)(below.data + below.size - mark));
  return true;
}

int headers_run(const struct source *s, const struct feed *f,
                const struct kernel *kernels, unsigned n, const char *const *command,
                struct text *out, struct text *errors) {
  struct slice top = { s->text, f->top };
  const struct known *k = headers_find(s, top, command);
  struct text in = { 0 };
  if (!f->top || headers_mention(k ? k->out : top, kernels, n) ||
      headers_mention(top, kernels, n))
    return preprocess_run(command, NULL, &f->text, out, errors);
  if (k && headers_continue(s, f, k, out))
    return 0;
  text_add(&in, f->text.data, f->below);
  headers_below(s, f, &in);
  int status = preprocess_run(command, NULL, &in, out, errors);
  if (status == 0)
    headers_keep(s, f, command, out);
  return status;
}
