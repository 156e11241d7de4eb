/* SPDX-License-Identifier: Apache-2.0 */
/* bake.h: writes a file's winners into its text, as plain C (docs/bake.md).
 *
 *   lines.c       reads winners and keys of a kernel from wisdom or a store
 *   constraint.c  evaluates constraints for a winner
 *   ranges.c      decides which winner each key gets
 *   baked.c.in    the baked file, as a template
 *   heading.c     its first lines
 *   write.c       the renamed default, a function for each winner, the switch
 *   copies.c      code that mentions a param, and so differs from winner to winner
 *   tidy.c        makes a transformed nest readable */
#ifndef AUTOTUNE_BAKE_H
#define AUTOTUNE_BAKE_H

#include "front/emit/emit.h"

struct bake {          /* the user's request */
  const char *from;    /* a file of wisdom or a folder of results; NULL: the user's own */
  const char *machine; /* part of the processor's name; NULL: all winners must be from one
                          machine */
  unsigned threads;    /* number of threads of the winners; 0: all must have the same */
  bool exact;          /* bake only the keys that were tuned, no ranges around them */
  bool unchecked; /* also use winners that were measured with another text of the kernel,
                     or other flags */
};
struct baked_key {   /* one key that was tuned */
  long long *key;    /* k->n_keys numbers */
  unsigned winner;   /* 0: the default; otherwise an index in winners, plus 1 */
  const char *name;  /* "n = 512"; "all calls" for a kernel without keys */
  const char *about; /* its line in the heading */
};
struct baked_winner {
  unsigned *point;
  const char *values;
};
struct baked { /* the winners of one kernel */
  struct baked_key *keys;
  unsigned n_keys; /* in ascending order */
  struct baked_winner *winners;
  unsigned n_winners;  /* all differ in code */
  const char *machine; /* "l1d=32768 l2=… cores=8 …" */
  /* for people to read: processor, threads and compiler of the winners */
  const char *where;
  unsigned threads;
  bool exact;
  struct copies *copies; /* NULL without winners */
};

/* Makes O write winners into the translated file, as B requests. Keeps B. */
void bake_into(struct compile_options *o, const struct bake *b);
/* Sets `baked` of each of the N kernels; UNITS as for emit_file. Warns of winners and
 * kernels that cannot be baked. */
void bake_choose(const struct source *s, struct kernel *kernels, unsigned n,
                 struct unit *const *units, const struct expansion *x,
                 const struct compile_options *o);

extern const struct template bake_templates; /* baked.c.in */

/* Appends the comment and macros that go before the file's text. */
void bake_heading(const struct source *s, const struct kernel *kernels, unsigned n,
                  const struct compile_options *o, struct text *out);
/* Appends S without characters that would end a comment. */
void bake_comment(struct text *out, const char *s);
/* The same, wrapped at blanks to lines of 100 columns. The first line begins at COLUMN,
 * the others with INDENT. */
void bake_wrapped(struct text *out, const char *indent, size_t column, const char *s);

/* Evaluates constraint INDEX of K at POINT. SOMETIMES: the constraint holds if *LEFT
 * does, which depends only on arguments. */
enum verdict { NEVER, SOMETIMES, ALWAYS };
enum verdict bake_constraint(const struct kernel *k, const struct baked *b,
                             const unsigned *point, unsigned index, struct slice *left);

enum { BAKE_REACH = 4 };

/* The fields that templates use of a baked kernel (baked.c.in). Numbers are spelled as C
 * constants. */
struct bake_view {
  /* names of functions: the default; the one that chooses by ranges */
  const char *untuned, *chooser;
  struct baked_function {
    const char *function;
    unsigned number; /* from 1 */
    const unsigned *point;
  } *winners;
  unsigned n_winners; /* 0: the kernel stays as it is, and the fields below are not set */
  const char **parts; /* names of the parts of the key */
  unsigned n_parts;
  struct bake_interval { /* a range of keys, for keys of one part */
    const char *part, *low, *high;
    bool one; /* LOW equals HIGH */
    unsigned winner;
  } *intervals;
  unsigned n_intervals;
  struct bake_row { /* a tuned key, for keys of several parts */
    const char **key;
    unsigned n_key, winner;
  } *tuned;
  unsigned n_tuned;
  unsigned only; /* the winner of a kernel without keys */
  unsigned reach, beyond;
  bool several, exact;
};
/* Sets parts and the fields after it, which say which winner each key gets. */
void bake_ranges(const struct kernel *k, struct bake_view *v);

/* Appends TEXT, a function, in a readable form. */
void bake_tidy(struct slice text, struct text *out);

struct copies {
  const struct source *s;
  const struct reach *r;
  bool *copied; /* set for each item that is copied */
  struct slice *names;
  unsigned n_names; /* names that the copied items declare */
};
/* Finds what must be copied for K. Returns NULL if K cannot be baked, after a warning
 * that says why. */
struct copies *copies_of(const struct source *s, const struct kernel *k,
                         const struct expansion *x);
/* Appends macros that prefix the names of the copies with PREFIX, or (DEFINE false) their
 * #undefs. */
void copies_rename(const struct copies *c, const char *prefix, bool define,
                   struct text *out);
void copies_write(const struct copies *c, struct text *out);
/* Appends text that restores macros which the copies have redefined. Params have their
 * defaults again. */
void copies_restore(const struct copies *c, struct text *out);

#endif
