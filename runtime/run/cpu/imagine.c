// SPDX-License-Identifier: Apache-2.0
// imagine.c: the tuner's side of checks on made-up data (made_up.h).
#include <stdlib.h>
#include <string.h>

#include "sandbox.h"

// The least seconds of a run, of all sets.
struct imagined_times {
  double own, usual; // of the variant and of the default; 0: not known
};

static void imagine_least(double *least, double seconds) {
  if (*least <= 0 || seconds < *least)
    *least = seconds;
}

// Runs one trial, whose times are not wanted.
static int imagine_trial(struct worker_pool *w, const struct command *c,
                         const void *object, struct trial *out) {
  int rc = worker_trial(w, c, object, out);
  free(out->samples);
  out->samples = NULL;
  out->n_samples = 0;
  return rc;
}

// Checks the variant on the data that C names, in a worker of its own. The variant first
// runs on the real data there, because it may keep something for later calls. *USED: the
// default takes these data. TIMES gets the seconds there, if they are less.
static int imagine_set(struct worker_pool *w, const struct command *c, const void *object,
                       bool *used, struct imagined_times *times, struct trial *out) {
  const enum made_up set = c->wish.set;
  struct command real = *c, reference = *c;
  real.wish.set = MADE_UP_NONE;
  reference.ticket = reference.object_size = 0;
  reference.reference = true;
  *used = false;
  worker_end(w);
  int rc = imagine_trial(w, &real, object, out);
  if (rc != 0 || out->status != STATUS_OK)
    return rc;
  rc = imagine_trial(w, &reference, NULL, out);
  *used = rc == 0 && out->status == STATUS_OK;
  if (rc == 0 && !*used) {
    log_message(AUTOTUNE_DEBUG, "%s: made-up data (%s) are not used: %s",
                worker_kernel(w)->name, made_up_names[set], out->message);
    if (set != MADE_UP_FILLED) // there it may depend on the variant
      *worker_sets(w) &= ~(1u << set);
    *out = (struct trial){ .status = STATUS_OK };
  } else if (*used) {
    double usual = out->run_seconds;
    rc = imagine_trial(w, c, object, out);
    if (rc == 0 && out->status == STATUS_OK) {
      imagine_least(&times->own, out->run_seconds);
      imagine_least(&times->usual, usual);
    }
  }
  return rc;
}

// Checks the variant, which is wrong as OUT says, by tolerances that are measured on
// these data, as those of the call's own data are. This takes time, so it is not done at
// first.
static int imagine_again(struct worker_pool *w, struct command *c, const void *object,
                         struct imagined_times *times, struct trial *out) {
  const struct trial first = *out;
  const unsigned sets = *worker_sets(w);
  bool used;
  c->wish.measured = true;
  int rc = imagine_set(w, c, object, &used, times, out);
  if (rc == 0 && !used) {
    *worker_sets(w) = sets;
    *out = first;
  }
  return rc;
}

int worker_imagine(struct worker_pool *w, uint64_t ticket, const void *object,
                   size_t size, const struct imagined *what, struct trial *out) {
  struct command c = { ticket, size, .plan = what->plan, .wish = what->wish };
  double end = sys_now() + what->plan.budget, last = what->expected;
  unsigned agreed = 0;
  struct imagined_times times = { 0 };
  int rc = 0;
  *out = (struct trial){ .status = STATUS_OK };
  for (int set = MADE_UP_NONE + 1; set < MADE_UPS; set++) {
    double begun = sys_now();
    bool used;
    if (!(*worker_sets(w) & what->sets & 1u << set) || begun + last > end)
      continue;
    c.wish.set = (enum made_up)set;
    c.wish.measured = set == MADE_UP_MIXED; // one scale says nothing of the small ones
    rc = imagine_set(w, &c, object, &used, &times, out);
    if (rc == 0 && used && out->status == STATUS_WRONG && !c.wish.measured)
      rc = imagine_again(w, &c, object, &times, out);
    last = sys_now() - begun;
    if (rc != 0 || out->status != STATUS_OK) {
      char why[sizeof out->message];
      memcpy(why, out->message, sizeof why);
      if (used)
        snprintf(out->message, sizeof out->message, "on made-up data (%s): %.200s",
                 made_up_names[set], why);
      break;
    }
    agreed += used;
  }
  worker_end(w);
  out->made_up = agreed;
  out->made_up_seconds = times.own;
  out->made_up_original = times.usual;
  return rc;
}
