// SPDX-License-Identifier: Apache-2.0
// asked.c: what programs asked for last, as rows have it, for people.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tools/export/export.h"
#include "keep/store/tables.h"

bool asked_find(struct store *s, int64_t problem, struct asked *out) {
  struct cell c[STORE_CELLS];
  sqlite3_stmt *q = store_select(s, &table_asked, "WHERE problem = ?1");
  sqlite3_bind_int64(q, 1, problem);
  *out = (struct asked){ 0 };
  if (q && store_step(q) == SQLITE_ROW && row_read(q, &table_asked, c)) {
    const struct cell *texts[] = { &c[1], &c[3], &c[4], &c[5] };
    const char **to[] = { &out->toolchain, &out->params, &out->conditions, &out->why };
    char *p = out->block = sys_malloc(c[1].size + c[3].size + c[4].size + c[5].size + 4);
    for (int i = 0; p && i < 4; i++) {
      *to[i] = memcpy(p, texts[i]->data, texts[i]->size);
      p[texts[i]->size] = '\0';
      p += texts[i]->size + 1;
    }
    out->space = (uint64_t)c[2].i;
    out->when = c[6].d;
  }
  sqlite3_finalize(q);
  return out->block != NULL;
}

// "tile@12.1" as "tile@" and ".1": lines move. NAME has SIZE bytes.
static bool same_name(const char *a, size_t n, const char *b, size_t m) {
  size_t i = 0;
  if (n == m && memcmp(a, b, n) == 0)
    return true;
  while (i < n && i < m && a[i] == b[i] && a[i] != '@')
    i++;
  if (i >= n || i >= m || a[i] != '@' || b[i] != '@')
    return false;
  size_t j = ++i;
  while (i < n && isdigit((unsigned char)a[i]))
    i++;
  while (j < m && isdigit((unsigned char)b[j]))
    j++;
  return n - i == m - j && memcmp(a + i, b + j, n - i) == 0;
}

// Is the value V of the line LINE of params, "name kind when original values…"?
static bool has_value(const char *line, const char *v, size_t size) {
  size_t end = strcspn(line, "\n"), at = 0;
  for (int field = 0; at < end; field++) {
    size_t n = strcspn(line + at, "\t\n");
    if (field >= 4 && n == size && memcmp(line + at, v, size) == 0)
      return true;
    at += n + 1;
  }
  return size == 0 && end > 0 && line[end - 1] == '\t';
}

bool asked_offers(const char *params, const char *values) {
  unsigned offered = 0, named = 0;
  for (const char *p = params; *p; p += strcspn(p, "\n"), p += *p == '\n')
    offered++;
  for (const char *v = values; *v; named++) {
    size_t size = strcspn(v, "\n"), name = strcspn(v, "=\n");
    bool found = false;
    for (const char *p = params; *p && !found && name < size;
         p += strcspn(p, "\n"), p += *p == '\n')
      found = same_name(p, strcspn(p, "\t\n"), v, name) &&
          has_value(p, v + name + 1, size - name - 1);
    if (!found)
      return false;
    v += size + (v[size] == '\n');
  }
  return named == offered;
}
