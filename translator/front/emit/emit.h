/* SPDX-License-Identifier: Apache-2.0 */
/* emit.h: shared by the files that write translated files.
 *
 *   template.c  fills the templates in: shared.in, lang/c/stub.c.in, lang/cuda/stub.cu.in
 *   fields.c    the fields of a kernel that templates can use
 *   emission.c  prepares the other data of templates, and renders the user's text
 *   edits.c     inserts rendered text into the user's text
 *   emit.c      the translated file of C; that of CUDA: lang/cuda/emit.c */
#ifndef AUTOTUNE_EMIT_H
#define AUTOTUNE_EMIT_H

#include "front/emit/template.h"
#include "front/reach/unit.h"

/* Everything that templates need of one kernel. */
struct emission {
  const struct source *s;
  const struct kernel *k;
  const struct expansion *x;
  const struct compile_options *o;
  const struct template *templates; /* the language's */
  const struct function *f;         /* being written: the kernel, or an alternative */
  struct unit *units;
  unsigned n_units;     /* one for each compiler */
  bool constant_bounds; /* generated declarations of arrays keep constant bounds */
  const struct template_field *fields; /* only of the language's templates; with DATA, */
  const void *data;                    /* or NULL */

  /* Set by emission_prepare. */

  const struct outlined *outlined; /* of a kernel that was a statement; or NULL */
  size_t order; /* of the kernel in the compiler's output, for macros */
  struct factor *factors;
  unsigned n_factors;
  const char *file; /* file and line of the kernel, as the user knows them */
  unsigned line;
  const char *compiler; /* the user's, without a wrapper (ccache) */
  struct emit_macro {   /* a param with a name */
    const char *macro;
    unsigned index;
    const char *type,
        *member;   /* its C type as a variable; its member of struct autotune_value */
  } *macros, *own; /* all macros; those that nothing else defines */
  unsigned n_macros, n_own;
  struct symbol *symbols; /* undefined in the units or in the replay */
  unsigned n_symbols;
  struct text replay;
  const char *refused;    /* why there is no replay; NULL: there is one */
  struct leaves *layouts; /* of sections and of the result, where they are described */
  unsigned n_layouts;
  const char **hidden; /* the user's macros with the same names as words of templates */
  unsigned n_hidden;
};

/* ---- fields.c -------------------------------------------------------------------- */

extern const struct template_field emit_fields[];        /* of struct emission */
extern const struct template_field emit_kernel_fields[]; /* of struct kernel */
/* Returns the emission that SCOPE belongs to. */
const struct emission *emit_of(const struct template_scope *scope);

/* ---- emission.c ------------------------------------------------------------------ */

/* Sets the remaining fields of E. */
void emission_prepare(struct emission *e);
/* True if E's kernel is tuned only when hot. */
bool emission_is_hot(const struct emission *e);
/* Sets symbols, replay and refused of E, for a kernel in C. */
void emission_replay(struct emission *e);
/* Appends PART of E's templates. */
void emit_render(const struct emission *e, const char *part, struct text *out);
/* Inserts PART of E's templates at AT. */
struct edits;
void emit_insert(struct edits *edits, const struct emission *e, const char *part,
                 size_t at);
/* Filters. TEXT is the user's; the user's macros keep their meaning in it. */
void emit_user(const struct template_scope *scope, struct slice text, struct text *out);
/* The same, with words of params replaced by their numbers, because `static` is not an
 * expression. */
void emit_numbered(const struct template_scope *scope, struct slice text,
                   struct text *out);
/* Appends a blank if there are blanks between PREVIOUS and T: `::` is two tokens. */
void emit_gap(struct text *out, struct slice previous, struct token t);

/* ---- edits.c --------------------------------------------------------------------- */

struct edits { /* of the source, sorted: TEXT replaces [START, END) */
  const struct source *s;
  struct edit {
    size_t start, end;
    struct text text;
  } *list;
  unsigned n;
};
void edits_add(struct edits *e, size_t start, size_t end, struct text text);
/* Inserts PART of T, filled in from SCOPE, at AT. The text after AT keeps its line and
 * column. */
void edits_insert(struct edits *e, const struct template *t, const char *part,
                  const struct template_scope *scope, size_t at);
/* Replaces pragmas of ours by empty lines. */
void edits_blank(struct edits *e, const struct pragma *pragmas, unsigned n);
/* Appends the newlines of [START, END). */
void edits_newlines(const struct source *s, size_t start, size_t end, struct text *out);
/* Appends the source, with HEADING before it unless that is empty. */
void edits_apply(const struct edits *e, const struct text *heading, struct text *out);
/* Ends generated text: the text after it stands at AT of the source. */
void emit_resume(const struct source *s, size_t at, struct text *out);

/* ---- emit.c ---------------------------------------------------------------------- */

/* The way kernels in C are written: as stubs (emit.c), or as winners (bake/bake.h). */
struct baking {
  const struct template *templates;
  bool constant_bounds; /* as in struct emission */
  const struct template_field *fields;
  /* Examines the whole file before anything is written, and diagnoses errors. UNITS is as
   * in emit_file. */
  void (*choose)(const struct source *s, struct kernel *kernels, unsigned n,
                 struct unit *const *units, const struct expansion *x,
                 const struct compile_options *o);
  /* Appends the text that precedes the file. */
  void (*heading)(const struct source *s, const struct kernel *kernels, unsigned n,
                  const struct compile_options *o, struct text *out);
  /* Sets `data` of E, and everything else that its templates need. */
  void (*prepare)(struct emission *e);
  /* Returns what becomes of the call of a kernel that was a statement: the name of a
   * function that returns autotune_taken() where the call is done, NULL where the
   * statement is to run in its place, and a state where autotune_time_end is to follow
   * it. NULL: the call stays, and the statement never runs there. */
  const char *(*called_name)(const struct emission *e);
  /* Returns the name of the default variant; NULL: the kernel keeps its own. */
  const char *(*default_name)(const struct emission *e);
  bool readable; /* the columns after that name may change */
};

extern const struct template_filter emit_filters[];
extern const char emit_shared_template[], emit_c_template[];

/* Appends what makes the file refer to libautotune weakly, if O asks for that. */
void emit_weakly(const struct compile_options *o, struct text *out);
/* Suppresses warnings about the default variant of a kernel that was a statement and
 * begins at START: the compiler gives them for the statement in its place. */
void emit_quiet(struct edits *edits, const struct emission *e, size_t start);
/* Writes the place of a kernel that was a statement: generated text without warnings, the
 * params that the statement may mention, and the call. CALLED: as `called_name` says. */
void emit_place(struct edits *edits, const struct emission *e, const char *called);

/* Writes the whole translated file. */
void emit_file(const struct source *s, const struct pragma *pragmas, unsigned n_pragmas,
               const struct kernel *kernels, unsigned n_kernels,
               const struct expansion *x,
               struct unit *const
                   *units /* [kernel][compiler]; NULL: an #if leaves the kernel out */,
               const struct compile_options *o, struct text *out);

/* ---- checks.c -------------------------------------------------------------------- */

/* Append the expressions of the kernel's clauses at their places in the pragma, as
 * statements: those of constraints, which name params, and all others. */
void emit_checks(const struct template_scope *scope, struct text *out);
void emit_check_constraints(const struct template_scope *scope, struct text *out);
/* Appends one of them, EXPR, with as many SUBSCRIPTS, unless the pragma does not have it.
 * USE is the operator before it: "(void)!". NUMBERED: as with emit_numbered. */
void emit_check(const struct template_scope *scope, struct slice expr, const char *use,
                unsigned subscripts, bool numbered, struct text *out);

#endif
