/* SPDX-License-Identifier: Apache-2.0 */
/* text.h: text, C's tokens and the lines of the preprocessor, and other programs: what
 * knows nothing of sources and kernels. Its files are in front/, too. */
#ifndef AUTOTUNE_TEXT_OF_TRANSLATOR_H
#define AUTOTUNE_TEXT_OF_TRANSLATOR_H

#include <stdbool.h>
#include <stddef.h>

/* ---- text.c: arena, slices, growing text ----------------------------------------- */

void *arena_alloc(size_t size);               /* zeroed; never NULL; never freed */
char *arena_copy(const char *s, size_t size); /* NUL-terminated */
char *arena_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
void arena_defer(void (*free_it)(void *),
                 void *data); /* runs at arena_reset, in reverse order */
void arena_reset(void);       /* frees the whole arena: for tests and fuzzers */
/* Grows an array in the arena: GROW(list, n) makes room for one more element and returns
 * the element's address. The array must begin as (NULL, 0) and grow only by GROW. */
void *arena_grow(void *list, size_t n, size_t element);
#define GROW(list, n) ((list) = arena_grow((list), (n), sizeof *(list)), &(list)[(n)++])

struct slice {
  const char *data;
  size_t size;
};
struct slice slice_of(const char *s);
bool slice_is(struct slice s, const char *word);
bool slices_same(struct slice a, struct slice b);
bool slice_in(struct slice s, const char *const *words); /* WORDS ends with NULL */
/* Splits S at commas outside brackets into trimmed parts; *N is 0 when S is blank.
 * (pragma/args.c) */
struct slice *slice_split(struct slice s, unsigned *n);
struct slice slice_after(struct slice s, struct slice part); /* S from PART's end on */
struct slice slice_trim(struct slice s); /* removes blanks, newlines and continuations */

char *slice_unquoted(struct slice s); /* S: a string literal's text between its quotes */

struct text {
  char *data;
  size_t size;
}; /* NUL-terminated */
void text_add(struct text *t, const char *data, size_t size);
void text_printf(struct text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_literal(struct text *t, const char *data,
                  size_t size); /* as C string literals, one per line */

/* ---- lex.c: C's tokens, roughly, for text that no parser has seen ---------------- */

enum token_kind {
  TOKEN_END,
  TOKEN_WORD,
  TOKEN_NUMBER,
  TOKEN_STRING,
  TOKEN_CHARACTER,
  TOKEN_PUNCTUATOR
};
struct token {
  enum token_kind kind;
  struct slice text;
  bool first; /* the first token of its line */
};
struct lexer {
  const char *p, *end;
  bool first;
};
struct lexer lexer_of(struct slice s);
struct token lex(struct lexer *l); /* skips blanks, comments, continuations */
/* Returns the end of the line at P (its newline, or END); continued lines and comments
 * are part of the line. */
const char *lex_line_end(const char *p, const char *end);
/* Returns a copy in which comments, continuations and newlines are blanks; offsets stay
 * the same. */
char *lex_blank(const char *text, size_t size);
/* True if TEXT holds the word NAME. */
bool lex_mentions(struct slice text, struct slice name);
/* Returns 1 if TEXT, of a token, is an opening bracket, -1 if a closing one, else 0. */
int lex_bracket(struct slice text);
/* Moves L past the brackets that open at its next token, if any; returns their end. */
const char *skip_brackets(struct lexer *l);

/* ---- words.c --------------------------------------------------------------------- */

enum word {                   /* the role of a word in a declaration */
            WORD_STORAGE = 1, /* static, inline, …: not part of the type */
            WORD_QUALIFIER = 2,
            WORD_ATTRIBUTE = 4, /* the parentheses after it hold no parameters */
            WORD_TAG = 8,       /* struct, union, enum; class */
            WORD_TYPEOF = 16,   /* parentheses follow; both are the type */
            WORD_INTEGER = 32,
            WORD_REAL = 64,
            WORD_TYPE = 128, /* void, _Complex */
            WORD_ANY = 255
};
/* Returns the bits of enum word for WORD, in preprocessed C; 0: WORD is an ordinary
 * name. */
unsigned word_of_c(struct slice word);
unsigned word_of_cplusplus(struct slice word); /* also for CUDA */
/* Returns WORD, which L has just read, or X of `std::X`, after which L is then. */
struct slice word_after_std(struct lexer *l, struct slice word);
/* The same for words of C in text as the user wrote it, where size_t is an integer
 * too. */
bool is_storage(struct slice word);
bool is_attribute(struct slice word);
bool is_qualifier(struct slice word);
bool is_tag(struct slice word);
bool is_typeof(struct slice word);
bool is_integer_word(struct slice word);
bool is_real_word(struct slice word);
bool is_type_word(struct slice word); /* true if WORD is part of a type */
bool is_keyword(struct slice word);   /* any of these but size_t and the like */

/* ---- directive.c: lines of the preprocessor, without preprocessing ---------------- */

enum line {
  LINE_OTHER, /* another directive: #error, #line … */
  LINE_TEXT,  /* no directive */
  LINE_IF,
  LINE_ELSE, /* #elif too */
  LINE_ENDIF,
  LINE_DEFINE,
  LINE_UNDEF,
  LINE_INCLUDE,
  LINE_INCLUDE_NEXT,
  LINE_PRAGMA
};
enum line line_kind(struct slice word); /* WORD: the directive's first word */
bool line_is_conditional(enum line kind);
/* True if L, which has read the '#' of a directive, is at `line 7` or `7`. */
bool line_is_number(struct lexer l);
/* Moves L, which has read the '#' of a directive, to the end of its line, and REST past
 * the directive's word. */
enum line lex_directive(struct lexer *l, struct lexer *rest);

/* ---- run.c: processes and temporary files ---------------------------------------- */

/* Returns a private folder, which is made by the first call and removed at exit and by
 * signals that end the program. */
const char *temp_folder(void);
void temp_remove(void); /* removes it at once: before an exec */
/* Returns the path of a file in temp_folder(): temp_path("a.i"). */
char *temp_path(const char *name);
/* Writes a file; fatal on failure. */
void file_write(const char *path, const char *data, size_t size);
/* Writes OUT to the file at PATH, completely or not at all, or to standard output if PATH
 * is NULL. A file that is there keeps its mode. Returns 0, or -1 and errno. */
int file_replace(const char *path, const struct text *out);
/* Runs ARGV and waits. Collects standard output in *OUT unless OUT is NULL, and standard
 * error in *ERRORS if neither OUT nor ERRORS is NULL. Returns the exit status; 128 +
 * signal; 127 and errno if ARGV could not be started. */
int run_command(const char *const *argv, struct text *out, struct text *errors);

#endif
