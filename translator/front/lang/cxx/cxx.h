/* SPDX-License-Identifier: Apache-2.0 */
/* cxx.h: C++. docs/design.md explains the translation of a .cpp file.
 *
 *   signature.c   templates, namespaces, parameters: of CUDA's kernels, too
 *   cxx.c         language_cxx: the head of a kernel, the passes, `autotune check`
 *   reach.c       the declarations and macros that a kernel reaches
 *   unit.c        writes them as the kernel unit
 *   trial.c       compiles the unit once, when the file is translated
 *   emit.c        the translated file
 *   instances.c   for which arguments templates are instantiated
 *
 * The file is preprocessed as C is, and cut into declarations as .cu files are. */
#ifndef AUTOTUNE_CXX_TRANSLATOR_H
#define AUTOTUNE_CXX_TRANSLATOR_H

#include "front/kernel/kernel.h"
#include "front/reach/unit.h"

/* ---- signature.c ----------------------------------------------------------------- */

struct template_param {
  const char *name;
  struct slice text;      /* "typename T", "int N = 4" */
  bool type;              /* typename or class: the argument is a type; else a constant */
  struct slice type_text; /* type of a constant: "int" */
  struct slice initial;   /* "4" of `int N = 4`; empty: none */
};
/* The facts that only C++ has of a function: the first member of what each language of
 * C++ knows of a kernel. */
struct cxx_function {
  struct slice template_head; /* "template <typename T, int N>"; empty: no template */
  struct template_param *params;
  unsigned n_params;
  size_t start;            /* of the whole declaration, template head included */
  struct slice namespaces; /* "a::b", where it is defined in one; else empty */
};
static inline struct cxx_function *cxx_of(const struct kernel *k) {
  return k->own;
}
/* Diagnoses what is not understood at N: an error in a language whose kernels run on a
 * device, otherwise a warning that says that the kernel is not tuned. Returns false. */
bool cxx_refuse(const struct source *s, TSNode n, const char *hint, const char *message);
/* Read the template that F is, and the parameters in DECLARATOR. False: diagnosed. */
bool cxx_read_template(const struct source *s, const struct function *f,
                       struct cxx_function *c);
bool cxx_read_params(const struct source *s, TSNode declarator, struct kernel *k);
/* Returns the namespaces around N: "a::b", without blanks. */
struct slice cxx_namespaces(const struct source *s, TSNode n);
/* True if N is defined within a class. */
bool cxx_in_class(TSNode n);
bool cxx_signature_same(const struct source *s, const struct kernel *k,
                        const struct kernel *alternative);
/* ---- reach.c --------------------------------------------------------------------- */

enum cxx_how {
  CXX_NOT,
  CXX_TEXT,
  CXX_OWN,    /* the kernel, an alternative, or the class that it is a member of */
  CXX_ADDRESS /* the program's: the unit declares it, and gets its address */
};
struct cxx_reach {
  const struct source *s;
  const struct kernel *k;
  const struct expansion *x;
  unsigned char *how; /* enum cxx_how of each item */
  struct names seen;  /* identifiers of everything reached */
  unsigned *macros;   /* those that the kernel's text uses, as in struct expansion */
  unsigned n_macros;
  struct cxx_symbol {
    unsigned item;
    struct slice name;     /* as declared */
    const char *symbol;    /* "a__name": of the unit */
    const char *qualified; /* "::a::name" */
    bool function;
  } *symbols;
  unsigned n_symbols;
  bool whole;   /* the unit gets all that is in headers of the system */
  bool refused; /* the kernel needs what a unit cannot have; diagnosed at its pragma */
};
struct cxx_reach *cxx_reach(const struct source *s, const struct kernel *k,
                            const struct expansion *x);
/* True if item I is, or contains, function F of the file. */
bool cxx_contains(const struct item *i, const struct function *f);

/* ---- unit.c, trial.c ------------------------------------------------------------- */

/* Builds the unit of everything that R has, without its entry. */
struct unit cxx_unit_build(const struct cxx_reach *r, const struct compile_options *o);
/* Appends the entry. That of a template names the instance's arguments, AUTOTUNE_T0 and
 * so on, which the program defines when it runs. */
void cxx_unit_enter(const struct cxx_reach *r, struct unit *u);
/* Compiles U with Clang, without making an object. Returns the first error; NULL: there
 * is none, or there is no Clang. */
const char *cxx_trial(const struct kernel *k, const struct unit *u,
                      const struct compile_options *o);

/* Compiles the file X with Clang, without making an object. Its N kernels KERNELS have
 * their defaults. Returns as cxx_trial. */
const char *cxx_trial_file(const struct kernel *kernels, unsigned n,
                           const struct expansion *x, const struct compile_options *o);

/* Appends to ERRORS all that Clang says of TEXT, a preprocessed file. */
void cxx_trial_errors(const struct text *text, const struct compile_options *o,
                      struct text *errors);

/* ---- instances.c ----------------------------------------------------------------- */

/* As language.h's instances. */
void cxx_instances(struct kernel *kernels, unsigned n, const struct expansion *x,
                   const struct compile_options *o);

/* ---- emit.c ---------------------------------------------------------------------- */

/* Appends the translated file. Kernels that are left out stay as written. */
void cxx_emit(const struct source *s, const struct pragma *pragmas, unsigned n_pragmas,
              const struct kernel *kernels, unsigned n_kernels, const struct expansion *x,
              struct cxx_reach *const *reaches, struct unit *const *units,
              const struct compile_options *o, struct text *out);

/* ---- cxx.c ----------------------------------------------------------------------- */

/* The facts that only C++ on the host has of a kernel. */
struct cxx_kernel {
  struct cxx_function cxx; /* the first member */
  struct slice classes;    /* "A::B", of a static member function; else empty */
};
static inline struct cxx_kernel *cxx_kernel_of(const struct kernel *k) {
  return k->own;
}

/* Returns the namespaces and classes around K: "a::B::". */
const char *cxx_scope(const struct kernel *k);
/* Sets *FOUND to the nearest node of TYPE around NODE. */
bool node_inside(TSNode node, const char *type, TSNode *found);

#endif
