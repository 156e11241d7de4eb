// SPDX-License-Identifier: Apache-2.0
// roofs.c: reads and writes the file of the machine's limits.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "keep/store/tables.h"
#include "roofs.h"
#include "wisdom.h"

static const double HOUR = 3600, MONTH = 30 * 86400.0; // in seconds
const char *const roof_levels[] = { "l1", "l2", "l3", "memory" };

// Only this user can have written the file.
json_t *roofs_read(const char *folder) {
  int fd = folder_file(folder, "roofs", O_RDONLY | O_NONBLOCK);
  json_t *list = fd < 0 ? NULL : json_loadfd(fd, JSON_REJECT_DUPLICATES, NULL);
  if (fd >= 0)
    close(fd);
  if (json_is_array(list))
    return list;
  json_decref(list);
  return json_array();
}

static int roofs_dump(const void *what, FILE *f) {
  return json_dumpf(what, f, JSON_INDENT(1) | JSON_REAL_PRECISION(7)) != 0 ||
          fflush(f) != 0
      ? -1
      : 0;
}

void roofs_write(const char *folder, const json_t *list) {
  char *path = sys_printf("%s/roofs", folder);
  if (path)
    wisdom_write_file(path, roofs_dump, list);
  free(path);
}

double roofs_number(const json_t *one, const char *name) {
  return json_number_value(json_object_get(one, name));
}

static bool roofs_has(const json_t *one, const char *name, const char *text) {
  const char *found = json_string_value(json_object_get(one, name));
  return found && strcmp(found, text) == 0;
}

json_t *roofs_find(const json_t *list, const char *cpu, const char *isa,
                   unsigned threads) {
  json_t *one;
  size_t i;
  json_array_foreach(list, i, one) {
    bool whole = roofs_number(one, "flops") > 0 && roofs_number(one, "l1") > 0;
    if (whole && roofs_has(one, "cpu", cpu) && roofs_has(one, "isa", isa) &&
        roofs_number(one, "threads") == threads)
      return one;
  }
  return NULL;
}

double roofs_age(const json_t *one) {
  return (double)time(NULL) - roofs_number(one, "when");
}

bool roofs_is_old(const json_t *one) {
  return !(roofs_age(one) < MONTH);
}

bool roofs_is_stale(const json_t *one) {
  return roofs_is_old(one) ||
      (roofs_age(one) > HOUR && json_is_true(json_object_get(one, "busy")));
}

static void roofs_set_least(json_t *one, const char *name, double least) {
  if (!(roofs_number(one, name) >= least))
    json_object_set_new(one, name, json_real(least));
}

void roofs_raise(json_t *one, const json_t *other) {
  roofs_set_least(one, "flops", roofs_number(other, "flops"));
  for (int i = 0; i < ROOF_LEVELS; i++)
    if (roofs_number(one, roof_levels[i]) > 0)
      roofs_set_least(one, roof_levels[i], roofs_number(other, roof_levels[i]));
}

bool roofs_known(const char *folder, const char *cpu, const char *isa, unsigned threads,
                 struct roof *out) {
  json_t *list = roofs_read(folder), *one = roofs_find(list, cpu, isa, threads),
         *single = roofs_find(list, cpu, isa, 1);
  bool known = one && !roofs_is_stale(one);
  if (known && single && !roofs_is_stale(single)) // more threads may measure less
    roofs_raise(one, single);
  if (known)
    out->flops = roofs_number(one, "flops");
  for (int i = 0; known && i < ROOF_LEVELS; i++)
    out->bytes[i] = roofs_number(one, roof_levels[i]);
  json_decref(list);
  return known;
}
