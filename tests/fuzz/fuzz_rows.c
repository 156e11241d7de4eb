// SPDX-License-Identifier: Apache-2.0
// fuzz_rows.c: a file of results as a hostile or damaged one may be, through SQLite: any
// value in any column, of any type, with a right checksum or another. All that reads
// results reads it. What comes out of a row is in its range, and reports of it are valid.
//
// An input has a row on each line: the table, and the columns that differ from a good
// row. The checksum is right unless `sum` is given, and so is a problem's id. A value is
// a number, a text in quotes, a blob in hexadecimal after `x`, or `null`; `N*` before a
// text or blob repeats it. A line `version N` makes the file one of that format.
//
//     version 3
//     problem kernel='a\nb' threads=-1
//     variant variant=2 fate=99 samples=x000000000000f03f
//     winner best_median=null sum=7
#include <dirent.h>
#include <stdio.h>

#include "fuzz.h"
#include "keep/store/tables.h"
#include "keep/wisdom/wisdom.h"
#include "tools/common/json.h"
#include "tools/export/export.h"
#include "tools/report/report.h"
#include "tools/why/why.h"
#include "unit/store_fixture.h"

enum { LONGEST = 1 << 17 /* bytes of a repeated text */ };

static char *folder, *path;

// ---- reading an input ---------------------------------------------------------------

struct line {
  const char *p, *end;
};

struct row_text {
  const struct kind *kind; // with fewer columns for an earlier format
  struct kind earlier;
  union row good; // the struct of a good row, to which its cells point
  struct cell cells[STORE_CELLS];
  int types[STORE_CELLS]; // SQLite's
  bool has_id, has_sum;
  int64_t sum;
  void *blocks[STORE_CELLS];
  unsigned n_blocks;
};

// Returns the next word up to one of STOPS, which is skipped.
static struct line rows_word(struct line *l, const char *stops) {
  struct line word = { l->p, l->p };
  while (l->p < l->end && !strchr(stops, *l->p))
    l->p++;
  word.end = l->p;
  l->p += l->p < l->end;
  return word;
}

static bool rows_is(struct line word, const char *text) {
  return strlen(text) == (size_t)(word.end - word.p) &&
      memcmp(word.p, text, strlen(text)) == 0;
}

static int rows_digit(int c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Reads the text or blob at L into OUT, of as many bytes as L. Returns its size.
static size_t rows_bytes(struct line *l, bool blob, char *out) {
  size_t n = 0;
  for (;
       blob && l->end - l->p >= 2 && rows_digit(l->p[0]) >= 0 && rows_digit(l->p[1]) >= 0;
       l->p += 2)
    out[n++] = (char)(16 * rows_digit(l->p[0]) + rows_digit(l->p[1]));
  for (; !blob && l->p < l->end && *l->p != '\''; l->p++) {
    bool escaped = *l->p == '\\' && l->p + 1 < l->end;
    l->p += escaped;
    out[n++] = (char)(escaped && *l->p == 'n'       ? '\n'
                          : escaped && *l->p == '0' ? '\0'
                                                    : *l->p);
  }
  return n;
}

// Reads the value at L, a text or blob that is there TIMES times.
static void rows_text_value(struct row_text *r, unsigned i, struct line *l, bool blob,
                            size_t times) {
  char *once = malloc((size_t)(l->end - l->p) + 1);
  size_t size = rows_bytes(l, blob, once);
  times = times * size > LONGEST ? LONGEST / size : times;
  char *all = malloc(times * size + 1);
  for (size_t k = 0; k < times; k++)
    memcpy(all + k * size, once, size);
  all[times * size] = '\0'; // row_take expects it, as SQLite has it
  free(once);
  r->blocks[r->n_blocks++] = all;
  r->cells[i] = (struct cell){ .kind = blob ? CELL_BLOB : CELL_TEXT,
                               .data = all,
                               .size = times * size };
  r->types[i] = blob ? SQLITE_BLOB : SQLITE_TEXT;
}

static void rows_number_value(struct row_text *r, unsigned i, const char *text) {
  bool real = strpbrk(text, ".eEnN") != NULL;
  r->types[i] = real ? SQLITE_FLOAT : SQLITE_INTEGER;
  if (real)
    r->cells[i] = (struct cell){ .kind = CELL_REAL, .d = strtod(text, NULL) };
  else
    r->cells[i] = (struct cell){ .kind = CELL_INT, .i = strtoll(text, NULL, 10) };
}

// Reads the value at L into column I; it replaces the good one.
static void rows_value(struct row_text *r, unsigned i, struct line *l) {
  const char *star = l->p;
  while (star < l->end && *star >= '0' && *star <= '9')
    star++;
  bool repeated = star > l->p && star < l->end && *star == '*';
  size_t times = repeated ? (size_t)strtoul(l->p, NULL, 10) % LONGEST : 1;
  if (repeated)
    l->p = star + 1;
  if (l->p < l->end && (*l->p == '\'' || *l->p == 'x')) {
    bool blob = *l->p++ == 'x';
    rows_text_value(r, i, l, blob, times);
    rows_word(l, " ");
    return;
  }
  struct line word = rows_word(l, " ");
  char text[32];
  snprintf(text, sizeof text, "%.*s", (int)(word.end - word.p), word.p);
  if (rows_is(word, "null"))
    r->types[i] = SQLITE_NULL;
  else
    rows_number_value(r, i, text);
}

// ---- writing a file -----------------------------------------------------------------

// Makes a good row of K. PROBLEM: the id of the last problem.
static void rows_good(struct row_text *r, const struct kind *k, int64_t problem) {
  static const double samples[] = { 0.002, 0.0021, 0.0022, 0.002, 0.0021, 0.0024 };
  static const float features[] = { 1, 2, 3 };
  struct identity id = fixture_identity();
  union row *row = &r->good;
  char *block = NULL;
  if (k == &kind_problem) {
    block = problem_of(&id, &row->problem);
  } else if (k == &kind_record) {
    row->record = fixture_record(7, samples, 6);
    row->record.features = features;
    row->record.features_size = sizeof features;
    row->record.when = 1.7e9;
  } else if (k == &kind_summary) {
    row->summary = fixture_summary();
    row->summary.toolchain = "clang 22.1.7";
    row->summary.when = 1.7e9;
  } else if (k == &kind_asked) {
    row->asked = (struct asked){ .toolchain = "clang 22.1.7",
                                 .params = "MR\n4\n6\n\nNR\n64\n",
                                 .conditions = "MR < NR\n",
                                 .why = "never tuned",
                                 .when = 1.7e9 };
  } else if (k == &kind_service) {
    row->service = (struct service){ .variant = 7,
                                     .values = "MR=4",
                                     .contract = id.contract,
                                     .seen = 1.7e9,
                                     .looks = 3,
                                     .why = "",
                                     .when = 1.7e9 };
  } else if (k == &kind_progress) {
    row->progress = (struct progress){ .began = 1.7e9,
                                       .until = 1.7e9,
                                       .expected = 9,
                                       .original = 0.01,
                                       .why = "",
                                       .owner = "1 1 x",
                                       .when = 1.7e9 };
  } else {
    abort(); // a kind of rows that this does not know yet
  }
  if (k != &kind_problem)
    *FACT_IN(int64_t, &k->facts[0], row) = problem;
  row_make(k, row, r->cells);
  for (unsigned i = 0; i < k->n; i++) {
    static const int types[] = { SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB };
    r->types[i] = types[r->cells[i].kind];
  }
  r->blocks[r->n_blocks++] = block;
}

// Returns the id that belongs to the other columns of a problem, if these are good.
static int64_t rows_problem_id(const struct row_text *r) {
  struct cell cells[STORE_CELLS];
  struct problem p = { 0 };
  for (unsigned i = 0; i < kind_problem.n; i++) {
    cells[i] = cell_empty(&kind_problem.facts[i]);
    if (i < r->kind->n && r->cells[i].kind == cells[i].kind)
      cells[i] = r->cells[i];
  }
  row_take(&kind_problem, cells, &p); // false: the id is not right yet
  return problem_hash(&p);
}

static void rows_insert(sqlite3 *db, const struct row_text *r) {
  char *sql = table_insert_sql(r->kind);
  sqlite3_stmt *q = NULL;
  if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) != SQLITE_OK)
    abort();
  row_bind(q, r->kind, r->cells);
  for (unsigned i = 0; i < r->kind->n; i++)
    if (r->types[i] == SQLITE_NULL)
      sqlite3_bind_null(q, (int)i + 1);
  if (r->has_sum)
    sqlite3_bind_int64(q, (int)r->kind->n + 1, r->sum);
  sqlite3_step(q); // a key that is null is refused
  sqlite3_finalize(q);
  free(sql);
}

// Returns K as format VERSION had it.
static struct kind rows_kind_of(const struct kind *k, unsigned version) {
  struct kind earlier = *k;
  for (earlier.n = 0; earlier.n < k->n && k->facts[earlier.n].since <= version;)
    earlier.n++;
  return earlier;
}

static void rows_write_line(sqlite3 *db, struct line l, unsigned version,
                            int64_t *problem) {
  struct line table = rows_word(&l, " ");
  for (unsigned t = 0; t < KINDS; t++) {
    struct row_text r = { 0 };
    r.earlier = rows_kind_of(kinds[t], version);
    r.kind = &r.earlier;
    if (!rows_is(table, kinds[t]->name) || r.earlier.n == 0)
      continue;
    rows_good(&r, kinds[t], *problem);
    while (l.p < l.end && r.n_blocks < STORE_CELLS) {
      struct line name = rows_word(&l, "= ");
      unsigned i = 0;
      while (i < r.earlier.n && !rows_is(name, r.earlier.facts[i].column))
        i++;
      if (rows_is(name, "sum")) {
        r.has_sum = true;
        r.sum = strtoll(l.p < l.end ? l.p : "", NULL, 10);
        rows_word(&l, " ");
      } else if (i < r.earlier.n) {
        r.has_id |= i == 0;
        rows_value(&r, i, &l);
      }
    }
    if (kinds[t] == &kind_problem) {
      if (!r.has_id)
        r.cells[0].i = rows_problem_id(&r);
      *problem = r.cells[0].i;
    }
    rows_insert(db, &r);
    for (unsigned i = 0; i < r.n_blocks; i++)
      free(r.blocks[i]);
  }
}

static void rows_run(sqlite3 *db, char *sql) {
  if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
    abort();
  free(sql);
}

static void rows_write(struct line all) {
  unsigned version = RECORD_VERSION;
  struct line l = all, first = rows_word(&l, " \n");
  if (rows_is(first, "version")) {
    version = (unsigned)strtoul(l.p < l.end ? l.p : "", NULL, 10);
    rows_word(&l, "\n");
    all = l;
  }
  sqlite3 *db = NULL;
  int64_t problem = 0;
  if (sqlite3_open(path, &db) != SQLITE_OK)
    abort();
  rows_run(db,
           sys_printf("PRAGMA synchronous=0; PRAGMA journal_mode=OFF; BEGIN;"
                      "PRAGMA application_id=%d; PRAGMA user_version=%u",
                      STORE_APPLICATION, version % (RECORD_VERSION + 2)));
  for (unsigned t = 0; t < KINDS; t++) {
    struct kind k = rows_kind_of(kinds[t], version);
    if (k.n > 0)
      rows_run(db, table_create_sql(&k));
  }
  while (all.p < all.end)
    rows_write_line(db, rows_word(&all, "\n"), version, &problem);
  rows_run(db, sys_strdup("COMMIT"));
  sqlite3_close(db);
}

// ---- reading it ---------------------------------------------------------------------

// What was read is in its range, so it can be written and read again.
static void rows_expect_good(const struct kind *k, const void *what) {
  struct cell cells[STORE_CELLS];
  union row again;
  row_make(k, what, cells);
  if (!row_take(k, cells, &again))
    abort();
}

static void rows_see_record(const struct record *r, void *data) {
  rows_expect_good(&kind_record, r);
  ++*(unsigned *)data;
}

static void rows_see_progress(const struct problem *p, const struct progress *c,
                              void *data) {
  rows_expect_good(&kind_problem, p);
  rows_expect_good(&kind_progress, c);
  *(unsigned *)data += progress_lives(c);
}

static void rows_see_service(const struct service *v, void *data) {
  rows_expect_good(&kind_service, v);
  ++*(unsigned *)data;
}

static void rows_see_values(const char *values, double cost, void *data) {
  if (!(cost >= 0))
    abort();
  *(unsigned *)data += (unsigned)strlen(values);
}

// A winner as wisdom is a line that is understood.
static void rows_as_wisdom(const struct listing *l) {
  struct wisdom w = { 0 };
  if (!wisdom_add_listing(&w, l, NULL, 0))
    abort();
  wisdom_sort(&w);
  for (unsigned i = 0; i < w.n; i++) {
    char why[200], *line = wisdom_print(&w.entries[i]);
    struct wisdom_entry e;
    if (line && wisdom_parse(line, strlen(line), &e, why, sizeof why))
      free(e.block);
    free(line);
  }
  wisdom_free(&w);
}

static void rows_list(struct store *s) {
  struct listing l;
  unsigned n = 0;
  if (store_list(s, NULL, &l) == 0)
    rows_as_wisdom(&l);
  for (unsigned i = 0; i < l.n; i++) {
    const struct listed *item = &l.items[i];
    struct asked asked;
    struct summary m;
    rows_expect_good(&kind_problem, &item->problem);
    if (item->finished || item->provisional)
      rows_expect_good(&kind_summary, &item->summary);
    for (unsigned k = 0; k < item->n_records; k++)
      rows_see_record(&item->records[k], &n);
    store_since(s, item->problem.id, 0, rows_see_record, &n);
    store_fastest(s, item->problem.id, 5, rows_see_values, &n);
    store_times(s, item->problem.id, rows_see_values, &n);
    if (store_tuning(s, item->problem.id, NULL, &m))
      store_summary_free(&m);
    if (store_find_asked(s, item->problem.id, &asked)) {
      rows_expect_good(&kind_asked, &asked);
      free(asked.block);
    }
  }
  store_list_free(&l);
  store_progresses(s, NULL, rows_see_progress, &n);
}

// As a program asks for its own results.
static void rows_recall(struct store *s) {
  struct identity id = fixture_identity();
  struct relative relatives[MAX_RELATIVES];
  struct summary m;
  struct features features;
  struct looked found;
  char *why = NULL;
  double since = 0;
  unsigned n = 0;
  if (store_winner(s, &id, &m, &why)) {
    rows_expect_good(&kind_summary, &m);
    store_summary_free(&m);
  }
  free(why);
  for (uint64_t v = 1; v < 9; v++)
    if (store_look(s, &id, v, &found, &features) == KNOWN_RESULT &&
        (found.status < 0 || found.status >= STATUSES))
      abort();
  store_news(s, &id, &since, rows_see_record, &n);
  store_services(s, &id, rows_see_service, &n);
  if (store_relatives(s, &id, relatives) > MAX_RELATIVES)
    abort();
}

// No row can send control sequences to a terminal.
static void rows_expect_clean(const char *text) {
  for (; *text; text++)
    if (((unsigned char)*text < ' ' && *text != '\n') || *text == 127)
      abort();
}

static void rows_report(bool json, bool markdown, bool verbose) {
  struct report_options o = {
    .folder = folder, .json = json, .markdown = markdown, .verbose = verbose
  };
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  report_print(&o, f);
  fclose(f);
  json_t *read = json ? json_loads(text, 0, NULL) : NULL;
  if (json && !read)
    abort();
  rows_expect_clean(text);
  json_decref(read);
  free(text);
}

static void rows_show(void) {
  struct identity id = fixture_identity();
  struct why_options why = { .folder = folder,
                             .kernel = "gemm",
                             .cpu = id.cpu,
                             .isa = id.isa,
                             .toolchain = id.toolchain,
                             .threads = id.threads };
  struct export_options export = { .folder = folder };
  char *text = NULL;
  size_t size = 0;
  rows_report(false, false, true);
  rows_report(true, false, true);
  rows_report(false, true, false);
  FILE *f = open_memstream(&text, &size);
  why_print(&why, f);
  export_run(&export, f);
  export.t1 = true;
  export_run(&export, f);
  fclose(f);
  rows_expect_clean(text);
  free(text);
}

// ---- the fuzzer ---------------------------------------------------------------------

static void rows_empty(void) {
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d)) != NULL;)
    unlinkat(dirfd(d), e->d_name, 0);
  closedir(d);
}

static void rows_end(void) {
  remove_folder(folder);
  free(folder);
  free(path);
}

static void rows_hear(enum autotune_level level, const char *message, void *data) {
  (void)level, (void)data;
  rows_expect_clean(message);
}

static void rows_begin(void) {
  const char *parent = getenv("TMPDIR");
  folder = sys_printf("%s/autotune-fuzz-XXXXXX", parent ? parent : "/dev/shm");
  if (!mkdtemp(folder))
    abort();
  path = sys_printf("%s/results.db", folder);
  atexit(rows_end);
  autotune_set_log(rows_hear, NULL);
  stderr = fopen("/dev/null", "w"); // sanitizers write to the descriptor
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *message = NULL, *text = malloc(size + 1);
  if (!folder)
    rows_begin();
  memcpy(text, data, size);
  text[size] = '\0'; // numbers end there
  rows_empty();
  rows_write((struct line){ text, text + size });
  struct store *s = store_open_in(folder, true, &message);
  free(message);
  if (s) {
    rows_list(s);
    rows_recall(s);
  }
  store_close(s);
  rows_show();
  free(text);
  return 0;
}
