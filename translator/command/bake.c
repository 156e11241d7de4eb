// SPDX-License-Identifier: Apache-2.0
// bake.c: `autotune bake`: writes a file with the best variants written in.
#include <errno.h>
#include <string.h>

#include "front/lang/language.h"
#include "cc/cc.h"
#include "bake/bake.h"
#include "tools/common/command.h"

struct bake_given {
  struct bake bake;
  const char *out;
  int colour;
};
#define AT(member) .at = offsetof(struct bake_given, member)

static const struct setting bake_table[] = {
  { "--wisdom", SETTING_TEXT, "FILE",
    "winners from FILE (autotune db export), or a folder of results;\n"
    "by default the results of this user",
    AT(bake.from) },
  { "-o", SETTING_TEXT, "OUT.c", "by default standard output", AT(out) },
  { "--machine", SETTING_TEXT, "TEXT",
    "only winners of processors with TEXT in their name", AT(bake.machine) },
  { "--threads", SETTING_COUNT, "N", "only winners that were found with N threads",
    AT(bake.threads) },
  { "--exact", SETTING_SWITCH, NULL,
    "winners for tuned keys alone, the default for all others", AT(bake.exact) },
  { "--unchecked", SETTING_SWITCH, NULL,
    "also winners of another text of the kernel, or of other flags", AT(bake.unchecked) },
  SETTING_COLOUR(struct bake_given, colour),
  { .name = NULL },
};

static int bake_run(const struct arguments *a) {
  const struct bake_given *g = a->options;
  const char *in = a->words[0];
  diag_colour((enum diag_colour)g->colour);
  if (g->out &&
      (path_same(in, g->out) || (g->bake.from && path_same(g->bake.from, g->out))))
    fatal("%s is the input, and would be overwritten: name another file after -o",
          g->out);
  struct compile_options o;
  struct source *s = cc_read(in, a->rest, &o);
  struct text out = { 0 };
  bake_into(&o, &g->bake);
  o.run = NULL;
  if (!translate_source(s, &o, &out))
    return 1;
  if (file_replace(g->out, &out) != 0)
    fatal("%s: %s", g->out ? g->out : "standard output", strerror(errno));
  return 0;
}

const struct command command_bake = {
  "bake",
  "IN.c -o OUT.c [OPTIONS] [-- ARGS…]",
  "plain C with the winners written in, to ship without libautotune",
  .options = bake_table,
  .size = sizeof(struct bake_given),
  .notes = "ARGS are those of the compiler in the build: -O3, -march=native, -I, -D …\n",
  .least = 1,
  .most = 1,
  .rest = REST_AFTER_DASHES,
  .run = bake_run,
};
