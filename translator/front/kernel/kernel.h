/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.h: between the files that give pragmas their meaning; front.h has the
 * structures. What a language has of its own they ask of struct language.
 *
 *   function.c     the function after a pragma, the loop after a directive
 *   signature.c    its name, result and arguments
 *   values.c       candidates: numbers, words, strings, tuples, ranges
 *   clauses.c      the clauses of a kernel; sections.c those with array sections
 *   directives.c   sets in loop directives become params
 *   names.c        what a name in an expression stands for; whether a param is used
 *   expr.c         constraints, evaluated over params; points.c counts what they leave
 *   kernel.c       the order of all that */
#ifndef AUTOTUNE_KERNEL_H
#define AUTOTUNE_KERNEL_H

#include "front/front.h"

/* ---- kernel.c -------------------------------------------------------------------- */

/* Diagnoses, at OFFSET, one param too many. */
bool params_left(const struct source *s, const struct kernel *k, size_t offset);

/* ---- function.c ------------------------------------------------------------------ */

/* Fills node, start, end, body_at and pragma of the function that P stands on. False:
 * diagnosed. */
bool function_find(const struct source *s, const struct pragma *p, struct function *f);
/* The loop (or, for `fuse`, the block of loops) that P stands on, parsed without errors;
 * those elsewhere in the function are left to the compiler. False: diagnosed. */
bool loop_find(const struct source *s, const struct pragma *p, const struct function *f,
               TSNode *loop);
/* From OFFSET, over blanks, comments and whole lines of the preprocessor that are no
 * conditionals. */
size_t after_gap(const struct source *s, size_t offset, size_t end);

/* ---- signature.c ----------------------------------------------------------------- */

/* Fills f->name and name_at, and result, returns, is_static and args of K. False:
 * diagnosed. */
bool signature_read(const struct source *s, struct function *f, struct kernel *k);
/* Sets K->result from HEAD, all that stands before the name: it without storage class,
 * attributes and, where they can be told from types, macros. */
void signature_result(struct slice head, struct kernel *k);
/* Diagnoses where ALTERNATIVE (read into a kernel of its own) cannot be called in K's
 * place. */
bool signature_same(const struct source *s, const struct kernel *k,
                    const struct kernel *alternative);
/* Sets integer and real of A from the words of its specifiers. */
void arg_classify(struct kernel_arg *a);

/* ---- values.c -------------------------------------------------------------------- */

/* Adds the candidates that TEXT (a value, a range or a set) stands for. False: diagnosed.
 */
bool values_add(const struct source *s, const struct pragma *p, struct slice text,
                struct param *param);
bool value_read(const struct source *s, const struct pragma *p, struct slice text,
                struct value *v, enum value_kind *kind);
/* Appends V, of KIND, to PARAM's candidates. False: it does not fit, or (unless a RANGE
 * names it) stands there already; diagnosed. */
bool value_add(const struct source *s, struct param *param, struct value v,
               enum value_kind kind, bool range);
bool value_same(const struct value *a, const struct value *b, enum value_kind kind);
bool read_integer(struct slice text, long long *i);
bool read_real(struct slice text, double *d);
/* Strings of one clause flags(…), names of one clause compiler(…). */
void values_flags(const struct source *s, const struct pragma *p, const struct clause *c,
                  struct kernel *k);
/* False: V, of flags(…), is nothing for a C compiler; diagnosed. */
bool values_check_flags(const struct source *s, const struct value *v);
void values_compilers(const struct source *s, const struct pragma *p,
                      const struct clause *c, struct kernel *k);

/* ---- clauses.c, sections.c, directives.c ----------------------------------------- */

/* Reads C, a clause of K's pragma, into K; diagnoses what is wrong. */
struct clause_reader {
  const char *name;
  void (*read)(const struct source *s, struct kernel *k, const struct clause *c);
};
void clauses_read(const struct source *s, struct kernel *k);
void sections_read(const struct source *s, struct kernel *k, const struct clause *c,
                   unsigned access);
/* All directives in F, from the pragmas between its braces. False: some are not as
 * loops.c needs them. */
bool directives_read(const struct source *s, const struct pragma *pragmas, unsigned n,
                     struct kernel *k, struct function *f);

/* ---- names.c --------------------------------------------------------------------- */

enum name_use {
  USE_PARAMS = 1,
  USE_MACHINE = 2, /* arguments may be used everywhere */
  USE_GRID = 4,
  USE_BLOCK = 8, /* gridDim, as asked for; blockDim, the variant's */
  USE_CEIL = 16
}; /* grid(ceil) */
/* Diagnoses the names in EXPR, a part of P, that stand for nothing there. WHAT: "a
 * constraint". */
bool names_check(const struct source *s, const struct kernel *k, const struct pragma *p,
                 struct slice expr, unsigned uses, const char *what);
/* True when the file, or a header that was found, mentions NAME. Else *QUOTED: some
 * header was not found; *SYSTEM: one in <> is included. */
bool name_declared(const struct source *s, struct slice name, bool *quoted, bool *system);
/* True if the file defines it as a macro. *SYSTEM as above. */
bool name_defined(const struct source *s, struct slice name, bool *system);
const char *name_nearest(const struct kernel *k, struct slice name, unsigned uses);
/* Diagnoses params that the file uses nowhere. */
void names_check_params(const struct source *s, const struct kernel *k);
/* Diagnoses a variable of F that the macro PARAM would replace. */
void names_check_declared(const struct source *s, const struct function *f,
                          const struct param *param);
int kernel_arg(const struct kernel *k, struct slice name); /* -1: none */
/* What expressions may ask of the machine: a field of struct autotune_machine. */
struct machine_name {
  const char *name, *field; /* "AUTOTUNE_L2", "l2" */
  bool device;              /* of the device, for kernels that run on one */
};
extern const struct machine_name machine_names[];           /* ends with a NULL name */
const struct machine_name *machine_name(struct slice name); /* NULL: it is none */
bool is_machine_name(const struct kernel *k, struct slice name); /* one that K may use */

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
  bool narrow;        // OP_TO_INTEGER: to less than int
  const char *binary; // "<<"
  struct slice text;
  struct expr *a, *b, *c;
};
/* NULL: not an expression that this evaluator knows, which is not an error. */
struct expr *expr_parse(const struct kernel *k, struct slice text);
/* POINT: a value index for each param. Unknown where it depends on arguments or the
 * machine. */
struct number expr_value(const struct expr *e, const struct kernel *k,
                         const unsigned *point);
bool number_true(struct number n);

/* ---- points.c -------------------------------------------------------------------- */

struct point_count {
  unsigned all, allowed; /* counted up to a million */
  bool more;             /* there are more */
  bool depends; /* constraints may forbid some of ALLOWED, depending on arguments */
};
struct point_count points_count(const struct kernel *k);
/* Diagnoses constraints that leave nothing. */
void points_check(const struct source *s, const struct kernel *k);

#endif
