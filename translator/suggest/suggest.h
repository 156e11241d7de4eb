/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.h: suggests pragmas for a function, as a patch.
 *
 *   band.c        decides what the dependences and variables of a chain of loops allow
 *   strip.c       blocks of one loop outermost, other orders inside
 *   reduce.c      sums in the elements of an array
 *   work.c        estimates how many operations a loop takes
 *   divide.c      loops that may be divided
 *   reschedule.c  nests for which isl finds a new order
 *   chain.c       nests of which later ones read what earlier ones write
 *   once.c        finds functions that only set up data
 *   plan.c        chooses directives that use this, with sets for this machine
 *   pragma.c      writes the pragma of a kernel
 *   notes.c       the messages
 *   nests.c       reads loops as kernels of their own
 *   openmp.c      reads the author's `#pragma omp …`
 *   exchange.c    another order of the author's parallel loops
 *   team.c        clauses of the author's parallel loops that are worth exploring
 *   race.c        whether threads may race in such a loop
 *   vary.c        decides whether compilers and flags alone are worth trying
 *   conditionals.c  the #ifs of a file
 *   active.c      the text of a file that the build compiles
 *   fit.c         puts what was found there into the file as it is written
 *   patch.c       inserts lines into a file, as a unified diff
 *   calls.c       which functions of a file call which
 *   plain.c       what may be proposed in C++
 *   owned.c       arrays that the function allocates itself
 *   candidates.c  finds the functions of a file that may be kernels
 *   examine.c     examines a function or loop that may be a kernel
 *   file.c        proposes kernels in a file and reports the assumptions
 *   refused.c     drops those that the translator refuses
 *   outcomes.c    reads the results of programs that were built with suggestions
 *   won.c         keeps the kernels that have become faster there */
#ifndef AUTOTUNE_SUGGEST_H
#define AUTOTUNE_SUGGEST_H

#include <limits.h>

#include "autotune_abi.h"
#include "front/analysis/analysis.h"
#include "front/kernel/kernel.h"
#include "nest.h"

/* ---- work.c ---------------------------------------------------------------------- */

/* Returns how many operations N takes at most, a loop or a statement, for one entry;
 * infinite: N's loops have bounds that are no numbers, or N calls what is not known. */
double work_of(const struct model *m, TSNode n);
/* Returns how often LOOP's body runs at most for one entry; infinite: not known. */
double work_trips(const struct model *m, TSNode loop);

/* ---- once.c ---------------------------------------------------------------------- */

/* True if F, a function of S whose model is M, only fills arrays with values that it
 * computes of its counters and arguments, and the program runs it once: `main` leads to
 * it by one call each, outside of loops. */
bool once_sets_up(const struct source *s, const struct model *m);
/* True if the program runs N, a statement of S, once: no loop is around it or its
 * function's call. */
bool once_at(const struct source *s, TSNode n);

/* ---- openmp.c -------------------------------------------------------------------- */

enum openmp {
  OPENMP_PARALLEL = 1,
  OPENMP_FOR = 2, /* threads share the loop */
  OPENMP_SIMD = 4,
  OPENMP_SEVERAL = 8, /* it binds loops in its loop too, or their order */
  OPENMP_OTHER = 16   /* any other directive */
};
/* Returns what the directives of OpenMP directly before AT's line say, as bits; 0: there
 * are none. *FIRST: where the first line of these directives begins, also of others than
 * OpenMP's; else AT's line. */
unsigned openmp_above(const struct source *s, size_t at, size_t *first);
/* Returns the same for the nearest directive of OpenMP above AT's line, if nothing but
 * blank lines and comments are between. *WORDS: those of the directive; *LINE: its text,
 * a part of S's bare text. */
unsigned openmp_nearest(const struct source *s, size_t at, const char **words,
                        struct slice *line);
/* Returns the same for all directives from START to END. */
unsigned openmp_within(const struct source *s, size_t start, size_t end);
/* Returns the word for the first of these that concerns more than a loop: "sections";
 * empty: there is none. */
struct slice openmp_other(const struct source *s, size_t start, size_t end);
/* True if a loop or block around N has directives that concern threads. */
bool openmp_around(const struct source *s, TSNode n);

/* ---- conditionals.c -------------------------------------------------------------- */

struct conditional { /* an #if with its branches */
  struct conditional_line {
    size_t start, end; /* of the directive, without the newline */
    unsigned number;   /* among those of the file */
  } *lines;            /* of #if, #elif, #else, #endif */
  unsigned n;
  int depth; /* of braces around it: all branches but the last are taken to close theirs
              */
};
struct conditionals {
  struct conditional *list; /* an #if in another one comes before that */
  unsigned n;
  unsigned n_lines; /* of all */
};
struct conditionals conditionals_of(const struct source *s);

/* ---- active.c -------------------------------------------------------------------- */

/* Returns S as the build compiles it. The directives of an #if within braces are blank,
 * and the branches that the build leaves out: AUTOMATIC, or none of these has `#pragma
 * omp`. AUTOMATIC: so are those that the build, without OpenMP, does not read. Offsets
 * stay the same. Returns S if nothing changes, or the build's options are not known. */
struct source *active_text(struct source *s, const struct compile_options *o,
                           bool automatic);

/* ---- vary.c ---------------------------------------------------------------------- */

/* What a kernel computes with, as far as it was read. */
struct numbers {
  bool real;      /* floating-point numbers */
  bool guarded;   /* some operations are slower because they may set errno or trap */
  bool recurrent; /* iterations of an innermost loop wait for the results of others */
};

/* True if M's function computes with floating-point numbers in a loop, and runs nothing
 * but code that is in sight and keeps nothing in static variables of functions, so that
 * it can be run again and again. Loops that only copy or fill do not count, since
 * compilers call memcpy for these. OPENMP: it has its author's directives of OpenMP, with
 * which all loops count, also those of integers that compute, and may have macros that
 * are not followed. *NUMBERS is set. */
bool vary_may(struct model *m, bool openmp, struct numbers *numbers);
/* True if M's function runs nothing but such code, and nothing that depends on which
 * thread runs it, or on their number. */
bool vary_any_thread(const struct model *m);

/* ---- plan.c ---------------------------------------------------------------------- */

struct insertion {
  size_t offset;    /* in the file: before the line that contains it … */
  const char *text; /* … insert these lines */
  bool below;       /* a directive of OpenMP is directly before them */
};
struct plan {
  struct insertion *list;
  unsigned n;
  bool threads;        /* a directive uses the param of that name */
  struct around_line { /* of a directive around the author's own, which needs no proof */
    struct insertion line;
    TSNode loop;
    const char *why; /* it is proposed */
  } *around;
  unsigned n_around;
  struct note *notes; /* loops that stay as they are, and why */
  unsigned n_notes;
};
/* THREADS is the name for the param that sets the number of threads. SHARED: the function
 * is a statement that runs in a thread of a team, or makes one. */
struct plan plan_function(struct model *m, const char *threads, bool shared);
const struct autotune_machine *plan_machine(void);
/* True if a jump may leave a loop in N, or N. */
bool plan_jumps(TSNode n);

/* ---- reschedule.c ---------------------------------------------------------------- */

/* Adds `reschedule` for the nest of LOOP to PLAN, if its order allows tiles of LOOP and
 * of loops in it. False: it adds nothing. */
bool reschedule_propose(struct model *m, struct iter *loop, const char *threads,
                        struct plan *plan);
/* The same, but only if tiles of it can run in blocks of sums: that is faster than what
 * other directives make of such a nest. */
bool reschedule_propose_blocks(struct model *m, struct iter *loop, const char *threads,
                               struct plan *plan);

/* ---- chain.c --------------------------------------------------------------------- */

/* Adds `chain` for nests in BLOCK, next to each other, to PLAN. Sets *ALL to these.
 * False: it adds nothing. */
bool chain_propose(struct model *m, TSNode block, const char *threads, struct plan *plan,
                   struct body *all);

/* ---- exchange.c ------------------------------------------------------------------ */

/* Adds to PLAN an order of the N loops of CHAIN, if that is better below the author's
 * directive on the first one. False: it adds nothing. */
bool exchange_propose(struct model *m, struct iter *const *chain, unsigned n,
                      struct plan *plan);

/* ---- team.c ---------------------------------------------------------------------- */

/* Adds to PLAN directives that explore clauses of the author's parallel loops in M's
 * function. THREADS: as for plan_function. */
void team_propose(struct model *m, const char *threads, struct plan *plan);

/* ---- race.c ---------------------------------------------------------------------- */

/* True if threads may race in LOOP, M's loop with the author's directive LINE: for a
 * variable that they share, or for elements whose subscripts are read from memory. */
bool race_may(const struct model *m, TSNode loop, struct slice line);

/* How far floating-point results of variants may be from those of the code as written. */
enum digits {
  DIGITS_CLOSE, /* rounded as another compiler, or another order of sums, might */
  DIGITS_FAST,  /* as -ffast-math allows: without infinities, too */
  DIGITS_EXACT, /* the same bits */
};

/* How suggestions are made. */
struct suggest_how {
  bool automatic; /* for a build, and nobody reads the notes: nothing is assumed which a
                     call cannot show (struct compile_options, apart), and functions of
                     headers are left out */
  enum digits digits;
};

/* ---- notes.c --------------------------------------------------------------------- */

/* The facts about a kernel that may be proposed. */
struct finding {
  const struct model *m;
  struct plan plan;
  struct sections sections;
  bool varies; /* compilers may differ, and flags */
  struct numbers numbers;
  const char *what;          /* for messages: "'f'", "the loop in line 5 of 'f'" */
  const struct source *file; /* as the user has it; the model's may differ */
  size_t at;                 /* where the function or loop begins in FILE */
  bool checked;              /* each call looks whether what is assumed holds */
  bool unchecked;            /* dropped: no call could look whether it is right */
  bool divided;              /* an #if in it may leave other code to another build */
  bool odd;                  /* it is C++ that may mean something else than in C */
};
/* Prints a note about the place AT of S on standard error. */
void notes_say(const struct source *s, size_t at, const char *text);
/* Prints what F assumes and what it could not prove, or the reason why nothing is
 * proposed. */
void notes_print(const struct finding *f);

/* ---- candidates.c ---------------------------------------------------------------- */

struct mixed { /* a function that is no kernel, but whose loops may be */
  TSNode node;
  const char *name;
  const char *why;       /* the head is not as a kernel's; or NULL */
  struct finding *whole; /* of the function as a kernel; or NULL */
  unsigned index;        /* then: of its proposal */
  bool waits;            /* then: a kernel that calls it comes first */
};
struct candidates {
  const struct source *s;       /* the text that the build compiles */
  const struct source *file;    /* as the user has it */
  const struct pragma *pragmas; /* of ours, in the file */
  unsigned n_pragmas;
  struct suggest_how how;
  /* Found: */
  struct kernel *list; /* functions that may be kernels */
  unsigned n;
  struct mixed *mixed; /* functions of which only loops may be */
  unsigned n_mixed;
  TSNode *seen; /* all functions in the tree */
  unsigned n_seen;
  const char **written; /* names of functions that are kernels already */
  unsigned n_written;
  bool loops; /* a function has some */
};
/* True if TEXT may have loops. */
bool candidates_loops(struct slice text);
/* Adds the functions within N to C, whose first four fields are set. */
void candidates_find(struct candidates *c, TSNode n);
/* Prints a note for each function with loops that the tree does not show, because an #if
 * or a macro hides a part of its syntax. X: the file as the compiler sees it. */
void candidates_say_hidden(struct candidates *c, const struct expansion *x);

/* ---- calls.c --------------------------------------------------------------------- */

/* True if N, a part of the file, calls the function NAME, also through functions of the
 * file. */
bool calls_reach(const struct candidates *c, TSNode n, const char *name);
/* Returns the length of the longest chain of callers that leads to NAME, up to a limit.
 */
unsigned calls_depth(const struct candidates *c, const char *name);
/* True if a parallel loop or region of the file leads to NAME. */
bool calls_shared(const struct candidates *c, const char *name);

/* ---- owned.c --------------------------------------------------------------------- */

/* True if each array of M, the loop LOOP of the file as a function, is an object that
 * LOOP's function has allocated: then none overlaps another one. */
bool owned_all(const struct candidates *c, const struct expansion *x, TSNode loop,
               const struct model *m);

/* ---- pragma.c -------------------------------------------------------------------- */

/* Returns the pragma of F's kernel, with INDENT before its lines. THREADS is the name of
 * the param of threads, or NULL. Sections of variables that the kernel's function alone
 * has are left out. */
const char *pragma_of_kernel(const struct finding *f, const char *threads,
                             enum digits digits, const char *indent);

/* ---- plain.c --------------------------------------------------------------------- */

/* Refuses M if it is of a file of C++ and may mean something else than in C. Returns the
 * reason, and sets *AT to its place; NULL: it may not. */
const char *plain_check(struct model *m, TSNode *at);
/* Returns where FUNCTION begins, with `template <…>`. */
size_t plain_start(TSNode function);
/* True if FUNCTION of S is a member of a class, or defined outside of its namespace. */
bool plain_is_member(const struct source *s, TSNode function);

/* ---- nests.c --------------------------------------------------------------------- */

struct nest_kernel {    /* a loop, or the block of a parallel region, as a kernel */
  TSNode loop;          /* in the file; it begins its line */
  size_t at;            /* the kernel's line: before directives of others */
  unsigned openmp;      /* those of OpenMP, as bits of enum openmp */
  const char *function; /* the name of the function around it */
  const struct source *source; /* the file with the loop as a function, … */
  struct kernel *k;            /* … which this is; NULL: it cannot be one … */
  const struct expansion *x;
  const char *why; /* … for this reason; NULL: an #if leaves it out */
};
struct nests {
  struct nest_kernel *list;
  unsigned n;
};
/* Adds to NESTS the outermost loops in N, a part of FUNCTION, that are worth a kernel. A
 * loop without further loops that two others start again and again is not. A loop that
 * does not begin its line is left out with a note. */
void nests_collect(const struct source *s, TSNode n, const char *function,
                   struct nests *nests);
/* The same for the code in N, a loop or block. */
void nests_inside(const struct source *s, TSNode n, const char *function,
                  struct nests *nests);
/* True if a loop is in N, a loop or block. */
bool nests_hold(TSNode n);
void nests_sort(struct nests *nests); /* by their places */
/* Sets SOURCE, K, X and WHY of the N loops LIST of S, sorted by their places. None may be
 * in another one or in a kernel. */
void nests_outline(const struct source *s, struct nest_kernel *list, unsigned n,
                   const struct compile_options *o);
/* Returns how M's function was written, if it was a statement; NULL: it was none. */
const struct outlined *nests_outlined(const struct model *m);
/* Returns TEXT, of M, with x.size() for the arguments that only M's function has. */
const char *nests_written(const struct model *m, const char *text);
/* Notes which arrays of M are the elements of containers: these own their memory. */
void nests_own(struct model *m);
/* Returns the offset in S of the line that has the offset AT in K's source. */
size_t nests_offset(const struct source *s, const struct nest_kernel *k, size_t at);

/* ---- examine.c ------------------------------------------------------------------- */

struct subject {          /* a function or loop that may be a kernel */
  const struct source *s; /* K's file, perhaps with the loop as a function */
  const struct expansion *x;
  struct kernel *k;
  bool openmp, shared; /* it has directives of OpenMP; threads share it or run it */
  TSNode loop;         /* null: K is a function of the file */
  const char *what;    /* as in struct finding */
  size_t at, end;      /* of the function or loop in its file */
};
/* Examines K. THREADS: as for plan_function. */
struct finding examine(const struct candidates *c, const struct subject *k,
                       const char *threads);
/* True if a directive of PLAN has the param of threads. */
bool examine_has_threads(const struct plan *plan);

/* ---- patch.c --------------------------------------------------------------------- */

/* Returns the text from the beginning of OFFSET's line to OFFSET. */
const char *patch_indent(const struct source *s, size_t offset);
/* True if only blanks stand before OFFSET in its line. */
bool patch_begins_line(const struct source *s, size_t offset);
unsigned patch_lines(const char *text); /* the number of lines in TEXT */
/* Sorts LIST by offset; what has the same offset keeps its order. */
void patch_sort(struct insertion *list, unsigned n);
/* Writes the text of S with the lines of LIST inserted. LIST must be sorted by offset. */
void patch_apply(const struct source *s, const struct insertion *list, unsigned n,
                 struct text *out);
/* The same for a compiler: all lines of S keep their numbers. */
void patch_number(const struct source *s, const struct insertion *list, unsigned n,
                  struct text *out);
/* The same as a unified diff. */
void patch_write(const struct source *s, const struct insertion *list, unsigned n,
                 struct text *out);

/* ---- fit.c ----------------------------------------------------------------------- */

#define FIT_DIVIDED "an #if in it may leave other code to another build"

/* Puts LINE, which stands before a loop in ACTIVE, into FILE (active.c). Returns NULL, or
 * the reason why that is impossible. */
const char *fit_line(const struct source *file, const struct source *active,
                     struct insertion *line);
/* True if an #else or #endif is the last line before AT's that is not blank and no
 * comment. */
bool fit_is_divided(const struct source *file, size_t at);
/* True if FILE and ACTIVE are the same from START to END. */
bool fit_is_same(const struct source *file, const struct source *active, size_t start,
                 size_t end);

/* ---- refused.c ------------------------------------------------------------------- */

struct proposal { /* the lines of one kernel */
  struct insertion *list;
  unsigned n; /* 0: dropped */
  const char *function;
  const char *what; /* as in struct finding */
  TSNode node;      /* the function, or a loop in it */
};
struct proposals {
  struct proposal *list;
  unsigned n;
};
/* Returns NULL if the other commands accept S with the N lines LIST, which are sorted;
 * otherwise their first error. diag_noted has all. */
const char *refused_why(const struct source *s, const struct insertion *list, unsigned n,
                        const struct compile_options *o);
/* Drops the proposals of ALL with which the translator refuses the file, and says why.
 * Returns the lines of the others, sorted, and their number in *N. */
struct insertion *refused_drop_all(const struct candidates *c, struct proposals *all,
                                   const struct compile_options *o, unsigned *n);

/* ---- file.c ---------------------------------------------------------------------- */

struct suggested {      /* a kernel that is proposed */
  const char *what;     /* for messages: "'f'", "the loop in line 5 of 'f'" */
  const char *function; /* the function, or the one around the loop */
  bool whole;           /* the function */
  size_t at, end;       /* of the function or the loop */
  struct insertion *list;
  unsigned n;
};
struct suggestions {
  const struct source *source; /* in which the lines stand: for a build, the text that it
                                  compiles; otherwise the file */
  struct insertion *list;      /* of all kernels, sorted */
  unsigned n;
  const char **names; /* of the functions that LIST makes kernels; NULL at the end */
  struct suggested *kernels;
  unsigned n_kernels;
  bool loops; /* a function of the file has some */
};
/* Finds pragmas for FILE, and says on standard error what they rest on and what could not
 * be proven. False: FILE has errors, all diagnosed. */
bool suggest_file(struct source *file, const struct compile_options *o,
                  struct suggest_how how, struct suggestions *found);

/* ---- won.c ----------------------------------------------------------------------- */

struct outcomes; /* outcomes.h */
/* Keeps of FOUND, the automatic suggestions for FILE, the kernels that won, and puts them
 * into FILE. Says on standard error of each one by how much, or why it did not. */
void won_keep(const struct source *file, const struct compile_options *o,
              const struct outcomes *outcomes, struct suggestions *found);

#endif
