/* SPDX-License-Identifier: Apache-2.0 */
/* record.h: all that is kept and shown, and ONE table that describes each fact of it: its
 * type, its place in its struct, its column in the store, and its name in JSON, on the
 * page and in wisdom. keep/store makes SQL and rows from the table, keep/wisdom lines of
 * text, tools/report JSON; a test compares docs/report.schema.json with it.
 *
 * To add a fact: a member of the struct, a line in record.c (at the end of the table's
 * columns, with the next version of the store), and its use.
 *
 * The files of this folder:
 *   record.h    the structs of results, and the table of their facts
 *   identity.h  hashes that tell if a result still applies; the shape of a text
 *   kernel.h    a call of a kernel, and what depends on the kernel's language
 *   key.h       keys of calls as text
 *   value.h     values of parameters as text
 *   space.h     points of a kernel's space: order, samples, neighbours, counting
 *   path.h      shared by the files of space.h
 *   variant.h   the text and flags from which a compiler makes a variant */
#ifndef AUTOTUNE_RECORD_H
#define AUTOTUNE_RECORD_H

#include "base/base.h"
#include "model/objective/objective.h"
#include "model/own_calls.h"

/* ---- what is kept ---------------------------------------------------------------- */

/* Reasons and kinds, kept as numbers. 0: the row has a format before 4, or it comes from
 * a line of wisdom; record_complete then finds the kind from the texts. */
enum device_kind {
  DEVICE_UNKNOWN,
  DEVICE_PROCESSOR,
  DEVICE_CUDA,
  DEVICE_EMULATED,
  DEVICES
};
/* The compiler of a variant. A built-in one has the version of the toolchain. */
enum maker { MAKER_UNKNOWN, MAKER_BUILT_IN, MAKER_PROGRAM, MAKERS };
/* The origin of a winner. */
enum winner_origin {
  ORIGIN_UNKNOWN,
  ORIGIN_HERE,
  ORIGIN_WISDOM,
  ORIGIN_PROVISIONAL, /* from a nearby key; runs until this one is tuned */
  ORIGIN_AGREED,      /* from keys whose winners agree; this one is not tuned */
  ORIGINS
};
/* The reason for which a tuning ended. */
enum ended {
  ENDED_UNKNOWN,
  ENDED_COMPLETE, /* all variants were tried */
  ENDED_BUDGET,
  ENDED_SETTLED,   /* little more was expected, or the roof is near */
  ENDED_RACED,     /* it was a race after drift */
  ENDED_LOST,      /* the workers were lost */
  ENDED_UNCHECKED, /* nothing was tried: REFUSED_UNCHECKED */
  ENDED_SLOWER,    /* its winner was not faster in the program's own calls */
  ENDED_HURRIED,   /* by ^C, which the program lived through */
  ENDINGS
};

/* The problem that a result belongs to, as a program has it. */
struct identity {
  uint64_t unit; /* identity_unit */
  const char *kernel, *file;
  const char *cpu, *isa; /* cpu and isa: of the machine */
  unsigned threads;      /* threads that this process may use */
  const long long *key;
  unsigned n_keys;
  const char *const *key_names;
  /* The compiler that would make its variants today, as far as that is known without
   * loading it ("clang 22.1.8"). It is compared with the winner's, so that after an
   * update of the compiler the winner does not count. NULL: not compared. */
  const char *toolchain;
  uint64_t shape;     /* shape_of the unit's text; 0: not known */
  const char *family; /* the kernel's family; NULL: none. Shape and family do not identify
                         the problem */
  uint64_t space;     /* identity_space; 0: not known */
  uint64_t
      contract; /* identity_contract; results of another contract are checked again */
  uint64_t changing; /* parts of the key, as bits, that change from call to call, as far
                        as known (model/agree.h); does not identify the problem */
  uint64_t extent;   /* kernel_extent of the present call; nor does this */
  enum device_kind device;       /* nor does this */
  enum objective_kind objective; /* identifies the problem, unless it is time */
};
/* An identity as text, as it is kept. */
struct problem {
  int64_t id; /* hash of the columns up to key_names, without the file */
  const char *kernel, *file, *cpu, *isa;
  const char *toolchain; /* the compiler of its tuning; "": none */
  uint64_t unit;
  unsigned threads;            /* 0: a device */
  const char *key, *key_names; /* key.h */
  uint64_t shape;
  const char *family;
  enum device_kind device;
  enum objective_kind objective; /* what all its samples and estimates measure */
};
struct record {       /* one variant tried */
  int64_t problem;    /* of rows */
  uint64_t variant;   /* hash of its values, text, flags, compiler and compiler version */
  const char *values; /* value.h */
  const char *compiler; /* with version */
  enum status status;
  const char *message;
  const double *samples; /* as they were measured */
  unsigned n_samples;
  double slowdown; /* as in struct trial; 0: not known */
  double part; /* what the samples are of: the cost of a part of a run divided by that of
                  all of it; 0: whole runs */
  double compile_seconds, verify_seconds, time_seconds;
  const void *features;
  size_t features_size; /* a struct features; 0: unknown */
  double when;          /* unix time; of rows that were read */
  enum maker maker;     /* of `compiler` */
  uint64_t contract;    /* of rows: as in struct identity; 0: not known */
};
struct summary {                  /* one tuning of one key */
  int64_t problem;                /* of rows */
  const char *toolchain;          /* likewise */
  struct estimate original, best; /* from the final race */
  double as_written; /* cost of the kernel as written, with the compiler and flags of the
                        variants, as `best` is one; 0: not measured */
  double cold; /* seconds, about, of page faults in the call that was tuned: it was the
                  first to touch its memory, and no trial has them; 0: few or none */
  uint64_t winner;    /* variant; 0: the default stays */
  const char *values; /* the winner's, as in record */
  const char *compiler;
  uint64_t object; /* xxh3 of the shared object's bytes; 0: none */
  unsigned tried, failed[STATUSES],
      total_hint; /* tried: without those that were dropped */
  unsigned same;  /* of those tried: had the machine code of another, and were not run */
  double compile_seconds, verify_seconds, time_seconds, total_seconds;
  double flops, bytes;
  uint64_t extent;         /* kernel_extent of the call that was tuned; 0: not known */
  bool verified, inferred; /* inferred: the sections were not written by the user */
  const char *covered;     /* what was compared (run/covered.h); "": not known */
  unsigned made_up; /* sets of made-up data on which the winner agreed, too (made_up.h) */
  unsigned line;    /* of the kernel in its file, at the time; 0: not known */
  const char *deviation; /* the winner's largest from the default, for people: "3e-13
                            relative, 2e-12 absolute, C[17]"; "": not known */
  const char *strict; /* how the winner compares with the kernel as written where both are
                         compiled strictly (tune/strict.c); "": not known */
  const char *constants; /* integers of the key that are constants in the winner's code,
                            "n = 512, m = 3"; "": none */
  const char *assembly, *original_assembly; /* the main loops of the winner and of the
                                               default (compile/assembly.h); "": none */
  const char *body;   /* the winner's, if it came from outside; "": it is the kernel's */
  const char *commit; /* of git, checked out in the source's folder (base/commit.h); "":
                         not known */
  const char *weak;   /* why this call's data say little ("the input x holds only zeros"),
                         so that the winner is to be checked again on other data; "": they
                         do not */
  const char *search, *why; /* "exhaustive", "budget of 10 s spent" */
  double when;              /* unix time */
  uint64_t space;           /* as in struct identity */
  uint64_t text;            /* identity_text of the winner; 0: not known */
  const char *machine;      /* "l1d=32768 l2=… l3=… cores=8 …"; "": not known */
  const char *source; /* "": found here; else its origin: "wisdom x.jsonl", "n = 512" */
  enum winner_origin origin;
  enum ended ended;     /* `why` says more */
  uint64_t contract;    /* of rows: as in struct identity; 0: not known */
  struct own_calls own; /* of the winner, or of the one that was slower */
  void *block;          /* of rows: malloc'ed, holds the texts */
};
/* The reason why calls run the default and are not tuned. */
enum refusal {
  REFUSED_NOT,
  REFUSED_OFF, /* by the mode, and the next two */
  REFUSED_LOCKED,
  REFUSED_OFFLINE,
  REFUSED_PARAMS,
  REFUSED_LACKS, /* what makes variants is not here; the target says it */
  REFUSED_REGION,
  REFUSED_TEAM,
  REFUSED_FAILED, /* the tuning gave no result: no process, no compiler, a default that
                     crashes or does not repeat its results */
  REFUSED_THREAD, /* later calls may be tuned from here on */
  REFUSED_BACKGROUND,
  REFUSED_FRACTION,
  REFUSED_KEYS,
  REFUSED_MEMORY,
  REFUSED_COLD,      /* it is tuned when hot, and is not */
  REFUSED_UNCHECKED, /* it is tuned when hot, and what it changes cannot be compared */
  REFUSED_ENDED,     /* the program ended before the tuning that went on beside it */
  REFUSED_OVERLAP,   /* the sections of its calls are not apart, as variants assume */
  REFUSED_VAIN, /* its tunings ended with the program before they had tried anything */
  REFUSED_RECORDED, /* a graph has its default; later launches may be tuned */
  REFUSALS
};
/* What a program spends in a kernel that is tuned when hot; 0: it is another kernel. */
struct usage {
  double calls;   /* about */
  double seconds; /* of a call, about */
  double share;   /* of the program's time, in calls long enough to be tuned: 0 to 1 */
};
struct asked { /* a request of a program that found no winner, and what it offered */
  int64_t problem;
  const char *toolchain, *params, *conditions, *why;
  uint64_t space;
  double when;
  enum refusal refused; /* NOT: a tuning began; else `why` says more */
  struct usage usage;
  void *block; /* malloc'ed, with the texts */
};
/* How far the last tuning of a problem is, for `autotune report --follow`. */
enum phase { PHASE_SEARCH, PHASE_RACE, PHASE_ENDED, PHASES };
struct progress {
  int64_t problem;
  enum phase phase;
  double began, until; /* unix time; UNTIL is when its budget will be spent */
  unsigned expected;   /* variants that it may try */
  double original;     /* seconds of the default */
  const char *why;     /* ended: the result, for people; else "" */
  const char *owner;   /* of rows that were read: its process (owner.c) */
  double when;         /* likewise: unix time of writing */
};

/* How a variant has done as the winner, in the programs' own calls. */
enum revoked {
  REVOKED_NOT,
  REVOKED_WRONG,    /* it gave other results than the default; holds under `contract` */
  REVOKED_ENDED,    /* it ended the program */
  REVOKED_IN_DOUBT, /* a process ended in its first call: to be checked before it runs */
  REVOCATIONS
};
struct service {
  int64_t problem;    /* of rows */
  uint64_t variant;   /* as in struct record */
  const char *values; /* likewise */
  uint64_t contract;  /* of rows: as in struct identity */
  double seen;        /* unix time at which it was last found right in a call; 0: never */
  unsigned looks;     /* how often it was checked in a call and found right */
  unsigned ended;     /* processes that ended in their first call of it, since `seen` */
  enum revoked revoked; /* WRONG, ENDED: it is not used, nor tried */
  const char *why;      /* it was revoked, for people; else "" */
  double when;          /* of rows: unix time of writing */
};

/* What a revoked variant has done: "gave other results than the default". */
extern const char *const revoked_words[REVOCATIONS];

/* What is said and done about a refusal. */
struct refusal_words {
  const char *text; /* for people: "default: …"; or "default": each has its own */
  bool warns;       /* the message that says so is a warning */
  bool lasts; /* the key's later calls are refused as well: it is said and stored at once.
                 Else it is said and stored when the program ends, if the key is not
                 decided by then */
};
extern const struct refusal_words refusal_words[REFUSALS];

/* The words for a status. */
struct status_words {
  const char *json, *name; /* in JSON; for people */
  const char *fair;        /* `invalidity` in the format T4; NULL: not in it */
};
extern const struct status_words status_words[STATUSES];

/* ---- the table of facts ---------------------------------------------------------- */

enum fact_type {
  FACT_ID,        /* int64_t: the id of a problem */
  FACT_HASH,      /* uint64_t */
  FACT_COUNT,     /* unsigned */
  FACT_ENUM,      /* an enum, from 0 */
  FACT_OBJECTIVE, /* enum objective_kind; in texts its name, left out if it is time */
  FACT_SECONDS,   /* double */
  FACT_MOMENT,    /* double: unix time */
  FACT_AMOUNT,    /* double */
  FACT_VERIFIED,  /* bool, with a bool `inferred` after it; one column: 0, 1, or 2:
                     inferred */
  FACT_TEXT,      /* const char *, as for all types up to FACT_KEY */
  FACT_FILE,      /* a path; in wisdom only its last part */
  FACT_LINES,     /* lines of text */
  FACT_VALUES,    /* value.h */
  FACT_KEY,       /* key.h: the numbers; the names are at `n_at` */
  FACT_SAMPLES,   /* const double *; an unsigned at `n_at` */
  FACT_FEATURES,  /* const void *, floats; a size_t of bytes at `n_at` */
  FACT_COUNTS,    /* unsigned[STATUSES] */
  FACT_ESTIMATE,  /* struct estimate; in its column the median. Its other columns: */
  FACT_LOW,
  FACT_HIGH,
  FACT_RUNS
};
struct fact {
  enum fact_type type;
  size_t at, n_at;    /* offsets of its member, and of its count */
  const char *column; /* NULL: none in this table */
  unsigned since;     /* version of the store that first had the column */
  uint64_t most;      /* limit of numbers; of texts in bytes */
  /* Names; NULL: not shown there. "seconds.total": a member of an object. Without ALWAYS,
   * JSON leaves an empty fact out. */
  const char *json, *page, *wisdom;
  bool always;
};
/* The facts of one struct: first the columns of its table, in their order. */
struct kind {
  const char *name; /* of the table */
  unsigned n, n_keys,
      n_facts; /* columns; the first of them, which are the primary key; all facts */
  size_t size; /* of the struct */
  const struct fact *facts;
};
enum { KINDS = 6, RECORD_VERSION = 19 /* version of the store's format */ };
extern const struct kind kind_problem, kind_record, kind_summary, kind_asked,
    kind_progress, kind_service;
extern const struct kind *const kinds[KINDS];

/* The member that F describes, in WHAT, and its count. FACT_IN(const char *, …) is the
 * place of a text's pointer. */
#define FACT_IN(type, f, what) ((type *)(void *)((char *)(uintptr_t)(what) + (f)->at))
#define FACT_N(type, f, what) ((type *)(void *)((char *)(uintptr_t)(what) + (f)->n_at))
/* True if F's member is a `const char *`. */
bool fact_is_text(const struct fact *f);
/* Copies all that WHAT points to into one block, and makes WHAT point there. The caller
 * frees the block. NULL: no memory. */
void *record_own(const struct kind *k, void *what);
/* Sets those numbers of WHAT that are unknown and follow from its texts. */
void record_complete(const struct kind *k, void *what);
/* True if M comes from a nearby key and was not tuned for this one; its source names
 * that key. */
bool summary_is_provisional(const struct summary *m);
/* True if M comes from other keys and was compared with the default, but not timed: it is
 * provisional, or those keys agree on it. */
bool summary_is_borrowed(const struct summary *m);
/* True if M's call spent a tenth of the winner's time or more on page faults. */
bool summary_is_cold(const struct summary *m);
/* Makes M, the tuning of another key, the winner that several keys agree on: without its
 * times and its object. */
void summary_agree(struct summary *m);
/* Returns what follows the source of M, which is borrowed: how long it runs. */
const char *summary_borrowed_until(const struct summary *m);
/* Returns the processor's own name, *SIZE bytes within CPU ("GenuineIntel Intel(R)
 * Xeon(R) … family 6 model …"). */
const char *problem_processor(const char *cpu, int *size);

/* Returns the cost of R by which variants are compared: that of its samples, corrected
 * for the slowdown of the moment in which they were taken, of a whole run. n is 0 without
 * samples, or without memory. */
struct estimate record_cost(const struct record *r);
/* Returns what is shown as the cost of R: as measured, or estimated from a part. */
struct estimate record_shown(const struct record *r);
/* Copies the features of R to OUT; all are NAN if R has no features. */
void record_features(const struct record *r, struct features *out);
/* Returns E with the median in the place of an open end (too few samples), as it is
 * kept. */
struct estimate estimate_closed(struct estimate e);

#endif
