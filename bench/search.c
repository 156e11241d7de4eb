// SPDX-License-Identifier: Apache-2.0
// search.c: replays the searches on spaces of which all points were measured, and prints
// how they compare with random search. No GPU and no compiler is needed.
//
//   search [OPTION…] FOLDER|FILE…      FAIR T4: *.json, *.json.gz
#include <dirent.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorded.h"
#include "tune/guess.h"

static const char usage[] =
    "search [OPTION…] FOLDER|FILE…   replays searches on recorded spaces (FAIR T4, "
    "*.json, *.json.gz)\n"
    "  --seeds N       runs of each search (100)\n"
    "  --trials N      of each run; the budget that the search is told (400)\n"
    "  --searches A,B  those only; default: all but exhaustive and random\n"
    "  --flight N,M    points asked for before the first is told of (1,3,7,31)\n"
    "  --goal SHARE    a run ends so close to the best, 0.01: at 1 % (0: it goes on)\n"
    "  --noise SHARE   standard deviation of the times that are told (0)\n"
    "  --near FILE     a space with the same parameters, as a near key: tuned first, by "
    "the same search\n"
    "  --near-trials N variants tried there (80)\n"
    "  --pairs         each space as the near key of each other one with its parameters, "
    "against none\n"
    "  --guesses N     of a kernel with directives, before auto asks (3; 0: none)\n"
    "  --jobs N        processes (all cores)\n"
    "  --json FILE     the figures\n"
    "The time of a configuration is the mean of its recorded runs.\n";

struct list {
  char **paths;
  unsigned n;
};

static void add_path(struct list *l, const char *folder, const char *name) {
  size_t n = strlen(name);
  bool wanted = (n > 5 && strcmp(name + n - 5, ".json") == 0) ||
      (n > 8 && strcmp(name + n - 8, ".json.gz") == 0);
  char **paths = wanted ? realloc(l->paths, (l->n + 1) * sizeof *paths) : NULL;
  if (!paths)
    return;
  l->paths = paths;
  if (asprintf(&paths[l->n], "%s%s%s", folder, *folder ? "/" : "", name) >= 0)
    l->n++;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_all(struct list *l, const char *path) {
  DIR *folder = opendir(path);
  if (!folder) {
    add_path(l, "", path);
    return;
  }
  for (struct dirent *e; (e = readdir(folder));)
    add_path(l, path, e->d_name);
  closedir(folder);
  qsort(l->paths, l->n, sizeof *l->paths, by_name);
}

static bool add_search(struct table *t, const char *name) {
  const struct strategy_class *class = strategy_find(name);
  if (!class || t->n_searches == MAX_SEARCHES) {
    fprintf(stderr, "there is no search '%s'\n", name);
    return false;
  }
  t->searches[t->n_searches++] = class;
  return true;
}

static bool set_searches(struct table *t, char *names) {
  for (char *name = names ? strtok(names, ",") : NULL; name; name = strtok(NULL, ","))
    if (!add_search(t, name))
      return false;
  for (const struct strategy_class *const *c = strategy_list(); !names && *c; c++)
    if (strcmp((*c)->name, "exhaustive") != 0 && strcmp((*c)->name, "random") != 0)
      add_search(t, (*c)->name);
  return true;
}

static bool set_flights(struct table *t, char *numbers) {
  for (char *n = strtok(numbers, ","); n; n = strtok(NULL, ",")) {
    long flight = strtol(n, NULL, 10);
    if (flight < 1 || flight > MAX_FLIGHT || t->n_flights == MAX_FLIGHTS) {
      fprintf(stderr, "--flight: at most %d numbers from 1 to %d\n", MAX_FLIGHTS,
              MAX_FLIGHT);
      return false;
    }
    t->flights[t->n_flights++] = (unsigned)flight;
  }
  return t->n_flights > 0;
}

static bool read_all(struct table *t, const struct list *l) {
  t->results = calloc(l->n + 1, sizeof *t->results);
  for (; t->results && t->n < l->n; t->n++)
    if (!(t->results[t->n].space = recorded_read(l->paths[t->n])))
      return false;
  return t->n > 0;
}

static bool measure(struct table *t, struct run_options *o) {
  for (unsigned i = 0; i < t->n; i++) {
    struct result *r = &t->results[i];
    run_random(r->space, &r->random);
    for (unsigned f = 0; f < t->n_flights; f++) {
      o->flight = t->flights[f];
      for (unsigned s = 0; s < t->n_searches; s++)
        if (!run_search(r->space, t->searches[s], o, &r->curves[f][s]))
          return false;
    }
    table_space(t, r);
  }
  table_summary(t);
  return true;
}

static bool write_json(const struct table *t, const struct run_options *o,
                       const char *path) {
  json_t *root = table_json(t, o);
  bool fine = json_dump_file(root, path, JSON_INDENT(1) | JSON_REAL_PRECISION(5)) == 0;
  json_decref(root);
  if (!fine)
    fprintf(stderr, "%s cannot be written\n", path);
  return fine;
}

static struct run_options options = { .seeds = 100, .trials = 400, .near_trials = 80 };
static bool pairs;
static char *searches, *json, *near, *noise, *goal, *guesses,
    usual_flights[] = "1,3,7,31", *flights = usual_flights;
static const struct {
  const char *name;
  char **text; // or
  unsigned *number, most;
} settings[] = {
  { "seeds", NULL, &options.seeds, 100000 },
  { "trials", NULL, &options.trials, 100000 },
  { "jobs", NULL, &options.jobs, 1024 },
  { "near-trials", NULL, &options.near_trials, 100000 },
  { "flight", &flights, NULL, 0 },
  { "goal", &goal, NULL, 0 },
  { "guesses", &guesses, NULL, 0 },
  { "noise", &noise, NULL, 0 },
  { "searches", &searches, NULL, 0 },
  { "json", &json, NULL, 0 },
  { "near", &near, NULL, 0 },
};
enum { SETTINGS = sizeof settings / sizeof *settings, PAIRS = SETTINGS, HELP };

// Reads the options. Returns -1, or the exit status after the help was printed.
static int read_options(int argc, char **argv) {
  struct option longs[HELP + 2] = { [PAIRS] = { "pairs", 0, NULL, PAIRS },
                                    [HELP] = { "help", 0, NULL, HELP } };
  for (int i = 0; i < SETTINGS; i++)
    longs[i] = (struct option){ settings[i].name, 1, NULL, i };
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  options.jobs = cores > 0 ? (unsigned)cores : 1;
  for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;)
    if (c == PAIRS) {
      pairs = true;
    } else if (c < 0 || c >= SETTINGS) {
      fputs(usage, c == HELP ? stdout : stderr);
      return c == HELP ? 0 : 2;
    } else if (settings[c].text) {
      *settings[c].text = optarg;
    } else {
      long n = strtol(optarg, NULL, 10), most = settings[c].most;
      *settings[c].number = (unsigned)(n < 1 ? 1 : n > most ? most : n);
    }
  options.noise = noise ? strtod(noise, NULL) : 0;
  options.guesses = !guesses || atoi(guesses) > GUESSES ? GUESSES
                                                        : (unsigned)atoi(guesses);
  options.goal = goal ? strtod(goal, NULL) : 0;
  return -1;
}

int main(int argc, char **argv) {
  struct table t = { 0 };
  struct list files = { 0 };
  int status = read_options(argc, argv);
  if (status >= 0)
    return status;
  for (int i = optind; i < argc; i++)
    add_all(&files, argv[i]);
  if (files.n == 0) {
    fputs(usage, stderr);
    return 2;
  }
  struct recorded *nearby = near ? recorded_read(near) : NULL;
  options.near = nearby;
  bool fine = nearby || !near;
  fine = fine && set_flights(&t, flights) && set_searches(&t, searches) &&
      read_all(&t, &files) && (pairs ? pairs_run : measure)(&t, &options);
  fine = fine && (!json || write_json(&t, &options, json));
  for (unsigned i = 0; i < t.n; i++)
    recorded_free((struct recorded *)t.results[i].space);
  if (nearby)
    recorded_free(nearby);
  for (unsigned i = 0; i < files.n; i++)
    free(files.paths[i]);
  free(files.paths);
  free(t.results);
  return fine ? 0 : 1;
}
