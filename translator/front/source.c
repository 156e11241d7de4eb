// SPDX-License-Identifier: Apache-2.0
// source.c: a file's text, its lines, its tree.
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "front/lang/language.h"

static void find_lines(struct source *s) {
  unsigned n = 1;
  for (size_t i = 0; i < s->size; i++)
    n += s->text[i] == '\n';
  s->lines = arena_alloc(n * sizeof *s->lines);
  s->n_lines = n;
  n = 1;
  for (size_t i = 0; i < s->size; i++)
    if (s->text[i] == '\n')
      s->lines[n++] = i + 1;
}

// Reads N and FILE of `#line N "FILE"` or `# N "FILE" flags` at P. NULL: P holds
// something else. Only the first form may lack FILE.
static const char *line_directive(const char *p, const char *end, unsigned *line,
                                  struct slice *file) {
  while (p < end && (*p == ' ' || *p == '\t'))
    p++;
  if (p == end || *p++ != '#')
    return NULL;
  while (p < end && (*p == ' ' || *p == '\t'))
    p++;
  bool word = end - p > 4 && memcmp(p, "line", 4) == 0;
  for (p += word ? 4 : 0; p < end && (*p == ' ' || *p == '\t');)
    p++;
  if (p == end || !isdigit((unsigned char)*p))
    return NULL;
  for (*line = 0; p < end && isdigit((unsigned char)*p); p++)
    *line = *line * 10 + (unsigned)(*p - '0');
  while (p < end && (*p == ' ' || *p == '\t'))
    p++;
  *file = (struct slice){ p, 0 };
  if (p == end || *p != '"')
    return word ? p : NULL;
  for (file->data = ++p; p < end && *p != '"' && *p != '\n'; p++)
    p += *p == '\\' && p + 1 < end;
  file->size = (size_t)(p - file->data);
  return p;
}

static void find_origins(struct source *s) {
  const char *path = s->path;
  for (unsigned i = 0; i + 1 < s->n_lines; i++) {
    unsigned line;
    struct slice file;
    if (!line_directive(s->text + s->lines[i], s->text + s->lines[i + 1], &line, &file))
      continue;
    if (file.size)
      path = slice_unquoted(file);
    *GROW(s->origins, s->n_origins) = (struct origin){ s->lines[i + 1], path, line };
  }
}

struct source *source_of(const char *path, const char *text, size_t size) {
  struct source *s = arena_alloc(sizeof *s);
  *s = (struct source){ .path = path, .text = text, .size = size };
  s->bare = lex_blank(text, size);
  find_lines(s);
  find_origins(s);
  return s;
}

struct source *source_read(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f)
    return NULL;
  struct text t = { 0 };
  char buffer[16384];
  size_t n;
  text_add(&t, "", 0);
  while ((n = fread(buffer, 1, sizeof buffer, f)) > 0 && t.size < UINT32_MAX / 2)
    text_add(&t, buffer, n);
  int error = ferror(f) ? errno : t.size >= UINT32_MAX / 2 ? EFBIG : 0;
  fclose(f);
  if (error) {
    errno = error;
    return NULL;
  }
  return source_of(path, t.data, t.size);
}

static bool real_word(struct slice w) {
  return slice_is(w, "float") || slice_is(w, "double");
}

// True for `complex` in `double complex z`, which the grammar takes for the variable's
// name.
static bool is_complex(struct slice previous, struct slice word, struct lexer behind) {
  if (slice_is(word, "_Complex") || slice_is(word, "__complex__"))
    return true;
  return slice_is(word, "complex") &&
      (real_word(previous) || real_word(lex(&behind).text));
}

// True for WORD in `UNROLL for (…)`: a word before such a keyword can only be a macro,
// most likely of a pragma.
static bool is_pragma_macro(struct slice word, struct slice next) {
  static const char *const keywords[] = { "for", "if", "do", "switch", "return", NULL };
  return slice_in(next, keywords) && word.size &&
      (isalpha((unsigned char)*word.data) || *word.data == '_') && !is_keyword(word);
}

static void source_hide(const struct source *s, char *copy, const char *begin,
                        const char *end) {
  for (const char *p = begin; p < end; p++)
    if (*p != '\n')
      copy[p - s->text] = ' ';
}

static bool word_character(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// True for WORD in `float *const __restrict a`: the grammar takes it for the name.
static bool is_late_restrict(struct slice previous, struct slice word) {
  return (slice_is(word, "__restrict") || slice_is(word, "__restrict__")) &&
      (slice_is(previous, "const") || slice_is(previous, "volatile"));
}

// Returns the end of an attribute of GNU C after a declarator, if WORD begins one: `int
// x[4] __attribute__((aligned(64)))`; otherwise NULL. PREVIOUS is before it, L after it.
static const char *attribute_end(struct slice previous, struct slice word,
                                 struct lexer l) {
  if (is_late_restrict(previous, word))
    return l.p;
  char last = previous.size ? previous.data[previous.size - 1] : 0;
  bool name = word_character(last) && !word_of_cplusplus(previous);
  if (!(word_of_cplusplus(word) & WORD_ATTRIBUTE) || (!name && last != ']'))
    return NULL;
  return skip_brackets(&l);
}

// Returns a copy for the parser in which pragmas and `#line` are blank, because the
// grammar allows none between `for (…)` or `else` and an unbraced statement. Attributes
// that the grammar does not know are blank too. Offsets stay the same.
static const char *without_pragmas(const struct source *s) {
  char *copy = arena_copy(s->text, s->size);
  struct lexer l = lexer_of((struct slice){ s->text, s->size }), line;
  struct slice previous = { 0 };
  for (struct token t = lex(&l); t.kind != TOKEN_END; previous = t.text, t = lex(&l)) {
    const char *end = is_complex(previous, t.text, l) ? l.p : NULL;
    if (t.first && slice_is(t.text, "#")) {
      bool number = line_is_number(l);
      end = lex_directive(&l, &line) == LINE_PRAGMA || number ? l.p : NULL;
    } else if (slice_is(t.text, "_Pragma")) {
      struct lexer ahead = l;
      bool open = slice_is(lex(&ahead).text, "("),
           string = lex(&ahead).kind == TOKEN_STRING;
      if (slice_is(lex(&ahead).text, ")") && open && string)
        end = ahead.p;
    }
    if (!end)
      end = attribute_end(previous, t.text, l);
    if (!end && s->language->attribute_end)
      end = s->language->attribute_end(previous, t.text, l);
    source_hide(s, copy, t.text.data, end ? end : t.text.data);
    if (is_pragma_macro(previous, t.text))
      source_hide(s, copy, previous.data, previous.data + previous.size);
  }
  branches_prepare(s, copy);
  naming_prepare(s, copy);
  if (s->language->prepare)
    s->language->prepare(s, copy);
  return copy;
}

static void source_delete(void *tree) {
  ts_tree_delete(tree);
}

// Returns the tree of the bytes [START, END) of TEXT.
static TSTree *front_source_parse(const struct source *s, const char *text, size_t start,
                                  size_t end) {
  TSParser *parser = ts_parser_new();
  unsigned column, line = source_line(s, start, &column) - 1;
  TSRange range = { .start_point = { line, column - 1 },
                    .end_point = { UINT32_MAX, UINT32_MAX },
                    .start_byte = (uint32_t)start,
                    .end_byte = (uint32_t)end };
  if (!ts_parser_set_language(parser, s->language->grammar()))
    fatal("this libtree-sitter does not accept the grammar of %s", s->language->name);
  if (start > 0 || end < s->size)
    ts_parser_set_included_ranges(parser, &range, 1);
  TSTree *tree = ts_parser_parse_string(parser, NULL, text, (uint32_t)s->size);
  ts_parser_delete(parser);
  if (!tree)
    fatal("%s: Tree-sitter could not parse it", s->path);
  arena_defer(source_delete, tree);
  return tree;
}

void source_parse(struct source *s, const struct language *language) {
  if (s->tree)
    return;
  s->language = language;
  s->parsed = without_pragmas(s);
  s->tree = front_source_parse(s, s->parsed, 0, s->size);
}

TSNode source_parse_part(const struct source *s, size_t start, size_t end) {
  return ts_tree_root_node(front_source_parse(s, s->parsed, start, end));
}

unsigned source_line(const struct source *s, size_t offset, unsigned *column) {
  unsigned low = 0, high = s->n_lines;
  while (high - low > 1) {
    unsigned middle = low + (high - low) / 2;
    if (s->lines[middle] <= offset)
      low = middle;
    else
      high = middle;
  }
  if (column)
    *column = (unsigned)(offset - s->lines[low]) + 1;
  return low + 1;
}

unsigned source_where(const struct source *s, size_t offset, const char **path,
                      unsigned *column) {
  unsigned line = source_line(s, offset, column), low = 0, high = s->n_origins;
  while (low < high) { // LOW becomes the number of origins that are not after OFFSET
    unsigned middle = low + (high - low) / 2;
    if (s->origins[middle].offset <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  const struct origin *o = low ? &s->origins[low - 1] : NULL;
  if (path)
    *path = o ? o->path : s->path;
  return o ? o->line + line - source_line(s, o->offset, NULL) : line;
}

void source_resume(const struct source *s, size_t at, struct text *out) {
  const char *path;
  unsigned line = source_where(s, at < s->size ? at : s->size, &path, NULL);
  text_printf(out, "#line %u ", line);
  text_literal(out, path, strlen(path));
  text_add(out, "\n", 1);
}

struct slice source_slice(const struct source *s, TSNode node) {
  if (ts_node_is_null(node))
    return (struct slice){ s->text, 0 };
  uint32_t start = ts_node_start_byte(node);
  return (struct slice){ s->text + start, ts_node_end_byte(node) - start };
}

// Returns the beginning of P's line, with continued lines joined; not before TEXT.
static const char *logical_line(const char *text, const char *p) {
  while (p > text) {
    if (p[-1] == '\n') {
      const char *q = p - 1;
      if (q > text && q[-1] == '\r')
        q--;
      if (q == text || q[-1] != '\\')
        return p;
    }
    p--;
  }
  return p;
}

// True if TEXT has WORD, or what begins with it, in a line that may be a pragma.
static bool source_mentions(const char *text, size_t size, const char *word) {
  const size_t n = strlen(word);
  const char *end = text + size,
             *seen = text; // no pragma before SEEN continues after it
  for (const char *p = text; (p = memmem(p, (size_t)(end - p), word, n)) != NULL;
       p += n) {
    if (p > text && word_character(p[-1]))
      continue;
    bool whole = p + n == end || !word_character(p[n]);
    const char *line = logical_line(seen, p);
    size_t before = (size_t)(p - line);
    if (memmem(line, before, "ragma", 5) || (whole && memmem(line, before, "*/", 2)))
      return true; // a comment may continue from a line with the word
    seen = p + n;
  }
  return false;
}

bool source_mentions_autotune(const char *text, size_t size) {
  static const char *const words[] = { "autotune", "Autotune", "AutoTune", "auto_tune",
                                       "AUTOTUNE" }; // all but the first are mistakes
  bool found = false;
  for (size_t i = 0; i < sizeof words / sizeof *words && !found; i++)
    found = source_mentions(text, size, words[i]);
  return found;
}
