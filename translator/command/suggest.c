// SPDX-License-Identifier: Apache-2.0
// suggest.c: `autotune suggest`: prints, as a patch on standard output, pragmas for
// functions whose loops may be tuned; on standard error, unproven facts and assumptions.
#include <errno.h>
#include <string.h>

#include "front/lang/language.h"
#include "cc/cc.h"
#include "suggest/suggest.h"
#include "tools/common/command.h"

static bool suggest(struct source *s, const struct compile_options *o) {
  struct suggestions found;
  struct text out = { 0 };
  if (!suggest_file(s, o, false, &found))
    return false;
  if (found.n == 0)
    fprintf(stderr, "%s: nothing to suggest%s\n", s->path,
            found.loops ? "" : ": no function has a 'for' loop");
  patch_write(s, found.list, found.n, &out);
  return fwrite(out.data ? out.data : "", 1, out.size, stdout) == out.size &&
      fflush(stdout) == 0;
}

static int suggest_run(const struct arguments *a) {
  const char *in = a->words[0];
  struct source *s = source_read(in);
  if (!s)
    fatal("%s: %s", in, strerror(errno));
  struct compile_options o = cc_options(in, a->rest);
  if (!o.language->not_suggested)
    return suggest(s, &o) ? 0 : 1;
  fprintf(stderr, "autotune suggest: %s: %s\n", in, o.language->not_suggested);
  return 1;
}

const struct command command_suggest = {
  "suggest",
  "IN.c [-- ARGS…]",
  "a patch with pragmas for the loops of a file",
  .details = "  for patch: autotune suggest IN.c | patch -p1\n",
  .notes = "Standard error says what it rests on, and what could not be proven.\n",
  .least = 1,
  .most = 1,
  .rest = REST_AFTER_DASHES,
  .run = suggest_run,
};
