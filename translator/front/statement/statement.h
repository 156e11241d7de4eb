/* SPDX-License-Identifier: Apache-2.0 */
/* statement.h: kernels that are statements. `#pragma autotune kernel` before a `for` or
 * a `{ … }` in a function, or a directive before a loop in no kernel, makes a function
 * of the statement. This is done as text, before any other pass:
 *
 *   statement.c  finds the statements and rewrites the file
 *   capture.c    the variables of the function that a statement uses
 *   declared.c   their types
 *   views.c      C++: vectors and the like, of which a statement uses the elements
 *   changes.c    whether a statement changes a variable, and how it is passed
 *   macros.c     what the macros in a statement mention and assign
 *   made.c       the variables that macros declare
 *   jumps.c      diagnoses what cannot be in a function of its own
 *   write.c      the function, and the call in its place
 *   scope.c      C++: the templates and classes around the function
 *   kinds.c      C++: how variables are passed whose types only the compiler knows
 *
 *     #pragma autotune kernel          static void f_1a2b3c(int n, double *x,
 *     for (int i = 0; i < n; i++)                           double *autotune_to_sum)
 *       sum += x[i];                   { double sum = *autotune_to_sum;
 *                                        for (…) … as written
 *                                        *autotune_to_sum = sum; }
 *
 *   in its place, within the function f:
 *
 *     { double autotune_to_sum = sum;
 *       if ((f_1a2b3c(n, x, &autotune_to_sum), 1)) { sum = autotune_to_sum; }
 *       else { for (…) … as written } }
 *
 * The result is a file with one more function, which is a kernel like any other. Emission
 * makes of the call one that returns 0 where the default variant is to run
 * (lang/c/stub.c.in): then the statement runs in its place.
 *
 * In C++ the new function is a template with the parameters of all templates around the
 * statement, and one for each `auto`. A variable that is not certain to be a number or a
 * pointer is passed by reference, and so is a data member of the object that a member
 * function is called for. What cannot be done is a warning, and the statement stays. */
#ifndef AUTOTUNE_STATEMENT_H
#define AUTOTUNE_STATEMENT_H

#include "front/analysis/analysis.h"
#include "front/include.h"
#include "front/kernel/kernel.h"
#include "front/reach/unit.h"

enum pass {
  PASS_VALUE, /* an argument of the same type */
  PASS_OWN,   /* a variable of the new function: no value goes in or out */
  PASS_COPY,  /* a pointer to a copy, which is copied in and back */
  PASS_PLACE, /* a pointer to the variable itself, which the text then follows: (*x); in
                 C++ a reference */
  PASS_OWN_VALUE /* C++: a constant, which the new function declares as well */
};

/* A variable of the function that the statement uses. */
struct capture {
  struct slice name;
  TSNode declared;         /* as in struct declared */
  struct slice specifiers; /* without storage class and attributes: "const double" */
  struct slice declarator; /* without initialiser: "*restrict a", "u[n][m]" */
  const char *at;          /* the name in DECLARATOR */
  enum {
    SHAPE_PLAIN, /* a number, a struct, or what a typedef hides */
    SHAPE_POINTER,
    SHAPE_ARRAY,
    SHAPE_FUNCTION, /* a parameter that is one */
    SHAPE_REFERENCE
  } shape;
  enum pass pass;
  bool bound;        /* the type of another one depends on its value */
  bool sized;        /* `sizeof x` is in the statement */
  bool in_macro;     /* a macro of the statement mentions it */
  bool in_pragma;    /* another pragma of the statement does */
  bool macro_change; /* a macro may assign to it */
  bool made;         /* a macro declares it: DECLARED is in the preprocessor's output */
  size_t *mentions;  /* offsets of its name in the statement, sorted */
  unsigned n_mentions;
  struct extent { /* of the statements for which OpenMP's `private` names it */
    size_t start, end;
  } *privates;
  unsigned n_privates;
  const char *shared; /* another clause that gives each thread one: "reduction" */
  /* Of C++. */
  bool deduced;     /* its type is that of a parameter of the template */
  bool member;      /* of the class around the function; DECLARED is null */
  bool by_this;     /* the statement calls it `this->x` */
  bool constant;    /* it is passed by reference to const */
  bool changed;     /* it is used like a number, and the statement changes it */
  bool in_clause;   /* a clause of the kernel mentions it */
  bool aliased;     /* something else may lead to it, too */
  bool local_size;  /* variables of the function are among its bounds */
  bool view;        /* a container: the kernel gets the pointer to its elements … */
  bool owner;       /* … which are in memory of its own */
  const char *size; /* the kernel's argument that is their number; NULL: it has none */
};

struct statement {
  const struct source *s;
  const struct expansion *x; /* of the file before this; for macros */
  const struct pragma *pragmas;
  unsigned n_pragmas;
  const struct pragma *p; /* the kernel's, or the first directive */
  TSNode node, function;
  struct function f; /* of FUNCTION: for `usage` */
  struct usage usage;
  size_t from; /* after the kernel's pragma; the text to the end of NODE is moved */
  const char *name, *of;    /* of the kernel, of FUNCTION */
  struct capture *captures; /* bounds of arrays before the arrays */
  unsigned n_captures;
  struct names after; /* words that macros in FUNCTION, not in the statement, stand for */
  /* Of the preprocessor's output: the declaration that the statement is in, the function
   * there, and where the statement begins. MADE is NULL: it was not found. */
  struct source *made;
  TSNode made_function;
  struct usage made_usage;
  size_t made_at;
  size_t order; /* of the statement in the output, as of struct macro */
  size_t begin; /* where the declaration around it begins, as the compiler reads it;
                   SIZE_MAX: not known */
  /* Of C++. */
  bool cplusplus;
  bool c_linkage; /* `extern "C" {` is around it: no template may stand there */
  struct template_parameter {
    struct slice name, text; /* "N", "int N = 4" */
    bool used;               /* set by scope_select */
  } *parameters;             /* of the templates around it */
  unsigned n_parameters;
  const char *words;  /* of types that are deduced */
  const char *usings; /* " using namespace a;", of the blocks around it */
  struct class_member {
    struct slice name, type; /* TYPE: its words */
    struct slice words; /* all before the declarator, if that is only a name; or empty */
    struct capture plain; /* of a number, or of an array of or a pointer to numbers: as
                             if it were a variable; else all zero */
    enum member_kind {
      MEMBER_NONE,
      MEMBER_DATA,
      MEMBER_BITS, /* a bit-field */
      MEMBER_OTHER /* a function, a type, a constant */
    } kind;
  } *members; /* of the classes around the function */
  unsigned n_members;
  struct drop { /* in the text: `this->`, and what views.c replaces; in order */
    size_t start, end;
    const char *text; /* in its place */
  } *drops;
  unsigned n_drops;
  const char *unviewed; /* why its containers are passed by reference; or NULL */
  bool leaves;          /* as in struct compile_options */
  bool fine;
};

/* Reports that ST cannot be a kernel, at its pragma: an error, and in C++ a warning. */
void statement_refuse(struct statement *st, const char *hint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns the line of NODE, as the user knows it. */
unsigned statement_line(const struct statement *st, TSNode node);
/* Returns the text of NODE; empty: NODE is null. */
struct slice statement_text(const struct statement *st, TSNode node);
size_t statement_end(const struct statement *st);

/* Makes functions of the kernels of S that are statements: S becomes the text with them.
 * O has the preprocessor's arguments. Sets *CHANGED if there are any. False: errors, all
 * diagnosed. */
bool statements_outline(struct source *s, const struct pragma *pragmas, unsigned n,
                        const struct compile_options *o, bool *changed);

/* ---- jumps.c --------------------------------------------------------------------- */

/* Diagnoses jumps out of ST and into it, and what depends on the function around it. */
void jumps_check(struct statement *st);

/* ---- macros.c -------------------------------------------------------------------- */

/* Adds the words of the macros that TEXT uses, also through other macros. */
void macros_words(const struct statement *st, struct slice text, struct names *words);
/* True if a macro of TEXT may assign to the variable NAME that it mentions itself. */
bool macros_assign(const struct statement *st, struct slice text, struct slice name);
/* True if CALLED is a macro that may assign to one of its arguments. */
bool macros_assign_arguments(const struct statement *st, struct slice called);

/* ---- capture.c ------------------------------------------------------------------- */

/* Finds the captures of ST, and diagnoses those that cannot be passed. */
void captures_find(struct statement *st);
/* Returns the declarator that NAME refers to at NODE; null: none in the function. */
TSNode captures_resolve(const struct statement *st, struct slice name, TSNode node);
struct capture *captures_named(const struct statement *st, struct slice name);
/* Returns the block, loop or function in which the declarator D is known; null: only in
 * a prototype. */
TSNode captures_scope(TSNode d);

/* ---- made.c ---------------------------------------------------------------------- */

/* Reads what the preprocessor makes of the function around ST. */
void made_read(struct statement *st);
/* True if NAME in ST is a variable that a macro declares. *OUT: its capture; NULL: it
 * cannot be passed, which was diagnosed. */
bool made_capture(struct statement *st, struct slice name, struct capture **out);
/* Returns the attributes `target` of the function around ST; "": it has none. */
const char *made_target(const struct statement *st);
/* True if the compiler does not see NAME, a word of ST: an #if leaves out its
 * declaration, and macros drop it. */
bool made_away(const struct statement *st, struct slice name);

/* ---- declared.c ------------------------------------------------------------------ */

/* Sets specifiers, declarator, shape and deduced of C, whose declarator is known. */
void captures_read_type(struct statement *st, struct capture *c);
/* Diagnoses a declaration that cannot be repeated outside of the function. */
void captures_check_type(struct statement *st, const struct capture *c);
/* Diagnoses a type or constant NAME that only the function around the statement knows. */
void captures_check_name(struct statement *st, struct slice name);
/* Diagnoses that the type of C is not known. */
void captures_unknown(struct statement *st, const struct capture *c, const char *hint,
                      const char *why);

/* ---- changes.c ------------------------------------------------------------------- */

/* Decides how C of ST is passed. */
void changes_decide(struct statement *st, struct capture *c);
/* True if FUNCTION of ST assigns to C at or after the offset AT. */
bool changes_later(const struct statement *st, const struct capture *c, size_t at);

/* ---- scope.c --------------------------------------------------------------------- */

/* Returns the declaration at the scope of a namespace that FUNCTION is or is in. */
TSNode scope_outermost(TSNode function);
/* Returns a word for the function that DECLARATOR declares: "Solver_step". */
const char *scope_name(const struct source *s, TSNode declarator);
/* Reads the templates, classes and blocks around ST, and diagnoses where it cannot leave
 * them. */
void scope_read(struct statement *st);
/* True if NAME is a parameter of a template around ST. */
bool scope_is_parameter(const struct statement *st, struct slice name);
/* Finds the parameters of templates that ST needs, when its captures are known. */
void scope_select(struct statement *st);
/* Returns the member NAME of the classes around the function; NULL: there is none. */
const struct class_member *scope_member(const struct statement *st, struct slice name);

/* True if ST's function is `f() const`. */
bool scope_is_const(const struct statement *st);
/* True if the lambda around ST has C from the function around it. */
bool scope_captured(const struct statement *st, const struct capture *c);
/* True if a lambda around ST has a constant copy of C. */
bool scope_copies(const struct statement *st, const struct capture *c);

/* ---- kinds.c --------------------------------------------------------------------- */

/* Returns the words of TEXT that belong to a type; `auto`: only the compiler knows. */
struct slice kinds_specifiers(const struct statement *st, struct slice text);
/* True if the specifiers TEXT say a number, with or without `const`. */
bool kinds_number(const struct statement *st, struct slice text);
/* Notes the words of types that DECLARATOR, of a variable whose type is deduced, may
 * have. SPECIFIERS: as written. */
void kinds_note(struct statement *st, struct slice specifiers, TSNode declarator);
/* What changes.c has found of a variable. */
struct kinds_found {
  bool assigned, addressed; /* in the statement */
  bool stored;              /* its address is kept in a variable somewhere */
  bool after, before; /* its value may be read after the statement, or first in it */
};
/* Decides how C of ST is passed. PRIVATE: each thread has one of its own. */
enum pass kinds_pass(const struct statement *st, struct capture *c, struct kinds_found f,
                     bool private);

/* Returns the node of a variable whose name in ST is at AT: also `this->x`. */
TSNode kinds_mention(const struct statement *st, size_t at);

/* ---- views.c --------------------------------------------------------------------- */

/* Finds the containers among ST's captures of which only elements are used. */
void views_find(struct statement *st);
/* Sets the views of OUT, which ST has become. */
void views_tell(const struct statement *st, struct outlined *out);
/* How a container is used: x[…], x.data(), x.size(). */
enum views_use { VIEWS_OTHER, VIEWS_ELEMENT, VIEWS_DATA, VIEWS_SIZE };
/* Returns how a clause uses the container whose name L has just read, and moves L after
 * `.size()` or `.data()`. */
enum views_use views_clause_use(struct lexer *l);

/* ---- write.c --------------------------------------------------------------------- */

/* Appends the kernel's function with its pragma. The text after it stands at AT. */
void statement_write_function(const struct statement *st, size_t at, struct text *out);
/* Appends the call. *CALL becomes the offset in OUT of "(NAME(…), 1)". */
void statement_write_call(const struct statement *st, struct text *out, size_t *call);

#endif
