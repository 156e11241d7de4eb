// SPDX-License-Identifier: Apache-2.0
// options.c: the table of AUTOTUNE_* variables. A name or value that is not valid is
// reported once, and the default is used.
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base.h"

// Written once, by the first call of options_get. Texts are copies: the program may
// change its environment afterwards.
static struct {
  pthread_once_t once;
  atomic_bool said;
  struct options_read read; // its warnings are kept until messages can be logged
} env = { .once = PTHREAD_ONCE_INIT };

#define WARN(r, ...)                                                              \
  do {                                                                            \
    char *warning_ = (r)->n_warnings < OPTIONS_WARNINGS ? sys_printf(__VA_ARGS__) \
                                                        : NULL;                   \
    if (warning_)                                                                 \
      (r)->warnings[(r)->n_warnings++] = warning_;                                \
  } while (0)

// ---- the table ----------------------------------------------------------------------

static const char *const options_levels[] = { "error", "warn", "info", "debug", NULL };

static const char *const options_switch[] = { "on", "off", NULL };

static const char *const options_automatic[] = { "0", "1", "fast-math", "exact", NULL };

#define AT(member) .at = offsetof(struct options, member)
#define LISTED(name) #name ", "

const struct setting setting_variables[] = {
  { "AUTOTUNE_MODE", SETTING_WORD, "MODE",
    "when kernels are tuned; it overrides their mode(…): first (at the first call, which "
    "waits; the default), background, online, offline (only by `autotune tune`), locked "
    "(never; what is known runs) or off",
    AT(mode), .words = mode_names, .given = offsetof(struct options, mode_set) },
  { "AUTOTUNE_BUDGET", SETTING_BUDGET, "60s,200,5%",
    "for each kernel and key: a time, or quick (2 s), normal (10 s) or patient (60 s); a "
    "number of variants, a percentage of the time in the kernel, or several of these; by "
    "default 10 s or 200 variants, of which a first call waits for 2 to 3 s",
    AT(budget) },
  { "AUTOTUNE_UNTIL", SETTING_UNTIL, "2%,roof 80%",
    "a search ends where it expects less improvement, or where the best reaches that share "
    "of what the machine can do",
    AT(until) },
  { "AUTOTUNE_SEARCH", SETTING_SEARCH, "NAME",
    "the search: " SEARCHES(LISTED) "list:FILE or extern:COMMAND", AT(search) },
  { "AUTOTUNE_SEED", SETTING_WHOLE, "N", "the seed of the searches' random numbers",
    AT(seed), .initial = "1", .given = offsetof(struct options, seeded) },
  { "AUTOTUNE_KERNEL", SETTING_TEXT, "NAME", "the only kernel to tune", AT(kernel) },
  { "AUTOTUNE_DRIFT", SETTING_TIME_OR_OFF, "8s",
    "how long a tuned kernel must be slower than it was before its fastest variants race "
    "again, by default 8s; or off",
    AT(drift), .initial = "8s" },
  { "AUTOTUNE_AFTER", SETTING_TIME_OR_OFF, "30s",
    "how long the tuning of kernels that --auto made goes on after the program's end, at "
    "low priority and while the machine is idle, by default 30s; or off",
    AT(after), .initial = "30s" },
  { "AUTOTUNE_REVERIFY", SETTING_WORD, "off",
    "whether winners are compared with the default again on later calls, by processes of "
    "their own and for about 1 % of the time in the kernel: on (the default) or off",
    AT(reverify), .initial = "on", .words = options_switch },
  { "AUTOTUNE_CACHE", SETTING_FOLDER, "DIR",
    "the folder of results, by default $XDG_CACHE_HOME/autotune or ~/.cache/autotune; "
    "off: nothing is remembered",
    AT(cache) },
  { "AUTOTUNE_MAXSIZE", SETTING_LIMIT, "5G",
    "the size above which compiled winners that were not used for long are removed from "
    "the folder of results, by default 5G; 0: no limit",
    AT(most), .initial = "5G" },
  { "AUTOTUNE_WISDOM", SETTING_TEXT, "FILE:FILE",
    "files of winners that `autotune db export` wrote; they are only read", AT(wisdom) },
  { "AUTOTUNE_LOG", SETTING_WORD, "LEVEL",
    "which messages go to standard error: error, warn (the default), info or debug",
    AT(log_level), .initial = "warn", .words = options_levels },
  { "AUTOTUNE_CAPTURE", SETTING_TEXT, "DIR",
    "a folder that receives the first call of each key as a file", AT(capture) },
  { "AUTOTUNE_CAPTURE_LIMIT", SETTING_BYTES, "1G",
    "the memory that one of these may take", AT(capture_limit), .initial = "1G" },
  { "AUTOTUNE_CALLED", SETTING_TEXT, "FILE",
    "set by `autotune tune`: receives the names of kernels that are called", AT(called) },
  { "AUTOTUNE_AUTO", SETTING_WORD, "1",
    "for `autotune cc`: 1: as with --auto; fast-math, exact: as with --auto=fast-math, "
    "--auto=exact; 0 (the default): not",
    AT(automatic), .initial = "0", .words = options_automatic },
  { "AUTOTUNE_BUILD_CHECK", SETTING_WORD, "off",
    "for `autotune cc` and `autotune check`: whether CUDA kernels are compiled once with "
    "NVRTC, where it is there, to warn of what it does not accept: on (the default) or off",
    AT(build_check), .initial = "on", .words = options_switch },
  { "AUTOTUNE_CLANG", SETTING_TEXT, "PROGRAM",
    "for `autotune cc`: the clang that reads kernels", AT(clang),
    .initial = AUTOTUNE_CLANG },
  { "AUTOTUNE_HOME", SETTING_NONE, "DIR",
    .help = "for `autotune cc`: where include and lib are" },
  { "AUTOTUNE_JIT", SETTING_TEXT, "FILE",
    "libautotune-jit.so, if it is not next to libautotune.so", AT(jit) },
  { "AUTOTUNE_OPENMP", SETTING_TEXT, "FILE", "LLVM's OpenMP runtime", AT(openmp) },
  { "AUTOTUNE_NVRTC", SETTING_TEXT, "FILE", "libnvrtc.so", AT(nvrtc) },
  { "AUTOTUNE_GPU_WORKER", SETTING_TEXT, "FILE",
    "autotune-gpu-worker, if it is not next to libautotune.so", AT(gpu_worker) },
  { "AUTOTUNE_EMULATE", SETTING_NONE, "…",
    .help = "the emulated device: how many, how large, what fails (autotune help cuda)" },
  { "AUTOTUNE_EMULATOR", SETTING_TEXT, "FILE",
    "set for helpers of emulated programs: libautotune-emulate.so", AT(emulator) },
  { "AUTOTUNE_PAGER", SETTING_NONE, "PROGRAM",
    .help =
        "for `autotune report` on a terminal: the pager, in place of $PAGER and less; "
        "empty or cat: none" },
  { "AUTOTUNE_FAULT", SETTING_NONE, "malloc:3",
    .help = "for tests: which calls of the system fail" },
  { .name = "AUTOTUNE_EMULATE_CLANG" }, // the emulator
  { .name = "AUTOTUNE_EMULATE_INCLUDE" },
  { .name = "AUTOTUNE_CHECK" }, // `make check` and its tests
  { .name = "AUTOTUNE_UPDATE" },
  { .name = NULL },
};
enum { VARIABLES = sizeof setting_variables / sizeof *setting_variables - 1 };
_Static_assert((int)VARIABLES <= (int)OPTIONS_VARIABLES, "one text for each variable");

static const struct setting *options_find(const char *name, size_t size) {
  for (const struct setting *o = setting_variables; o->name; o++)
    if (strlen(o->name) == size && memcmp(name, o->name, size) == 0)
      return o;
  return NULL;
}

bool setting_accepts(const char *name, const char *text, char **why) {
  struct options unused;
  return setting_read(options_find(name, strlen(name)), text, &unused, why);
}

// ---- the environment ----------------------------------------------------------------

static void options_read_value(struct options_read *r, const struct setting *o,
                               const char *text) {
  char *why = NULL, *copy = sys_strdup(text);
  bool taken = copy && setting_read(o, copy, &r->options, &why);
  if (copy && !taken)
    WARN(r, "%s=%s: %s", o->name, text, why ? why : "no memory");
  bool off = o->kind == SETTING_FOLDER && copy && strcmp(copy, "off") == 0;
  char **keep = &r->texts[o - setting_variables];
  if (taken && !off && o->kind <= SETTING_SEARCH) { // the options point to the text
    free(*keep);
    *keep = copy;
  } else {
    free(copy);
  }
  free(why);
}

static void options_read_variable(struct options_read *r, const char *entry) {
  size_t size = strcspn(entry, "=");
  const struct setting *o = options_find(entry, size);
  if (!entry[size])
    return;
  if (o && o->kind != SETTING_NONE && (entry[size + 1] || o->kind == SETTING_FOLDER))
    options_read_value(r, o, entry + size + 1);
  if (o)
    return;
  const char *names[VARIABLES + 1] = { NULL };
  for (int i = 0; i < VARIABLES; i++)
    names[i] = setting_variables[i].name;
  const char *near = value_nearest(entry, size, names);
  WARN(r, "%.*s%s: there is no such variable%s%s%s", size > 40 ? 40 : (int)size, entry,
       size > 63 ? "…" : "", near ? "; did you mean " : "", near ? near : "",
       near ? "?" : "");
}

// Sets the defaults, which do not count as given.
static void options_set_defaults(struct options *out) {
  char *why;
  for (const struct setting *o = setting_variables; o->name; o++) {
    struct setting own = *o;
    own.given = 0;
    if (o->initial)
      setting_read(&own, o->initial, out, &why);
  }
}

void options_read(char *const *environment, struct options_read *out) {
  *out = (struct options_read){ 0 };
  options_set_defaults(&out->options);
  for (char *const *e = environment; e && *e; e++)
    if (strncmp(*e, "AUTOTUNE_", 9) == 0 && strncmp(*e, "AUTOTUNE_TEST_", 14) != 0)
      options_read_variable(out, *e);
}

void options_free(struct options_read *r) {
  for (unsigned i = 0; i < r->n_warnings; i++)
    free(r->warnings[i]);
  for (unsigned i = 0; i < OPTIONS_VARIABLES; i++)
    free(r->texts[i]);
  *r = (struct options_read){ 0 };
}

// Keeps the caller's errno.
static void options_read_environment(void) {
  int before = errno;
  bool secure =
      getauxval(AT_SECURE); // set-user-ID: ignores the environment and stores nothing
  options_read(secure ? NULL : environ, &env.read);
  if (secure)
    env.read.options.cache = "";
  errno = before;
}

const struct options *options_get(void) {
  pthread_once(&env.once, options_read_environment);
  // Logging needs the options, so warnings are logged after these are set.
  if (env.read.n_warnings && !atomic_exchange(&env.said, true))
    for (unsigned i = 0; i < env.read.n_warnings; i++) {
      log_message(AUTOTUNE_WARN, "%s", env.read.warnings[i]);
      free(env.read.warnings[i]);
      env.read.warnings[i] = NULL;
    }
  return &env.read.options;
}
