// SPDX-License-Identifier: Apache-2.0
// openmp.c: reads the author's `#pragma omp …`.
#include <string.h>

#include "suggest.h"

// Returns what LINE, a whole directive, says of OpenMP; 0: it is another one.
static unsigned openmp_read(struct slice line) {
  static const struct {
    const char *word;
    unsigned bit;
  } words[] = { { "parallel", OPENMP_PARALLEL },
                { "for", OPENMP_FOR },
                { "simd", OPENMP_SIMD } };
  struct lexer l = lexer_of(line);
  unsigned found = 0;
  if (!slice_is(lex(&l).text, "#") || !slice_is(lex(&l).text, "pragma") ||
      !slice_is(lex(&l).text, "omp"))
    return 0;
  if (lex_mentions(line, slice_of("collapse")) || lex_mentions(line, slice_of("ordered")))
    found = OPENMP_SEVERAL;
  for (struct token t; (t = lex(&l)).kind == TOKEN_WORD;) {
    unsigned i = 0;
    while (i < sizeof words / sizeof *words && !slice_is(t.text, words[i].word))
      i++;
    if (i < sizeof words / sizeof *words)
      found |= words[i].bit;
    else if (!(found & ~OPENMP_SEVERAL))
      return OPENMP_OTHER; // `single`, `task`, `target parallel for`
    else
      break; // a clause
  }
  return found;
}

// Returns the words of LINE's directive: "parallel for simd".
static const char *openmp_words(struct slice line) {
  struct lexer l = lexer_of(line);
  struct text words = { 0 };
  static const char *const parts[] = { "parallel", "for", "simd", NULL };
  for (int i = 0; i < 3; i++) // #pragma omp
    lex(&l);
  for (struct token t; slice_in((t = lex(&l)).text, parts);)
    text_printf(&words, "%s%.*s", words.size ? " " : "", (int)t.text.size, t.text.data);
  return words.size ? words.data : "";
}

// Returns the number of the line, from 0, with which the directive in the line I begins.
static unsigned openmp_first_line(const struct source *s, unsigned i) {
  while (i > 0) {
    const char *end = s->text + s->lines[i] - 1; // the newline before it
    end -= end > s->text && end[-1] == '\r';
    if (end == s->text || end[-1] != '\\')
      break;
    i--;
  }
  return i;
}

// Returns the line before LINE, with lines that it continues and without comments, and
// stores its number.
static struct slice openmp_line(const struct source *s, unsigned line, unsigned *number) {
  *number = openmp_first_line(s, line - 1);
  return slice_trim(
      (struct slice){ s->bare + s->lines[*number], s->lines[line] - s->lines[*number] });
}

// Returns the word of the directive LINE; empty: it is no directive.
static struct slice openmp_directive(struct slice line) {
  struct lexer l = lexer_of(line);
  return slice_is(lex(&l).text, "#") ? lex(&l).text : (struct slice){ "", 0 };
}

// Reads the block that ends with the `#endif` in line END. If it holds only pragmas, adds
// what they say to *FOUND and returns the line of its `#if`: ours may stand before it.
// Otherwise returns END, and if one of them is of OpenMP adds OPENMP_OTHER.
static unsigned openmp_block(const struct source *s, unsigned end, unsigned *found) {
  unsigned inside = 0, depth = 1;
  bool plain = true;
  for (unsigned line = end; line > 0 && depth;) {
    struct slice text = openmp_line(s, line, &line), word = openmp_directive(text);
    bool begins = word.size > 1 && memcmp(word.data, "if", 2) == 0;
    if (slice_is(word, "pragma"))
      inside |= openmp_read(text);
    else
      plain = plain && (begins || !text.size);
    depth += slice_is(word, "endif") - begins;
    if (!depth && plain) {
      *found |= inside;
      return line;
    }
  }
  *found |= inside ? OPENMP_OTHER : 0;
  return end;
}

unsigned openmp_above(const struct source *s, size_t at, size_t *first) {
  unsigned found = 0, line = source_line(s, at, NULL) - 1;
  *first = s->lines[line];
  if (!patch_begins_line(s, at))
    return 0;
  while (line > 0) {
    unsigned begin;
    struct slice text = openmp_line(s, line, &begin), word = openmp_directive(text);
    unsigned top = slice_is(word, "endif") ? openmp_block(s, begin, &found) : begin;
    if (slice_is(word, "pragma"))
      found |= openmp_read(text);
    else if (text.size && top == begin)
      break;
    *first = text.size ? s->lines[top] : *first;
    line = top;
  }
  return found;
}

unsigned openmp_nearest(const struct source *s, size_t at, const char **words,
                        struct slice *line) {
  unsigned below = source_line(s, at, NULL) - 1;
  if (!patch_begins_line(s, at))
    return 0;
  while (below > 0) {
    unsigned begin;
    *line = openmp_line(s, below, &begin);
    if (line->size) {
      unsigned found = openmp_read(*line);
      *words = found ? openmp_words(*line) : "";
      return found;
    }
    below = begin;
  }
  return 0;
}

unsigned openmp_within(const struct source *s, size_t start, size_t end) {
  unsigned found = 0;
  struct lexer l = { s->text + start, s->text + end, true };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (t.first && slice_is(t.text, "#")) {
      const char *to = lex_line_end(l.p, l.end);
      found |= openmp_read((struct slice){ t.text.data, (size_t)(to - t.text.data) });
      l = (struct lexer){ to, l.end, true };
    }
  return found;
}

struct slice openmp_other(const struct source *s, size_t start, size_t end) {
  struct lexer l = { s->text + start, s->text + end, true };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (t.first && slice_is(t.text, "#")) {
      const char *to = lex_line_end(l.p, l.end);
      struct slice line = { t.text.data, (size_t)(to - t.text.data) };
      struct lexer words = lexer_of(line);
      struct token word = { 0 };
      for (int i = 0; i < 4; i++) // # pragma omp WORD
        word = lex(&words);
      if (slice_is(word.text, "parallel"))
        word = lex(&words); // `parallel sections`
      if (openmp_read(line) & OPENMP_OTHER)
        return word.text;
      l = (struct lexer){ to, l.end, true };
    }
  return (struct slice){ "", 0 };
}

bool openmp_around(const struct source *s, TSNode n) {
  size_t first;
  for (n = ts_node_parent(n); !ts_node_is_null(n); n = ts_node_parent(n))
    if ((node_is(n, "for_statement") || node_is(n, "compound_statement")) &&
        (openmp_above(s, ts_node_start_byte(n), &first) & ~OPENMP_SIMD))
      return true;
  return false;
}
