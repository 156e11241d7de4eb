// SPDX-License-Identifier: Apache-2.0
// rows.c: turns structs into cells and back, by the table of facts (model/record.h). Rows
// are hints: a row with a value out of its range is ignored.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/key.h"
#include "tables.h"

static const double longest = 1e12; // seconds

// ---- to cells -----------------------------------------------------------------------

static struct cell rows_integer(uint64_t i) {
  return (struct cell){ .kind = CELL_INT, .i = (int64_t)i };
}

// Normalizes D: SQLite keeps neither NaN nor the sign of zero, so neither may enter a
// checksum.
static struct cell rows_real(double d) {
  return (struct cell){ .kind = CELL_REAL, .d = isfinite(d) ? d + 0.0 : 0.0 };
}

// Texts longer than their column permits are cut, since they could not be read back.
static struct cell rows_text(const char *s, size_t most) {
  s = s ? s : "";
  return (struct cell){ .kind = CELL_TEXT, .data = s, .size = strnlen(s, most) };
}

static struct cell rows_blob(const void *data, size_t size, size_t most) {
  return (struct cell){ .kind = CELL_BLOB,
                        .data = data ? data : "",
                        .size = !data     ? 0
                            : size < most ? size
                                          : most };
}

static struct cell cell_of(const struct fact *f, const void *what) {
  const struct estimate *e = FACT_IN(struct estimate, f, what);
  const bool *verified = FACT_IN(bool, f, what);
  switch (f->type) {
  case FACT_ID:
  case FACT_HASH:
    return rows_integer(*FACT_IN(uint64_t, f, what));
  case FACT_COUNT:
  case FACT_ENUM:
  case FACT_OBJECTIVE:
    return rows_integer(*FACT_IN(unsigned, f, what));
  case FACT_SECONDS:
  case FACT_MOMENT:
  case FACT_AMOUNT:
    return rows_real(*FACT_IN(double, f, what));
  case FACT_VERIFIED:
    return rows_integer(verified[0] + (verified[0] && verified[1]));
  case FACT_SAMPLES:
    return rows_blob(*FACT_IN(const void *, f, what),
                     *FACT_N(unsigned, f, what) * sizeof(double), f->most);
  case FACT_FEATURES:
    return rows_blob(*FACT_IN(const void *, f, what), *FACT_N(size_t, f, what), f->most);
  case FACT_COUNTS:
    return rows_blob(FACT_IN(unsigned, f, what), STATUSES * sizeof(unsigned), f->most);
  case FACT_ESTIMATE:
    return rows_real(e->median);
  case FACT_LOW:
    return rows_real(estimate_closed(*e).low);
  case FACT_HIGH:
    return rows_real(estimate_closed(*e).high);
  case FACT_RUNS:
    return rows_integer(e->n);
  default:
    return rows_text(*FACT_IN(const char *, f, what), f->most);
  }
}

void row_make(const struct kind *k, const void *what, struct cell *cells) {
  for (unsigned i = 0; i < k->n; i++)
    cells[i] = cell_of(&k->facts[i], what);
}

// ---- and back -----------------------------------------------------------------------

static bool are_samples(const struct cell *c) {
  for (size_t i = 0; i < c->size; i += sizeof(double)) {
    double d;
    memcpy(&d, (const char *)c->data + i, sizeof d);
    if (!(d >= 0 && d < longest))
      return false;
  }
  return true;
}

// Sets F's member of WHAT from C. False: C is out of F's range.
static bool take_cell(const struct fact *f, const struct cell *c, void *what) {
  struct estimate *e = FACT_IN(struct estimate, f, what);
  switch (f->type) {
  case FACT_ID:
  case FACT_HASH:
    *FACT_IN(int64_t, f, what) = c->i;
    return true;
  case FACT_COUNT:
  case FACT_ENUM:
  case FACT_OBJECTIVE:
    *FACT_IN(unsigned, f, what) = (unsigned)c->i;
    return c->i >= 0 && (uint64_t)c->i <= f->most;
  case FACT_VERIFIED:
    FACT_IN(bool, f, what)[0] = c->i != 0;
    FACT_IN(bool, f, what)[1] = c->i == 2;
    return c->i >= 0 && (uint64_t)c->i <= f->most;
  case FACT_SECONDS:
  case FACT_MOMENT:
    *FACT_IN(double, f, what) = c->d;
    return c->d >= 0 && c->d < longest;
  case FACT_AMOUNT:
    *FACT_IN(double, f, what) = c->d;
    return c->d >= 0;
  case FACT_SAMPLES:
    *FACT_IN(const void *, f, what) = c->data;
    *FACT_N(unsigned, f, what) = (unsigned)(c->size / sizeof(double));
    return c->size % sizeof(double) == 0 && are_samples(c);
  case FACT_FEATURES:
    *FACT_IN(const void *, f, what) = c->data;
    *FACT_N(size_t, f, what) = c->size;
    return c->size % sizeof(float) == 0;
  case FACT_COUNTS: { // an earlier format has fewer statuses
    size_t all = STATUSES * sizeof(unsigned);
    memcpy(FACT_IN(unsigned, f, what), c->data, c->size < all ? c->size : all);
    return c->size % sizeof(unsigned) == 0;
  }
  case FACT_ESTIMATE:
    e->median = c->d;
    return c->d >= 0 && c->d < longest;
  case FACT_LOW:
    e->low = c->d;
    return c->d >= 0 && c->d <= e->median;
  case FACT_HIGH:
    e->high = c->d;
    return c->d >= e->median && c->d < longest;
  case FACT_RUNS:
    e->n = (unsigned)c->i;
    return c->i >= 0 && (uint64_t)c->i <= f->most;
  default:
    *FACT_IN(const char *, f, what) = c->data;
    return true;
  }
}

// ---- problems -----------------------------------------------------------------------

// A problem is identified by the columns of the first format, except the file, which is
// where the kernel was seen last, and by its objective, unless that is time.
static int64_t identity_sum(const struct cell *cells) {
  struct kind identity = kind_problem;
  struct cell same[STORE_CELLS];
  identity.n = 0;
  for (; kind_problem.facts[identity.n].since == 1; identity.n++) {
    const struct fact *f = &kind_problem.facts[identity.n];
    same[identity.n] = f->type == FACT_ID ? rows_integer(0)
        : f->type == FACT_FILE            ? rows_text("", 0)
                                          : cells[identity.n];
  }
  uint64_t objective = 0;
  for (unsigned i = identity.n; i < kind_problem.n; i++)
    if (kind_problem.facts[i].type == FACT_OBJECTIVE)
      objective = (uint64_t)cells[i].i;
  return (int64_t)(row_sum(&identity, same) ^ objective * 0x9e3779b97f4a7c15u);
}

static bool problem_take(const struct cell *cells, struct problem *p) {
  p->toolchain = "";
  return *p->kernel && p->id == identity_sum(cells);
}

bool row_take(const struct kind *k, const struct cell *cells, void *what) {
  bool good = true;
  memset(what, 0, k->size);
  for (unsigned i = 0; i < k->n && good; i++)
    good = take_cell(&k->facts[i], &cells[i], what);
  record_complete(k, what);
  return good && (k != &kind_problem || problem_take(cells, what));
}

unsigned problem_differences(const struct problem *p, const struct problem *own) {
  return (p->unit != own->unit ? DIFFERS_UNIT : 0) |
      (strcmp(p->cpu, own->cpu) ? DIFFERS_CPU : 0) |
      (strcmp(p->isa, own->isa) ? DIFFERS_ISA : 0) |
      (p->threads != own->threads ? DIFFERS_THREADS : 0) |
      (strcmp(p->key_names, own->key_names) ? DIFFERS_NAMES : 0) |
      (strcmp(p->key, own->key) ? DIFFERS_KEY : 0);
}

int64_t problem_hash(const struct problem *p) {
  struct cell cells[STORE_CELLS];
  row_make(&kind_problem, p, cells);
  return identity_sum(cells);
}

char *problem_of(const struct identity *id, struct problem *p) {
  *p = (struct problem){ .kernel = id->kernel,
                         .file = id->file,
                         .cpu = id->cpu,
                         .isa = id->isa,
                         .toolchain = id->toolchain ? id->toolchain : "",
                         .unit = id->unit,
                         .threads = id->threads,
                         .shape = id->shape,
                         .family = id->family,
                         .device = id->device,
                         .objective = id->objective };
  char *block = key_print(id->key, id->key_names, id->n_keys, &p->key_names);
  p->key = block;
  p->id = block ? problem_hash(p) : 0;
  return block;
}

int64_t problem_id(const struct identity *id) {
  struct problem p;
  free(problem_of(id, &p));
  return p.id;
}
