// SPDX-License-Identifier: Apache-2.0
// asked.c: what programs asked for last, as rows have it, for people.
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
