/* SPDX-License-Identifier: Apache-2.0 */
/* loops.h: loop nests and the directives that transform them. front.h declares the
 * functions that other folders call.
 *
 *   loops.c         all variants of all nests of a function, under #if
 *   build.c         the nest of one variant: a chain of loops and the directives on them
 *   transform.c     the table of transformations, and the code that they share
 *     tile.c, reverse.c, unroll.c, jam.c, interchange.c, fuse.c, openmp.c: one each
 *   fission.c       makes several nests of one, each with a part of the body
 *   reschedule.c    runs a nest in the order that front/affine finds
 *   chain.c         runs nests tile by tile, as front/affine finds
 *   around.c        directives that replace clauses of the author's own pragma of OpenMP
 *   words.c         the words that clauses of OpenMP accept
 *   range.c         iteration ranges as text: counts, ends, blocks, without overflow
 *   hull.c          blocks of a range that depends on other loops
 *   body.c          rejects bodies that jump out of a nest or change its bounds
 *   write.c         writes a nest as text
 *   cut.c           ends the outermost loops early, where the runtime asks for it
 *   region.c        splits `parallel for` into `parallel` and `for`
 *   outline.c       moves code that threads share into a function of its own
 *   exists.c        tells compilers which memory exists
 *   author.c        loops that only their author's pragma of OpenMP stands on
 *   final.c         gives variables declared outside of a nest their last values
 *   shared.c        warns about variables that threads share by mistake
 *   footprint.c     the bytes that a tile touches, as an expression
 *
 * The model. A nest is a list of generated loops, outermost first, around a body. A loop
 * runs over a range: VAR of TYPE from START while it is OP END in steps of STEP. These
 * use names from SETUP, statements somewhere before the loop, and from PRELUDE,
 * statements somewhere inside of the loop, before the first loop that needs them. NEEDS
 * names the other loops that SETUP must stand in, so a permutation is legal if each loop
 * comes after those that it needs. Every directive turns such a nest into such a nest,
 * which is why directives compose. */
#ifndef AUTOTUNE_LOOPS_H
#define AUTOTUNE_LOOPS_H

#include "front/analysis/basis.h"

enum unroll_hint { HINT_NONE, HINT_AUTO, HINT_PARTIAL, HINT_FULL };

struct loop {
  unsigned id;     /* as a bit in NEEDS */
  struct dim *dim; /* the loop of the source that it is made from */
  bool raw;        /* written as in the source: none of the fields up to GUARD is set */
  const char *var, *type;
  const char *start, *end, *op;
  const char *step;  /* "1", or the name of an unsigned long long variable */
  const char *count; /* number of iterations, an unsigned long long expression */
  bool down, pointer;
  const char *setup, *prelude; /* statements, or "" */
  const char *guard; /* a condition that must hold for the range to be valid; or NULL */
  uint64_t needs;    /* ids, as bits, of the loops that SETUP must stand in */
  bool grid;         /* it runs over tiles, not within them */
  /* Number of iterations in a tile: BLOCK times BLOCK_OF (NULL: BLOCK alone). BLOCK is
   * NULL if the loop is not tiled. */
  const struct dir_arg *block, *block_of;
  enum unroll_hint hint;
  const char *factor; /* of HINT_PARTIAL */
  const char *pragma; /* `#pragma omp …`, written directly before the loop; or NULL */
  size_t pragma_loop; /* offset of the loop that the pragma was written on */
  const struct region *region; /* the pragma as two; or NULL */
  bool sharing;                /* the pragma shares the iterations among threads */
  bool innermost;    /* the pragma goes to the loop that is innermost in the end */
  unsigned collapse; /* the most loops that the pragma applies to */
  /* the loop runs over blocks of iterations that go innermost; or NULL */
  struct jam *jam;
};

/* The iterations within the blocks of a loop. A full block becomes FACTOR copies of the
 * body, innermost; the rest becomes a loop. */
struct jam {
  struct loop *point; /* runs over one block */
  const char *full;   /* the condition that a block has FACTOR iterations */
  const char *factor;
  const struct dir_arg *arg; /* FACTOR as it stands in the directive */
  bool elide;                /* FACTOR can be compared in #if */
};

struct nest {
  struct loop *loops; /* outermost first */
  unsigned n;
  struct dim **dims; /* the source's loops, outermost first */
  unsigned n_dims;
  struct part { /* of the body: one part, or one for each loop that `fuse` joined */
    struct body body;
    const char *open, *close; /* text around it */
    bool skips;               /* it has a `continue` that leaves only this part */
    const char *labels;       /* the labels in it: "a, b"; or NULL */
    const char *text;         /* with the nests in it replaced. Set last, as … */
    unsigned copies;          /* … is the number of nest bodies in TEXT */
  } *parts;
  unsigned n_parts;
  struct between { /* declarations that stand between DIM's loop and the next */
    struct slice text;
    const struct dim *dim;
  } *between; /* the innermost first */
  unsigned n_between;
  TSNode stop;  /* the loop that ended the chain because it is not canonical; or null */
  TSNode root;  /* the loop or block that the outermost directive stands on */
  TSNode block; /* the block that `fuse` stands on, or null */
  /* from the beginning of the block's first fused loop to the end of the last */
  size_t from, to;
};

/* State of one pass over a function. */
struct builder {
  const struct source *s;
  const struct kernel *k;
  struct kernel *change; /* the same kernel while params may be added, else NULL */
  const struct function *f;
  struct usage u;  /* of F */
  unsigned *point; /* a value index for each param; only params of structure matter */
  bool *held;      /* for each param: the variants of a nest are being written, one for
                      each value of it; for nests in that one it has the value of POINT */
  /* Not NULL: only POINT is written, with its values in place of macros. FIXED is then
   * the prefix for names of functions made from nests. */
  const char *fixed;
  unsigned nests; /* so many loops count as nested although declarations stand between
                     them; 0: none do */
  bool resolve;   /* directives add the params that they need; no text is written */
  bool failed;    /* an error was reported: results are useless */
  unsigned next_id;
  struct text *functions; /* functions that the nests call; NULL in a part of a body */
  unsigned n_functions;
  struct slice lead;      /* other pragmas before the current nest */
  unsigned copies;        /* bodies written so far */
  struct author *authors; /* loops of the function that have no directive of ours */
  unsigned n_authors;
  struct cut { /* the outermost loops, in the order of the source, if they may end early
                */
    TSNode loop;
    size_t from, to;  /* of its bound in the source */
    const char *text; /* in its place */
    const char *last; /* what `to` of its struct iter is then, as text */
  } *cuts;
  unsigned n_cuts;
};

/* Returns a builder for F, a function of K, with all params at their first values. */
struct builder builder_of(const struct source *s, const struct kernel *k,
                          const struct function *f);

#define MAX_COPIES 1024
#define MAX_IDS 64

/* Reports an error, only the first one in each function. Always false. FAIL_AT: at the
 * directive D. */
#define FAIL(b, ...) \
  (!(b)->failed ? ((b)->failed = true, diag_error((b)->s, __VA_ARGS__), false) : false)
#define FAIL_AT(b, d, hint, ...) \
  FAIL(b, (d)->pragma->offset, (d)->pragma->end - (d)->pragma->offset, hint, __VA_ARGS__)

/* ---- body.c ---------------------------------------------------------------------- */
/* Returns false, after an error message, if N's body holds code that its directives do
 * not allow. */
bool body_check(struct builder *b, struct nest *n);
/* True if N's body changes D's variable or bounds, or ends D's loop early. */
bool body_changes(const struct builder *b, const struct nest *n, const struct dim *d);
/* True if a `continue` in BODY continues the loop around BODY. */
bool body_holds_continue(TSNode body);

/* ---- range.c --------------------------------------------------------------------- */
/* Gives a raw loop its range, which its setup evaluates once. */
void range_make(const struct builder *b, struct loop *l);
/* Returns "START advanced by OFFSET iterations" as an expression of L's type. */
const char *range_at(const struct loop *l, const char *offset);
/* Returns a loop over blocks of L. Its setup must still compute its end. */
struct loop range_counter(struct builder *b, const struct loop *l);
/* Splits L into blocks of SIZE: *GRID runs over them, *POINT in them. */
void range_strip(struct builder *b, const struct loop *l, const char *size,
                 struct loop *grid, struct loop *point);
/* The same if L's bounds depend on the N loops POINTS, which stand between *GRID and
 * *POINT. */
void range_strip_hull(struct builder *b, const struct loop *l, const char *size,
                      const struct loop *points, unsigned n, struct loop *grid,
                      struct loop *point);
/* Makes L run the same iterations from the last to the first. */
void range_reverse(struct builder *b, struct loop *l);
/* Makes L run the same iterations, counted upwards from 0. */
void range_count(struct builder *b, struct loop *l);
/* Splits L: *OFFSETS runs over the first SIZE iterations, *STRIPE from there over every
 * SIZE-th. */
void range_stripe(struct builder *b, const struct loop *l, const char *size,
                  struct loop *offsets, struct loop *stripe);
/* Appends "for (…) {", or the header as written. */
void range_header(struct text *out, const struct builder *b, const struct loop *l);
/* Appends `#line` for the text at OFFSET of the source. */
void write_line(const struct builder *b, struct text *out, size_t offset);
/* Returns a new id for a loop; reports an error if there are too many. */
unsigned new_id(struct builder *b);

/* ---- transform.c ----------------------------------------------------------------- */

/* Implements a directive: each has its own file, found by the table
 * pragma/directives.def. */
struct transformation {
  /* For directives on blocks, otherwise NULL: returns the nest of BLOCK, the block that D
   * stands on, within OUTER. NULL after an error, which was reported. */
  struct nest *(*begin)(struct builder *b, TSNode block, const struct loop_directive *d,
                        struct dim *outer);
  /* Adds the params that D needs for its open choices; runs before all else. May be NULL.
   * Returns false after an error, which was reported. */
  bool (*resolve)(struct builder *b, const struct nest *n,
                  const struct loop_directive *d);
  /* True if D may act on N, which it does not change; otherwise reports why not. */
  bool (*applies)(struct builder *b, const struct nest *n,
                  const struct loop_directive *d);
  /* Transforms N by D, for which `applies` was true. */
  void (*make)(struct builder *b, struct nest *n, const struct loop_directive *d);
};
#define DIRECTIVE(kind, words, groups, name) \
  extern const struct transformation transform_##name;
#include "front/pragma/directives.def"
#undef DIRECTIVE
const struct transformation *transformation_of(const struct loop_directive *d);
/* Transforms N by D. Returns false after an error, which was reported. */
bool transform(struct builder *b, struct nest *n, const struct loop_directive *d);

/* Returns D's clause of that name, or NULL. */
const struct dir_clause *directive_clause(const struct loop_directive *d,
                                          const char *name);
/* Returns the argument as the variant spells it: a macro or its text. */
const char *arg_text(const struct builder *b, const struct dir_arg *a);
/* Returns the index of the param that the argument is or names; -1: it is no param. */
int arg_param(const struct builder *b, const struct dir_arg *a);
/* Reports an error about A, a part of P, which is WHAT ("a size"), unless it may be a
 * positive integer. */
bool arg_is_positive(struct builder *b, const struct pragma *p, const struct dir_arg *a,
                     const char *what);
bool is_digits(struct slice s);
/* Reports an error unless N has COUNT loops that D may act on. */
bool nest_has(struct builder *b, const struct nest *n, const struct loop_directive *d,
              unsigned count);
/* Marks the loops FROM up to TO as affected by a directive. */
void nest_touch(struct nest *n, unsigned from, unsigned to);
/* Returns as a hint what ended the chain of loops too early; NULL: unknown. */
const char *nest_why_so_few(const struct builder *b, const struct nest *n);

/* ---- around.c -------------------------------------------------------------------- */
/* True if D stands directly below OVER, the author's own pragma of OpenMP, and is a
 * directive of OpenMP too. */
bool around_meets(const struct loop_directive *over, const struct loop_directive *d);
/* Returns OVER with D's clauses in place of its own of the same names. After an error,
 * which was reported, the result is OVER. */
const struct loop_directive *around_join(struct builder *b,
                                         const struct loop_directive *over,
                                         const struct loop_directive *d);

/* ---- words.c --------------------------------------------------------------------- */
/* Returns false, after an error message, if a clause of D has a word that OpenMP does not
 * know. */
bool words_check(struct builder *b, const struct loop_directive *d);

/* ---- build.c --------------------------------------------------------------------- */
/* Returns the nest of LOOP in the variant at B->point. NULL after an error, which was
 * reported. */
struct nest *nest_build(struct builder *b, TSNode loop);
/* True unless D, or the `fission` of whose part it is, is optional, and this variant
 * omits it. */
bool directive_present(const struct builder *b, const struct loop_directive *d);
/* Returns a loop over D's range, as the source has it. */
struct loop loop_of(struct dim *d);
/* Returns all directives on the chain of loops that begins with LOOP; *N is their
 * number. */
const struct loop_directive **directives_of_chain(const struct builder *b, TSNode loop,
                                                  unsigned *n);

/* ---- loops.c --------------------------------------------------------------------- */
/* Assignments of values to the params that decide the structure of the nest of ROOT. */
struct variants {
  struct builder *b; /* b->point is the current assignment */
  TSNode root;
  int *params; /* ascending: a param comes after those that it depends on */
  unsigned n;
  void (*visit)(struct variants *v);
  struct text *out;
  unsigned written; /* branches of the #if so far */
};
/* Calls VISIT for each assignment. */
void variants_visit(struct variants *v);
/* True if the param at place I matters, given the values of those before it. */
bool variants_matters(const struct variants *v, unsigned i);
/* Appends the source from FROM to TO, with the nests in it replaced. */
void write_range(struct builder *b, size_t from, size_t to, struct text *out);

/* ---- fission.c ------------------------------------------------------------------- */
/* Returns the `fission` on LOOP that this variant has; NULL: it has none. */
const struct loop_directive *fission_present(const struct builder *b, TSNode loop);
/* Calls V's VISIT for each assignment of each part of the nest that D divides, with the
 * focus on that part. */
void fission_visit(const struct variants *v, const struct loop_directive *d);
/* Makes directives of F, of K, absent where the `fission` of whose part they are is. */
void fission_depend(const struct source *s, struct kernel *k, struct function *f);
/* Warns of variables that one part of a divided body sets for another. */
void fission_check(const struct builder *b);

/* ---- buffers.c ------------------------------------------------------------------- */

struct tile_buffer;
enum { BUFFER_LINE = 64 }; /* bytes: each buffer begins at a multiple */
/* Returns the bytes of the N buffers LIST as an expression in `autotune_size0`, ….
 * NAMES: in the variables of buffers_widths. */
const char *buffers_bytes(const struct tile_buffer *list, unsigned n, bool names);
/* Write the widths of buffers; the buffers themselves, in `autotune_memory`; and, in a
 * tile, the subscripts of their first elements. */
void buffers_widths(const struct tile_buffer *list, unsigned n, struct text *out);
void buffers_begin(const struct tile_buffer *list, unsigned n, struct text *out);
void buffers_origins(const struct tile_buffer *list, unsigned n, struct text *out);

/* ---- reschedule.c ---------------------------------------------------------------- */
/* Returns the `reschedule` on LOOP that this variant has; NULL: it has none. */
const struct loop_directive *reschedule_present(const struct builder *b, TSNode loop);
/* Writes the loop of D in the order that D->affine has. */
void reschedule_write(struct builder *b, const struct loop_directive *d,
                      struct text *out);
/* Returns D's clause NAME as text, or "". */
const char *reschedule_clause(const struct builder *b, const struct loop_directive *d,
                              const char *name);
/* Reports an error, and returns false, if D cannot stand where it does, or if it has
 * fewer sizes than LEAST. */
bool reschedule_check(struct builder *b, const struct loop_directive *d, unsigned least);

/* Returns why M does not have LOOP, and sets *AT to the place if it is another one. */
struct model;
const char *reschedule_unknown(const struct model *m, TSNode loop, TSNode *at);

/* ---- chain.c --------------------------------------------------------------------- */
/* Returns the `chain` on BLOCK that this variant has; NULL: it has none. */
const struct loop_directive *chain_present(const struct builder *b, TSNode block);
/* Writes the block of D in the tiles that D->chain has. */
void chain_write(struct builder *b, const struct loop_directive *d, struct text *out);

/* ---- openmp.c -------------------------------------------------------------------- */
/* Appends the clause C. */
void openmp_clause(const struct builder *b, struct text *t, const struct dir_clause *c);

/* ---- write.c --------------------------------------------------------------------- */
void nest_write(struct builder *b, struct nest *n, struct text *out);
extern const char loops_prologue[]; /* macros that generated loops use */

/* ---- region.c -------------------------------------------------------------------- */

/* `#pragma omp parallel for …` as two pragmas. */
struct region {
  const char *team, *share; /* `#pragma omp parallel …`, `#pragma omp for …`: lines */
  struct slice *own, *first, *sums; /* of private, firstprivate and reduction */
  unsigned n_own, n_first, n_sums;
};
/* Returns NULL if the text PRAGMA is another pragma, or has a clause that prevents it. */
const struct region *region_of(struct slice pragma);

/* ---- outline.c ------------------------------------------------------------------- */

/* What the function needs to which code was moved. */
struct moved {
  struct text params, args; /* "double *x, int n"; "x, n" */
  struct text begin, end;   /* statements before and after the code */
};
/* Fills M for code of the loop ROOT, all of it with its pragma R or, R NULL, what is
 * inside of the first AT loops of N. N NULL: the loop is as written. Returns false if the
 * code cannot be moved, or would not become faster. */
bool outline(struct builder *b, TSNode root, const struct nest *n, unsigned at,
             const struct region *r, struct moved *m);
/* Returns the name of the next function that is made of code of B's function. */
const char *outline_name(struct builder *b);

/* ---- cut.c ----------------------------------------------------------------------- */

/* Finds the loops of B's function that may end early. Without it none do. */
void cut_begin(struct builder *b);
/* Replaces D's bound if D is one of them. */
void cut_dim(const struct builder *b, struct dim *d);
/* Returns `to` of LOOP's struct iter, as text, if LOOP is one of them; otherwise NULL. */
const char *cut_last(const struct builder *b, TSNode loop);
/* Appends the source from FROM to TO, with the bounds of these loops replaced. */
void cut_write(const struct builder *b, size_t from, size_t to, struct text *out);
extern const char cut_prologue[]; /* macros that these bounds use */

/* ---- constants.c ----------------------------------------------------------------- */

/* Opens a block at the head of B's function, in which integers of the key have the values
 * that the runtime defines. False: there are none, and no block is open. */
bool constants_write(const struct builder *b, struct text *out);
/* Defines what it uses. */
void constants_write_macros(const struct builder *b, struct text *out);

/* ---- exists.c -------------------------------------------------------------------- */

/* Writes statements about the memory of the sections for the head of B's function. */
void exists_write(const struct builder *b, struct text *out);
/* Defines what these statements use, if BODY has some. */
void exists_write_macro(const struct text *body, struct text *before);

/* ---- author.c -------------------------------------------------------------------- */

/* A loop under its author's `#pragma omp parallel for`, without a directive of ours. */
struct author {
  size_t from, start, end; /* of the pragma, and of the loop */
  TSNode loop;
  const struct region *region;
};
/* Returns those of F, in order, that can be split. */
struct author *authors_of(const struct source *s, const struct function *f,
                          const struct usage *u, unsigned *n);
/* Appends A's loop, whose text is LOOP, as a call of a function with the loop; or as
 * written. */
void author_write(struct builder *b, const struct author *a, struct slice loop,
                  struct text *out);

/* ---- shared.c, final.c ----------------------------------------------------------- */
/* Warns of variables that are declared outside of a loop shared among threads and
 * assigned in it. */
void shared_check(const struct builder *b);
/* Writes assignments that give variables declared outside of N the values which the loops
 * as written would leave. */
void finals_write(struct builder *b, const struct nest *n, struct text *out);

#endif
