/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.h: functions shared by the files that interpret pragmas; front.h has the
 * structures. Parts that differ between languages are functions of struct language.
 *
 *   function.c     finds the function after a pragma, the loop after a directive
 *   heads.c        writes heads in the old style as prototypes
 *   signature.c    reads the function's name, result and arguments
 *   values.c       candidates: numbers, words, strings, tuples, ranges
 *   clauses.c      the clauses of a kernel; sections.c reads array sections
 *   directives.c   turns sets in loop directives into params
 *   names.c        resolves names in expressions; finds params that are not used
 *   expr.c         evaluates constraints over params; points.c counts what they leave
 *   kernel.c       calls all of these in order */
#ifndef AUTOTUNE_KERNEL_H
#define AUTOTUNE_KERNEL_H

#include "front/front.h"

/* ---- kernel.c -------------------------------------------------------------------- */

/* Reports an error at OFFSET and returns false if K already has the most params
 * allowed. */
bool params_left(const struct source *s, const struct kernel *k, size_t offset);

/* ---- function.c ------------------------------------------------------------------ */

/* Sets node, start, end, body_at and pragma of the function that P stands on. Returns
 * false after an error, which was reported. */
bool function_find(const struct source *s, const struct pragma *p, struct function *f);
/* Finds the loop (or, for `fuse`, the block of loops) that P stands on. It must be free
 * of syntax errors; errors elsewhere in the function are left to the compiler. Returns
 * false after an error, which was reported. */
bool loop_find(const struct source *s, const struct pragma *p, const struct function *f,
               TSNode *loop);
/* True if the statement NODE has no syntax errors, and no branch of an #if ends outside
 * of it; otherwise reports the first. */
bool statement_parsed(const struct source *s, TSNode node);
/* Returns the offset after the blanks, comments and preprocessor lines from OFFSET on.
 * Stops at a conditional, unless there are nothing but pragmas from its #if to its
 * #endif. */
size_t after_gap(const struct source *s, size_t offset, size_t end);
/* The same from OFFSET on, which may be within such a conditional: also passes over the
 * rest of that. */
size_t after_branch(const struct source *s, size_t offset, size_t end);

/* ---- heads.c --------------------------------------------------------------------- */

/* Gives the functions that PRAGMAS stand on prototypes where their heads are `f(a) int a;
 * {`. If there are any, *CHANGED becomes true, and S a new text with the same lines,
 * which is not parsed yet. False after an error, which was reported. */
bool heads_rewrite(struct source *s, const struct pragma *pragmas, unsigned n,
                   bool *changed);

/* ---- signature.c ----------------------------------------------------------------- */

/* Returns the name in the declaration TEXT: the last word that no other word follows,
 * outside of attributes; empty: there is none. Words in the first parentheses count, as
 * in `int (*f)(int)`. *POINTER: the name is that of a pointer or an array. */
struct slice signature_declared_name(struct slice text, bool *pointer);

/* Sets f->name and name_at, and result, returns, is_static and args of K. Returns false
 * after an error, which was reported. */
bool signature_read(const struct source *s, struct function *f, struct kernel *k);
/* Sets K->result from HEAD, the text before the name, without storage class, attributes
 * and those macros that can be told from types. */
void signature_result(struct slice head, struct kernel *k);
/* True if ALTERNATIVE (read into a kernel of its own) can be called in place of K;
 * otherwise reports why not. */
bool signature_same(const struct source *s, const struct kernel *k,
                    const struct kernel *alternative);
/* Sets integer and real of A from the words of its specifiers. */
void arg_classify(struct kernel_arg *a);

/* ---- values.c -------------------------------------------------------------------- */

/* Adds the candidates that TEXT (a value, a range or a set) stands for. Returns false
 * after an error, which was reported. */
bool values_add(const struct source *s, const struct pragma *p, struct slice text,
                struct param *param);
bool value_read(const struct source *s, const struct pragma *p, struct slice text,
                struct value *v, enum value_kind *kind);
/* Appends V, of KIND, to PARAM's candidates. Returns false, after an error message, if V
 * does not fit or (unless RANGE is set) is a candidate already. */
bool value_add(const struct source *s, struct param *param, struct value v,
               enum value_kind kind, bool range);
bool value_same(const struct value *a, const struct value *b, enum value_kind kind);
bool read_integer(struct slice text, long long *i);
bool read_real(struct slice text, double *d);
/* Read a clause flags(…), a clause compiler(…); see struct clause_reader. */
void values_flags(const struct source *s, struct kernel *k, const struct clause *c);
void values_compilers(const struct source *s, struct kernel *k, const struct clause *c);
/* Returns where the pragma of K names COMPILER, or else where the pragma is. *SIZE: its
 * length. */
size_t values_compiler_at(const struct kernel *k, const char *compiler, size_t *size);
/* Returns false, after an error message, if V of flags(…) is not suitable for a C
 * compiler. */
bool values_check_flags(const struct source *s, const struct value *v);

/* ---- clauses.c, sections.c, directives.c ----------------------------------------- */

/* Reads C, a clause of K's pragma, into K, and reports errors in it. */
struct clause_reader {
  const char *name;
  void (*read)(const struct source *s, struct kernel *k, const struct clause *c);
};
void clauses_read(const struct source *s, struct kernel *k);
/* Reads a clause in(…), out(…), inout(…) or scratch(…). */
void sections_read(const struct source *s, struct kernel *k, const struct clause *c);
/* Reports sections of scratch(…) that overlap others, as far as their texts show. */
void sections_check(const struct source *s, const struct kernel *k);
/* True if scratch(…) names the array NAME. */
bool sections_scratch(const struct kernel *k, struct slice name);
/* Returns the number of subscripts from the base of C to its first element. A section of
 * whole rows of an argument is compared by the elements of the rows. */
unsigned section_subscripts(const struct kernel *k, const struct section *c);
/* Returns the param NAME of `optional` at OFFSET, with both choices. "no" comes first, so
 * that params which depend on the directive count as one variant there. */
struct param directives_optional(const char *name, size_t offset, int when);
/* True if a `chain` of K says that nothing after it reads the array NAME. */
bool directives_local(const struct kernel *k, struct slice name);
/* Reads all directives in F from the pragmas between its braces. Returns false if some
 * are not as loops.c needs them. */
bool directives_read(const struct source *s, const struct pragma *pragmas, unsigned n,
                     struct kernel *k, struct function *f);

/* ---- names.c --------------------------------------------------------------------- */

enum name_use {
  USE_PARAMS = 1,
  USE_MACHINE = 2, /* numbers of the machine; arguments need no flag */
  USE_GRID = 4,
  USE_BLOCK = 8, /* gridDim, as requested; blockDim, the variant's */
  USE_CEIL = 16
}; /* allows grid(ceil) */
/* Reports names in EXPR, a part of P, that have no meaning there, after syntax_check.
 * WHAT is for the message: "a constraint". */
bool names_check(const struct source *s, const struct kernel *k, const struct pragma *p,
                 struct slice expr, unsigned uses, const char *what);
/* True if the file, or a header that was found, mentions NAME. Otherwise *QUOTED: a
 * header was not found; *SYSTEM: the file includes a header in <>. */
bool name_declared(const struct source *s, struct slice name, bool *quoted, bool *system);
/* True if the file #defines NAME. *SYSTEM as above. */
bool name_defined(const struct source *s, struct slice name, bool *system);
/* True if an option -D of the build defines NAME. *INCLUDES: another one includes a
 * header, which may declare it. */
bool name_of_build(const struct source *s, struct slice name, bool *includes);
const char *name_nearest(const struct kernel *k, struct slice name, unsigned uses);
/* Reports params that the file does not use. */
void names_check_params(const struct source *s, const struct kernel *k);
/* Warns of params that only other functions of the file use. UNIT is the text of K and of
 * what it reaches. */
void names_check_used(const struct source *s, const struct kernel *k, struct slice unit);
/* Reports a variable of F that the macro PARAM would replace. */
void names_check_declared(const struct source *s, const struct function *f,
                          const struct param *param);
int kernel_arg(const struct kernel *k, struct slice name); /* -1: none */
/* A number of the machine that expressions may use: a field of struct
 * autotune_machine. */
struct machine_name {
  const char *name, *field; /* "AUTOTUNE_L2", "l2" */
  bool device;              /* a number of the device, for kernels that run on one */
};
extern const struct machine_name machine_names[];           /* ends with a NULL name */
const struct machine_name *machine_name(struct slice name); /* NULL: unknown */
/* True if NAME is one that K may use. */
bool is_machine_name(const struct kernel *k, struct slice name);

/* ---- syntax.c -------------------------------------------------------------------- */

/* True if EXPR, a part of P, is an expression of C that changes nothing; else reports
 * what is wrong. WHAT is for the message: "a constraint". */
bool syntax_check(const struct source *s, const struct kernel *k, const struct pragma *p,
                  struct slice expr, const char *what);
/* The same for EXPR, an expression of C, that is no integer for certain. */
bool syntax_check_integer(const struct source *s, const struct kernel *k,
                          const struct pragma *p, struct slice expr, const char *what);

/* ---- expr.c ---------------------------------------------------------------------- */

struct number {
  bool known, real;
  long long i;
  double d;
};
enum operation {
  OP_NUMBER,
  OP_PARAM,
  OP_UNKNOWN,
  OP_NEGATE,
  OP_NOT,
  OP_INVERT,
  OP_TO_INTEGER,
  OP_TO_REAL,
  OP_CONDITION,
  OP_BINARY
};
struct expr {
  enum operation op;
  struct number number;
  int param;
  bool postfix;       // OP_UNKNOWN: a call, an element, a member
  bool narrow;        // OP_TO_INTEGER: to a type narrower than int
  const char *binary; // "<<"
  struct slice text;
  struct expr *a, *b, *c;
};
/* Returns NULL if TEXT is an expression that this evaluator cannot parse, which is not an
 * error. */
struct expr *expr_parse(const struct kernel *k, struct slice text);
/* Evaluates E at POINT, a value index for each param. The result is unknown if it depends
 * on arguments or the machine. */
struct number expr_value(const struct expr *e, const struct kernel *k,
                         const unsigned *point);
bool number_true(struct number n);

/* ---- points.c -------------------------------------------------------------------- */

struct point_count {
  unsigned all, allowed; /* counted up to a million */
  bool more;             /* the count stopped there */
  bool depends; /* constraints may forbid some of ALLOWED, depending on arguments */
};
struct point_count points_count(const struct kernel *k);
/* Sets POINT, a value index for each param, to the code as written, or to the first value
 * where that has none. False: constraints forbid it, or it is not known whether they do.
 */
bool points_default(const struct kernel *k, unsigned *point);
/* Reports constraints that leave no variant, or only the code as written. */
void points_check(const struct source *s, const struct kernel *k);

/* The code of kernels for a device, as the tuner compiles it: of each kernel the code as
 * written, or with the first values of params where that has none. */
struct device_units {
  struct device_unit {
    const struct source *s;
    const struct kernel *k;
    const char *text;
    const char *const *flags; /* NULL-terminated */
  } *list;
  unsigned n;
};

#endif
