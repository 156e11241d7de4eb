/* SPDX-License-Identifier: Apache-2.0 */
/* store.h: the results that are kept, and the problems that they belong to, grouped by
 * file. tables.h describes the format. */
#ifndef AUTOTUNE_STORE_H
#define AUTOTUNE_STORE_H

#include "model/identity.h"
#include "model/record.h"

/* ---- store.c, read.c, write.c, near.c -------------------------------------------- */

struct store;
/* Opens the store in the user's folder; close it with store_close. A connection belongs
 * to one thread of one process. NULL: there is no store, and *MESSAGE (malloc'ed) may say
 * why; the caller then tunes without it. */
struct store *store_open(char **message);
/* Like store_open, but waits at most SECONDS for another process's lock. Below STORE_WAIT
 * it opens the store for reading only and creates nothing. Later operations wait at most
 * STORE_WAIT. STORE_WAIT_TO_OPEN is for a process that works for long afterwards, as a
 * tuner: on a busy machine the lock may be held for a while. */
extern const double STORE_WAIT, STORE_WAIT_TO_OPEN;
struct store *store_open_within(double seconds, char **message);
/* Like store_open, for the program's own threads and its end: an operation waits a few
 * milliseconds at most for another process's lock, and rows that cannot be written then
 * are dropped, without a warning. */
struct store *store_open_briefly(void);
void store_close(struct store *s);
/* ON: from now on a connection that store_close closes stays open for the next one of
 * this process; opening takes longer than a query. Turn it off before a fork and before
 * the program goes on, which has no file open of ours. Any thread. */
void store_linger(bool on);
/* Finds the winner for exactly this identity. False: there is none, and *WHY (malloc'ed,
 * may be NULL) says what differs from the nearest row ("compiler clang 22.1.7 → 22.1.8").
 * The strings of OUT are in one block, which store_summary_free frees. */
bool store_winner(struct store *s, const struct identity *id, struct summary *out,
                  char **why);
/* Like store_winner, and tells if there is a winner made by another compiler. */
enum winner_state { WINNER_NONE, WINNER_FOUND, WINNER_OF_OTHER_COMPILER };
enum winner_state store_find_winner(struct store *s, const struct identity *id,
                                    struct summary *out, char **why);
void store_summary_free(struct summary *s);
/* Reads the result of one variant (status, samples), so that it is not tried again. A
 * result that was compared under another contract than ID's does not count.
 * STATUS_PENDING: the variant took its tuner down. FEATURES may be NULL. KNOWN_TAKEN:
 * another living process is trying it. */
enum knowledge { KNOWN_NOTHING, KNOWN_RESULT, KNOWN_TAKEN };
struct looked { /* numbers of a variant's row, as in struct record */
  enum status status;
  struct estimate cost;
  double slowdown, part, compile_seconds, verify_seconds, time_seconds;
};
enum knowledge store_look(struct store *s, const struct identity *id, uint64_t variant,
                          struct looked *out, struct features *features);
/* True if another connection has written since the last call. */
bool store_changed(struct store *s);
/* Calls SEE for each variant of ID that was written at *SINCE or later (unix time),
 * except pending ones and those of another contract. Sets *SINCE to the time of the last
 * one. */
void store_news(struct store *s, const struct identity *id, double *since,
                void (*see)(const struct record *r, void *data), void *data);
/* These write a row, or queue it when another process holds the lock. 0, or -1: not
 * written yet. store_begin marks the variant R as being tried; it queues nothing.
 * store_finish writes its result, store_summary the result of a tuning. */
int store_begin(struct store *s, const struct identity *id, const struct record *r);
int store_finish(struct store *s, const struct identity *id, const struct record *r);
int store_summary(struct store *s, const struct identity *id, const struct summary *m);
/* Adds FRESH to what is known of WINNER of ID in the program's own calls. If it is no
 * faster in all of them, the result is that the default stays. Nothing is written if
 * another variant is the winner by now. 0, or -1: not written. */
int store_own_calls(struct store *s, const struct identity *id, uint64_t winner,
                    const struct own_calls *fresh);
/* Records that K was called for ID, that no winner is known, and that it is REFUSED to
 * tune it; WHY is the reason for one of these. USAGE: NULL: not known. */
int store_asked(struct store *s, const struct identity *id,
                const struct autotune_kernel *k, enum refusal refused, const char *why,
                const struct usage *usage);
/* Records how far this process has come in tuning ID. */
int store_progress(struct store *s, const struct identity *id, const struct progress *c);
/* Calls SEE for each variant of ID that has been a winner in a program. */
void store_services(struct store *s, const struct identity *id,
                    void (*see)(const struct service *v, void *data), void *data);
/* Reads how VARIANT has done as a winner of ID; the caller frees *BLOCK, which holds the
 * texts of OUT. False: nothing is known. */
bool store_service(struct store *s, const struct identity *id, uint64_t variant,
                   struct service *out, void **block);
/* True if V is revoked, and must not run for ID. */
bool service_is_revoked(const struct service *v, const struct identity *id);
/* Writes V, like the functions above. */
int store_served(struct store *s, const struct identity *id, const struct service *v);
/* The same where V is revoked: it also counts as failed, and is no winner any more. Waits
 * for the disk. */
int store_revoke(struct store *s, const struct identity *id, const struct service *v);
int store_forget(struct store *s, const char *kernel, uint64_t unit, const long long *key,
                 unsigned n_keys); /* kernel NULL: all; key NULL: all keys */
/* Forgets the winner of ID and the times of its variants, not what failed. */
int store_forget_times(struct store *s, const struct identity *id);

/* Finds problems that are like ID, nearest first: the same kernel with other keys or on
 * other machines, other texts of it, kernels of its shape, kernels of its family; of
 * each, those of this machine first, then those of its instruction set. Returns their
 * number. */
enum relation { RELATED_KEY, RELATED_TEXT, RELATED_SHAPE, RELATED_FAMILY };
enum machine_relation { MACHINE_SAME, MACHINE_ISA, MACHINE_OTHER };
struct relative {
  int64_t problem;
  enum relation relation;
  enum machine_relation machine;
  double distance; /* key_distance of the keys */
  bool close;    /* the same kernel, and no part of the key differs by more than a factor
                    of 4 */
  bool near;     /* also on this machine, with as many threads */
  char name[96]; /* for people: "n = 1024", "kernel matmul2, n = 1024 on AMD EPYC" */
};
enum { MAX_RELATIVES = 8 };
unsigned store_relatives(struct store *s, const struct identity *id,
                         struct relative out[MAX_RELATIVES]);
/* Calls SEE with the values ("MR=6\nNR=64\n") and the costs of PROBLEM's fastest
 * variants, at most N. The winner of its tuning comes first. VALUES is valid during the
 * call only. */
void store_fastest(struct store *s, int64_t problem, unsigned n,
                   void (*see)(const char *values, double cost, void *data), void *data);
/* Calls SEE in the same way for all variants that ran with right results, in no order. */
void store_times(struct store *s, int64_t problem,
                 void (*see)(const char *values, double cost, void *data), void *data);
/* Returns the default's time by that of the fastest variant of ID with right results, of
 * the latest ones. Their tuning need not have come to its end. 0: the store has no such
 * variant, or not the default's time. */
double store_found(struct store *s, const struct identity *id);
/* Finds the finished tuning of PROBLEM by TOOLCHAIN (NULL: by any); free it with
 * store_summary_free. False: there is none. */
bool store_tuning(struct store *s, int64_t problem, const char *toolchain,
                  struct summary *out);

/* ---- agreed.c -------------------------------------------------------------------- */

/* Finds the winner that tuned keys of the same kernel agree on for ID, which is not tuned
 * (model/agree.h), and sets its gain. Sets OUT to it, which store_summary_free frees,
 * without times; its `winner` is 0 if the default is best. WHY, of SIZE bytes, says which
 * parts of the key make no difference. COMPARED: only winners whose outputs were compared
 * count. False: there is none. */
struct agreement;
bool store_agreed(struct store *s, const struct identity *id, bool compared,
                  struct agreement *agreement, struct summary *out, char *why,
                  size_t size);
/* Returns how many keys of ID's kernel and text the store knows, tuned or not. */
unsigned store_count_keys(struct store *s, const struct identity *id);
/* True if the variant of ID's kernel with VALUES was revoked for any key. */
bool store_is_revoked(struct store *s, const struct identity *id, const char *values);

/* ---- glance.c: a winner, read without a connection ------------------------------- */

struct glance;
/* Opens the store in the user's folder for the functions below, which take some tens of
 * microseconds, wait for nobody and write nothing. NULL: it cannot be read in this way;
 * store_open may do better. */
struct glance *glance_open(void);
/* False: what was read is not all there is, and a connection is to be used. */
bool glance_close(struct glance *g);
/* store_winner, without a reason. */
bool glance_winner(struct glance *g, const struct identity *id, struct summary *out);
/* store_services. */
void glance_services(struct glance *g, const struct identity *id,
                     void (*see)(const struct service *v, void *data), void *data);

/* ---- entered.c: winners in their first call -------------------------------------- */

/* Notes that this process enters its first call of VARIANT. Returns a slot for
 * entered_clear; -1: nothing was noted. Takes some tens of microseconds. */
int entered_note(const struct identity *id, uint64_t variant);
/* The call has returned. -1 does nothing. */
void entered_clear(int slot);
/* Returns how many processes have ended in that call, which takes SECONDS (0: not known),
 * since the last time. */
unsigned entered_ended(const struct identity *id, uint64_t variant, double seconds);

/* True if a process has ended in its first call of VARIANT, for any key, and nobody has
 * asked entered_ended since. */
bool entered_doubts(uint64_t variant);

/* ---- ledger.c: what tuning has cost the program, in all its runs ----------------- */

struct ledger { /* sums, in seconds, but for the last */
  double
      time; /* of the runs: of their processors, or since they began, if that is more */
  double lost;    /* that tunings and checks of winners took from the program */
  double checks;  /* that checks took, also of processors which the program left idle */
  double waiting; /* winners that were in use in the last run, and never checked */
};
/* Reads what earlier runs of this program have added up to. False: nothing is known, and
 * all is 0. Makes no file. */
bool ledger_read(struct ledger *sums);
/* Adds MORE to this program's sums. */
void ledger_add(const struct ledger *more);

/* ---- counts.c: how often the store knew what a program asked for ------------------ */

enum lookup {
  LOOKUP_CODE,     /* the winner's code */
  LOOKUP_COMPILED, /* the winner, which had to be compiled again */
  LOOKUP_DEFAULT,  /* that the default is best */
  LOOKUP_NOTHING,
  LOOKUPS
};
struct counts {
  uint64_t n[LOOKUPS];
  double since; /* unix time; 0: nothing was counted yet */
};
/* Adds 1 to WHAT in the user's folder, which must be there. Takes some tens of
 * microseconds. */
void counts_add(enum lookup what);

/* ---- earlier.c: kernels that were hot in earlier runs ------------------------------ */

struct vain {     /* tunings of a kernel that ended before they had tried a variant */
  uint64_t what;  /* hash of the kernel's text and of the machine; others do not count */
  double time;    /* when the last one began: seconds of all runs, as in struct ledger */
  double run;     /* seconds of the run that began it */
  unsigned n;     /* how many began since a variant was tried */
  unsigned pools; /* 1: at some time there were two in succession */
};
struct earlier {      /* a run of the program */
  struct usage usage; /* of the kernel */
  double elapsed;     /* seconds of the run, more than 0 */
  double cpu;         /* seconds of processors */
  uint64_t changing;  /* parts of the key, as bits, that changed from call to call */
  struct vain vain;   /* not of the run: earlier_begun writes it */
};
/* Finds the run of this program in which K was hot last. K is known by its name and file.
 * False: there is none; OUT->vain is set even so, if anything is known of K. Takes about
 * ten microseconds. */
bool earlier_find(const struct autotune_kernel *k, struct earlier *out);
/* Notes RUN for that, but for its `vain`; NULL: it is hot no longer. */
void earlier_note(const struct autotune_kernel *k, const struct earlier *run);
/* Notes that a tuning of K begins. */
void earlier_begun(const struct autotune_kernel *k, const struct vain *vain);
/* Notes that the last one that began was not in vain. */
void earlier_further(const struct autotune_kernel *k);

/* ---- ring.c: programs that begin -------------------------------------------------- */

/* Tells a tuning that goes on with this store, though its program has ended, that a
 * program begins. Makes neither folder nor file; takes a few microseconds. */
void ring_begun(void);
/* Makes the file for that. */
void ring_ready(void);
/* From now on this process gets SIGNAL when a program begins; at once, if one has begun
 * since SINCE. */
struct timespec;
void ring_heed(int signal, const struct timespec *since);

/* ---- folder.c, objects.c --------------------------------------------------------- */

/* Returns the folder of the store, which is created with mode 0700 if it is missing.
 * The path lives as long as the process. NULL: the folder cannot be trusted or made,
 * and *MESSAGE (malloc'ed) says why. */
const char *folder_open(char **message);
/* Does the same, without looking again where this user's folder was found good before:
 * for what is done around calls. */
const char *folder_again(char **message);
/* Does the same for PATH. Returns its resolved path, malloc'ed. */
char *folder_check(const char *path, char **message);
/* Returns PATH as an absolute path, without resolving links; malloc'ed. */
char *folder_absolute(const char *path);
/* Copies the shared object at FROM to the folder, under its hash. Returns the path
 * (malloc'ed). NULL: it failed. Objects that were not used for long are then removed if
 * the folder is larger than AUTOTUNE_MAXSIZE. */
char *objects_keep(const char *from, uint64_t *hash);
/* Returns the path of the object with that hash (malloc'ed), after checking its owner,
 * mode and hash. NULL: it is missing or does not pass. */
char *objects_find(uint64_t hash);

#endif
