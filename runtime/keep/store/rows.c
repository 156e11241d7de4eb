// SPDX-License-Identifier: Apache-2.0
// rows.c: identities, records and summaries to cells and back. Rows are hints:
// what comes back is held against its range, and what is out of it is no row.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "model/key.h"
#include "tables.h"

static struct cell rows_integer(int64_t i) {
  return (struct cell){ .kind = CELL_INT, .i = i };
}

// SQLite keeps neither NaN nor the sign of zero, so neither may enter a checksum.
static struct cell rows_real(double d) {
  return (struct cell){ .kind = CELL_REAL, .d = isfinite(d) ? d + 0.0 : 0.0 };
}

// What is longer than its column may be is cut: it could not be read back.
static struct cell text_up_to(const char *s, size_t most) {
  s = s ? s : "";
  return (struct cell){ .kind = CELL_TEXT, .data = s, .size = strnlen(s, most) };
}

struct cell text_cell(const struct table *t, unsigned column, const char *s) {
  return text_up_to(s, t->columns[column].most);
}

static struct cell rows_blob(const void *data, size_t size) {
  return (struct cell){ .kind = CELL_BLOB,
                        .data = data ? data : "",
                        .size = data ? size : 0 };
}

// ---- problems -----------------------------------------------------------------------

// The columns that make a problem what it is; the file is where the kernel was seen last,
// and what comes behind them only says which problems are alike.
enum { IDENTITY = 9 };

static int64_t identity_sum(const struct cell *cells) {
  struct table identity = table_problem;
  struct cell same[IDENTITY];
  identity.n = IDENTITY;
  memcpy(same, cells, sizeof same);
  same[0] = rows_integer(0);
  same[2] = text_up_to("", 0);
  return (int64_t)row_sum(&identity, same);
}

bool problem_cells(const struct identity *id, struct cell *cells, char **key) {
  const struct table *t = &table_problem;
  const char *names;
  *key = key_print(id->key, id->key_names, id->n_keys, &names);
  if (!*key)
    return false;
  cells[1] = text_cell(t, 1, id->kernel);
  cells[2] = text_cell(t, 2, id->file);
  cells[3] = rows_integer((int64_t)id->unit);
  cells[4] = text_cell(t, 4, id->cpu);
  cells[5] = text_cell(t, 5, id->isa);
  cells[6] = rows_integer(id->threads);
  cells[7] = text_cell(t, 7, *key);
  cells[8] = text_cell(t, 8, names);
  cells[9] = rows_integer((int64_t)id->shape);
  cells[10] = text_cell(t, 10, id->family);
  cells[0] = rows_integer(identity_sum(cells));
  return true;
}

int64_t problem_id(const struct identity *id) {
  struct cell cells[STORE_CELLS];
  char *key;
  if (!problem_cells(id, cells, &key))
    return 0;
  free(key);
  return cells[0].i;
}

bool problem_of(const struct cell *c, struct problem *p) {
  if (c[6].i < 0 || c[6].i > 1 << 20 || c[1].size == 0)
    return false;
  if (c[0].i != identity_sum(c))
    return false;
  *p = (struct problem){ .id = c[0].i,
                         .kernel = c[1].data,
                         .file = c[2].data,
                         .unit = (uint64_t)c[3].i,
                         .cpu = c[4].data,
                         .isa = c[5].data,
                         .threads = (unsigned)c[6].i,
                         .key = c[7].data,
                         .key_names = c[8].data,
                         .shape = (uint64_t)c[9].i,
                         .family = c[10].data,
                         .toolchain = "" };
  return true;
}

// ---- records ------------------------------------------------------------------------

void record_cells(int64_t problem, const struct record *r, double when, struct cell *c) {
  const struct table *t = &table_variant;
  size_t samples = r->n_samples * sizeof *r->samples, most = t->columns[6].most;
  c[0] = rows_integer(problem);
  c[1] = rows_integer((int64_t)r->variant);
  c[2] = text_cell(t, 2, r->values);
  c[3] = text_cell(t, 3, r->compiler);
  c[4] = rows_integer(r->status);
  c[5] = text_cell(t, 5, r->message);
  c[6] = rows_blob(r->samples, samples < most ? samples : most);
  c[7] = rows_real(r->compile_seconds);
  c[8] = rows_real(r->verify_seconds);
  c[9] = rows_real(r->time_seconds);
  c[10] = rows_real(when);
  c[11] = rows_blob(r->features, r->features_size);
}

void record_features(const struct record *r, struct features *out) {
  size_t size = r->features ? r->features_size : 0;
  for (unsigned i = 0; i < MAX_FEATURES; i++)
    out->values[i] = NAN;
  memcpy(out, size ? r->features : "", size < sizeof *out ? size : sizeof *out);
}

static bool are_seconds(const struct cell *c, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (!(c[i].d >= 0 && c[i].d < 1e12))
      return false;
  return true;
}

bool record_of(const struct cell *c, struct record *r) {
  if (c[4].i < 0 || c[4].i >= STATUSES || c[6].size % sizeof(double) != 0 ||
      c[11].size % sizeof(float) != 0 || !are_seconds(c + 7, 4))
    return false;
  const char *samples = c[6].data;
  unsigned n = (unsigned)(c[6].size / sizeof(double));
  for (unsigned i = 0; i < n; i++) {
    double d;
    memcpy(&d, samples + i * sizeof d, sizeof d);
    if (!(d >= 0 && d < 1e12))
      return false;
  }
  *r = (struct record){ .variant = (uint64_t)c[1].i,
                        .values = c[2].data,
                        .compiler = c[3].data,
                        .status = (enum status)c[4].i,
                        .message = c[5].data,
                        .samples = c[6].data,
                        .n_samples = n,
                        .compile_seconds = c[7].d,
                        .verify_seconds = c[8].d,
                        .time_seconds = c[9].d,
                        .when = c[10].d,
                        .features = c[11].data,
                        .features_size = c[11].size };
  return true;
}

// ---- summaries ----------------------------------------------------------------------

// An open end of an interval (too few samples) is kept as the median.
static void estimate_cells(struct estimate e, struct cell *c) {
  c[0] = rows_real(e.median);
  c[1] = rows_real(isfinite(e.low) && e.low <= e.median ? e.low : e.median);
  c[2] = rows_real(isfinite(e.high) && e.high >= e.median ? e.high : e.median);
  c[3] = rows_integer(e.n);
}

static bool estimate_of(const struct cell *c, struct estimate *e) {
  *e = (struct estimate){ c[0].d, c[1].d, c[2].d, (unsigned)c[3].i };
  return are_seconds(c, 3) && c[3].i >= 0 && c[3].i <= 1 << 30 && e->low <= e->median &&
      e->median <= e->high;
}

void summary_cells(int64_t problem, const char *toolchain, const struct summary *m,
                   struct cell *c) {
  const struct table *t = &table_winner;
  c[0] = rows_integer(problem);
  c[1] = text_cell(t, 1, toolchain);
  c[2] = rows_integer((int64_t)m->winner);
  c[3] = text_cell(t, 3, m->values);
  c[4] = text_cell(t, 4, m->compiler);
  c[5] = rows_integer((int64_t)m->object);
  estimate_cells(m->original, c + 6);
  estimate_cells(m->best, c + 10);
  c[14] = rows_integer(m->tried);
  c[15] = rows_blob(m->failed, sizeof m->failed);
  c[16] = rows_integer(m->total_hint);
  c[17] = rows_real(m->compile_seconds);
  c[18] = rows_real(m->verify_seconds);
  c[19] = rows_real(m->time_seconds);
  c[20] = rows_real(m->total_seconds);
  c[21] = rows_real(m->flops);
  c[22] = rows_real(m->bytes);
  c[23] =
      rows_integer(m->verified + (m->verified && m->inferred)); // 2: by inferred sections
  c[24] = text_cell(t, 24, m->search);
  c[25] = text_cell(t, 25, m->why);
  c[26] = rows_real(m->when);
  c[27] = rows_integer((int64_t)m->space);
  c[28] = rows_integer((int64_t)m->text);
  c[29] = text_cell(t, 29, m->machine);
  c[30] = text_cell(t, 30, m->source);
  c[31] = rows_integer(m->same);
}

bool summary_of(const struct cell *c, struct summary *m) {
  *m = (struct summary){ .winner = (uint64_t)c[2].i,
                         .values = c[3].data,
                         .compiler = c[4].data,
                         .object = (uint64_t)c[5].i,
                         .tried = (unsigned)c[14].i,
                         .total_hint = (unsigned)c[16].i,
                         .compile_seconds = c[17].d,
                         .verify_seconds = c[18].d,
                         .time_seconds = c[19].d,
                         .total_seconds = c[20].d,
                         .flops = c[21].d,
                         .bytes = c[22].d,
                         .verified = c[23].i != 0,
                         .inferred = c[23].i == 2,
                         .search = c[24].data,
                         .why = c[25].data,
                         .when = c[26].d,
                         .space = (uint64_t)c[27].i,
                         .text = (uint64_t)c[28].i,
                         .machine = c[29].data,
                         .source = c[30].data,
                         .same = (unsigned)c[31].i };
  size_t statuses = c[15].size; // fewer in an earlier format
  if (statuses % sizeof *m->failed != 0 || c[14].i < 0 || c[14].i > UINT32_MAX ||
      c[16].i < 0 || c[16].i > UINT32_MAX || c[23].i < 0 || c[23].i > 2 || c[31].i < 0 ||
      c[31].i > UINT32_MAX)
    return false;
  memcpy(m->failed, c[15].data,
         statuses < sizeof m->failed ? statuses : sizeof m->failed);
  return estimate_of(c + 6, &m->original) && estimate_of(c + 10, &m->best) &&
      are_seconds(c + 17, 4) && are_seconds(c + 26, 1) && c[21].d >= 0 && c[22].d >= 0;
}

// ---- courses ------------------------------------------------------------------------

void progress_cells(int64_t problem, const struct progress *progress, struct cell *c) {
  const struct table *t = &table_progress;
  c[0] = rows_integer(problem);
  c[1] = rows_integer(progress->phase);
  c[2] = text_cell(t, 2, progress->owner);
  c[3] = rows_real(progress->began);
  c[4] = rows_real(progress->until);
  c[5] = rows_integer(progress->expected);
  c[6] = rows_real(progress->original);
  c[7] = text_cell(t, 7, progress->why);
  c[8] = rows_real(progress->when);
}

bool progress_of(const struct cell *c, struct progress *progress) {
  *progress = (struct progress){ .phase = (enum phase)c[1].i,
                                 .owner = c[2].data,
                                 .began = c[3].d,
                                 .until = c[4].d,
                                 .expected = (unsigned)c[5].i,
                                 .original = c[6].d,
                                 .why = c[7].data,
                                 .when = c[8].d };
  return c[1].i >= 0 && c[1].i < PHASES && c[5].i >= 0 && c[5].i <= UINT32_MAX &&
      are_seconds(c + 3, 2) && are_seconds(c + 6, 1) && are_seconds(c + 8, 1);
}
