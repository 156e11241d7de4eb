// SPDX-License-Identifier: Apache-2.0
// list.c: proposes the variants that a file lists, in its order, and no others:
// AUTOTUNE_SEARCH=list:FILE. A line is a variant: "NAME=VALUE" for every parameter,
// separated by tabs, spelled as in reports. Lines that name no variant of this space are
// skipped.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search.h"
#include "keep/store/store.h"

enum { MOST_LINES = 1000 * 1000, LONGEST = 65536 };

struct strategy {
  const struct space *space;
  FILE *file;
  struct seen seen;
  char line[LONGEST];
  unsigned lines, refused,
      first_refused; // lines read; those that name no variant, and the first of them
};

static struct strategy *list_new(const struct space *s, uint64_t seed, unsigned budget) {
  (void)seed, (void)budget;
  const char *name = options_get()->search, *path = name ? strchr(name, ':') : NULL;
  struct strategy *st = sys_calloc(1, sizeof *st);
  if (!st)
    return NULL;
  st->space = s;
  st->file = path ? fopen(path + 1, "re") : NULL;
  if (!st->file)
    log_message(AUTOTUNE_WARN, "the list of variants '%s' cannot be read",
                path ? path + 1 : "");
  return st;
}

// Sets POINT to the point that LINE names. False: it names no point.
static bool read_line(const struct space *s, char *line, choice *point) {
  for (char *p = line; *p; p++)
    *p = *p == '\t' ? '\n' : *p;
  return identity_point(s->kernel, line, point) && space_allows(s, point);
}

static void list_refuse(struct strategy *st) {
  if (st->refused++ == 0)
    st->first_refused = st->lines;
}

static bool list_ask(struct strategy *st, choice *point) {
  while (st->file && st->lines < MOST_LINES &&
         fgets(st->line, sizeof st->line, st->file)) {
    st->lines++;
    st->line[strcspn(st->line, "\r\n")] = '\0';
    if (st->line[0] && !read_line(st->space, st->line, point))
      list_refuse(st);
    else if (st->line[0] && seen_add(&st->seen, st->space, point))
      return true;
  }
  if (st->refused)
    log_message(AUTOTUNE_WARN,
                "the list of variants: %u lines name no variant of %s, line %u first",
                st->refused, st->space->kernel->name, st->first_refused);
  st->refused = 0;
  return false;
}

static void list_tell(struct strategy *st, const choice *point,
                      const struct observation *observation) {
  (void)observation; // only the point itself counts
  seen_add(&st->seen, st->space, point);
}

static void list_free(struct strategy *st) {
  if (st->file)
    fclose(st->file);
  seen_free(&st->seen);
  free(st);
}

const struct strategy_class search_list = {
  .name = "list",
  .about = "the variants that a file lists",
  .new = list_new,
  .ask = list_ask,
  .tell = list_tell,
  .free = list_free,
};
