/* SPDX-License-Identifier: Apache-2.0 */
/* bake.h: a file with its winners written in, as plain C (docs/bake.md).
 *
 *   lines.c       winners and keys from what wisdom or a store says of a kernel
 *   constraint.c  what constraints say of a winner
 *   ranges.c      which winner a key takes
 *   baked.c.in    the baked file, as a template
 *   heading.c     its first lines
 *   write.c       the default under another name, a function for each winner, the switch
 *   copies.c      what mentions a param, and so differs from winner to winner
 *   tidy.c        makes a transformed nest readable */
#ifndef AUTOTUNE_BAKE_H
#define AUTOTUNE_BAKE_H

#include "front/emit/emit.h"

struct bake {          /* what was asked for */
  const char *from;    /* a file of wisdom or a folder of results; NULL: the user's own */
  const char *machine; /* part of the processor's name; NULL: all are of one machine */
  unsigned threads;    /* 0: likewise */
  bool exact;          /* keys that were tuned alone, no ranges */
  bool unchecked;      /* also what another text of the kernel, or other flags, had */
};
struct baked_key {   /* one tuned key */
  long long *key;    /* k->n_keys numbers */
  unsigned winner;   /* 0: the default, else index + 1 */
  const char *name;  /* "n = 512"; "all calls" where there is no key */
  const char *about; /* its line in the heading */
};
struct baked_winner {
  unsigned *point;
  const char *values;
};
struct baked { /* of one kernel */
  struct baked_key *keys;
  unsigned n_keys; /* in ascending order */
  struct baked_winner *winners;
  unsigned n_winners;  /* no two are the same code */
  const char *machine; /* "l1d=32768 l2=… cores=8 …" */
  const char *where;   /* for people: processor, threads and compiler of the winners */
  unsigned threads;
  bool exact;
  struct copies *copies; /* where there is a winner */
};

/* Has O write winners in, as B asks. */
void bake_into(struct compile_options *o, const struct bake *b);
/* Sets `baked` of each of the N kernels; UNITS as emit_file has them. Warns of what
 * cannot be baked. */
void bake_choose(const struct source *s, struct kernel *kernels, unsigned n,
                 struct unit *const *units, const struct expansion *x,
                 const struct compile_options *o);

extern const struct template bake_templates; /* baked.c.in */

/* Appends what stands before the file. */
void bake_heading(const struct source *s, const struct kernel *kernels, unsigned n,
                  const struct compile_options *o, struct text *out);
/* Appends S without what would end a comment. */
void bake_comment(struct text *out, const char *s);
/* The same in lines of 100 columns, as far as S has blanks. The first begins at COLUMN,
 * the others with INDENT. */
void bake_wrapped(struct text *out, const char *indent, size_t column, const char *s);

/* Evaluates constraint INDEX of K at POINT. SOMETIMES: it holds where *LEFT does, which
 * depends on arguments alone. */
enum verdict { NEVER, SOMETIMES, ALWAYS };
enum verdict bake_constraint(const struct kernel *k, const struct baked *b,
                             const unsigned *point, unsigned index, struct slice *left);

enum { BAKE_REACH = 4 };

/* What templates know of a baked kernel (baked.c.in). Numbers are spelled as constants.
 */
struct bake_view {
  const char *untuned, *chooser; /* names of functions: the default, that of ranges */
  struct baked_function {
    const char *function;
    unsigned number; /* from 1 */
    const unsigned *point;
  } *winners;
  unsigned n_winners; /* 0: the kernel stays as it is, and nothing below is set */
  const char **parts; /* what parts of the key are called */
  unsigned n_parts;
  struct bake_interval { /* of a key of one part */
    const char *part, *low, *high;
    bool one; /* LOW is HIGH */
    unsigned winner;
  } *intervals;
  unsigned n_intervals;
  struct bake_row { /* a tuned key of several parts */
    const char **key;
    unsigned n_key, winner;
  } *tuned;
  unsigned n_tuned;
  unsigned only; /* the winner of a kernel without keys */
  unsigned reach, beyond;
  bool several, exact;
};
/* Sets parts and what follows them: which winner a key takes. */
void bake_ranges(const struct kernel *k, struct bake_view *v);

/* Appends TEXT, which is a function, made readable. */
void bake_tidy(struct slice text, struct text *out);

struct copies {
  const struct source *s;
  const struct reach *r;
  bool *copied; /* of each item */
  struct slice *names;
  unsigned n_names; /* that these declare */
};
/* Finds what must be copied for K. NULL: K cannot be baked; a warning says why. */
struct copies *copies_of(const struct source *s, const struct kernel *k,
                         const struct expansion *x);
/* Appends macros that give the copies names beginning with PREFIX, or undefines them. */
void copies_rename(const struct copies *c, const char *prefix, bool define,
                   struct text *out);
void copies_write(const struct copies *c, struct text *out);
/* Appends what gives macros that the copies have defined anew their meaning back. Params
 * have their defaults again. */
void copies_restore(const struct copies *c, struct text *out);

#endif
