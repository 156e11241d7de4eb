// SPDX-License-Identifier: Apache-2.0
// db.c: `autotune db`, over the runtime's own reader and writer of results: a table of
// what can be done, and the options that all of it shares.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/db/db.h"
#include "front/front.h"

// What was given, whichever command it is for.
struct given {
  const char *cache, *output, *key, *older;
  bool objects;
  const char **words;
  unsigned n;
};

static int run_list(const struct given *g) {
  return db_list(g->cache, stdout);
}

static int run_export(const struct given *g) {
  return db_export(g->cache, g->words, g->n, g->output, stdout);
}

static int run_import(const struct given *g) {
  return db_import(g->cache, g->words, g->n, stdout);
}

static int run_merge(const struct given *g) {
  return db_merge(g->words[0], g->words[1], g->n > 2 ? g->words[2] : NULL, g->output);
}

static int run_forget(const struct given *g) {
  return db_forget(g->cache, g->words[0], g->key, stdout);
}

// "90d", "12h"; false: it is neither.
static bool read_age(const char *text, double *seconds) {
  static const struct {
    const char *name;
    double seconds;
  } units[] = {
    { "s", 1 }, { "min", 60 }, { "h", 3600 }, { "d", 86400 }, { "w", 7 * 86400 },
  };
  char *end;
  double number = strtod(text, &end);
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(end, units[i].name) == 0 && end != text && number > 0 && number < 1e9) {
      *seconds = number * units[i].seconds;
      return true;
    }
  return false;
}

static int run_prune(const struct given *g) {
  struct prune_options o = { .objects = g->objects };
  if (g->older && !read_age(g->older, &o.older_than)) {
    fprintf(stderr,
            "autotune db prune: --older-than %s: not an age such as 90d, 12h or 30min\n",
            g->older);
    return 2;
  }
  return db_prune(g->cache, &o, stdout);
}

static int run_verify(const struct given *g) {
  return db_verify(g->cache, g->words, g->n, stdout);
}

static int run_diff(const struct given *g) {
  return db_diff(g->words[0], g->words[1], stdout);
}

enum { CACHE = 1, OUTPUT = 2, KEY = 4, OLDER = 8, OBJECTS = 16 };

static const struct db_command {
  const char *name;
  int (*run)(const struct given *g);
  unsigned least, most; // words
  unsigned options;     // that it takes
  const char *arguments, *about;
} commands[] = {
  { "list", run_list, 0, 0, CACHE, "",
    "what is known to be best, for which key and machine" },
  { "export", run_export, 0, 1000, CACHE | OUTPUT, "[KERNEL...] [-o FILE]",
    "winners as wisdom, one JSON object a line" },
  { "import", run_import, 1, 1000, CACHE, "FILE...",
    "take wisdom over; each winner is checked at its first call" },
  { "merge", run_merge, 2, 3, OUTPUT, "OURS THEIRS [BASE] -o OUT",
    "wisdom of two sides; also as git's merge driver" },
  { "forget", run_forget, 1, 1, CACHE | KEY, "KERNEL [--key n=512]", "tune it anew" },
  { "prune", run_prune, 0, 0, CACHE | OLDER | OBJECTS, "[--older-than 90d] [--objects]",
    "take out what nobody can use; --objects: all compiled winners too" },
  { "verify", run_verify, 0, 1000, CACHE, "[FILE...]",
    "is it whole: the store, or files of wisdom" },
  { "diff", run_diff, 2, 2, 0, "A B",
    "folders of results or files of wisdom, side by side" },
};
#define N_COMMANDS (sizeof commands / sizeof *commands)

static const struct db_option {
  const char *name;
  unsigned bit;
  size_t at; // of its text in struct given; 0: a switch
} options[] = {
  { "--cache", CACHE, offsetof(struct given, cache) + 1 },
  { "-o", OUTPUT, offsetof(struct given, output) + 1 },
  { "--output", OUTPUT, offsetof(struct given, output) + 1 },
  { "--key", KEY, offsetof(struct given, key) + 1 },
  { "--older-than", OLDER, offsetof(struct given, older) + 1 },
  { "--objects", OBJECTS, 0 },
};
#define N_OPTIONS (sizeof options / sizeof *options)

static void db_usage(FILE *out) {
  fputs("usage: autotune db COMMAND ... [--cache DIR]\n", out);
  for (size_t i = 0; i < N_COMMANDS; i++)
    fprintf(out, "  %-7s %-31s %s\n", commands[i].name, commands[i].arguments,
            commands[i].about);
  fputs(
      "Results are in DIR, else $AUTOTUNE_CACHE, $XDG_CACHE_HOME/autotune, ~/.cache/autotune.\n"
      "Exit status: 0; 1: nothing is there, something is damaged, or they differ; 2: it failed.\n",
      out);
}

// Reads the option at argv[*i]. False: it is refused, and that was said.
static bool read_option(const struct db_command *c, int argc, char **argv, int *i,
                        struct given *g) {
  const char *names[N_OPTIONS + 1] = { NULL };
  unsigned n_names = 0;
  for (size_t o = 0; o < N_OPTIONS; o++) {
    size_t n = strlen(options[o].name);
    if (!(c->options & options[o].bit))
      continue;
    names[n_names++] = options[o].name;
    if (strncmp(argv[*i], options[o].name, n) != 0)
      continue;
    bool joined = argv[*i][n] == '=' && n > 2;
    if (argv[*i][n] && !joined)
      continue;
    if (!options[o].at)
      return g->objects = true;
    if (!joined && *i + 1 == argc) {
      fprintf(stderr, "autotune db %s: %s: its value is missing\n", c->name, argv[*i]);
      return false;
    }
    const char **to = (const char **)((char *)g + options[o].at - 1);
    *to = joined ? argv[*i] + n + 1 : argv[++*i];
    return true;
  }
  const char *near = value_nearest(argv[*i], strlen(argv[*i]), names);
  fprintf(stderr, "autotune db %s: %s: unknown option%s%s%s\n", c->name, argv[*i],
          near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
  return false;
}

static int db_run(const struct db_command *c, int argc, char **argv) {
  struct given g = { .words = calloc((size_t)argc + 1, sizeof *g.words) };
  bool good = g.words != NULL, only_words = false;
  for (int i = 2; i < argc && good; i++)
    if (!only_words && strcmp(argv[i], "--") == 0)
      only_words = true;
    else if (!only_words && argv[i][0] == '-' && argv[i][1])
      good = read_option(c, argc, argv, &i, &g);
    else
      g.words[g.n++] = argv[i];
  if (good && (g.n < c->least || g.n > c->most)) {
    fprintf(stderr, "usage: autotune db %s %s\n", c->name, c->arguments);
    good = false;
  }
  int status = good ? c->run(&g) : 2;
  free(g.words);
  return status;
}

int command_db(int argc, char **argv) {
  if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0))
    return db_usage(stdout), 0;
  const char *names[N_COMMANDS + 1] = { NULL };
  for (size_t i = 0; argc >= 2 && i < N_COMMANDS; i++) {
    if (strcmp(argv[1], commands[i].name) == 0)
      return db_run(&commands[i], argc, argv);
    names[i] = commands[i].name;
  }
  const char *near = argc >= 2 ? value_nearest(argv[1], strlen(argv[1]), names) : NULL;
  if (argc >= 2)
    fprintf(stderr, "autotune db: unknown command '%s'%s%s%s\n", argv[1],
            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  db_usage(stderr);
  return 2;
}
