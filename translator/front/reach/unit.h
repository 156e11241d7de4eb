/* SPDX-License-Identifier: Apache-2.0 */
/* unit.h: shared by the files that read C as its compiler sees it and find the parts
 * that a kernel reaches.
 *
 *   feed.c         the file as input of the preprocessor: params stay identifiers
 *   headers.c      what the preprocessor made of the file's headers
 *   preprocess.c   runs the unit's compiler with -E -dD
 *   declare.c      one declaration: its specifiers, declarators, tags
 *   names.c        tables of names
 *   expand.c       the whole output, cut into declarations and macro definitions
 *   classify.c     resolves typedefs; reads defaults of params from headers and -D
 *   type.c         types of expressions, members of structs
 *   leaves.c       the numbers in an element of a section
 *   flags.c        checks that the compiler knows flags(…)
 *   reach.c        the declarations and macros that a kernel reaches
 *   openmp.c       whether they use OpenMP
 * emit/unit.c writes that as text. */
#ifndef AUTOTUNE_UNIT_H
#define AUTOTUNE_UNIT_H

#include "cut.h"

/* ---- feed.c ---------------------------------------------------------------------- */

/* Lines of the file whose meaning depends on a param (`#if MR > 4`). The unit gets
 * them as they are if anything in them is reached. START and END are offsets of whole
 * lines. */
struct piece {
  size_t start, end;
  size_t order;
  bool usable;
};

struct feed {
  struct text text;
  size_t top; /* as headers_end; in TEXT these lines end at BELOW */
  size_t below;
  struct piece *chains;
  unsigned n_chains; /* the outermost #if … #endif that depend on a param */
};
struct feed feed_make(const struct source *s, const struct kernel *kernels, unsigned n);
/* In the feed of a source that is marked, this and its offset, in a line of its own,
 * stand for `#pragma autotune`. */
#define FEED_MARK "#pragma autotune_at "
/* Returns the text of P's default as `#define NAME` would give it; "" if there is
 * none. */
const char *feed_default(const struct source *s, const struct kernel *k,
                         const struct param *p);
/* Appends [START, END) without `#pragma autotune` and definitions of params; the number
 * of lines stays the same. */
void feed_raw(const struct source *s, const struct kernel *kernels, unsigned n,
              size_t start, size_t end, struct text *out);
/* Appends the newlines of LINE. */
void feed_newlines(struct slice line, struct text *out);
/* Returns the param with that name in any of the kernels, or NULL. */
const struct param *feed_param(const struct kernel *kernels, unsigned n,
                               struct slice name);

/* ---- headers.c ------------------------------------------------------------------- */

/* Returns the offset in S after the line of its last #include and the #ifs around that;
 * 0: it has none. */
size_t headers_end(const struct source *s);
/* Runs COMMAND over F, the feed of S with N KERNELS, like preprocess_run. If it has run
 * over the same lines up to headers_end before, it runs over the others alone. */
int headers_run(const struct source *s, const struct feed *f,
                const struct kernel *kernels, unsigned n, const char *const *command,
                struct text *out, struct text *errors);

/* ---- preprocess.c ---------------------------------------------------------------- */

/* Returns the output of the preprocessor for F, the feed of S. NULL: it failed, which was
 * diagnosed. */
char *preprocess(const struct source *s, const struct feed *f,
                 const struct kernel *kernels, unsigned n, const char *compiler,
                 const struct compile_options *o, size_t *size);
/* Runs COMMAND, which ends with NULL, over IN. MACROS: the file that is read first, in
 * place of those that COMMAND names with -include; NULL: none. As run_command. */
int preprocess_run(const char *const *command, const char *macros, const struct text *in,
                   struct text *out, struct text *errors);
/* Sets OUT to what Clang or, if OWN, the build's own compiler makes of IN, a file of O's
 * language. Returns false if that fails, or O does not know that compiler. */
bool preprocess_text(const struct text *in, bool own, const struct compile_options *o,
                     struct text *out);
/* True if ARG begins with one of PREFIXES (NULL-terminated). */
bool preprocess_among(const char *arg, const char *const *prefixes);
/* Returns the build's own flags that affect code, for struct unit. */
const char **preprocess_flags(const struct compile_options *o, unsigned *n);

/* ---- declare.c ------------------------------------------------------------------- */

struct expansion;
/* Reads item->text, sets the other fields, and adds its names to X unless X is NULL. */
void declare_item(struct expansion *x, struct item *item, unsigned index);
/* True if FIRST begins a static assertion, which declares nothing. */
bool declare_is_assertion(struct slice first);
struct token declare_lex(struct lexer *l); /* like lex, but skips directives */

/* ---- flags.c --------------------------------------------------------------------- */

/* What Clang said of the flags of a file, so that it is asked once about each. Begins as
 * zeros. */
struct flags_asked {
  struct {
    const char *flags, *why; /* WHY: its error; NULL: it knows them */
  } *answers;
  unsigned n;
};
/* Diagnoses the flags(…) of K that Clang does not know. */
void flags_check(const struct source *s, const struct kernel *k,
                 const struct compile_options *o, struct flags_asked *asked);

/* ---- expand.c -------------------------------------------------------------------- */

struct macro {
  struct slice name, text; /* TEXT from '#' to the end of its line */
  size_t order;            /* offset in the compiler's output */
  bool undefined;          /* the directive is an #undef */
  bool builtin, function;
  bool ours; /* is in the source itself, not in a header */
  struct piece *piece;
};
struct context {
  struct slice pack;
  struct slice *options;
  unsigned n_options;
};

struct expansion {
  const struct source *source;
  bool cplusplus; /* items are of C++: their names are set, declarators are not read */
  const struct kernel *kernels;
  unsigned n_kernels;
  const char *compiler;
  struct feed feed;
  struct slice text;
  struct items items; /* and names of macros */
  struct macro *macros;
  unsigned n_macros;
  struct context *contexts;
  unsigned n_contexts;
  struct slice *sticky;
  unsigned n_sticky; /* #pragma STDC … of the user's */
  struct slice *threads;
  unsigned n_threads; /* #pragma omp threadprivate(…) */
};
/* Returns the definition of NAME in force at ORDER, or NULL. */
const struct macro *expand_macro(const struct expansion *x, struct slice name,
                                 size_t order);
/* Returns the item that defines function F of the file; NULL: an #if leaves F out. */
const struct item *expand_function(const struct expansion *x, const struct function *f);
/* Does the same by the position of F alone, because macros may have changed F's name. */
const struct item *expand_defined_at(const struct expansion *x, const struct function *f);
bool expand_thread_local(const struct expansion *x, struct slice name);

/* ---- classify.c ------------------------------------------------------------------ */

/* Sets OUT to the preprocessed declaration of K's argument ARG. False: not found. */
bool classify_parameter(const struct expansion *x, const struct kernel *k, unsigned arg,
                        struct item *out);
/* Sets the key of a kernel without key(…): its integer arguments. */
void classify_key(struct kernel *k);
/* Set defaults of params from #defines in headers, and from -DNAME=VALUE. */
void adopt_headers(struct kernel *k, const struct expansion *x);
void adopt_options(struct kernel *k, const struct compile_options *o);

/* ---- kept.c ---------------------------------------------------------------------- */

/* Finds the parts of the key of K, in C, that are arguments which K cannot change. */
void kept_find(struct kernel *k, const struct expansion *x);
/* True if the text of UNIT may call NAME, its kernel, or one of the same name,
 * with other values than those of the call. */
bool kept_recurses(const struct unit *unit, const char *name);

/* ---- type.c ---------------------------------------------------------------------- */

enum derivation {
  DERIVED_POINTER,
  DERIVED_ARRAY,
  DERIVED_FUNCTION,
  DERIVED_VECTOR /* __attribute__((vector_size(…))) */
};
enum base_kind {
  BASE_UNKNOWN,  /* its definition is not in sight */
  BASE_COMPUTED, /* typeof(…) and the like: only the compiler knows */
  BASE_NUMBER,   /* also an enum */
  BASE_STRUCT,
  BASE_UNION
};
/* A type of C, with typedefs resolved: `double *[3]` is derived as array and pointer from
 * a number. */
struct ctype {
  unsigned char *derived; /* enum derivation, the outermost first */
  unsigned n;
  enum base_kind base;
  bool complex;
  const char *element;  /* "AUTOTUNE_F16": a number that _Generic cannot name; or NULL */
  struct slice real;    /* "float", "double"; empty: all else, also `long double` */
  struct slice members; /* of BASE_STRUCT and BASE_UNION: the text between the braces */
  struct slice tag;     /* empty: it has none */
  struct slice name;    /* the specifiers as the compiler sees them, for people */
};
struct member {
  struct slice name; /* empty: a struct or union whose members count as members here */
  struct ctype type;
  bool bits, flexible; /* a bit-field; an array without a size */
};
/* Sets *OUT to the type of EXPRESSION at the kernel K: names, `[…]`, `.`, `->`, `*`, `&`,
 * casts, sums. False: it is not found. */
bool type_of_expression(const struct expansion *x, const struct kernel *k,
                        struct slice expression, struct ctype *out);
/* Returns the type that NAME spells: "const struct s *". */
struct ctype type_of_name(const struct expansion *x, struct slice name);
/* Replaces T by the type of its elements, or by what it points to. False: it has none. */
bool type_subscript(struct ctype *t);
/* Returns the members of T, a struct or union, in their order. */
struct member *type_members(const struct expansion *x, const struct ctype *t,
                            unsigned *n);

/* ---- leaves.c -------------------------------------------------------------------- */

/* What `struct autotune_layout` says of a type (autotune_abi.h). Expressions are for the
 * compiler of the build to compute; `e` has the type. */
struct leaves {
  const char *name; /* of the kernel, and the section's index or "result": "k_0" */
  const char *type; /* of a typedef in generated text: "autotune_first_k_0" */
  struct leaf {
    const char *path;    /* "[].z[].im" */
    const char *place;   /* "e[0].z": what begins at the same byte as the leaf */
    const char *what;    /* "e[0].z[0].im": the leaf itself */
    const char *element; /* "AUTOTUNE_BYTES"; NULL: _Generic finds it */
    const char *field;   /* "im": WHAT is the struct that holds this bit-field; or NULL */
    unsigned repeat, n_repeats;
  } *list;
  unsigned n;
  struct leaf_repeat {
    const char *of;   /* "e[0].z": the array */
    const char *over; /* or: what consists of numbers like OF, such as a complex number of
                         its two parts; NULL: an array */
  } *repeats;
  unsigned n_repeats;
  struct slice *words; /* of members */
  unsigned n_words;
  const char *element; /* of a type that is one number or pointer, as in struct leaf */
  bool described;      /* false: the type is one number, or not in sight */
  const char *unseen;  /* "struct s": a type whose definition is not in sight; or NULL */
  const char *many;    /* a type with more than MAX_LEAVES leaves; or NULL */
};
enum { MAX_LEAVES = 1024 }; /* of a type */
/* Sets the leaves of K's sections and of its result. */
void leaves_find(const struct expansion *x, struct kernel *k);

/* ---- reach.c --------------------------------------------------------------------- */

enum how { HOW_NOT, HOW_TEXT, HOW_STATIC, HOW_EXTERN, HOW_OWN, HOW_PIECE };
struct raw { /* text to be preprocessed again: a function, a piece */
  struct slice text;
  size_t order;
  const struct piece *piece;
  unsigned *macros;
  unsigned n_macros;
};
struct reach {
  const struct expansion *x;
  const struct kernel *k;
  unsigned char *how; /* enum how of each item */
  struct raw *raws;
  unsigned n_raws;
  struct tag {
    struct slice name;
    bool is_union;
  } *tags;
  unsigned n_tags;
  struct symbol *symbols;
  unsigned n_symbols;
  unsigned *queue;
  unsigned n_queue; /* items to be scanned */
  size_t order;     /* of the text being scanned, in the compiler's output */
};
/* Finds everything that K reaches. raws[0] is the kernel, then come its alternatives,
 * then MORE unless MORE is empty: text that is read as if it stood at the kernel. */
struct reach *reach_kernel(const struct source *s, const struct kernel *k,
                           const struct expansion *x, struct slice more);
/* Returns how function NAME gets into the unit. */
enum how reach_function(const struct reach *r, struct slice name);

/* ---- openmp.c -------------------------------------------------------------------- */

/* True if the build compiles OpenMP's directives. */
bool openmp_is_on(const struct compile_options *o);
/* True if a function that the kernel reaches uses OpenMP. */
bool reach_uses_openmp(const struct reach *r);

/* ---- emit/unit.c ----------------------------------------------------------------- */

/* Appends TEXT without the words of DROP at its outermost level and without its
 * directives, except pragmas. */
void unit_add_without(struct text *out, struct slice text, const char *const *drop);
/* Append the pragmas that were in force at an item, and what ends them. */
void unit_open_context(struct text *out, const struct context *c);
void unit_close_context(struct text *out, const struct context *c);
/* Appends item INDEX of R's expansion, as the compiler saw it. */
void unit_write_item(const struct source *s, const struct reach *r, unsigned index,
                     struct text *out);

/* ---- emit/factors.c -------------------------------------------------------------- */

struct factor { /* a part of the constraint between && */
  struct slice
      text;    /* with the factors before it if it could not be evaluated without them */
  bool *looks; /* whether it uses each param */
  unsigned n_looks;
  struct step {
    const char *op;
    unsigned index;
    double number;
  } *steps; /* struct autotune_step */
  unsigned n_steps;
  struct slice *leaves;
  unsigned n_leaves;
};
struct factor *factors_of(const struct expansion *x, const struct kernel *k, unsigned *n);

/* ---- loops/footprint.c ----------------------------------------------------------- */

/* True if K has a footprint. */
bool footprint_applies(const struct kernel *k);
/* Appends statements that add up the footprint in autotune_most. Params are spelled
 * autotune_v[I] there, arguments by their names. */
void footprint_write(const struct source *s, const struct kernel *k, struct text *out);

#endif
