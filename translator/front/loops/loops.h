/* SPDX-License-Identifier: Apache-2.0 */
/* loops.h: loop nests and what the directives make of them. front.h has what others call.
 *
 *   loops.c         all variants of all nests of a function, under #if
 *   build.c         the nest of one variant: a chain of loops and the directives on them
 *   transform.c     the table of transformations, and what they have in common
 *     tile.c, reverse.c, unroll.c, jam.c, interchange.c, fuse.c, openmp.c: one each
 *   words.c         the words that clauses of OpenMP know
 *   range.c         iteration ranges as text: counts, ends, blocks, without overflow
 *   hull.c          blocks of a range that depends on other loops
 *   body.c          what the body of a nest must not hold: jumps out of it, changed
 * bounds write.c         a nest becomes text outline.c       what threads share out
 * becomes a function of its own final.c         variables declared outside of a nest get
 * their last values shared.c        a warning about variables that threads share by
 * mistake footprint.c     the bytes that a tile touches, as an expression
 *
 * The model. A nest is a list of generated loops, outermost first, around a body. A loop
 * runs over a range: VAR of TYPE from START while it is OP END in steps of STEP. Names in
 * these come from SETUP, statements that stand somewhere before the loop, and PRELUDE,
 * statements that stand somewhere inside of it, before the first loop that needs them.
 * NEEDS says inside of which other loops SETUP must stand; so a permutation is legal when
 * each loop comes after those that it needs. Every directive maps such nests to such
 * nests, which is why they compose. */
#ifndef AUTOTUNE_LOOPS_H
#define AUTOTUNE_LOOPS_H

#include "front/analysis/analysis.h"

enum unroll_hint { HINT_NONE, HINT_AUTO, HINT_PARTIAL, HINT_FULL };

struct loop {
  unsigned id;     /* as a bit in NEEDS */
  struct dim *dim; /* the loop of the source that it comes from */
  bool raw;        /* as written: none of the fields up to GUARD is set */
  const char *var, *type;
  const char *start, *end, *op;
  const char *step;  /* "1", or a name of unsigned long long */
  const char *count; /* how many iterations, unsigned long long */
  bool down, pointer;
  const char *setup, *prelude; /* "" where there is nothing */
  const char *guard; /* a condition without which the range is not valid; or NULL */
  uint64_t needs;    /* loops that SETUP must stand in, by id */
  bool grid;         /* it runs over tiles, not in them */
  /* How many of its iterations a tile has: BLOCK times BLOCK_OF, unless that is NULL.
   * BLOCK is NULL where the loop is not tiled. */
  const struct dir_arg *block, *block_of;
  enum unroll_hint hint;
  const char *factor; /* of HINT_PARTIAL */
  const char *pragma; /* `#pragma omp …`, to stand right before it; or NULL */
  size_t pragma_loop; /* offset of the loop that the pragma was written on */
  bool sharing;       /* the pragma shares iterations out among threads */
  bool innermost;     /* the pragma goes to whichever loop is innermost in the end */
  unsigned collapse;  /* how many loops the pragma takes, at most */
  struct jam *jam;    /* it runs over blocks of iterations that go innermost; or NULL */
};

/* The iterations within the blocks of a loop: full blocks become FACTOR copies of the
 * body, which stand innermost; the rest a loop. */
struct jam {
  struct loop *point; /* over one block */
  const char *full;   /* the condition that there are FACTOR iterations */
  const char *factor;
  const struct dir_arg *arg; /* FACTOR as it stands in the directive */
  bool elide;                /* FACTOR may be compared in #if */
};

struct nest {
  struct loop *loops; /* outermost first */
  unsigned n;
  struct dim **dims; /* the source's loops, outermost first */
  unsigned n_dims;
  struct part { /* of the body: one, or for each loop that `fuse` joined one */
    TSNode body;
    const char *open, *close; /* what stands around it */
    bool skips;               /* it holds a `continue` that only leaves this part */
    const char *labels;       /* in it: "a, b"; or NULL */
    const char *text;         /* with the nests in it replaced; set last, as … */
    unsigned copies;          /* … how many bodies of nests that makes */
  } *parts;
  unsigned n_parts;
  TSNode stop;     /* the loop that ended the chain for not being canonical; or null */
  TSNode root;     /* the loop or block that the outermost directive stands on */
  TSNode block;    /* that `fuse` stands on, or null */
  size_t from, to; /* where the block's first fused loop begins, its last one ends */
};

/* One pass over a function. */
struct builder {
  const struct source *s;
  const struct kernel *k;
  struct kernel *change; /* the same while params may be added, else NULL */
  const struct function *f;
  struct usage u;  /* of F */
  unsigned *point; /* a value index for each param; only those of structure count */
  /* Not NULL: POINT is all that is written, with its values in place of macros; names of
   * functions that are made of nests begin with this. */
  const char *fixed;
  bool resolve; /* directives add the params that they need; nothing is written */
  bool failed;  /* diagnosed: nothing more is of use */
  unsigned next_id;
  struct text *functions; /* that the nests call; NULL in a part of a body */
  unsigned n_functions;
  struct slice lead; /* pragmas of others before the nest at hand */
  unsigned copies;   /* of bodies, so far */
};

/* A builder for F, a function of K, with all params at their first values. */
struct builder builder_of(const struct source *s, const struct kernel *k,
                          const struct function *f);

#define MAX_COPIES 1024
#define MAX_IDS 64

/* Diagnoses, once for each function. Always false. FAIL_AT: at the directive D. */
#define FAIL(b, ...) \
  (!(b)->failed ? ((b)->failed = true, diag_error((b)->s, __VA_ARGS__), false) : false)
#define FAIL_AT(b, d, hint, ...) \
  FAIL(b, (d)->pragma->offset, (d)->pragma->end - (d)->pragma->offset, hint, __VA_ARGS__)

/* ---- body.c ---------------------------------------------------------------------- */
/* False: N's body holds what its directives do not allow; diagnosed. */
bool body_check(struct builder *b, struct nest *n);
/* True if N's body changes D's variable or bounds, or ends D's loop early. */
bool body_changes(const struct builder *b, const struct nest *n, const struct dim *d);
/* True if a `continue` in BODY goes on with the loop around it. */
bool body_holds_continue(TSNode body);

/* ---- range.c --------------------------------------------------------------------- */
/* Gives a raw loop its range, evaluated once in its setup. */
void range_make(const struct builder *b, struct loop *l);
/* "START advanced by OFFSET iterations", as an expression of L's type. */
const char *range_at(const struct loop *l, const char *offset);
/* A loop over blocks of L, to an end that its setup has yet to compute. */
struct loop range_counter(struct builder *b, const struct loop *l);
/* Splits L into blocks of SIZE: *GRID runs over them, *POINT in them. */
void range_strip(struct builder *b, const struct loop *l, const char *size,
                 struct loop *grid, struct loop *point);
/* The same where L's bounds depend on the N loops POINTS, which stand between the two. */
void range_strip_hull(struct builder *b, const struct loop *l, const char *size,
                      const struct loop *points, unsigned n, struct loop *grid,
                      struct loop *point);
/* The same iterations, from the last to the first. */
void range_reverse(struct builder *b, struct loop *l);
/* The same iterations, counted upwards from 0. */
void range_count(struct builder *b, struct loop *l);
/* *OFFSETS runs over the first SIZE iterations of L, *STRIPE over every SIZE-th from
 * there on. */
void range_stripe(struct builder *b, const struct loop *l, const char *size,
                  struct loop *offsets, struct loop *stripe);
/* "for (…) {", or the header as written. */
void range_header(struct text *out, const struct builder *b, const struct loop *l);
/* `#line` for what stands at OFFSET of the source. */
void write_line(const struct builder *b, struct text *out, size_t offset);
/* An id for a loop; diagnoses when there are too many. */
unsigned new_id(struct builder *b);

/* ---- transform.c ----------------------------------------------------------------- */

/* What a directive makes of a nest: each in a file of its own, found by the table
 * pragma/directives.def. */
struct transformation {
  /* The nest of BLOCK, which D stands on nearest, within OUTER; NULL: diagnosed. For
   * directives on blocks; else NULL. */
  struct nest *(*begin)(struct builder *b, TSNode block, const struct loop_directive *d,
                        struct dim *outer);
  /* Adds params for what D leaves open, before all else. False: diagnosed. May be NULL.
   */
  bool (*resolve)(struct builder *b, const struct nest *n,
                  const struct loop_directive *d);
  /* True if D may act on N, which stays as it is; otherwise diagnosed. */
  bool (*applies)(struct builder *b, const struct nest *n,
                  const struct loop_directive *d);
  /* Lets D act on N, to which it applies. */
  void (*make)(struct builder *b, struct nest *n, const struct loop_directive *d);
};
#define DIRECTIVE(kind, words, groups, name) \
  extern const struct transformation transform_##name;
#include "front/pragma/directives.def"
#undef DIRECTIVE
const struct transformation *transformation_of(const struct loop_directive *d);
/* Lets D act on N. False: diagnosed. */
bool transform(struct builder *b, struct nest *n, const struct loop_directive *d);

/* NULL: D has no such clause. */
const struct dir_clause *directive_clause(const struct loop_directive *d,
                                          const char *name);
/* The argument as the variant spells it: a macro or its text. */
const char *arg_text(const struct builder *b, const struct dir_arg *a);
/* The param that the argument is, or names; -1: none. */
int arg_param(const struct builder *b, const struct dir_arg *a);
/* Diagnoses A, which is WHAT ("a size"), unless it may be a positive integer. */
bool arg_is_positive(struct builder *b, const struct loop_directive *d,
                     const struct dir_arg *a, const char *what);
bool is_digits(struct slice s);
/* Diagnoses unless N has COUNT loops that D may act on. */
bool nest_has(struct builder *b, const struct nest *n, const struct loop_directive *d,
              unsigned count);
/* A directive acts on the loops FROM up to TO. */
void nest_touch(struct nest *n, unsigned from, unsigned to);
/* What ended the chain of loops too early, as a hint; NULL: it is not known. */
const char *nest_why_so_few(const struct builder *b, const struct nest *n);

/* ---- words.c --------------------------------------------------------------------- */
/* False: a clause of D has a word that OpenMP does not know; diagnosed. */
bool words_check(struct builder *b, const struct loop_directive *d);

/* ---- build.c --------------------------------------------------------------------- */
/* The nest of LOOP in the variant that B->point says; NULL: diagnosed. */
struct nest *nest_build(struct builder *b, TSNode loop);
/* True unless D is optional and this variant goes without it. */
bool directive_present(const struct builder *b, const struct loop_directive *d);
/* The loop over D's range as the source has it. */
struct loop loop_of(struct dim *d);
/* All directives on the chain that LOOP begins. */
const struct loop_directive **directives_of_chain(const struct builder *b, TSNode loop,
                                                  unsigned *n);

/* ---- loops.c --------------------------------------------------------------------- */
/* Assignments of values to the params that decide the structure of the nest of ROOT. */
struct variants {
  struct builder *b; /* b->point: the assignment at hand */
  TSNode root;
  int *params; /* ascending: what one depends on comes before it */
  unsigned n;
  void (*visit)(struct variants *v);
  struct text *out;
  unsigned written; /* branches of the #if so far */
};
/* Calls VISIT for each of them. */
void variants_visit(struct variants *v);
/* True if the param at place I matters, given the values of those before it. */
bool variants_matters(const struct variants *v, unsigned i);
/* The source from FROM to TO, with the nests in it replaced. */
void write_range(struct builder *b, size_t from, size_t to, struct text *out);

/* ---- write.c --------------------------------------------------------------------- */
void nest_write(struct builder *b, struct nest *n, struct text *out);
extern const char loops_prologue[]; /* macros that generated loops use */

/* ---- outline.c ------------------------------------------------------------------- */
/* The parameters and arguments of a function that what is in N can move to. False: it
 * cannot, or would gain nothing. */
bool outline(struct builder *b, TSNode root, const struct nest *n, struct text *params,
             struct text *args);

/* ---- shared.c, final.c ----------------------------------------------------------- */
/* Warns of variables that are assigned in a loop that threads share out and declared
 * outside of it. */
void shared_check(const struct builder *b);
/* Gives variables declared outside of N the values that the loops as written leave. */
void finals_write(struct builder *b, const struct nest *n, struct text *out);

#endif
