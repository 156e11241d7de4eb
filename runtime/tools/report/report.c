// SPDX-License-Identifier: Apache-2.0
// report.c: reads and analyses the store, and shows it as text, Markdown, JSON or a page.
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "tools/common/clean.h"
#include "tools/common/json.h"

// ---- nothing to report --------------------------------------------------------------

static void print_names(const struct listing *l, FILE *out) {
  for (unsigned i = 0; i < l->n; i++) {
    bool known = false; // stale results are not next to the others of their kernel
    for (unsigned j = 0; j < i && !known; j++)
      known = strcmp(l->items[i].problem.kernel, l->items[j].problem.kernel) == 0;
    if (known)
      continue;
    char *name = clean_text(l->items[i].problem.kernel);
    fprintf(out, "%s%s", i ? ", " : "", name);
    clean_free(name);
  }
}

static const char begin[] =
    "programs built with `autotune cc` measure at their first calls";

// Prints that there are no results, or none of the kernel, and which kernels there are.
// Returns 1.
static int report_say_nothing(const struct report_options *o, const char *folder,
                              struct store *s, FILE *out) {
  struct listing all = { 0 };
  if (o->json) {
    json_print_empty(out);
    return 1;
  }
  if (o->kernel && store_list(s, NULL, &all) == 0 && all.n > 0) {
    fprintf(out, "%s: kernel '%s' was never measured; those that were: ", folder,
            o->kernel);
    print_names(&all, out);
    fprintf(out, "\n");
  } else {
    fprintf(out, "%s: nothing was ever measured; %s\n", folder, begin);
  }
  store_list_free(&all);
  return 1;
}

// ---- the report ---------------------------------------------------------------------

// True if nothing of ITEM was measured: it was only called.
static bool report_is_bare(const struct listed *item) {
  return !item->finished && !item->provisional && item->n_records == 0;
}

static bool report_is_cold(const struct listing *l, const struct listed *item) {
  (void)l;
  return item->refused == REFUSED_COLD && report_is_bare(item);
}

// True if nothing of ITEM was measured, but of another key of its kernel.
static bool report_is_further(const struct listing *l, const struct listed *item) {
  for (unsigned i = 0; report_is_bare(item) && i < l->n; i++)
    if (!report_is_bare(&l->items[i]) &&
        strcmp(l->items[i].problem.kernel, item->problem.kernel) == 0)
      return true;
  return false;
}

// Moves to the end of L, and out of its number, what IS holds for. Returns how many.
static unsigned report_part(struct listing *l,
                            bool (*is)(const struct listing *, const struct listed *)) {
  unsigned n = 0, all = l->n;
  for (unsigned i = 0; i < all; i++) {
    struct listed item = l->items[i];
    if (is(l, &item))
      continue;
    l->items[i] = l->items[n];
    l->items[n++] = item;
  }
  l->n = n;
  return all - n;
}

static int report_show(const struct report_options *o, const char *folder,
                       const struct listing *l, FILE *out) {
  struct analysis *all = analysis_make_all(l);
  int status = all ? 0 : -1;
  if (status == 0 && o->html)
    status = report_page(o, folder, l, all, out) == 0 ? 0 : 1;
  else if (status == 0 && o->json)
    status = json_print(o->verbose, folder, l, all, out);
  else if (status == 0 && o->markdown)
    report_markdown(l, all, out);
  else if (status == 0 && o->assembly)
    report_assembly(o, l, out);
  else if (status == 0 && o->history)
    report_history(&(struct sheet){ out, o->look }, l, all);
  else if (status == 0)
    report_text(o, folder, l, all, out);
  if (status < 0)
    fprintf(out, "autotune report: out of memory\n");
  analysis_free_all(all, l->n);
  return status == 0 ? 0 : 1;
}

int report_print(const struct report_options *o, FILE *out) {
  char *message = NULL;
  char *folder = o->folder ? sys_strdup(o->folder) : folder_default(&message);
  struct store *s = folder ? store_open_in(folder, false, &message) : NULL;
  // A page that is live is written in any case: it may be open in a browser.
  bool always = o->html && o->follow && folder;
  if (!s && !always) {
    if (o->json)
      json_print_empty(out);
    else
      fprintf(out, "nothing was ever measured: %s; %s\n", message ? message : "no memory",
              begin);
    free(message);
    free(folder);
    return 1;
  }
  free(message);
  struct listing l = { 0 };
  int status = s ? store_list(s, o->kernel, &l) : 0;
  if (status != 0)
    log_message(AUTOTUNE_WARN, "%s/results.db could not be read to its end", folder);
  unsigned all = l.n;
  unsigned cold = report_part(&l, report_is_cold);
  unsigned further = report_part(&l, report_is_further);
  status = l.n || always ? report_show(o, folder, &l, out)
                         : report_say_nothing(o, folder, s, out);
  bool text = !o->json && !o->markdown && !o->html && !o->assembly && !o->history;
  if (further && text)
    fprintf(out,
            "\n%u more key%s of these kernels %s called, and not tuned; `autotune why "
            "KERNEL` says why\n",
            further, further == 1 ? "" : "s", further == 1 ? "was" : "were");
  if (cold && text)
    fprintf(
        out,
        "\n%u kernel%s took too little of the time to be tuned; `autotune why KERNEL` "
        "says how little\n",
        cold, cold == 1 ? "" : "s");
  l.n = all;
  store_list_free(&l);
  store_close(s);
  free(folder);
  return status;
}
