// SPDX-License-Identifier: Apache-2.0
// suggest.c: `autotune suggest`: prints, as a patch on standard output, pragmas for
// functions whose loops may be tuned; on standard error, unproven facts and assumptions.
#include <errno.h>
#include <string.h>

#include "front/lang/language.h"
#include "cc/cc.h"
#include "suggest/outcomes.h"
#include "suggest/suggest.h"
#include "tools/common/command.h"

struct suggest_given {
  bool from_profile, fast_math, exact;
  const char *folder;
  int colour;
};
#define AT(member) .at = offsetof(struct suggest_given, member)

static const struct setting suggest_table[] = {
  { "--fast-math", SETTING_SWITCH, NULL,
    "also propose -ffast-math, which may reorder sums of\n"
    "floating-point numbers",
    AT(fast_math) },
  { "--exact", SETTING_SWITCH, NULL, "verify(exact): no bit of a result may change",
    AT(exact) },
  { "--from-profile", SETTING_SWITCH, NULL,
    "only the kernels that became faster where `autotune cc --auto` built\n"
    "the program; without a file, all files that the results name",
    AT(from_profile) },
  SETTING_CACHE(struct suggest_given, folder),
  SETTING_COLOUR(struct suggest_given, colour),
  { .name = NULL },
};

static enum digits suggest_digits(const struct suggest_given *g) {
  return g->exact ? DIGITS_EXACT : g->fast_math ? DIGITS_FAST : DIGITS_CLOSE;
}

// OUTCOMES: keeps the kernels that won in these; NULL: all.
static bool suggest(struct source *s, const struct compile_options *o,
                    const struct outcomes *outcomes, enum digits digits) {
  struct suggestions found;
  struct text out = { 0 };
  struct suggest_how how = { .automatic = outcomes != NULL, .digits = digits };
  if (!suggest_file(s, o, how, &found))
    return false;
  if (found.n == 0)
    fprintf(stderr, "%s: nothing to suggest%s\n", s->path,
            found.loops ? "" : ": no function has a 'for' loop");
  else if (outcomes) {
    won_keep(s, o, outcomes, &found);
    if (found.n == 0)
      fprintf(stderr, "%s: nothing to suggest: no kernel won\n", s->path);
  }
  patch_write(s, found.list, found.n, &out);
  return fwrite(out.data ? out.data : "", 1, out.size, stdout) == out.size &&
      fflush(stdout) == 0;
}

// Returns the exit status. HINT follows the reason for which IN cannot be read.
static int suggest_one(const char *in, char **args, const struct outcomes *outcomes,
                       enum digits digits, const char *hint) {
  struct source *s = source_read(in);
  if (!s) {
    fprintf(stderr, "autotune suggest: %s: %s%s\n", in, strerror(errno), hint);
    return 1;
  }
  struct compile_options o = cc_options(in, args);
  if (!o.language->not_suggested)
    return suggest(s, &o, outcomes, digits) ? 0 : 1;
  fprintf(stderr, "autotune suggest: %s: %s\n", in, o.language->not_suggested);
  return 1;
}

static int suggest_from_profile(const struct arguments *a,
                                const struct suggest_given *g) {
  const struct outcomes *outcomes = outcomes_load(g->folder);
  unsigned n = a->n;
  int status = 0;
  if (!outcomes)
    return 2;
  const char *const *files = n ? a->words : outcomes_files(outcomes, &n);
  if (n == 0) {
    fprintf(stderr,
            "autotune suggest: no program that `autotune cc --auto` built has "
            "kept a result on this machine\n");
    return 1;
  }
  for (unsigned i = 0; i < n; i++)
    status |= suggest_one(files[i], a->rest, outcomes, suggest_digits(g),
                          a->n ? "" : ": go where it was built, or name the file");
  return status;
}

static int suggest_run(const struct arguments *a) {
  const struct suggest_given *g = a->options;
  diag_colour((enum diag_colour)g->colour);
  if (g->fast_math && g->exact)
    return command_misused(a->command);
  if (g->from_profile)
    return suggest_from_profile(a, g);
  if (a->n != 1)
    return command_misused(a->command);
  return suggest_one(a->words[0], a->rest, NULL, suggest_digits(g), "");
}

const struct command command_suggest = {
  "suggest",
  "[--fast-math | --exact] IN.c [--color WHEN] [-- ARGS…]\n--from-profile [--fast-math | --exact] [IN.c…] [--cache DIR] [--color WHEN] [-- ARGS…]",
  "a patch with pragmas for the loops of a file",
  .details = "  for patch: autotune suggest IN.c | patch -p1\n",
  .options = suggest_table,
  .size = sizeof(struct suggest_given),
  .notes = "Standard error says what the patch assumes, and what could not be proven.\n",
  .least = 0,
  .most = COMMAND_MANY,
  .rest = REST_AFTER_DASHES,
  .run = suggest_run,
};
