// SPDX-License-Identifier: Apache-2.0
// translate.c: `autotune translate`: writes the text that `autotune cc` gives to the
// compiler.
#include <errno.h>
#include <string.h>

#include "cc/cc.h"
#include "front/lang/language.h"
#include "tools/common/command.h"

struct translate_given {
  const char *out, *run;
  int colour;
};

static const struct setting translate_table[] = {
  { "-o", SETTING_TEXT, "OUT.c", "by default standard output",
    .at = offsetof(struct translate_given, out) },
  SETTING_RUN(struct translate_given, run),
  SETTING_COLOUR(struct translate_given, colour),
  { .name = NULL },
};

static int translate_run(const struct arguments *a) {
  const struct translate_given *g = a->options;
  diag_colour((enum diag_colour)g->colour);
  struct compile_options o;
  struct source *s = cc_read(a->words[0], a->rest, &o);
  struct text out = { 0 };
  o.run = cc_run_only(g->run);
  if (!translate_source(s, &o, &out))
    return 1;
  if (file_replace(g->out, &out) != 0)
    fatal("%s: %s", g->out ? g->out : "standard output", strerror(errno));
  return 0;
}

const struct command command_translate = {
  "translate",
  "IN.c [-o OUT.c] [--run NAMES] [--color WHEN] [-- ARGS…]",
  "show what the compiler is given",
  .details = "  writes IN.c as the compiler gets it from `autotune cc`\n",
  .options = translate_table,
  .size = sizeof(struct translate_given),
  .least = 1,
  .most = 1,
  .rest = REST_AFTER_DASHES,
  .run = translate_run,
};
