/* SPDX-License-Identifier: Apache-2.0 */
/* front.h: what all parts of the translator share, grouped by file. Read this first.
 *
 * The way of a file (docs/design.md draws it). Each part uses only those above it:
 *
 *   front/            text, diagnostics, the source and its tree, tokens, processes
 *   front/pragma/     every `#pragma autotune …` as clauses and arguments, by tables
 *   front/kernel/     what they mean: kernels, params, sections, constraints
 *   front/reach/      C as its compiler sees it (-E -dD), and what a kernel reaches of it
 *   front/analysis/   what can be proven of loops and arrays
 *   front/loops/      what directives on loops make of them in a variant
 *   front/emit/       kernel units, and the translated file from templates
 *   front/lang/       the languages, and the passes over a file (lang/language.h)
 *   bake/, suggest/   plain C with winners written in; directives that can be proven
 *   cc/               `autotune cc`: the compiler's command line, and what runs instead
 *   command/          the other commands; main.c has their table
 *
 * The program is short-lived: one arena, freed at exit. Where memory runs out it ends
 * with a message. */
#ifndef AUTOTUNE_TRANSLATOR_H
#define AUTOTUNE_TRANSLATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <tree_sitter/api.h>

/* ---- text.c: arena, slices, growing text ----------------------------------------- */

void *arena_alloc(size_t size);               /* zeroed; never NULL; never freed */
char *arena_copy(const char *s, size_t size); /* NUL-terminated */
char *arena_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
void arena_defer(void (*free_it)(void *),
                 void *data); /* at arena_reset, the last first */
void arena_reset(void);       /* frees all of it: for tests and fuzzers */
/* Grows an array in the arena: GROW(list, n) makes room for one more and yields its
 * address. The array must have been grown from nothing (NULL, 0) by GROW alone. */
void *arena_grow(void *list, size_t n, size_t element);
#define GROW(list, n) ((list) = arena_grow((list), (n), sizeof *(list)), &(list)[(n)++])

struct slice {
  const char *data;
  size_t size;
};
struct slice slice_of(const char *s);
bool slice_is(struct slice s, const char *word);
bool slices_same(struct slice a, struct slice b);
bool slice_in(struct slice s, const char *const *words); /* is one of WORDS, up to NULL */
/* The parts between commas outside brackets, trimmed; none when S is blank.
 * (pragma/args.c) */
struct slice *slice_split(struct slice s, unsigned *n);
struct slice slice_trim(struct slice s); /* of blanks, newlines and continuations */

char *slice_unquoted(
    struct slice s); /* what a string literal between its quotes spells */

struct text {
  char *data;
  size_t size;
}; /* NUL-terminated */
void text_add(struct text *t, const char *data, size_t size);
void text_printf(struct text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_literal(struct text *t, const char *data,
                  size_t size); /* as C string literals, one a line */

/* ---- diag.c ---------------------------------------------------------------------- */

struct source;
/* `file:line:col: error: …`, the line, a caret under SIZE bytes, and `hint: …` where HINT
 * is not NULL. */
void diag_error(const struct source *s, size_t offset, size_t size, const char *hint,
                const char *format, ...) __attribute__((format(printf, 5, 6)));
void diag_warning(const struct source *s, size_t offset, size_t size, const char *hint,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));
unsigned diag_errors(void);               /* so far */
void diag_suppress(bool blocked_signals); /* they are only counted from now on */
void diag_reset(void);                    /* to none: for tests and fuzzers */
void fatal(const char *format, ...)
    __attribute__((format(printf, 1, 2), noreturn)); /* the machine's */
/* The nearest of WORDS (NULL-terminated) within a third of its length, else NULL. */
const char *nearest(struct slice word, const char *const *words);

/* ---- source.c -------------------------------------------------------------------- */

struct source {
  const char *path; /* as the user gave it */
  const char *text;
  size_t size;
  size_t *lines;
  unsigned n_lines; /* offsets where lines begin */
  struct origin { /* from OFFSET on, the text is PATH's, LINE and following: what `#line`
                     and */
    size_t
        offset; /* linemarkers say, those of headers that cc/headers.c put inline too */
    const char *path;
    unsigned line;
  } *origins;
  unsigned n_origins; /* sorted */
  TSTree *tree;       /* NULL until source_parse */
  const char *parsed; /* what it is the tree of: TEXT with blanks for pragmas */
  const struct language *language; /* set by source_parse (lang/language.h) */
};
struct source *source_read(const char *path); /* NULL and errno */
struct source *source_of(const char *path, const char *text, size_t size);
/* With LANGUAGE's grammar; does nothing where S has a tree. Trees are the arena's. */
void source_parse(struct source *s, const struct language *language);
/* The root of a tree of the bytes [START, END) alone, where errors elsewhere have no say.
 */
TSNode source_parse_part(const struct source *s, size_t start, size_t end);
unsigned source_line(const struct source *s, size_t offset,
                     unsigned *column); /* from 1 */
/* The line that the user knows: its number, and in *PATH the file it is in. For
 * diagnostics, `#line` and kernel->file; source_line counts lines of the text. */
unsigned source_where(const struct source *s, size_t offset, const char **path,
                      unsigned *column);
/* Writes `#line`: what follows in OUT is at AT of S. */
void source_resume(const struct source *s, size_t at, struct text *out);
struct slice source_slice(const struct source *s, TSNode node);
/* True when TEXT may hold `#pragma autotune` (fast scan, no parsing; also
 * `_Pragma("autotune …")`, which is then a diagnostic). */
bool source_mentions_autotune(const char *text, size_t size);

/* ---- node.c: nodes of such a tree; all take null nodes, which are and hold nothing - */

bool node_is(TSNode node, const char *type);
bool node_is_any(TSNode node, const char *const *types); /* NULL-terminated */
TSNode node_field(TSNode node, const char *field);       /* null: there is none */
bool node_within(TSNode node, TSNode outer);
bool node_is_loop(TSNode node); /* for, while, do */
/* True if NODE or a node below it is of TYPE. */
bool node_holds(TSNode node, const char *type);
/* True if NAME is an identifier in NODE. */
bool node_mentions(const struct source *s, TSNode node, struct slice name);
/* Moves to the next node in document order, below the current one only if DESCEND; false:
 * none is left. */
bool cursor_next(TSTreeCursor *cursor, bool descend);

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
  bool first; /* of its line */
};
struct lexer {
  const char *p, *end;
  bool first;
};
struct lexer lexer_of(struct slice s);
struct token lex(struct lexer *l); /* skips blanks, comments, continuations */
/* Where the line at P ends (its newline, or END), with continued lines and comments in
 * it. */
const char *lex_line_end(const char *p, const char *end);
/* A copy in which comments, continuations and ends of lines are blanks: offsets stay. */
char *lex_blank(const char *text, size_t size);
/* True if TEXT holds the word NAME. */
bool lex_mentions(struct slice text, struct slice name);
/* 1: TEXT, of a token, is an opening bracket; -1: a closing one; 0: none. */
int lex_bracket(struct slice text);
/* Moves L past the brackets that open at its next token, if they do; returns where they
 * end. */
const char *skip_brackets(struct lexer *l);

/* ---- words.c --------------------------------------------------------------------- */

enum word {                   /* what a word is in a declaration */
            WORD_STORAGE = 1, /* static, inline, …: names nothing */
            WORD_QUALIFIER = 2,
            WORD_ATTRIBUTE = 4, /* parentheses follow that are no parameters */
            WORD_TAG = 8,       /* struct, union, enum; class */
            WORD_TYPEOF = 16,   /* parentheses follow; both are the type */
            WORD_INTEGER = 32,
            WORD_REAL = 64,
            WORD_TYPE = 128, /* void, _Complex */
            WORD_ANY = 255
};
/* The kinds of WORD, as C's preprocessor leaves it; 0: a name. */
unsigned word_of_c(struct slice word);
unsigned word_of_cplusplus(struct slice word); /* CUDA's too */
/* The same of C's words, in text as it is written, where size_t is an integer. */
bool is_storage(struct slice word);
bool is_attribute(struct slice word);
bool is_qualifier(struct slice word);
bool is_tag(struct slice word);
bool is_typeof(struct slice word);
bool is_integer_word(struct slice word);
bool is_real_word(struct slice word);
bool is_type_word(struct slice word); /* a part of a type */
bool is_keyword(struct slice word);   /* of C: all of these but size_t and the like */

/* ---- directive.c: lines of the preprocessor, without preprocessing ---------------- */

struct directive {
  size_t offset, end;      /* its line, with the newline and continued lines */
  struct slice word, rest; /* "include", "<stdio.h> // …\n" */
};
/* The next directive at or after *AT, which moves past it. False: there is none. */
bool directive_next(struct slice text, size_t *at, struct directive *d);

enum line {
  LINE_OTHER, /* of a directive: #error, #line … */
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
enum line line_kind(struct slice word); /* of a directive's first word */
bool line_is_conditional(enum line kind);
/* Moves L, which has read the '#' of a directive, to the end of its line, and REST past
 * the directive's word. */
enum line lex_directive(struct lexer *l, struct lexer *rest);

/* ---- pragma/pragma.c: syntax only ------------------------------------------------ */

enum pragma_kind { PRAGMA_KERNEL, PRAGMA_ALTERNATIVE, PRAGMA_LOOP };

/* `(a, {b, c}, name: d, e)`: arguments between commas; each is plain text or a set. */
struct argument {
  size_t offset;
  struct slice text;  /* as written, trimmed */
  struct slice label; /* before a ':' at top level, where the clause has labels */
  struct slice *set;
  unsigned n_set;
  bool is_set; /* the members of {…}, ranges not yet expanded */
};
struct clause {
  const char *name; /* from the table of clauses */
  size_t offset, size;
  struct argument *args;
  unsigned n_args;
  bool has_args;
  bool own;          /* params of its sets are named after the directive */
  struct slice body; /* all between the parentheses */
};
struct pragma {
  enum pragma_kind kind;
  size_t offset, end;  /* from '#' to the end of the last continued line, no newline */
  const char *blanked; /* its text by lex_blank: all slices below are parts of it */
  unsigned directive;  /* PRAGMA_LOOP: enum directive_kind */
  bool broken;         /* diagnosed: clauses may be missing */
  struct clause *clauses;
  unsigned n_clauses;
};
/* Where S, a part of P's text, stands in the file. */
size_t pragma_offset(const struct pragma *p, struct slice s);
/* All pragmas of the file in order; errors are diagnosed and counted. */
struct pragma *pragma_all(const struct source *s, unsigned *n);

enum directive_kind {
#define DIRECTIVE(kind, words, groups, transformation) DIR_##kind,
#include "front/pragma/directives.def"
#undef DIRECTIVE
  DIR_KINDS
};
enum directive_group {
  GROUP_TEAM = 1,      /* starts threads of its own */
  GROUP_WORKSHARE = 2, /* `for`: shares iterations out among threads */
  GROUP_LOOP = 4,      /* `loop`: the same */
  GROUP_TASKLOOP = 8,  /* makes tasks of the iterations */
  GROUP_SIMD = 16,
  GROUP_OPENMP = 31,  /* any of the above: handed on to the compiler */
  GROUP_THREADS = 15, /* any of them but simd: others may run the iterations */
  GROUP_SIZES = 32,
  GROUP_ORDER = 64,
  GROUP_UNROLL = 128,
  GROUP_JAM = 256,
  GROUP_BLOCK = 512 /* stands on a block of loops */
};
const char *directive_name(enum directive_kind kind); /* "parallel for" */
/* Bits of enum directive_group. */
unsigned directive_groups(enum directive_kind kind);

/* ---- kernel/kernel.c: what it means ---------------------------------------------- */

enum value_kind {
  VALUE_INT,
  VALUE_REAL,
  VALUE_WORD,
  VALUE_STRING,
  VALUE_TUPLE,
  VALUE_CHOICE,
  VALUE_FLAGS,
  VALUE_COMPILER
}; /* in the order of enum autotune_kind */
struct value {
  size_t offset;
  const char *text,
      *define; /* struct autotune_value; define NULL for flags and compilers */
  long long i;
  double d;
  struct value *items;
  unsigned n_items; /* of a tuple */
};
struct param {
  const char *name, *macro; /* struct autotune_param */
  enum value_kind kind;
  struct value *values;
  unsigned n_values;
  int when;
  unsigned original;
  size_t offset;
  bool named;   /* false: a set, flags, compiler, choice */
  bool defined; /* the file has `#define NAME …` before the kernel */
};
struct kernel_arg { /* a parameter of the function */
  const char *name;
  struct slice text; /* the declaration: "const double *restrict A", "double A[n][n]" */
  struct slice specifiers; /* "const double", "struct point" */
  struct slice initial;    /* "0" of C++'s `int n = 0`; empty: none */
  bool pointer;            /* by its declarator: pointer, array or function */
  bool integer, real;      /* set by expand.c, which knows the typedefs */
};
struct section {
  const char *name;  /* as written */
  unsigned access;   /* 1 in, 2 out, 3 inout */
  struct slice base; /* "A", "s->data" */
  struct section_dim {
    struct slice low, length;
  } *dims;
  unsigned n_dims; /* low empty: 0; length
empty: 1 element; no dims: the whole object (global, *p, struct) */
  size_t offset;
};
struct loop_directive { /* resolved: sets have become params */
  const struct pragma *pragma;
  enum directive_kind kind;
  TSNode loop; /* the `for` it stands on */
  int present; /* param index of `optional`, or -1 */
  struct dir_clause {
    const char *name;  /* "sizes", "permutation", "schedule", … */
    struct slice body; /* as written, for clauses that are only handed on */
    struct dir_arg {   /* param -1: TEXT as is. LABEL: "monotonic" of `monotonic: static`,
                        */
      struct slice text, label; /* to be handed on before it, or empty */
      int param;
    } *args;
    unsigned n_args;
    size_t offset;
  } *clauses;
  unsigned n_clauses;
};
struct function { /* a kernel, or one of its alternatives */
  const char *name;
  TSNode node;             /* function_definition */
  size_t start, end;       /* of the definition */
  size_t name_at, body_at; /* offsets of its name in the declarator, and of '{' */
  const struct pragma *pragma;
  struct loop_directive *directives;
  unsigned n_directives; /* in source order */
};
struct kernel {
  struct function main;
  struct function *alternatives;
  unsigned n_alternatives;
  int choose;          /* param index, or -1 */
  struct slice result; /* return type as written, without storage class; "void" */
  bool returns, is_static;
  struct kernel_arg *args;
  unsigned n_args;
  struct param *params;
  unsigned n_params;
  struct slice *constraints;
  unsigned n_constraints;
  struct slice *keys;
  unsigned n_keys;
  bool key_given;
  struct section *sections;
  unsigned n_sections;
  int verify;
  double rtol, atol;         /* enum autotune_verify; as in struct autotune_kernel */
  struct slice flops, bytes; /* empty: not given */
  const char *search, *mode, *family;
  double budget_seconds;
  unsigned budget_variants;
  double budget_fraction, until;
  const char **compilers;
  unsigned n_compilers; /* at least "clang" */
  bool openmp;
  bool left_out; /* of this build by an #if: set by translate.c */
  bool inferred; /* the sections are those that suggest/section.c can prove */
  const struct language *language; /* of its file */
  struct cuda_kernel *cuda;        /* what only lang/cuda knows of it */
  struct baked *baked; /* what is known of it, to be written into the file (bake/bake.h);
                          NULL: nothing */
};
/* All kernels of the file. Adds params for sets, `optional`, permutations, flags,
 * compilers and alternatives. Everything that is wrong is diagnosed with file, line and
 * column. */
struct kernel *kernel_all(const struct source *s, const struct pragma *pragmas,
                          unsigned n_pragmas, unsigned *n_kernels);
/* The param that NAME stands for in K, or -1. */
int kernel_param(const struct kernel *k, struct slice name);
/* True when NAME is a candidate of a param of words; *NUMBER is its value's `i`, from 1,
 * the same in all params of K. In constraints the identifier stands for it. */
bool kernel_word(const struct kernel *k, struct slice name, long long *number);
/* Adds a param to K and returns its index. */
int kernel_add_param(struct kernel *k, struct param p);

/* ---- loops/loops.c, transform.c -------------------------------------------------- */

/* Checks every directive of F against the loops below it (canonical form, perfect
 * nesting, depth, clauses, what composes), diagnoses what is wrong, and adds the params
 * for structure (permutations, depth-dependent defaults). Called by kernel_all. */
void loops_check(const struct source *s, struct kernel *k, struct function *f);
/* The text of F as it stands in the unit: the definition with each annotated nest
 * replaced by what the params make of it, `#line` kept to the user's lines. No `#pragma
 * autotune` is left. */
void loops_write(const struct source *s, const struct kernel *k, const struct function *f,
                 struct text *out);

/* The same for one point, a value index for each param: its values in place of the macros
 * of sets, no #if. Functions that it needs have names that begin with NAME. */
void loops_write_point(const struct source *s, const struct kernel *k,
                       const struct function *f, const unsigned *point, const char *name,
                       struct text *out);

/* ---- unit/expand.c, unit.c ------------------------------------------------------- */

struct compile_options { /* of the user's command line, as the preprocessor needs them */
  const char *const
      *args; /* -I, -D, -U, -include, -std=, -m*, -f*, -O*, -isystem …; NULL-terminated.
                First comes `-iquote` of the source's folder where that is needed, so
                that the text may be compiled from a file in temp_folder() */
  const char *clang;               /* clang 22's program */
  const struct language *language; /* of the file; NULL: by its name */
  const char *const *compiler;     /* the user's compiler, with what stands before it
                                      (ccache); NULL-terminated; NULL: not known */
  bool emulate;                    /* a .cu file is to become C++ for the CPU */
  const struct baking *baking;     /* winners are to be written in; NULL: kernels become
                                      tunable (emit/emit.h) */
  const struct bake *bake;         /* what BAKING is asked for (bake/bake.h) */
};
struct expansion; /* one compiler's view of the file */
struct expansion *expand_file(const struct source *s, const struct kernel *kernels,
                              unsigned n, const char *compiler,
                              const struct compile_options *o);
/* Sets integer and real of each argument. */
void expand_classify(const struct expansion *x, struct kernel *k);
struct symbol { /* a global or a function that is passed by address */
  const char *name;
  bool function;
  bool sized; /* `sizeof` may be asked for after the kernel */
};
struct unit {
  const char *compiler;
  struct text text;
  const char **flags;
  unsigned n_flags;
  struct symbol *symbols;
  unsigned n_symbols;
};
/* Everything K reaches. What cannot be copied (a thread-local variable, …) is diagnosed
 * at the kernel. */
struct unit unit_build(const struct source *s, const struct kernel *k,
                       const struct expansion *x, const struct compile_options *o);
/* The kernel as written, params at their defaults, and what its sections, flops, bytes
 * and constraints reach: what comes before the text of a replay's functions. */
struct unit unit_replay(const struct source *s, const struct kernel *k,
                        const struct expansion *x);

/* ---- emit/emit.c ----------------------------------------------------------------- */

/* Writes the whole translated file. */
void emit_file(const struct source *s, const struct pragma *pragmas, unsigned n_pragmas,
               const struct kernel *kernels, unsigned n_kernels,
               const struct expansion *x,
               struct unit *const
                   *units /* [kernel][compiler]; NULL: an #if leaves the kernel out */,
               const struct compile_options *o, struct text *out);

/* ---- run.c: processes and temporary files ---------------------------------------- */

/* A private folder, made when first asked for and removed at exit and by signals that end
 * us. */
const char *temp_folder(void);
void temp_remove(void); /* at once: before an exec */
/* A path in it: temp_path("a.i") */
char *temp_path(const char *name);
/* Writes a file; fatal where that fails. */
void file_write(const char *path, const char *data, size_t size);
/* Writes OUT to the file at PATH, whole or not at all, or to standard output (NULL). 0,
 * or -1 and errno. */
int file_replace(const char *path, const struct text *out);
/* Runs ARGV and waits. Standard output goes into *OUT unless OUT is NULL, standard error
 * (with OUT and where ERRORS is not NULL) into *ERRORS. The exit status; 128 + signal;
 * 127 and errno: not started. */
int run_command(const char *const *argv, struct text *out, struct text *errors);

#endif
