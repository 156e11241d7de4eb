// SPDX-License-Identifier: Apache-2.0
// search_run.c: runs a search on a recorded space. The search asks and is told results as
// in the tuner, and every trial costs one, also a failed one. Processes share the seeds.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "recorded.h"
#include "tune/guess.h"
#include "tune/tune.h"

const unsigned run_marks[MARKS] = { 10, 25, 50, 100, 200, 400 };
const double run_goals[GOALS] = { 0.05, 0.01 };
enum { HINTS = 4 };

struct run {
  double ratio[MARKS];
  struct {
    unsigned trials;
    double cost;
  } within[GOALS]; // until a goal; 0 trials: never
  unsigned trials;
  double cost;    // seconds that the trials took when they were recorded
  double seconds; // of ask and tell
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// About normally distributed, variance 1: the sum of twelve.
static double noise(uint64_t *rng) {
  double sum = -6;
  for (int i = 0; i < 12; i++)
    sum += rng_unit(rng);
  return sum;
}

struct replay {
  const struct recorded *space;
  const struct run_options *options;
  uint64_t rng;
  double observation,
      best; // the best time as the search was told it, and the true time of that point
  struct run *run;
};

static void note(struct replay *p, const struct row *row,
                 struct observation *observation) {
  double factor = p->options->noise > 0 ? exp(p->options->noise * noise(&p->rng)) : 1;
  struct run *run = p->run;
  *observation = (struct observation){
    .status = row->status, .cost = row->status == STATUS_OK ? row->seconds * factor : 0
  };
  if (row->status == STATUS_OK && observation->cost < p->observation) {
    p->observation = observation->cost;
    p->best = row->seconds;
  }
  run->trials++;
  run->cost += row->cost;
  for (unsigned g = 0; g < GOALS; g++)
    if (!run->within[g].trials && row->status == STATUS_OK &&
        row->seconds <= (1 + run_goals[g]) * p->space->best) {
      run->within[g].trials = run->trials;
      run->within[g].cost = run->cost;
    }
  for (unsigned m = 0; m < MARKS; m++)
    if (run->trials <= run_marks[m]) // a run that ends early leaves its last ratio
      run->ratio[m] = p->best / p->space->best;
}

// True until TRIALS, and until twice as many while no point within 5 % is found. Where a
// goal is set, the run ends with it.
static bool goes_on(const struct replay *p) {
  unsigned trials = p->options->trials, n = p->run->trials;
  if (n > 0 && p->options->goal > 0 && p->best <= (1 + p->options->goal) * p->space->best)
    return false;
  return n < trials || (n < 2 * trials && !p->run->within[0].trials);
}

// The point of NAMES and texts in another space. False: there is none.
static bool same_point(const struct recorded *from, const choice *at,
                       const struct recorded *to, choice *point) {
  char *values = space_values(&from->kernel, at);
  bool same = values && hints_point(&to->space, values, point);
  char *own = same ? space_values(&to->kernel, point) : NULL;
  same = own && strcmp(own, values) == 0 && recorded_find(to, point);
  free(own);
  free(values);
  return same;
}

static int by_seconds(const void *a, const void *b) {
  double left = ((const struct row *)a)->seconds,
         right = ((const struct row *)b)->seconds;
  return left < right ? -1 : left > right;
}

// Returns what CLASS finds in TRIALS on the near space, as rows of P's space, fastest
// first.
static unsigned tune_near(const struct replay *p, const struct strategy_class *class,
                          uint64_t seed, struct row *rows) {
  const struct recorded *near = p->options->near;
  struct strategy *st = class->new(&near->space, seed, p->options->near_trials);
  choice point[MAX_PARAMS];
  unsigned n = 0;
  size_t width = near->kernel.n_params;
  for (unsigned i = 0; st && i < p->options->near_trials && class->ask(st, point); i++) {
    const struct row *row = recorded_find(near, point);
    struct observation observation = { .status = row->status,
                                       .cost = row->status == STATUS_OK ? row->seconds
                                                                        : 0 };
    class->tell(st, point, &observation);
    rows[n] = (struct row){ calloc(width, sizeof *point), row->status, row->seconds, 0 };
    if (row->status == STATUS_OK && rows[n].point &&
        same_point(near, point, p->space, rows[n].point))
      n++;
    else
      free(rows[n].point);
  }
  if (st)
    class->free(st);
  qsort(rows, n, sizeof *rows, by_seconds);
  return n;
}

// Tells the search the fastest points of the near key first, as the tuner does (hints.c,
// transfer.c).
static void begin_near(struct replay *p, const struct strategy_class *class,
                       struct strategy *st, uint64_t seed) {
  struct row *rows = calloc(p->options->near_trials, sizeof *rows);
  unsigned n = rows ? tune_near(p, class, seed, rows) : 0;
  for (unsigned i = n; i-- > 0 && class->transfer;)
    class->transfer(st, rows[i].point, rows[i].seconds);
  for (unsigned i = 0; i < n && i < HINTS; i++) {
    struct observation observation;
    note(p, recorded_find(p->space, rows[i].point), &observation);
    class->tell(st, rows[i].point, &observation);
  }
  for (unsigned i = 0; i < n; i++)
    free(rows[i].point);
  free(rows);
}

// Tells the search the points that the tuner tries before it asks (hints.c).
static void begin_guesses(struct replay *p, const struct strategy_class *class,
                          struct strategy *st) {
  choice points[GUESSES * MAX_PARAMS];
  unsigned n = guess_points(&p->space->space, points, p->options->guesses);
  for (unsigned i = 0; i < n; i++) {
    const choice *point = points + (size_t)i * p->space->kernel.n_params;
    struct observation observation;
    note(p, recorded_find(p->space, point), &observation);
    class->tell(st, point, &observation);
  }
}

static bool replay(struct replay *p, const struct strategy_class *class, uint64_t seed) {
  struct strategy *st = class->new(&p->space->space, seed, p->options->trials);
  choice asked[MAX_FLIGHT][MAX_PARAMS];
  unsigned first = 0, n = 0, flight = p->options->flight;
  bool more = st != NULL;
  if (st && p->options->near)
    begin_near(p, class, st, seed);
  else if (st && class == &search_auto)
    begin_guesses(p, class, st);
  while (st && goes_on(p)) {
    double began = now();
    if (class->left)
      class->left(st, fmax(1 - (double)p->run->trials / p->options->trials, 0));
    while (more && n < flight && (more = class->ask(st, asked[(first + n) % flight])))
      n++;
    if (n == 0)
      break;
    const struct row *row = recorded_find(p->space, asked[first]);
    struct observation observation;
    if (!row) {
      fprintf(stderr, "%s asked for a point that is not allowed\n", class->name);
      break;
    }
    note(p, row, &observation);
    class->tell(st, asked[first], &observation);
    p->run->seconds += now() - began;
    first = (first + 1) % flight;
    n--;
  }
  if (st)
    class->free(st);
  return st && p->run->trials > 0;
}

static void work(const struct recorded *r, const struct strategy_class *class,
                 const struct run_options *o, unsigned job, struct run *runs) {
  for (unsigned seed = job; seed < o->seeds; seed += o->jobs) {
    struct replay p = { .space = r,
                        .options = o,
                        .rng = seed,
                        .observation = INFINITY,
                        .best = r->worst,
                        .run = &runs[seed] };
    replay(&p, class, seed + 1);
  }
}

static int by_time(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return left < right ? -1 : left > right;
}

static double middle(double *numbers, unsigned n) {
  qsort(numbers, n, sizeof *numbers, by_time);
  return (numbers[(n - 1) / 2] + numbers[n / 2]) / 2;
}

// Sets OUT to the medians over the runs until goal G.
static bool summarise_goal(const struct run *runs, const struct run_options *o,
                           unsigned g, struct goal *out) {
  double *numbers = calloc(2 * (size_t)o->seeds, sizeof *numbers);
  if (!numbers)
    return false;
  for (unsigned i = 0; i < o->seeds; i++) {
    bool there = runs[i].within[g].trials > 0;
    numbers[i] = there ? runs[i].within[g].trials : INFINITY;
    numbers[o->seeds + i] = there ? runs[i].within[g].cost : INFINITY;
  }
  out->trials = middle(numbers, o->seeds);
  out->seconds = middle(numbers + o->seeds, o->seeds);
  out->more = isinf(out->trials);
  double most = 0;
  for (unsigned i = 0; i < o->seeds; i++)
    most = fmax(most, runs[i].cost);
  if (out->more)
    *out = (struct goal){ 2 * o->trials, most, true };
  free(numbers);
  return true;
}

static bool summarise(const struct run *runs, const struct run_options *o,
                      struct curve *out) {
  double seconds = 0, trials = 0;
  *out = (struct curve){ 0 };
  for (unsigned i = 0; i < o->seeds; i++) {
    if (runs[i].trials == 0)
      return false;
    for (unsigned m = 0; m < MARKS; m++)
      out->ratio[m] += runs[i].ratio[m] / o->seeds;
    out->reached += runs[i].within[0].trials > 0;
    seconds += runs[i].seconds;
    trials += runs[i].trials;
  }
  out->seconds = seconds / trials;
  out->reached /= o->seeds;
  bool fine = true;
  for (unsigned g = 0; g < GOALS; g++)
    fine = fine && summarise_goal(runs, o, g, &out->goals[g]);
  return fine;
}

bool run_search(const struct recorded *r, const struct strategy_class *class,
                const struct run_options *o, struct curve *out) {
  size_t size = o->seeds * sizeof(struct run);
  struct run *runs =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  bool fine = runs != MAP_FAILED;
  fflush(NULL);
  for (unsigned job = 0; fine && job < o->jobs; job++) {
    pid_t child = fork();
    if (child == 0) {
      work(r, class, o, job, runs);
      _exit(0);
    }
    fine = child > 0;
  }
  for (int status; wait(&status) > 0;)
    fine = fine && status == 0;
  fine = fine && summarise(runs, o, out);
  if (runs != MAP_FAILED)
    munmap(runs, size);
  if (!fine)
    fprintf(stderr, "%s: the search %s failed\n", r->name, class->name);
  return fine;
}

void run_random(const struct recorded *r, struct curve *out) {
  double *times = calloc(r->n + 1, sizeof *times);
  *out = (struct curve){ .reached = 1 };
  for (unsigned g = 0; g < GOALS; g++) {
    double trials = (r->n + 1.0) / (r->good[g] + 1.0);
    out->goals[g] = (struct goal){ trials, trials * r->cost, false };
  }
  for (unsigned i = 0; times && i < r->n; i++)
    times[i] = r->rows[i].status == STATUS_OK ? r->rows[i].seconds : r->worst;
  if (times)
    qsort(times, r->n, sizeof *times, by_time);
  for (unsigned m = 0; times && m < MARKS; m++) {
    double none = 1; // the chance that no draw so far is among the first i
    for (unsigned i = 0; i < r->n; i++) {
      double left = (double)r->n - i - run_marks[m];
      double next = left > 0 ? none * left / (r->n - i) : 0;
      out->ratio[m] += (none - next) * times[i] / r->best;
      none = next;
    }
  }
  free(times);
}
