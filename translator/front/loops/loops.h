/* SPDX-License-Identifier: Apache-2.0 */
/* loops.h: loop nests and what the directives make of them; translator.h has the entry
 * points.
 *
 *   nest.c          a `for` of the source becomes a struct dim, if it is in OpenMP's
 * canonical form body.c          what the body of a nest must not hold: jumps out of it,
 * changed variables range.c         iteration ranges as text: counts, ends, blocks,
 * without overflow hull.c          blocks of a range that depends on other loops
 *   transform.c     tile, stripe, reverse, unroll, unroll_and_jam on a nest
 *   interchange.c   permutations
 *   openmp.c        directives that are handed on
 *   fuse.c          a block of loops becomes one
 *   build.c         the nest of one variant: a chain of loops and the directives on them,
 * inner first loops.c         all variants of all nests of a function, under #if write.c
 * a nest becomes text outline.c       and what threads share out a function of its own
 *   footprint.c     what a tile touches, as an expression
 *   private.c       and each thread variables of its own
 *   shared.c        a warning about variables that threads share by mistake
 *   final.c         and variables declared outside of it get the values that the source
 * leaves
 *
 * The model. A nest is a list of generated loops, outermost first, around a body. A loop
 * runs over a range: VAR of TYPE from START while it is OP END in steps of STEP; names in
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
  unsigned id; /* bit of NEEDS */
  struct dim *dim;
  bool raw; /* as written: none of the fields up to GUARD is set */
  const char *var, *type;
  const char *start, *end, *op;
  const char *step;  /* "1", or a name of unsigned long long */
  const char *count; /* how many iterations, unsigned long long */
  bool down, pointer;
  const char *setup, *prelude; /* "" where there is nothing */
  const char *guard; /* a condition without which the range is not one; or NULL */
  uint64_t needs;
  bool grid; /* runs over the tiles, not in them */
  const struct dir_arg
      *block; /* how many of its iterations a tile has, each of them times BLOCK_OF where
                 that is not NULL; NULL: it is not tiled */
  const struct dir_arg *block_of;
  enum unroll_hint hint;
  const char *factor;
  const char *pragma; /* `#pragma omp …`, to stand right before it */
  size_t pragma_loop; /* where the loop stands that it was written on */
  bool sharing;       /* that pragma shares iterations out among threads */
  bool innermost;     /* that pragma goes to whichever loop is innermost in the end */
  unsigned collapse;  /* how many loops that pragma takes, at most */
  struct jam *jam;    /* this loop runs over blocks of iterations that go innermost */
};

/* The iterations within the blocks of a loop: full blocks become FACTOR copies of the
 * body, which stand innermost; the rest a loop. */
struct jam {
  struct loop *point; /* over one block */
  const char *full;   /* condition: there are FACTOR iterations */
  const char *factor;
  const struct dir_arg *arg; /* FACTOR as it stands in the directive */
  bool elide;                /* FACTOR may be compared in #if */
};

struct nest {
  struct loop *loops;
  unsigned n;
  struct dim **dims;
  unsigned n_dims; /* the source's loops, outermost first */
  struct part {    /* of the body: one, or for each loop that `fuse` joined one */
    TSNode body;
    const char *open, *close; /* what stands around it */
    bool skips;               /* holds a `continue` that only leaves this part */
    const char *labels;       /* "a, b": in it; or NULL */
    const char *text;
    unsigned copies; /* set last: with the nests in it replaced */
  } *parts;
  unsigned n_parts;
  TSNode stop; /* the loop that ended the chain for not being canonical; or null */
  TSNode root;
  TSNode block;    /* that `fuse` stands on, or null */
  size_t from, to; /* where its first fused loop begins, its last one ends */
};

/* One pass over a function. */
struct builder {
  const struct source *s;
  const struct kernel *k;
  struct kernel *change; /* the same while params may be added, else NULL */
  const struct function *f;
  struct usage u;    /* of F */
  unsigned *point;   /* a value index for each param; only those of structure count */
  const char *fixed; /* not NULL: POINT is all that is written, with its values in place
                        of macros; what functions are called that are made of nests */
  bool resolve;      /* permutation(any) becomes a param; nothing is written */
  bool failed;       /* diagnosed: nothing more is of use */
  unsigned next_id;
  struct text *
      functions; /* that the nests call: go before the function; NULL in part of a body */
  unsigned n_functions;
  struct slice lead; /* pragmas of others in front of the nest at hand */
  unsigned copies;   /* of bodies, so far */
};

/* A builder for F, a function of K, with all params at their first values. */
struct builder builder_of(const struct source *s, const struct kernel *k,
                          const struct function *f);

#define MAX_COPIES 1024
#define MAX_IDS 64

/* Diagnoses, once for each function. Always false. */
#define FAIL(b, ...) \
  (!(b)->failed ? ((b)->failed = true, diag_error((b)->s, __VA_ARGS__), false) : false)

#define FAIL_AT(b, d, hint, ...) \
  FAIL(b, (d)->pragma->offset, (d)->pragma->end - (d)->pragma->offset, hint, __VA_ARGS__)

/* ---- body.c ---------------------------------------------------------------------- */
/* Diagnoses what stands against the directives on N. */
bool body_check(struct builder *b, struct nest *n);
/* True when it changes D's variable or bounds, or ends D's loop early. */
bool body_changes(const struct builder *b, const struct nest *n, const struct dim *d);
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
void range_reverse(struct builder *b, struct loop *l);
/* The same iterations, counted upwards from 0. */
void range_count(struct builder *b, struct loop *l);
void range_stripe(struct builder *b, const struct loop *l, const char *size,
                  struct loop *offsets, struct loop *stripe);
/* "for (…) {", or the header as written. */
void range_header(struct text *out, const struct builder *b, const struct loop *l);
void write_line(const struct builder *b, struct text *out, size_t offset); /* #line */
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
/* False: a clause has a word that it does not know, and that is told. */
bool words_check(struct builder *b, const struct loop_directive *d);

/* ---- build.c --------------------------------------------------------------------- */
/* The nest of LOOP in the variant that B->point says; NULL: diagnosed. */
struct nest *nest_build(struct builder *b, TSNode loop);
bool directive_present(const struct builder *b, const struct loop_directive *d);
/* The loop over D's range as the source has it. */
struct loop loop_of(struct dim *d);
/* All directives on the chain that LOOP begins. */
const struct loop_directive **directives_of_chain(const struct builder *b, TSNode loop,
                                                  unsigned *n);

/* ---- loops.c --------------------------------------------------------------------- */
/* Assignments of values to the params that decide the structure of the nest of ROOT. */
struct variants {
  struct builder *b; /* b->point: the one at hand */
  TSNode root;
  int *params;
  unsigned n; /* ascending: what one depends on comes before it */
  void (*visit)(struct variants *v);
  struct text *out;
  unsigned written;
};
/* Calls VISIT for each of them. */
void variants_visit(struct variants *v);
/* Does the param at place I matter, given the values of those before it? */
bool variants_matters(const struct variants *v, unsigned i);
/* The source from FROM to TO, with the nests in it replaced. */
void write_range(struct builder *b, size_t from, size_t to, struct text *out);

/* ---- write.c --------------------------------------------------------------------- */
void nest_write(struct builder *b, struct nest *n, struct text *out);
/* outline.c: the parameters and arguments of a function that what is in N can move to;
 * false: it cannot, or would gain nothing. */
bool outline(struct builder *b, TSNode root, const struct nest *n, struct text *params,
             struct text *args);
/* shared.c: warns of what is assigned in a loop that threads share out and declared
 * outside of it. */
void shared_check(const struct builder *b);
/* final.c */
void finals_write(struct builder *b, const struct nest *n, struct text *out);
extern const char loops_prologue[];

#endif
