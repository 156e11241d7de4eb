// SPDX-License-Identifier: Apache-2.0
// command.c: the command line of `autotune why`.
#include "base/base.h"
#include "keep/store/store.h"
#include "tools/common/command.h"
#include "why.h"

static const struct setting why_table[] = {
  { "--key", SETTING_TEXT, "KEY", "for this key alone: n=512, or 512",
    .at = offsetof(struct why_options, key) },
  SETTING_CACHE(struct why_options, folder),
  { .name = NULL },
};

static int why_run(const struct arguments *a) {
  struct why_options *o = a->options;
  const struct machine *m = machine_identity();
  o->kernel = a->words[0];
  o->cpu = m->cpu;
  o->isa = m->isa;
  o->threads = (unsigned)m->numbers.threads;
  o->toolchain = identity_toolchain();
  return why_print(o, stdout);
}

const struct command command_why = {
  "why",
  "KERNEL [--key n=512] [--cache DIR]",
  "what would run here and now, and why",
  .details =
      "  KERNEL may also be a place: main:29, solve.c:29. A name may lack its namespace,\n"
      "  template arguments and hash: mm for lab::mm<double>\n",
  .options = why_table,
  .size = sizeof(struct why_options),
  .least = 1,
  .most = 1,
  .run = why_run,
};
