// SPDX-License-Identifier: Apache-2.0
// options.c: the AUTOTUNE_* variables, one table. What is not understood is refused
// loudly, once, and the default holds.
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base.h"
#include "tune/search/search.h"

enum { WARNINGS = 16 };

// Written once, by the first call of options_get. Texts are copies: the program may
// change its environment afterwards.
static struct {
  pthread_once_t once;
  atomic_bool told;
  struct options options;
  char *warnings[WARNINGS]; // waiting until messages can be logged
  unsigned n_warnings;
} env = { .once = PTHREAD_ONCE_INIT };

#define WARN(...)                                                                \
  do {                                                                           \
    char *warning_ = env.n_warnings < WARNINGS ? sys_printf(__VA_ARGS__) : NULL; \
    if (warning_)                                                                \
      env.warnings[env.n_warnings++] = warning_;                                 \
  } while (0)

// ---- suggestions --------------------------------------------------------------------

static unsigned options_min3(unsigned a, unsigned b, unsigned c) {
  unsigned m = a < b ? a : b;
  return m < c ? m : c;
}

// Levenshtein's distance, one row at a time; texts over 63 bytes are far from everything.
static unsigned options_distance(const char *a, const char *b) {
  size_t n = strlen(a), m = strlen(b);
  unsigned row[64];
  if (n > 63 || m > 63)
    return UINT_MAX;
  for (size_t j = 0; j <= m; j++)
    row[j] = (unsigned)j;
  for (size_t i = 1; i <= n; i++) {
    unsigned diagonal = row[0];
    row[0] = (unsigned)i;
    for (size_t j = 1; j <= m; j++) {
      unsigned above = row[j];
      row[j] = options_min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
      diagonal = above;
    }
  }
  return row[m];
}

const char *env_nearest(const char *word, const char *const *words) {
  const char *best = NULL;
  unsigned least = (unsigned)strlen(word) / 3 + 1;
  for (; *words; words++) {
    unsigned d = options_distance(word, *words);
    if (d <= least && (!best || d < least)) {
      best = *words;
      least = d;
    }
  }
  return best;
}

// ---- one function for each kind of value --------------------------------------------

static void bad_value(const char *name, const char *value, const char *const *words) {
  const char *near = env_nearest(value, words);
  if (near)
    WARN("%s=%s: unknown value; did you mean '%s'?", name, value, near);
  else
    WARN("%s=%s: unknown value; the first of those known is '%s'", name, value, words[0]);
}

static int word_index(const char *value, const char *const *words) {
  for (int i = 0; words[i]; i++)
    if (strcmp(value, words[i]) == 0)
      return i;
  return -1;
}

// In the order of enum tuning_mode.
static const char *const modes[] = { "first",      "locked",  "off",  "online",
                                     "background", "offline", "tune", NULL };

int env_mode(const char *name) {
  return word_index(name, modes);
}

static void options_read_mode(const char *name, const char *value) {
  int i = env_mode(value);
  if (i < 0)
    return bad_value(name, value, modes);
  env.options.mode = (enum tuning_mode)i;
  env.options.mode_set = true;
}

static void read_log(const char *name, const char *value) {
  static const char *const words[] = { "error", "warn", "info", "debug", NULL };
  int i = word_index(value, words);
  if (i >= 0)
    env.options.log_level = (enum autotune_level)i;
  else
    bad_value(name, value, words);
}

// One part of a budget, NUMBER with the unit of SIZE bytes at UNIT. False: it is none, or
// a second of its kind.
static bool add_budget(struct budget *b, double number, const char *unit, size_t size) {
  static const struct {
    const char *name;
    double seconds;
  } units[] = {
    { "s", 1 }, { "ms", 1e-3 }, { "us", 1e-6 }, { "min", 60 }, { "m", 60 }, { "h", 3600 },
  };
  double seconds = 0;
  for (size_t u = 0; u < sizeof units / sizeof *units; u++)
    if (size == strlen(units[u].name) && memcmp(unit, units[u].name, size) == 0)
      seconds = number * units[u].seconds;
  if (seconds > 0 && b->seconds == 0 && isfinite(seconds))
    b->seconds = seconds;
  else if (size == 0 && b->variants == 0 && number == floor(number) && number <= 1e9)
    b->variants = (unsigned)number;
  else if (size == 1 && *unit == '%' && b->fraction == 0 && number <= 100)
    b->fraction = number / 100;
  else
    return false;
  return true;
}

bool env_parse_budget(const char *text, struct budget *out) {
  *out = (struct budget){ 0 };
  for (const char *p = text;;) {
    while (*p == ' ')
      p++;
    char *end;
    double number = strtod(p, &end);
    size_t size = strcspn(end, ", ");
    if (end == p || !(number > 0) || !isfinite(number) ||
        !add_budget(out, number, end, size))
      return false;
    p = end + size + strspn(end + size, " ");
    if (*p == '\0')
      return true;
    if (*p++ != ',')
      return false;
  }
}

static void options_read_budget(const char *name, const char *value) {
  struct budget b;
  if (!env_parse_budget(value, &b)) {
    WARN(
        "%s=%s: not a budget such as '5s', '200' (variants), '5%%' (of the time in the kernel) "
        "or '5s,200'",
        name, value);
    return;
  }
  env.options.budget_seconds = b.seconds;
  env.options.budget_variants = b.variants;
  env.options.budget_fraction = b.fraction;
}

static void options_read_until(const char *name, const char *value) {
  char *end;
  double percent = strtod(value, &end);
  if (end == value || strcmp(end, "%") != 0 || !(percent > 0 && percent < 100))
    WARN("%s=%s: not a share such as '2%%'", name, value);
  else
    env.options.until = percent / 100;
}

static void read_capture(const char *name, const char *value) {
  (void)name;
  env.options.capture = sys_strdup(value);
}

static void read_capture_limit(const char *name, const char *value) {
  static const char units[] = "KMGT";
  char *end;
  double number = strtod(value, &end);
  const char *unit = *end ? strchr(units, *end) : NULL;
  for (const char *u = units; unit && u <= unit; u++)
    number *= 1024;
  if (end == value || (*end && (!unit || end[1])) || !(number > 0 && number < 1e18))
    WARN("%s=%s: not a number of bytes such as '4G' or '512M'", name, value);
  else
    env.options.capture_limit = (uint64_t)number;
}

static void read_called(const char *name, const char *value) {
  (void)name;
  env.options.called = sys_strdup(value);
}

static void read_drift(const char *name, const char *value) {
  struct budget b;
  if (strcmp(value, "off") == 0)
    env.options.drift = 0;
  else if (env_parse_budget(value, &b) && b.seconds > 0 && b.variants == 0 &&
           b.fraction == 0)
    env.options.drift = b.seconds;
  else
    WARN("%s=%s: neither 'off' nor a time such as '8s'", name, value);
}

static void options_read_kernel(const char *name, const char *value) {
  (void)name;
  env.options.kernel = sys_strdup(value);
}

static void read_seed(const char *name, const char *value) {
  char *end;
  errno = 0;
  unsigned long long seed = strtoull(value, &end, 0);
  env.options.seeded = !errno && end != value && !*end && *value != '-';
  if (env.options.seeded)
    env.options.seed = seed;
  else
    WARN("%s=%s: not a whole number", name, value);
}

static void options_read_search(const char *name, const char *value) {
  const char *words[32];
  unsigned n = 0;
  for (const struct strategy_class *const *c = strategy_list(); *c && n < 31; c++)
    words[n++] = (*c)->name;
  words[n] = NULL;
  if (strategy_find(value))
    env.options.search = sys_strdup(value);
  else
    bad_value(name, value, words);
}

static void read_cache(const char *name, const char *value) {
  (void)name;
  env.options.cache = strcmp(value, "off") == 0 ? "" : sys_strdup(value);
}

static void read_jit(const char *name, const char *value) {
  (void)name;
  env.options.jit = sys_strdup(value);
}

static void read_wisdom(const char *name, const char *value) {
  (void)name;
  env.options.wisdom = sys_strdup(value);
}

static void read_openmp(const char *name, const char *value) {
  (void)name;
  env.options.openmp = sys_strdup(value);
}

static void read_nvrtc(const char *name, const char *value) {
  (void)name;
  env.options.nvrtc = sys_strdup(value);
}

static void read_gpu_worker(const char *name, const char *value) {
  (void)name;
  env.options.gpu_worker = sys_strdup(value);
}

static void read_emulator(const char *name, const char *value) {
  (void)name;
  env.options.emulator = sys_strdup(value);
}

// ---- the table ----------------------------------------------------------------------

static const struct variable {
  const char *name;
  void (*read)(const char *name, const char *value); // NULL: read elsewhere, known here
} variables[] = {
  { "AUTOTUNE_MODE", options_read_mode },
  { "AUTOTUNE_BUDGET", options_read_budget },
  { "AUTOTUNE_SEARCH", options_read_search },
  { "AUTOTUNE_SEED", read_seed },
  { "AUTOTUNE_LOG", read_log },
  { "AUTOTUNE_CACHE", read_cache },
  { "AUTOTUNE_JIT", read_jit },
  { "AUTOTUNE_OPENMP", read_openmp },
  { "AUTOTUNE_WISDOM", read_wisdom },
  { "AUTOTUNE_DRIFT", read_drift },
  { "AUTOTUNE_UNTIL", options_read_until },
  { "AUTOTUNE_KERNEL", options_read_kernel },
  { "AUTOTUNE_CALLED", read_called },
  { "AUTOTUNE_CAPTURE", read_capture },
  { "AUTOTUNE_CAPTURE_LIMIT", read_capture_limit },
  { "AUTOTUNE_NVRTC", read_nvrtc },
  { "AUTOTUNE_GPU_WORKER", read_gpu_worker },
  { "AUTOTUNE_EMULATOR", read_emulator },
  { "AUTOTUNE_EMULATE", NULL }, // the emulator
  { "AUTOTUNE_EMULATE_CLANG", NULL },
  { "AUTOTUNE_EMULATE_INCLUDE", NULL },
  { "AUTOTUNE_FAULT", NULL }, // sys.c
  { "AUTOTUNE_HOME", NULL },  // the program autotune
  { "AUTOTUNE_CLANG", NULL },
  { "AUTOTUNE_CHECK", NULL }, // `make check` and its tests
  { "AUTOTUNE_UPDATE", NULL },
};
enum { VARIABLES = sizeof variables / sizeof *variables };

static void read_variable(const char *entry) {
  const char *equals = strchr(entry, '=');
  char name[64];
  if (equals && (size_t)(equals - entry) >= sizeof name)
    WARN("%.40s…: there is no such variable", entry);
  if (!equals || (size_t)(equals - entry) >= sizeof name)
    return;
  memcpy(name, entry, (size_t)(equals - entry));
  name[equals - entry] = '\0';
  for (int i = 0; i < VARIABLES; i++)
    if (strcmp(name, variables[i].name) == 0) {
      if (variables[i].read && (equals[1] || variables[i].read == read_cache))
        variables[i].read(name, equals + 1);
      return;
    }
  const char *names[VARIABLES + 1] = { NULL };
  for (int i = 0; i < VARIABLES; i++)
    names[i] = variables[i].name;
  const char *near = env_nearest(name, names);
  WARN("%s: there is no such variable%s%s%s", name, near ? "; did you mean " : "",
       near ? near : "", near ? "?" : "");
}

static void read_environment(void) {
  env.options = (struct options){
    .seed = 1, .drift = 8, .log_level = AUTOTUNE_WARN, .capture_limit = 1u << 30
  };
  if (getauxval(AT_SECURE)) { // a set-user-ID program listens to nobody and keeps nothing
    env.options.cache = "";
    return;
  }
  for (char **e = environ; e && *e; e++)
    if (strncmp(*e, "AUTOTUNE_", 9) == 0 && strncmp(*e, "AUTOTUNE_TEST_", 14) != 0)
      read_variable(*e);
}

const struct options *options_get(void) {
  pthread_once(&env.once, read_environment);
  // Logging asks for the options itself, so warnings wait until there are some.
  if (env.n_warnings && !atomic_exchange(&env.told, true))
    for (unsigned i = 0; i < env.n_warnings; i++) {
      log_message(AUTOTUNE_WARN, "%s", env.warnings[i]);
      free(env.warnings[i]);
      env.warnings[i] = NULL;
    }
  return &env.options;
}
