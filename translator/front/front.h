/* SPDX-License-Identifier: Apache-2.0 */
/* front.h: what all parts of the translator share, grouped by file. Read this first.
 *
 * The parts, in the order in which a file passes through them (docs/design.md has a
 * diagram). Each part uses only those above it:
 *
 *   front/            text, tokens, processes (text.h); diagnostics, sources
 *   front/pragma/     every `#pragma autotune …` as clauses and arguments, by tables
 *   front/kernel/     the meaning of pragmas: kernels, params, sections, constraints
 *   front/reach/      cuts text into declarations; C as its compiler sees it (-E -dD),
 *                     and the parts a kernel needs
 *   front/analysis/   proofs about loops and arrays
 *   front/loops/      transforms loops in a variant as their directives say
 *   front/emit/       kernel units, and the translated file from templates
 *   front/lang/       the languages, and the passes over a file (lang/language.h)
 *   bake/             plain C with the best variants written in
 *   suggest/          proposes directives that are provably correct
 *   cc/               `autotune cc`: reads the compiler's command line, runs compilers
 *   command/          the other commands; main.c has their table
 *
 * The program is short-lived: it has one arena, freed at exit, and one thread. If memory
 * runs out it exits with a message. */
#ifndef AUTOTUNE_TRANSLATOR_H
#define AUTOTUNE_TRANSLATOR_H

#include <stdint.h>
#include <stdio.h>
#include <tree_sitter/api.h>

#include "front/text.h"

/* ---- diag.c ---------------------------------------------------------------------- */

struct source;
/* Prints `file:line:col: error: …`, the line, a caret under SIZE bytes (1 if SIZE is 0),
 * and `hint: …` unless HINT is NULL. */
void diag_error(const struct source *s, size_t offset, size_t size, const char *hint,
                const char *format, ...) __attribute__((format(printf, 5, 6)));
void diag_warning(const struct source *s, size_t offset, size_t size, const char *hint,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Prints a note that belongs to the diagnostic before it. SIZE 0: a note of its own,
 * without the line. */
void diag_note(const struct source *s, size_t offset, size_t size, const char *format,
               ...) __attribute__((format(printf, 4, 5)));
unsigned diag_errors(void); /* number of errors so far */
/* Prints a warning that a kernel is not tuned. diag_try counts it as an error. */
void diag_untuned(const struct source *s, size_t offset, size_t size, const char *hint,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Says how the next diagnostic is mended, where that is certain: the SIZE bytes at
 * OFFSET become TEXT. */
void diag_fix(const struct source *s, size_t offset, size_t size, const char *text);
/* The same for a word that is meant to be NEAR. Returns the hint; NULL if NEAR is. */
const char *diag_meant(const struct source *s, size_t offset, size_t size,
                       const char *near);
/* From now on nothing is printed and errors are counted from 0, until diag_tried. */
void diag_try(void);
/* Ends diag_try, and sets the number of errors to what it was before. Returns the text
 * of the first error since then; NULL: none. */
const char *diag_tried(void);
enum diag_level { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };
struct diagnostic {
  enum diag_level level;
  struct marked {     /* bytes of one line */
    const char *path; /* as source_where */
    unsigned line, column,
        end;           /* columns count from 1; END is that after the last byte */
    struct slice text; /* what stands there */
  } place;
  const char *text, *hint; /* HINT may be NULL */
  bool left;               /* by diag_left */
  struct fix {
    struct marked place;
    const char *text; /* in its place; NULL: there is no fix */
  } fix;
};
/* Returns all that was diagnosed between the last diag_try and diag_tried. */
const struct diagnostic *diag_noted(unsigned *n);
/* Returns all that was diagnosed outside of these, in order. */
const struct diagnostic *diag_all(unsigned *n);
/* Stops the printing of diagnostics: diag_all has them. */
void diag_silence(void);
/* Says, to diag_noted alone, why a kernel is left out, which is no error. */
void diag_left(const struct source *s, size_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_reset(void); /* forgets all errors: for tests and fuzzers */
/* When diagnostics have colours; in the order of diag_colour_words. AUTO, the default:
 * as base/terminal.h says. */
enum diag_colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };
extern const char *const diag_colour_words[]; /* NULL at the end */
void diag_colour(enum diag_colour when);
bool diag_coloured(void); /* true if they have */
void fatal(const char *format, ...)
    __attribute__((format(printf, 1, 2),
                   noreturn)); /* for failures of the machine; exits */
/* Returns the word of WORDS (NULL-terminated) nearest to WORD, if they differ by at most
 * a third of its length, else NULL. */
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
  unsigned n_origins;              /* sorted */
  TSTree *tree;                    /* NULL until source_parse */
  const char *parsed;              /* TEXT with blanks for pragmas, as TREE has it */
  const char *bare;                /* TEXT with blanks for comments */
  const struct language *language; /* set by source_parse (lang/language.h) */
  const char *const *args;         /* of the build (struct compile_options), or NULL */
  struct outlined { /* a kernel that was a statement (statement/statement.h) */
    const char *name;
    size_t call;       /* of the text "(NAME(…), 1)", the condition of an `if` */
    size_t end;        /* of the statement in its place */
    const char *words; /* of types that the text of the kernel does not name; C++ */
    struct viewed { /* std::vector and the like, of which the kernel gets the elements */
      const char *name, *size; /* SIZE: the argument that is their number; or NULL */
      bool owner;              /* they are in memory of its own */
    } *views;
    unsigned n_views;
    const char *unviewed; /* why others are passed by reference; or NULL */
  } *outlined;
  unsigned n_outlined;
  const struct source *written; /* where there are any: the text before; else NULL */
  bool marked; /* what the preprocessor gets says where pragmas of ours are: FEED_MARK */
};
struct source *source_read(const char *path); /* NULL and errno */
struct source *source_of(const char *path, const char *text, size_t size);
/* Parses S with LANGUAGE's grammar, unless S has a tree. The arena owns trees. */
void source_parse(struct source *s, const struct language *language);
/* Returns the root of a tree of only the bytes [START, END), so that errors elsewhere
 * have no effect. */
TSNode source_parse_part(const struct source *s, size_t start, size_t end);
unsigned source_line(const struct source *s, size_t offset,
                     unsigned *column); /* lines and columns count from 1 */
/* Returns the line number that the user knows, and sets *PATH to the file it is in. For
 * diagnostics, `#line` and kernel->file; source_line counts lines of the text. */
unsigned source_where(const struct source *s, size_t offset, const char **path,
                      unsigned *column);
/* Appends a `#line`, which says that the next line of OUT stands at AT of S. */
void source_resume(const struct source *s, size_t at, struct text *out);
/* Returns the text of NODE, which is empty if NODE is null. */
struct slice source_slice(const struct source *s, TSNode node);
/* True when TEXT may hold `#pragma autotune`, or _Pragma (fast scan, no parsing). */
bool source_mentions_autotune(const char *text, size_t size);

/* ---- node.c: nodes of such a tree; all take null nodes, which are and hold nothing - */

bool node_is(TSNode node, const char *type);
bool node_is_any(TSNode node, const char *const *types); /* NULL-terminated */
TSNode node_field(TSNode node, const char *field); /* a null node if there is none */
TSNode node_child(TSNode node, const char *type);  /* the first of TYPE, or null */
bool node_within(TSNode node, TSNode outer);
bool node_is_loop(TSNode node); /* for, also of a range, while, do */
/* Returns the `for` in ROOT that begins at byte AT, without syntax errors, or null. */
TSNode node_for_at(TSNode root, size_t at);
/* True if NODE or a node below it is a loop. */
bool node_holds_loop(TSNode node);
/* True if NODE or a node below it is of TYPE. */
bool node_holds(TSNode node, const char *type);
/* True if NAME is an identifier in NODE. */
bool node_mentions(const struct source *s, TSNode node, struct slice name);
/* Moves to the next node in document order, below the current node only if DESCEND.
 * False: no node is left. */
bool cursor_next(TSTreeCursor *cursor, bool descend);

/* ---- branches.c ------------------------------------------------------------------ */

/* Makes branches of #ifs blank in COPY, of S's text, where they open or close braces:
 * one branch remains if all leave the same braces open. Two #ifs with the same condition
 * may open and close a brace. All else stays as it is. */
void branches_prepare(const struct source *s, char *copy);

/* ---- naming.c -------------------------------------------------------------------- */

/* Makes the arguments of macros that name functions blank in COPY, of S's text. */
void naming_prepare(const struct source *s, char *copy);
/* True if a macro names the function whose declarator is D. *NAME: as S has it. */
bool naming_hides(const struct source *s, TSNode d, struct slice *name);

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
  bool own;          /* params made from its sets are named after the directive */
  bool sets;         /* its arguments may be sets */
  struct slice body; /* everything between the parentheses */
};
struct pragma {
  enum pragma_kind kind;
  size_t offset, end;  /* from '#' to the end of the last continued line, no newline */
  const char *blanked; /* its text after lex_blank: all slices below are parts of it */
  unsigned directive;  /* PRAGMA_LOOP: enum directive_kind */
  bool broken;         /* diagnosed: clauses may be missing */
  bool openmp; /* PRAGMA_LOOP: `#pragma omp …` above directives; the default has it */
  struct clause *clauses;
  unsigned n_clauses;
};
/* Returns the offset in the file of S, a part of P's text. */
size_t pragma_offset(const struct pragma *p, struct slice s);
bool pragma_has(const struct pragma *p, const char *clause);
/* Warns of pragmas whose first word resembles `autotune`. */
void pragma_check_spelling(const struct source *s);
/* Returns all pragmas of the file in order. Diagnoses and counts errors. */
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
  GROUP_OPENMP = 31,  /* any of the above: passed on to the compiler */
  GROUP_THREADS = 15, /* any of them except simd: other threads may run the iterations */
  GROUP_SIZES = 32,
  GROUP_ORDER = 64,
  GROUP_UNROLL = 128,
  GROUP_JAM = 256,
  GROUP_BLOCK = 512,     /* stands on a block of loops */
  GROUP_SCHEDULE = 1024, /* orders whole nests */
  GROUP_CHAIN = 2048     /* computes parts of a nest where a later one needs them */
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
  size_t name_at;    /* offset of its name; SIZE_MAX: it has none */
  struct slice text; /* the declaration: "const double *restrict A", "double A[n][n]" */
  struct slice specifiers; /* "const double", "struct point" */
  struct slice initial;    /* "0" of C++'s `int n = 0`; empty: none */
  bool pointer;            /* by its declarator: pointer, array or function */
  bool integer, real;      /* set by classify.c, which resolves typedefs */
};
struct section {
  const char *name;  /* as written */
  unsigned access;   /* enum autotune_access */
  struct slice base; /* "A", "s->data" */
  struct section_dim {
    struct slice low, length;
  } *dims;
  unsigned n_dims; /* low empty: 0; length empty: 1 element; none: the whole object */
  size_t offset;
  const struct leaves *leaves; /* of an element: set by leaves.c; NULL: of CUDA */
  bool returned; /* of the value that the kernel returns: BASE is "autotune_returned" */
  bool rows;     /* pointers may lead from one dimension to the next: set by leaves.c */
};
extern const char *const sections_access[]; /* clauses, by enum autotune_access */
struct loop_directive { /* a directive whose sets have become params */
  const struct pragma *pragma;
  enum directive_kind kind;
  TSNode loop; /* the `for` it stands on */
  int present; /* param index of `optional`: its own, that of the `fission` of whose part
                  it is, or the kernel's; or -1 */
  struct dir_clause {
    const char *name;  /* "sizes", "permutation", "schedule", … */
    struct slice body; /* as written, for clauses that are only passed on */
    struct dir_arg {   /* param -1: TEXT as is. LABEL: "monotonic" of `monotonic: static`,
                          passed on before TEXT, or empty */
      struct slice text, label; /* to be handed on before it, or empty */
      int param;
    } *args;
    unsigned n_args;
    const struct pragma *pragma; /* that it stands in */
    size_t offset;
  } *clauses;
  unsigned n_clauses;
  const struct affine *affine; /* of `reschedule`: the order, once it is known */
  const struct chain *chain;   /* of `chain`: its tiles, once they are known */
};
struct expansion;
struct function { /* a kernel, or one of its alternatives */
  const char *name;
  TSNode node;             /* function_definition */
  size_t start, end;       /* of the definition */
  size_t name_at, body_at; /* offsets of its name in the declarator, and of '{' */
  const struct pragma *pragma;
  struct loop_directive *directives;
  unsigned n_directives;  /* in source order */
  size_t *grid_constants; /* offsets of the names of its __grid_constant__ parameters */
  unsigned n_grid_constants;
};
struct kernel {
  struct function main;
  struct function *alternatives;
  unsigned n_alternatives;
  int choose; /* param index, or -1 */
  int whole;  /* param index of the kernel's `optional`, or -1: 0 omits all directives */
  struct slice result; /* return type as written, without storage class; "void" */
  bool returns, is_static;
  struct kernel_arg *args;
  unsigned n_args;
  struct param *params;
  unsigned n_params;
  struct slice *constraints;
  unsigned n_constraints;
  struct slice *conditions; /* calls for which one is 0 run as written */
  unsigned n_conditions;
  struct slice *keys;
  unsigned n_keys;
  bool key_given;
  struct slice *constants; /* arguments, as `constant` names them */
  unsigned n_constants;
  bool constants_given;
  uint64_t kept; /* bit I: key I is an argument that a kernel in C cannot change */
  struct section *sections;
  unsigned n_sections;
  const struct leaves *result_leaves; /* as in struct section */
  int verify;
  double rtol, atol;         /* enum autotune_verify; as in struct autotune_kernel */
  struct slice flops, bytes; /* empty: not given */
  const char *search, *mode, *family;
  double budget_seconds;
  unsigned budget_variants;
  double budget_fraction, until, until_roof;
  const char **compilers;
  unsigned n_compilers; /* at least "clang" */
  bool openmp;
  bool left_out; /* an #if leaves it out of this build: set by translate.c */
  bool refused;  /* it stays as written, because of what was diagnosed as a warning */
  bool inferred; /* the sections are those that suggest/section.c could prove */
  const struct language *language; /* of its file */
  void *own;                       /* facts that only its language knows; NULL: none */
  /* Of a template: its parameters, with the arguments of an instance, if all instances in
   * the file are of numbers. */
  struct stand_in {
    struct slice name, text;
    struct slice constant; /* the words of its type if it is a number; else empty */
  } *stand_ins;
  unsigned n_stand_ins;
  const char *generic; /* why a template has none; NULL: it has, or is no template */
  struct baked *baked; /* results to write into the file (bake/bake.h), or NULL */
};
/* Returns all kernels of the file. Adds params for sets, `optional`, permutations, flags,
 * compilers and alternatives. Diagnoses every error with file, line and column. */
struct kernel *kernel_all(const struct source *s, const struct pragma *pragmas,
                          unsigned n_pragmas, unsigned *n_kernels);
/* Returns the index of the param that NAME refers to in K, or -1. */
int kernel_param(const struct kernel *k, struct slice name);
/* True if NAME is a candidate of a param of words. *NUMBER is its value's `i`, from 1,
 * the same in all params of K. In constraints the identifier means this number. */
bool kernel_word(const struct kernel *k, struct slice name, long long *number);
/* Adds a param to K and returns its index. */
int kernel_add_param(struct kernel *k, struct param p);

/* ---- loops/loops.c, transform.c -------------------------------------------------- */

/* Checks every directive of F against the loops below it: canonical form, perfect
 * nesting, depth, clauses, combinations. Diagnoses errors, and adds the params for
 * structure (permutations, depth-dependent defaults). Called by kernel_all. */
void loops_check(const struct source *s, struct kernel *k, struct function *f);
/* Finds the orders of K's `reschedule` directives, or reports that there is none. X: its
 * macros. Before that, these loops are written as they are. (loops/reschedule.c) */
void reschedule_find(const struct source *s, struct kernel *k, const struct expansion *x);
/* The same for `chain`. (loops/chain.c) */
void chain_find(const struct source *s, struct kernel *k, const struct expansion *x);
/* Appends the text of F for the unit: its definition, in which each annotated nest is
 * transformed as the params say, and to BEFORE the functions that it calls. `#line`
 * refers to the user's lines. No `#pragma autotune` is left. */
void loops_write(const struct source *s, const struct kernel *k, const struct function *f,
                 struct text *before, struct text *out);
/* Returns the argument that is key I of K and a constant in variants; NULL: it is none.
 * (loops/constants.c) */
const char *constants_name(const struct kernel *k, unsigned i);
bool constants_any(const struct kernel *k);
void constants_drop(struct kernel *k); /* leaves K without constants */
/* Reports names in `constant` that are none. */
void constants_check(const struct source *s, const struct kernel *k);

/* Appends the body of F alone, from its '{' on, and to BEFORE the functions that it
 * calls. BEFORE NULL: there are none. The macros of loops_write_prologue come before
 * both. */
void loops_write_body(const struct source *s, const struct kernel *k,
                      const struct function *f, struct text *before, struct text *out);
void loops_write_prologue(const struct source *s, const struct kernel *k,
                          const struct function *f, struct text *out);

/* Does the same as loops_write for one point, POINT, which has a value index for each
 * param: the values replace the macros of sets, and there is no #if. Names of helper
 * functions begin with NAME. */
void loops_write_point(const struct source *s, const struct kernel *k,
                       const struct function *f, const unsigned *point, const char *name,
                       struct text *out);

/* ---- reach/expand.c, emit/unit.c ------------------------------------------------- */

struct compile_options { /* from the user's command line, for the preprocessor */
  const char *const
      *args; /* -I, -D, -U, -include, -std=, -m*, -f*, -O*, -isystem …; NULL-terminated.
                First comes `-iquote` of the source's folder where that is needed, so
                that the text may be compiled from a file in temp_folder() */
  const char *clang;               /* path of clang 22 */
  const struct language *language; /* of the file; NULL: the file's name decides */
  const char *const *compiler; /* the user's compiler, after a wrapper (ccache) if any;
                                  NULL-terminated; NULL: not known */
  const char *const *run; /* compilers of compiler(…) that may be run, besides "clang";
                             NULL-terminated; NULL: all */
  const char *const *when_hot; /* names of the kernels that are tuned only where they are
                                  hot; NULL-terminated; NULL: none */
  bool apart;  /* variants of those may only run where their sections do not overlap */
  bool weak;   /* all kernels are tuned only where they are hot, and refer to libautotune
                  weakly: the program also links and runs without it */
  bool leaves; /* kernels that cannot be functions stay as written, with diag_left */
  struct device_units *units;  /* gets the file's (kernel.h); NULL: not wanted */
  bool emulate;                /* translate a .cu file to C++ for the CPU */
  const struct baking *baking; /* writes the best variants in; NULL: kernels become
                                  tunable (emit/emit.h) */
  const struct bake *bake;     /* the options of BAKING (bake/bake.h) */
};
struct expansion; /* the file as one compiler's preprocessor leaves it */
struct expansion *expand_file(const struct source *s, const struct kernel *kernels,
                              unsigned n, const char *compiler,
                              const struct compile_options *o);
/* Sets integer and real of each argument. */
void expand_classify(const struct expansion *x, struct kernel *k);
struct symbol { /* a global or a function that the program passes by address */
  const char *name;
  bool function;
  bool sized; /* `sizeof` of it compiles after the kernel */
  bool own;   /* a static object to which only what the kernel reaches refers */
};
struct unit {
  const char *compiler;
  struct text text;
  const char **flags;
  unsigned n_flags;
  struct symbol *symbols;
  unsigned n_symbols;
  bool openmp; /* functions in it, or that they call, use OpenMP in this build */
};
/* Builds the unit of everything that K reaches. Diagnoses at the kernel what cannot be
 * copied (a thread-local variable, …). */
struct unit unit_build(const struct source *s, const struct kernel *k,
                       const struct expansion *x, const struct compile_options *o);
/* Builds the part of a replay before its functions: the kernel as written, with params at
 * their defaults, and the declarations that its expressions need. */
struct unit unit_replay(const struct source *s, const struct kernel *k,
                        const struct expansion *x);

#endif
