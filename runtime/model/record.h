/* SPDX-License-Identifier: Apache-2.0 */
/* record.h: all that is kept and shown, and ONE table that describes each fact of it:
 * what it is, where it stands in its struct, its column in the store, and its name in
 * JSON, on the page and in wisdom. keep/store makes SQL and rows of the table,
 * keep/wisdom lines of text, tools/report JSON; docs/report.schema.json is held to it by
 * a test.
 *
 * To add a fact: a member of the struct, a line in record.c (at the end of the table's
 * columns, with the next version of the store), and where it is used. */
#ifndef AUTOTUNE_RECORD_H
#define AUTOTUNE_RECORD_H

#include "base/base.h"

/* ---- what is kept ---------------------------------------------------------------- */

/* Reasons and kinds, as numbers in the store. 0: a row of a format before 4, or a line of
 * wisdom; record_complete tells what it is by its texts. */
enum device_kind {
  DEVICE_UNKNOWN,
  DEVICE_PROCESSOR,
  DEVICE_CUDA,
  DEVICE_EMULATED,
  DEVICES
};
enum maker { /* of a variant's code: what is built in has the version of the toolchain */
             MAKER_UNKNOWN,
             MAKER_BUILT_IN,
             MAKER_PROGRAM,
             MAKERS
};
enum winner_origin { /* of a winner */
                     ORIGIN_UNKNOWN,
                     ORIGIN_HERE,
                     ORIGIN_WISDOM,
                     ORIGIN_PROVISIONAL, /* of a nearby key; runs until this one is tuned
                                          */
                     ORIGINS
};
enum ended { /* why a tuning did */
             ENDED_UNKNOWN,
             ENDED_COMPLETE, /* all variants were tried */
             ENDED_BUDGET,
             ENDED_SETTLED, /* little more was expected */
             ENDED_RACED,   /* it was a race after drift */
             ENDED_LOST,    /* the workers were */
             ENDINGS
};

/* What a result is a result of, as a program has it. */
struct identity {
  uint64_t unit; /* identity_unit */
  const char *kernel, *file;
  const char *cpu, *isa; /* of the machine */
  unsigned threads;      /* this process may use */
  const long long *key;
  unsigned n_keys;
  const char *const *key_names;
  /* What would make its variants today, as far as that is known without loading it
   * ("clang 22.1.8"); compared with that of the winner, so that a new compiler means a
   * miss; NULL: not compared. */
  const char *toolchain;
  uint64_t shape;     /* of the unit's text but for its names (hints.c); 0: not known */
  const char *family; /* the kernel's; NULL: none. Neither is part of what it is */
  uint64_t space;     /* identity_space; 0: not known */
  enum device_kind device; /* no part of what it is, either */
};
/* The same as text, as it is kept. */
struct problem {
  int64_t id; /* hash of the columns up to key_names, without the file */
  const char *kernel, *file, *cpu, *isa;
  const char *toolchain; /* of its tuning; "": none */
  uint64_t unit;
  unsigned threads;            /* 0: a device */
  const char *key, *key_names; /* key.h */
  uint64_t shape;
  const char *family;
  enum device_kind device;
};
struct record {       /* one variant tried */
  int64_t problem;    /* of rows */
  uint64_t variant;   /* hash of its values, text, flags, compiler and compiler version */
  const char *values; /* value.h */
  const char *compiler; /* with version */
  enum status status;
  const char *message;
  const double *samples;
  unsigned n_samples;
  double compile_seconds, verify_seconds, time_seconds;
  const void *features;
  size_t features_size; /* struct features; 0: unknown */
  double when;          /* unix time; of rows that were read */
  enum maker maker;     /* of `compiler` */
};
struct summary {                  /* one tuning of one key */
  int64_t problem;                /* of rows */
  const char *toolchain;          /* likewise */
  struct estimate original, best; /* from the final race */
  uint64_t winner;                /* variant; 0: the default stays */
  const char *values;             /* the winner's, as in record */
  const char *compiler;
  uint64_t object; /* xxh3 of the shared object's bytes; 0: none */
  unsigned tried, failed[STATUSES], total_hint; /* tried: none that was dropped */
  unsigned same; /* of these had the machine code of another, and were not run */
  double compile_seconds, verify_seconds, time_seconds, total_seconds;
  double flops, bytes;
  bool verified, inferred;  /* inferred: by sections that the user did not write */
  const char *search, *why; /* "exhaustive", "budget of 10 s spent" */
  double when;              /* unix time */
  uint64_t space;           /* as in struct identity */
  uint64_t text;            /* identity_text of the winner; 0: not known */
  const char *machine;      /* "l1d=32768 l2=… l3=… cores=8 …"; "": not known */
  const char *source; /* "": found here; else where from: "wisdom x.jsonl", "n = 512" */
  enum winner_origin origin;
  enum ended ended; /* `why` says more */
  void *block;      /* malloc'ed, with the texts; of rows */
};
struct asked { /* what a program offered and did not find */
  int64_t problem;
  const char *toolchain, *params, *conditions, *why;
  uint64_t space;
  double when;
  void *block; /* malloc'ed, with the texts */
};
/* How far the last tuning of a problem is, for `autotune report --follow`. */
enum phase { PHASE_SEARCH, PHASE_RACE, PHASE_ENDED, PHASES };
struct progress {
  int64_t problem;
  enum phase phase;
  double began, until; /* unix time; when its budget will be spent */
  unsigned expected;   /* variants that it may try */
  double original;     /* seconds of the default */
  const char *why;     /* ended: what came of it, for people; else "" */
  const char *owner;   /* of rows that were read: its process (owner.c) */
  double when;         /* likewise: unix time of writing */
};

/* ---- the table of facts ---------------------------------------------------------- */

enum fact_type {
  FACT_ID,       /* int64_t: a problem's */
  FACT_HASH,     /* uint64_t */
  FACT_COUNT,    /* unsigned */
  FACT_ENUM,     /* an enum, from 0 */
  FACT_SECONDS,  /* double */
  FACT_MOMENT,   /* double: unix time */
  FACT_AMOUNT,   /* double */
  FACT_VERIFIED, /* bool, and a bool `inferred` after it; one column: 0, 1, 2: inferred */
  FACT_TEXT,     /* const char *, and so are all up to FACT_KEY */
  FACT_FILE,     /* a path; its last part alone in wisdom */
  FACT_LINES,    /* lines of text */
  FACT_VALUES,   /* value.h */
  FACT_KEY,      /* key.h: the numbers; the names are at `n_at` */
  FACT_SAMPLES,  /* const double *; an unsigned at `n_at` */
  FACT_FEATURES, /* const void *, floats; a size_t of bytes at `n_at` */
  FACT_COUNTS,   /* unsigned[STATUSES] */
  FACT_ESTIMATE, /* struct estimate; in its column the median. Its other columns: */
  FACT_LOW,
  FACT_HIGH,
  FACT_RUNS
};
struct fact {
  enum fact_type type;
  size_t at, n_at;    /* offsets of its member, and of how many there are */
  const char *column; /* NULL: none in this table */
  unsigned since;     /* version of the store that first had the column */
  uint64_t most;      /* of numbers; of texts in bytes */
  /* Names, NULL: not shown there. "seconds.total": in an object. JSON has an empty fact
   * only where ALWAYS. */
  const char *json, *page, *wisdom;
  bool always;
};
/* The facts of one struct: first the columns of its table, in their order. */
struct kind {
  const char *name;            /* of the table */
  unsigned n, n_keys, n_facts; /* columns; of these the primary key; all facts */
  size_t size;                 /* of the struct */
  const struct fact *facts;
};
enum { KINDS = 5, RECORD_VERSION = 4 /* of the store */ };
extern const struct kind kind_problem, kind_record, kind_summary, kind_asked,
    kind_progress;
extern const struct kind *const kinds[KINDS];

/* The member that F describes, in WHAT; how many there are of it. FACT_IN(const char *,
 * …) is where a text's pointer is. */
#define FACT_IN(type, f, what) ((type *)(void *)((char *)(uintptr_t)(what) + (f)->at))
#define FACT_N(type, f, what) ((type *)(void *)((char *)(uintptr_t)(what) + (f)->n_at))
/* True if F's member is a `const char *`. */
bool fact_is_text(const struct fact *f);
/* Copies all that WHAT points to into one block, malloc'ed, and lets WHAT point there.
 * NULL: no memory. */
void *record_own(const struct kind *k, void *what);
/* Fills in what WHAT does not say as a number. */
void record_complete(const struct kind *k, void *what);
/* True if M comes from a nearby key and was not tuned for this one. Its source says
 * which.
 */
bool summary_is_provisional(const struct summary *m);
/* Where the processor's own name is in "GenuineIntel Intel(R) Xeon(R) … family 6 model
 * …"; *SIZE bytes. */
const char *problem_processor(const char *cpu, int *size);

/* What R holds of features; all NAN where it holds none. */
void record_features(const struct record *r, struct features *out);
/* An estimate with an open end (too few samples) is kept with the median there. */
struct estimate estimate_closed(struct estimate e);

#endif
