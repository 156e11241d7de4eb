// SPDX-License-Identifier: Apache-2.0
// page.c: the report as one file for a browser: the page that the build bundles
// (runtime/tools/report/page), with the results in its middle as JSON.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report.h"
#include "tools/common/json.h"
#include "tools/common/results.h"
#include "tools/common/roof.h"

// ---- the bundled page ---------------------------------------------------------------

#ifdef AUTOTUNE_PAGE
__asm__(".pushsection .rodata\n"
        ".global autotune_page, autotune_page_end\n"
        ".hidden autotune_page, autotune_page_end\n"
        "autotune_page: .incbin \"" AUTOTUNE_PAGE "\"\n"
        "autotune_page_end: .byte 0\n"
        ".popsection\n");
extern const char autotune_page[], autotune_page_end[];
#define PAGE autotune_page
#define PAGE_SIZE ((size_t)(autotune_page_end - autotune_page))
const char *report_page_missing(void) {
  return NULL;
}
#else
#define PAGE ""
#define PAGE_SIZE ((size_t)0)
const char *report_page_missing(void) {
  return "this autotune was built without the page: Node.js and the packages of "
         "runtime/tools/report/page (cmake/setup.sh fetches them) were not there";
}
#endif

static const char here[] = "@RESULTS@"; // once in the page; the results replace it

// ---- members that only the page has -------------------------------------------------

// Adds the winners in FILE as "against". False after a message: FILE cannot be read.
static bool add_against(json_t *root, const char *file, const char *kernel) {
  struct loaded other;
  if (results_load(file, &other) != 0) {
    results_unload(&other);
    return false;
  }
  json_t *against = json_object(), *results = json_array();
  for (unsigned i = 0; i < other.wisdom.n; i++) {
    const struct wisdom_entry *e = &other.wisdom.entries[i];
    if (!kernel || strcmp(e->problem.kernel, kernel) == 0)
      json_array_append_new(results, json_result(&e->problem, &e->summary));
  }
  json_object_set_new(against, "name", json_text(file));
  json_object_set_new(against, "results", results);
  json_object_set_new(root, "against", against);
  results_unload(&other);
  return true;
}

// ---- writing ------------------------------------------------------------------------

struct pieces {
  const json_t *root;
  const char *middle;
};

// Writes JSON for a script's text. '<' could end the script there; in JSON it occurs in
// strings only, so it is escaped.
static int write_escaped(const char *text, size_t size, void *data) {
  FILE *f = data;
  while (size) {
    const char *bad = memchr(text, '<', size);
    size_t n = bad ? (size_t)(bad - text) : size;
    if (fwrite(text, 1, n, f) != n || (bad && fputs("\\u003c", f) == EOF))
      return -1;
    n += bad != NULL;
    text += n;
    size -= n;
  }
  return 0;
}

static int write_page(const void *what, FILE *f) {
  const struct pieces *p = what;
  size_t before = (size_t)(p->middle - PAGE), after = PAGE_SIZE - before - strlen(here);
  if (fwrite(PAGE, 1, before, f) != before ||
      json_dump_callback(p->root, write_escaped, f,
                         JSON_COMPACT | JSON_REAL_PRECISION(7)) != 0 ||
      fwrite(p->middle + strlen(here), 1, after, f) != after || fflush(f) != 0)
    return -1;
  return 0;
}

// Returns how costs of each objective are shown, the largest unit first:
// {"time": {"seconds": true, "units": [[1, "s"], [0.001, "ms"], …]}}.
static json_t *page_objectives(void) {
  enum { MOST = 18 };
  json_t *list = json_object();
  for (int k = 0; k < OBJECTIVES; k++) {
    const struct objective *o = objective_get((enum objective_kind)k);
    json_t *units = json_array();
    const struct measure_unit *last = NULL;
    for (int power = MOST; power >= -MOST; power--) {
      const struct measure_unit *u = o->unit(pow(10, power));
      if (u != last)
        json_array_append_new(units, json_pack("[f, s]", u->size, u->name));
      last = u;
    }
    json_object_set_new(
        list, o->name,
        json_pack("{s:b, s:o}", "seconds", (int)o->is_seconds, "units", units));
  }
  return list;
}

// Returns the tunings that go on, with the indices of their results.
static json_t *page_live(const struct live *live, const struct listing *l) {
  json_t *list = json_array();
  for (unsigned t = 0; t < live->n; t++) {
    const struct live_tuning *w = &live->tunings[t];
    json_t *one = json_pack("{s:s, s:i, s:f}", "name", w->name, "tried", (int)w->tried,
                            "best", w->best);
    for (unsigned i = 0; i < l->n; i++)
      if (l->items[i].problem.id == w->problem)
        json_object_set_new(one, "result", json_integer(i));
    json_array_append_new(list, one);
  }
  return json_pack("{s:f, s:o}", "every", live->every, "tunings", list);
}

static json_t *page_json(const struct report_options *o, const char *folder,
                         const struct listing *l, const struct analysis *all) {
  json_t *root = json_report(false, folder, l, all), *fates = json_object(),
         *kernels = json_object_get(root, "kernels");
  for (int f = 0; f < STATUSES; f++) // in the order of the numbers in the columns
    json_object_set_new(fates, status_words[f].json, json_string(status_words[f].name));
  json_object_set_new(root, "fates", fates);
  for (unsigned i = 0; i < l->n; i++)
    json_object_set_new(json_array_get(kernels, i), "columns", json_columns(&all[i]));
  json_object_set_new(root, "made", json_integer((json_int_t)time(NULL)));
  json_object_set_new(root, "version", json_string(AUTOTUNE_VERSION));
  json_object_set_new(root, "roofs", roofs_for(folder, l, all, !o->undisturbed));
  json_object_set_new(root, "objectives", page_objectives());
  if (o->live)
    json_object_set_new(root, "live", page_live(o->live, l));
  return root;
}

int report_page(const struct report_options *o, const char *folder,
                const struct listing *l, const struct analysis *all, FILE *out) {
  const char *middle = memmem(PAGE, PAGE_SIZE, here, strlen(here));
  json_t *root = middle ? page_json(o, folder, l, all) : NULL;
  int status = -1;
  if (!root)
    fprintf(stderr, "autotune report: %s\n",
            middle ? "no memory" : report_page_missing());
  else if (!o->against || add_against(root, o->against, o->kernel)) {
    struct pieces pieces = { root, middle };
    status = wisdom_write_file(o->html, write_page, &pieces);
    if (status != 0)
      fprintf(stderr, "autotune report: %s: %s\n", o->html, strerror(errno));
    else if (!o->live)
      fprintf(out, "%s: %u result%s\n", o->html, l->n, l->n == 1 ? "" : "s");
  }
  json_decref(root);
  return status;
}
