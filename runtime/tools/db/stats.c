// SPDX-License-Identifier: Apache-2.0
// stats.c: `autotune db stats`: the size of the folder, its limit, and what is in it.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "db.h"
#include "tools/common/clean.h"
#include "tools/common/json.h"

enum stats_part { PART_DATABASE, PART_OBJECTS, PART_OTHER, PARTS };
static const struct {
  const char *json, *label;
} stats_parts[PARTS] = {
  [PART_DATABASE] = { "database", "database" },
  [PART_OBJECTS] = { "objects", "objects" },
  [PART_OTHER] = { "other", "others" },
};
static const struct {
  const char *json, *text;
} stats_counts[LOOKUPS] = {
  [LOOKUP_CODE] = { "code", "found the winner's code" },
  [LOOKUP_COMPILED] = { "compiled", "found the winner, and compiled it again" },
  [LOOKUP_DEFAULT] = { "default", "found that the default is best" },
  [LOOKUP_NOTHING] = { "nothing", "found nothing" },
};

struct stats {
  struct {
    uint64_t bytes;
    unsigned files;
  } parts[PARTS];
  uint64_t total;
  unsigned kernels, keys, stale, winners, defaults, borrowed, variants, status[STATUSES];
  double oldest, newest; // unix time of rows; 0: there are none
  unsigned damaged;
  struct counts counts;
};

// ---- counting -----------------------------------------------------------------------

static void stats_see_file(const struct folder_entry *e, void *data) {
  struct stats *s = data;
  static const char database[] = "results.db";
  const char *rest = strncmp(e->name, database, sizeof database - 1) == 0
      ? e->name + sizeof database - 1
      : NULL;
  bool ours = rest && (!*rest || (*rest == '-' && !strchr(rest, '.')));
  enum stats_part part = e->object ? PART_OBJECTS : ours ? PART_DATABASE : PART_OTHER;
  s->parts[part].bytes += e->bytes;
  s->parts[part].files++;
  s->total += e->bytes;
}

static bool stats_is_new(const struct listing *l, unsigned index) {
  const struct problem *p = &l->items[index].problem;
  for (unsigned i = 0; i < index; i++)
    if (strcmp(l->items[i].problem.kernel, p->kernel) == 0 &&
        strcmp(l->items[i].problem.file, p->file) == 0)
      return false;
  return true;
}

static void stats_see_item(struct stats *s, const struct listed *item) {
  s->winners += item->finished && item->summary.winner;
  s->defaults += item->finished && !item->summary.winner;
  s->borrowed += item->provisional;
  s->variants += item->n_records;
  for (unsigned i = 0; i < item->n_records; i++)
    s->status[item->records[i].status]++;
  if (item->first > 0 && (s->oldest <= 0 || item->first < s->oldest))
    s->oldest = item->first;
  if (item->last > s->newest)
    s->newest = item->last;
}

static void stats_count(const char *folder, const struct listing *l, struct stats *s) {
  *s = (struct stats){ .keys = l->n, .stale = l->n_stale, .damaged = l->damaged };
  folder_visit(folder, stats_see_file, s);
  for (unsigned i = 0; i < l->n; i++) {
    s->kernels += stats_is_new(l, i);
    stats_see_item(s, &l->items[i]);
  }
  counts_read(folder, &s->counts);
}

// ---- for people ---------------------------------------------------------------------

static void stats_print_size(const struct stats *s) {
  char text[32], limit[32];
  uint64_t most = options_get()->most;
  printf("%-13s%s", "size", units_bytes(text, sizeof text, (double)s->total));
  if (most)
    printf(", of at most %s (AUTOTUNE_MAXSIZE)\n",
           units_bytes(limit, sizeof limit, (double)most));
  else
    printf(", without a limit (AUTOTUNE_MAXSIZE)\n");
  for (int i = 0; i < PARTS; i++)
    printf("  %-11s%s, %u file%s\n", stats_parts[i].label,
           units_bytes(text, sizeof text, (double)s->parts[i].bytes), s->parts[i].files,
           s->parts[i].files == 1 ? "" : "s");
}

static void stats_print_rows(const struct stats *s) {
  char when[CLEAN_MOMENT];
  printf("%-13s%u\n", "kernels", s->kernels);
  printf("%-13s%u, %u of them stale\n", "keys", s->keys, s->stale);
  printf("%-13s%u; for %u key%s the default is best, %u borrowed\n", "winners",
         s->winners, s->defaults, s->defaults == 1 ? "" : "s", s->borrowed);
  printf("%-13s%u", "variants", s->variants);
  for (int i = 0; i < STATUSES; i++)
    if (s->status[i])
      printf(", %u %s", s->status[i], status_words[i].name);
  printf("\n%-13s%s\n", "oldest", s->oldest > 0 ? clean_moment(when, s->oldest) : "none");
  printf("%-13s%s\n", "newest", s->newest > 0 ? clean_moment(when, s->newest) : "none");
  if (s->damaged)
    printf("%-13s%u; `autotune db prune` takes them out\n", "damaged rows", s->damaged);
}

static void stats_print_counts(const struct counts *c) {
  char when[CLEAN_MOMENT];
  unsigned long long all = 0;
  for (int i = 0; i < LOOKUPS; i++)
    all += c->n[i];
  if (c->since <= 0)
    printf("%-13snot counted yet\n", "asked for");
  else
    printf("%-13s%llu time%s since %s\n", "asked for", all, all == 1 ? "" : "s",
           clean_moment(when, c->since));
  for (int i = 0; i < LOOKUPS; i++)
    if (c->n[i])
      printf("  %-11llu%s\n", (unsigned long long)c->n[i], stats_counts[i].text);
}

static void stats_print(const char *folder, const struct stats *s) {
  char *clean = clean_text(folder);
  printf("%-13s%s\n", "folder", clean);
  clean_free(clean);
  stats_print_size(s);
  stats_print_rows(s);
  stats_print_counts(&s->counts);
}

// ---- for programs -------------------------------------------------------------------

static json_t *stats_size(const struct stats *s) {
  json_t *size = json_pack("{s:I}", "total", (json_int_t)s->total);
  for (int i = 0; i < PARTS; i++)
    json_object_set_new(size, stats_parts[i].json,
                        json_pack("{s:I, s:i}", "bytes", (json_int_t)s->parts[i].bytes,
                                  "files", (int)s->parts[i].files));
  return size;
}

static json_t *stats_status(const struct stats *s) {
  json_t *object = json_object();
  for (int i = 0; i < STATUSES; i++)
    json_object_set_new(object, status_words[i].json, json_integer(s->status[i]));
  return object;
}

static json_t *stats_asked(const struct counts *c) {
  json_t *object = json_pack("{s:I}", "since", (json_int_t)c->since);
  for (int i = 0; i < LOOKUPS; i++)
    json_object_set_new(object, stats_counts[i].json, json_integer((json_int_t)c->n[i]));
  return object;
}

static int stats_print_json(const char *folder, const struct stats *s) {
  json_t *root = json_pack(
      "{s:i, s:o, s:I, s:o, s:i, s:i, s:i, s:i, s:i, s:i, s:o, s:i, s:I, s:I, s:o}",
      "format", 1, "folder", json_text(folder), "limit", (json_int_t)options_get()->most,
      "size", stats_size(s), "kernels", (int)s->kernels, "keys", (int)s->keys, "stale",
      (int)s->stale, "winners", (int)s->winners, "defaults", (int)s->defaults, "borrowed",
      (int)s->borrowed, "variants", stats_status(s), "damaged_rows", (int)s->damaged,
      "oldest", (json_int_t)s->oldest, "newest", (json_int_t)s->newest, "asked",
      stats_asked(&s->counts));
  int status = root ? json_dumpf(root, stdout, JSON_INDENT(2)) : -1;
  putchar('\n');
  json_decref(root);
  return status == 0 ? 0 : 2;
}

int db_stats(const struct arguments *a) {
  const struct db_options *o = a->options;
  struct store *s = results_open(o->folder, false);
  struct listing l = { 0 };
  struct stats stats;
  int status = 0;
  if (!s)
    return 2;
  if (store_list(s, NULL, &l) != 0) {
    fprintf(stderr, "%s: error: it could not be read to its end\n", s->path);
    status = 2;
  }
  stats_count(s->folder, &l, &stats);
  if (!o->json)
    stats_print(s->folder, &stats);
  else if (stats_print_json(s->folder, &stats) != 0)
    status = 2;
  store_list_free(&l);
  store_close(s);
  return status;
}
