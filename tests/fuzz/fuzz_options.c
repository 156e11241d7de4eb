// SPDX-License-Identifier: Apache-2.0
// fuzz_options.c: lines of NAME=VALUE as an environment, and each value in the clauses of
// a pragma that take the same kinds of values. What is accepted is in its range, and what
// is refused is said.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "front/lang/language.h"
#include "fuzz.h"

enum { MOST = 64 };

#define EXPECT(condition) ((condition) ? (void)0 : abort())

// ---- the environment ----------------------------------------------------------------

// True if TEXT is NULL, the default, or a value in the environment.
static bool options_is_theirs(const char *text, const char *initial, char *const *all) {
  bool theirs = !text || text == initial || !*text;
  for (; !theirs && *all; all++) {
    const char *value = strchr(*all, '=');
    theirs = value && strcmp(value + 1, text) == 0;
  }
  return theirs;
}

static void options_expect_ranges(const struct options *o) {
  EXPECT(mode_names[o->mode] && o->mode <= MODE_TUNE);
  EXPECT(o->budget.seconds >= 0 && isfinite(o->budget.seconds));
  EXPECT(o->budget.fraction >= 0 && o->budget.fraction <= 1);
  EXPECT(o->until.gain >= 0 && o->until.gain < 1);
  EXPECT(o->until.roof >= 0 && o->until.roof <= 1);
  EXPECT(o->drift >= 0 && isfinite(o->drift));
  EXPECT(o->capture_limit > 0);
  EXPECT(o->log_level >= AUTOTUNE_ERROR && o->log_level <= AUTOTUNE_DEBUG);
  EXPECT(!o->search || value_word(o->search, search_names) >= 0 ||
         strncmp(o->search, "list:", 5) == 0 || value_extern(o->search));
}

static void options_of(char *const *environment) {
  struct options_read r;
  options_read(environment, &r);
  options_expect_ranges(&r.options);
  for (const struct setting *s = setting_variables; s->name; s++)
    if (s->kind == SETTING_TEXT || s->kind == SETTING_FOLDER)
      EXPECT(options_is_theirs(*(const char **)((char *)&r.options + s->at), s->initial,
                               environment));
  for (unsigned i = 0; i < r.n_warnings; i++)
    EXPECT(strncmp(r.warnings[i], "AUTOTUNE_", 9) == 0);
  options_free(&r);
}

// A value that its variable refuses is warned of; as the value of a command's option the
// same is refused.
static void options_alone(char *entry) {
  char *alone[] = { entry, NULL }, *value = strchr(entry, '='), *why = NULL;
  struct options_read r;
  options_read(alone, &r);
  for (const struct setting *s = setting_variables; s->name; s++)
    if (value && value[1] && strlen(s->name) == (size_t)(value - entry) &&
        memcmp(s->name, entry, (size_t)(value - entry)) == 0 && s->kind != SETTING_NONE) {
      bool accepted = setting_accepts(s->name, value + 1, &why);
      EXPECT(accepted == (r.n_warnings == 0) && accepted == !why);
      free(why);
    }
  options_free(&r);
}

// ---- clauses ------------------------------------------------------------------------

static void options_in_clause(const char *clause, const char *value) {
  struct text t = { 0 };
  unsigned n, n_kernels;
  text_printf(&t, "#pragma autotune kernel ");
  text_printf(&t, clause, value);
  text_printf(&t, "\nvoid f(int n)\n{\n}\n");
  diag_reset();
  struct source *s = source_of("fuzz.c", t.data, t.size);
  struct pragma *pragmas = pragma_all(s, &n);
  source_parse(s, &language_c);
  struct kernel *kernels = kernel_all(s, pragmas, n, &n_kernels);
  for (unsigned i = 0; i < n_kernels && diag_errors() == 0; i++) {
    const struct kernel *k = &kernels[i];
    EXPECT(!k->mode ||
           (value_word(k->mode, mode_names) >= 0 &&
            value_word(k->mode, mode_names) != MODE_TUNE));
    EXPECT(!k->search || value_word(k->search, search_names) >= 0 ||
           value_extern(k->search));
    EXPECT(k->budget_seconds >= 0 && isfinite(k->budget_seconds));
    EXPECT(k->budget_fraction >= 0 && k->budget_fraction <= 1);
    EXPECT(k->until >= 0 && k->until < 1);
    EXPECT(k->until_roof >= 0 && k->until_roof <= 1);
  }
}

// The clause that takes the values of a variable, if there is one.
static void options_as_clause(const char *entry) {
  static const struct {
    const char *variable, *clause;
  } clauses[] = { { "AUTOTUNE_MODE=", "mode(%s)" },
                  { "AUTOTUNE_SEARCH=", "search(%s)" },
                  { "AUTOTUNE_BUDGET=", "search(budget: %s)" },
                  { "AUTOTUNE_UNTIL=", "search(auto, until: %s)" } };
  for (unsigned i = 0; i < sizeof clauses / sizeof *clauses; i++) {
    size_t size = strlen(clauses[i].variable);
    if (strncmp(entry, clauses[i].variable, size) == 0)
      options_in_clause(clauses[i].clause, entry + size);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static FILE *null;
  char *environment[MOST + 1] = { NULL }, *rest = NULL, *text = malloc(size + 1);
  unsigned n = 0;
  if (!null)
    stderr = null = fopen("/dev/null", "w");
  memcpy(text, data, size);
  text[size] = '\0';
  for (char *line = strtok_r(text, "\n", &rest); line && n < MOST;
       line = strtok_r(NULL, "\n", &rest))
    environment[n++] = line;
  options_of(environment);
  for (unsigned i = 0; i < n; i++) {
    options_alone(environment[i]);
    options_as_clause(environment[i]);
  }
  arena_reset();
  free(text);
  return 0;
}
