/* SPDX-License-Identifier: Apache-2.0 */
/* emit.h: between the files that write translated files.
 *
 *   template.c  fills the templates in: shared.in, lang/c/stub.c.in, lang/cuda/stub.cu.in
 *   fields.c    what templates know of a kernel
 *   emission.c  what they need besides, and text of the user's in them
 *   edits.c     puts what is rendered into what the user wrote
 *   emit.c      the translated file of C; that of CUDA: lang/cuda/emit.c */
#ifndef AUTOTUNE_EMIT_H
#define AUTOTUNE_EMIT_H

#include "front/emit/template.h"
#include "front/reach/unit.h"

/* All that is written of one kernel. */
struct emission {
  const struct source *s;
  const struct kernel *k;
  const struct expansion *x;
  const struct compile_options *o;
  const struct template *templates; /* the language's */
  const struct function *f;         /* the kernel, or an alternative, which is written */
  struct unit *units;
  unsigned n_units;     /* one for each compiler */
  bool constant_bounds; /* arrays of such bounds keep them where they are declared anew */
  const struct template_field *fields; /* what the language's templates know besides; */
  const void *data;                    /* or NULL */

  /* Set by emission_prepare. */

  size_t order; /* of the kernel in the compiler's output, for macros */
  struct factor *factors;
  unsigned n_factors;
  const char *file; /* where the kernel stands, for the user */
  unsigned line;
  const char *compiler; /* the user's, without what stands before it (ccache) */
  struct emit_macro {   /* a param with a name */
    const char *macro;
    unsigned index;
    const char *type, *member; /* of it as a variable, in struct autotune_value */
  } *macros, *own;             /* all; those that nothing else defines */
  unsigned n_macros, n_own;
  struct symbol *symbols; /* that the units, or the replay, leave open */
  unsigned n_symbols;
  struct text replay;
  const char *refused; /* why there is no replay; NULL */
  const char **hidden; /* macros of the user's that are spelled like words of templates */
  unsigned n_hidden;
};

/* ---- fields.c -------------------------------------------------------------------- */

extern const struct template_field emit_fields[];        /* of struct emission */
extern const struct template_field emit_kernel_fields[]; /* of struct kernel */
/* What SCOPE is inside of. */
const struct emission *emit_of(const struct template_scope *scope);

/* ---- emission.c ------------------------------------------------------------------ */

/* Works out the rest of E. */
void emission_prepare(struct emission *e);
/* Likewise symbols, replay and refused, for a kernel in C. */
void emission_replay(struct emission *e);
/* Appends PART of E's templates. */
void emit_render(const struct emission *e, const char *part, struct text *out);
/* Inserts it at AT. */
struct edits;
void emit_insert(struct edits *edits, const struct emission *e, const char *part,
                 size_t at);
/* Filters. TEXT is the user's, whose macros mean there what they say. */
void emit_user(const struct template_scope *scope, struct slice text, struct text *out);
/* The same, with words of params (`static` is no expression) replaced by their numbers.
 */
void emit_numbered(const struct template_scope *scope, struct slice text,
                   struct text *out);
/* A blank where there are any between PREVIOUS and T: `::` is two tokens. */
void emit_gap(struct text *out, struct slice previous, struct token t);

/* ---- edits.c --------------------------------------------------------------------- */

struct edits { /* of the source, in its order: [START, END) becomes TEXT */
  const struct source *s;
  struct edit {
    size_t start, end;
    struct text text;
  } *list;
  unsigned n;
};
void edits_add(struct edits *e, size_t start, size_t end, struct text text);
/* Inserts PART of T, filled in from SCOPE, at AT: what follows stays where it is. */
void edits_insert(struct edits *e, const struct template *t, const char *part,
                  const struct template_scope *scope, size_t at);
/* Pragmas become empty lines. */
void edits_blank(struct edits *e, const struct pragma *pragmas, unsigned n);
/* Appends the ends of lines of [START, END). */
void edits_newlines(const struct source *s, size_t start, size_t end, struct text *out);
/* Appends the source, with HEADING before it unless that is empty. */
void edits_apply(const struct edits *e, const struct text *heading, struct text *out);
/* After generated text: what follows stands at AT of the source. */
void emit_resume(const struct source *s, size_t at, struct text *out);

/* ---- emit.c ---------------------------------------------------------------------- */

/* What is written of kernels in C: stubs (emit.c), or winners (bake/bake.h). */
struct baking {
  const struct template *templates;
  bool constant_bounds; /* arrays of such bounds keep them where they are declared anew */
  const struct template_field *fields;
  /* Looks at all of the file before anything is written. What is wrong is diagnosed.
   * UNITS as emit_file has them. */
  void (*choose)(const struct source *s, struct kernel *kernels, unsigned n,
                 struct unit *const *units, const struct expansion *x,
                 const struct compile_options *o);
  /* Appends what stands before the file. */
  void (*heading)(const struct source *s, const struct kernel *kernels, unsigned n,
                  const struct compile_options *o, struct text *out);
  /* Sets `data` of E, and whatever else its templates need. */
  void (*prepare)(struct emission *e);
  /* The name of the default variant; NULL: the kernel keeps its own. */
  const char *(*default_name)(const struct emission *e);
  bool readable; /* columns behind that name need not stay */
};

extern const struct template_filter emit_filters[];
extern const char emit_shared_template[], emit_c_template[];

#endif
