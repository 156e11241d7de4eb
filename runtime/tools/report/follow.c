// SPDX-License-Identifier: Apache-2.0
// follow.c: `autotune report --follow`: shows the tunings that run now, from the rows
// that their processes write.
//
// It only reads the store, so it works for any process that shares the folder, and may be
// started before the program. Reading takes at most a twentieth of the time. On a
// terminal the last lines are drawn again; elsewhere lines are appended when there is
// something new, but not often. With --html the page is written whenever rows have come.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/value.h"
#include "report.h"
#include "tools/common/clean.h"
#include "tools/common/results.h"

static const double look_often = 0.5, say_often = 2, say_at_least = 5; // seconds
static const double late = 2;         // seconds between a row's own time and its writing
static const double linger = 1.5;     // seconds to wait for the next kernel's tuning
static const double linger_page = 10; // the same where a page is read meanwhile
static const double write_often = 2, write_at_least = 15; // seconds between pages
static const double better = 0.99; // ratio to the last best that is worth a line

// The variants with known results. A hash table with open addressing; 0 is no variant.
struct set {
  uint64_t *slots;
  size_t n, room;
};

struct watched { // one tuning
  int64_t problem;
  enum objective_kind objective;
  char *name;               // "matmul, n = 1024"
  struct progress progress; // without its texts
  char *why;
  bool lives, told; // told: its end was printed
  struct set seen;
  double since; // unix time; earlier rows are known
  unsigned tried, statuses[STATUSES];
  double best;            // cost; 0: no variant was right yet
  char *values;           // of the best
  double said, said_best; // time of the last appended line, and the best at that time
  enum phase said_phase;
};
struct follower {
  struct sheet sheet;
  const struct report_options *options;
  struct store *store;
  struct watched *items;
  unsigned n;
  double began;   // unix time
  unsigned drawn; // lines on the terminal that the next drawing replaces
  double written; // when the page was written last; 0: it was not
  double pause;   // seconds from one look to the next, at least
  bool changed;   // rows have come since
};

// ---- variants -----------------------------------------------------------------------

static void put_slot(uint64_t *slots, size_t room, uint64_t value) {
  size_t i = value % room;
  while (slots[i] && slots[i] != value)
    i = (i + 1) % room;
  slots[i] = value;
}

static bool set_has(const struct set *s, uint64_t value) {
  size_t i = s->room ? value % s->room : 0;
  while (s->room && s->slots[i] && s->slots[i] != value)
    i = (i + 1) % s->room;
  return s->room && s->slots[i] == value;
}

// Adds VALUE. True: it is new. Without memory it counts as known.
static bool set_add(struct set *s, uint64_t value) {
  value += value == 0;
  if (set_has(s, value))
    return false;
  if (2 * (s->n + 1) > s->room) {
    size_t room = s->room ? 2 * s->room : 256;
    uint64_t *slots = sys_calloc(room, sizeof *slots);
    if (!slots)
      return false;
    for (size_t i = 0; i < s->room; i++)
      if (s->slots[i])
        put_slot(slots, room, s->slots[i]);
    free(s->slots);
    *s = (struct set){ slots, s->n, room };
  }
  put_slot(s->slots, s->room, value);
  s->n++;
  return true;
}

static void see_variant(const struct record *r, void *data) {
  struct watched *w = data;
  if (r->status == STATUS_PENDING || !set_add(&w->seen, r->variant))
    return;
  w->statuses[r->status]++;
  w->tried += r->status != STATUS_DROPPED;
  if (r->when - late > w->since)
    w->since = r->when - late;
  double median = r->status == STATUS_OK && r->part <= 0 ? record_shown(r).median : 0;
  if (median > 0 && (w->best == 0 || median < w->best)) {
    char *values = sys_strdup(r->values);
    free(w->values);
    w->values = values;
    w->best = median;
  }
}

// ---- tunings ------------------------------------------------------------------------

static void follow_forget(struct watched *w) {
  clean_free(w->name);
  free(w->why);
  free(w->values);
  free(w->seen.slots);
  *w = (struct watched){ 0 };
}

// Returns the entry for P's tuning; a new tuning of a known problem begins with an empty
// entry. NULL: no memory.
static struct watched *follow_find(struct follower *f, const struct problem *p,
                                   const struct progress *c) {
  struct watched *w = NULL;
  for (unsigned i = 0; i < f->n && !w; i++)
    if (f->items[i].problem == p->id)
      w = &f->items[i];
  if (w && c->began - w->progress.began < 0.1)
    return w;
  if (!w) {
    struct watched *items = sys_realloc(f->items, (f->n + 1) * sizeof *items);
    if (!items)
      return NULL;
    f->items = items;
    w = &items[f->n++];
    *w = (struct watched){ 0 };
  }
  follow_forget(w);
  w->problem = p->id;
  w->objective = p->objective;
  w->name = results_name(p);
  w->since = c->began;
  return w;
}

// Updates P's entry. Tunings that ended before this program began are skipped.
static void see_progress(const struct problem *p, const struct progress *c, void *data) {
  struct follower *f = data;
  bool lives = progress_lives(c), known = false;
  for (unsigned i = 0; i < f->n; i++)
    known = known || f->items[i].problem == p->id;
  if (!known && !lives && c->when < f->began)
    return;
  struct watched *w = follow_find(f, p, c);
  if (!w)
    return;
  w->progress = *c;
  w->progress.owner = w->progress.why = "";
  w->lives = lives;
  if (!lives && !w->why)
    w->why = c->phase == PHASE_ENDED
        ? clean_line(c->why)
        : clean_text("its process is gone, without a result");
}

// Reads the new rows. The file may be created later than this program starts.
static void follow_look(struct follower *f, const char *folder) {
  char *message = NULL;
  if (!f->store)
    f->store = store_open_in(folder, false, &message);
  free(message);
  if (!f->store || store_progresses(f->store, f->options->kernel, see_progress, f) != 0)
    return;
  for (unsigned i = 0; i < f->n; i++)
    if (!f->items[i].told)
      store_since(f->store, f->items[i].problem, f->items[i].since, see_variant,
                  &f->items[i]);
}

static bool any_lives(const struct follower *f) {
  bool any = false;
  for (unsigned i = 0; i < f->n; i++)
    any = any || f->items[i].lives;
  return any;
}

// ---- in words -----------------------------------------------------------------------

static double follow_rate(const struct watched *w) {
  double seconds = sys_unix() - w->progress.began;
  return seconds > 0 ? w->tried / seconds : 0;
}

// True if W's program has ended before the default was timed (share_waiting).
static bool follow_waits(const struct watched *w) {
  return w->progress.phase == PHASE_SEARCH && w->progress.original <= 0 && w->tried == 0;
}

// Returns "23 of 200 variants · 3.2/s · 2 failed · 12 s left"; malloc'ed.
static char *describe_progress(const struct watched *w) {
  const struct progress *c = &w->progress;
  if (follow_waits(w))
    return sys_strdup("its program has ended, and it waits for idle processors");
  double left = c->until - sys_unix();
  char of[32] = "", failed[32] = "", rest[64] = "the final race";
  if (c->expected > w->tried)
    snprintf(of, sizeof of, " of %u", c->expected);
  if (analysis_count_failed(w->statuses))
    snprintf(failed, sizeof failed, " · %u failed", analysis_count_failed(w->statuses));
  if (c->phase == PHASE_SEARCH)
    snprintf(rest, sizeof rest, "%.0f s left", left > 0 ? left : 0);
  bool one = w->tried == 1 && !*of;
  return sys_printf("%u%s variant%s · %.3g/s%s · %s", w->tried, of, one ? "" : "s",
                    follow_rate(w), failed, rest);
}

// Returns "best 46.20 ms, 126 x over the default: MR=6 NR=64", cleaned; malloc'ed.
static char *describe_best(const struct watched *w) {
  char cost[64], *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (!f)
    return NULL;
  if (follow_waits(w)) {
    fprintf(f, "nothing was tried yet");
  } else if (w->best > 0) {
    fprintf(f, "best %s", objective_show(w->objective, cost, sizeof cost, w->best));
    if (w->progress.original > 0)
      fprintf(f, ", %.3g x over the default", w->progress.original / w->best);
    const char *gap = ":";
    const char *at = w->values;
    for (struct named_value s; at && value_next(&at, &s);) {
      char *one = clean_value(w->values, &s);
      if (!one)
        continue;
      fprintf(f, "%s %s", gap, one);
      clean_free(one);
      gap = "";
    }
  } else {
    fprintf(f, "nothing was right yet; default %s",
            objective_show(w->objective, cost, sizeof cost, w->progress.original));
  }
  fclose(f);
  return text;
}

static double follow_fraction(const struct watched *w) {
  const struct progress *c = &w->progress;
  double all = c->until - c->began,
         variants = c->expected ? (double)w->tried / c->expected : 0;
  double time = all > 0 ? (sys_unix() - c->began) / all : 0;
  double fraction = variants > time ? variants : time;
  return c->phase == PHASE_RACE || fraction > 1 ? 1 : fraction;
}

static const char *follow_shown(const char *text) {
  return text ? text : "?";
}

// ---- on a terminal ------------------------------------------------------------------

static void end_line(struct follower *f) {
  fputc('\n', f->sheet.out);
  f->drawn++;
}

static void draw_one(struct follower *f, const struct watched *w) {
  const struct sheet *s = &f->sheet;
  size_t columns = sheet_columns(s) - 1; // the last one makes some terminals wrap
  size_t bar = columns >= 60 ? 24 : 8;   // leaves room for the text
  char *progress = describe_progress(w), *best = describe_best(w);
  fputs(sheet_paint(s, PAINT_BOLD), s->out);
  sheet_cut(s, w->name, columns, false);
  fputs(sheet_paint(s, PAINT_END), s->out);
  end_line(f);
  fputs("  ", s->out);
  sheet_bar(s, follow_fraction(w), bar, true);
  fputs("  ", s->out);
  sheet_cut(s, follow_shown(progress), columns - bar - 4, false);
  end_line(f);
  bool gains = w->best > 0 && w->best < w->progress.original;
  fprintf(s->out, "  %s", gains ? sheet_paint(s, PAINT_GOOD) : "");
  sheet_cut(s, follow_shown(best), columns - 2, false);
  fputs(sheet_paint(s, PAINT_END), s->out);
  end_line(f);
  free(progress);
  free(best);
}

// Prints the results of ended tunings, which stay, and below them those that still run,
// as many as fit.
static void follow_draw(struct follower *f) {
  FILE *out = f->sheet.out;
  if (f->drawn)
    fprintf(out, "\033[%uA\033[J", f->drawn);
  f->drawn = 0;
  unsigned more = 0;
  for (unsigned i = 0; i < f->n; i++) {
    struct watched *w = &f->items[i];
    if (!w->lives && !w->told)
      fprintf(out, "%s%s%s: %s\n", sheet_paint(&f->sheet, PAINT_BOLD), w->name,
              sheet_paint(&f->sheet, PAINT_END), follow_shown(w->why));
    w->told = !w->lives;
  }
  for (unsigned i = 0; i < f->n; i++)
    if (f->items[i].lives && f->drawn + 5 <= f->sheet.look.rows)
      draw_one(f, &f->items[i]);
    else
      more += f->items[i].lives;
  if (more) {
    fprintf(out, "and %u more", more);
    end_line(f);
  }
}

// ---- elsewhere ----------------------------------------------------------------------

static void append_one(const struct follower *f, struct watched *w) {
  char *progress = describe_progress(w), *best = describe_best(w);
  fprintf(f->sheet.out, "%s: %s; %s\n", w->name, follow_shown(progress),
          follow_shown(best));
  w->said = sys_now();
  w->said_best = w->best;
  w->said_phase = w->progress.phase;
  free(progress);
  free(best);
}

static void follow_append(struct follower *f) {
  for (unsigned i = 0; i < f->n; i++) {
    struct watched *w = &f->items[i];
    double silent = w->said > 0 ? sys_now() - w->said : say_at_least;
    bool news = w->said_phase != w->progress.phase ||
        (w->best > 0 && w->said_best == 0) || w->best < better * w->said_best;
    if (w->lives && (silent >= say_at_least || (news && silent >= say_often)))
      append_one(f, w);
    if (!w->lives && !w->told)
      fprintf(f->sheet.out, "%s: %s\n", w->name, follow_shown(w->why));
    w->told = !w->lives;
  }
}

// Shows the present state in one write, so that the terminal does not flicker.
static void follow_show(struct follower *f) {
  FILE *out = f->sheet.out;
  char *text = NULL;
  size_t size = 0;
  FILE *buffer = open_memstream(&text, &size);
  f->sheet.out = buffer ? buffer : out;
  if (f->sheet.look.terminal)
    follow_draw(f);
  else
    follow_append(f);
  f->sheet.out = out;
  bool whole = buffer && fclose(buffer) == 0;
  if (whole && f->sheet.look.drawn && !f->sheet.look.unicode)
    sheet_ascii(out, text);
  else if (whole)
    fputs(text, out);
  free(text);
  fflush(out);
}

// ---- the page -----------------------------------------------------------------------

static volatile sig_atomic_t follow_stopped;

static void follow_stop(int number) {
  (void)number;
  follow_stopped = 1;
}

// From now on a signal that asks this process to end makes it write the last page. The
// second one ends it.
static void follow_catch(void) {
  static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
  const struct sigaction stop = { .sa_handler = follow_stop,
                                  .sa_flags = (int)SA_RESETHAND };
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    struct sigaction before;
    sigaction(signals[i], &stop, &before);
    if (before.sa_handler == SIG_IGN) // by nohup
      sigaction(signals[i], &before, NULL);
  }
}

// Writes the page. LAST: it is not live any more. Returns 0, or 1 after a message.
static int follow_write(struct follower *f, bool last) {
  struct report_options o = *f->options;
  struct live_tuning *list = sys_calloc(f->n + 1, sizeof *list);
  struct live live = { .tunings = list,
                       .every = f->pause > write_often ? f->pause : write_often };
  for (unsigned i = 0; i < f->n && list; i++) {
    const struct watched *w = &f->items[i];
    if (w->lives)
      list[live.n++] = (struct live_tuning){ w->problem, w->name, w->tried, w->best };
  }
  o.undisturbed = !last || follow_stopped;
  o.live = last ? NULL : &live;
  int status = report_print(&o, f->sheet.out);
  free(list);
  f->written = sys_now();
  f->changed = false;
  return status;
}

// Writes the page if there is something new, or if its reader might take it for the page
// of a process that has ended.
static int follow_write_often(struct follower *f) {
  f->changed = (f->store && store_changed(f->store)) || f->changed;
  double since = sys_now() - f->written;
  bool due = f->written == 0 || since >= write_at_least ||
      (f->changed && since >= write_often);
  return due ? follow_write(f, false) : 0;
}

// ---- the loop -----------------------------------------------------------------------

static void follow_doze(double seconds) {
  struct timespec t = { (time_t)seconds,
                        (long)((seconds - (double)(time_t)seconds) * 1e9) };
  nanosleep(&t, NULL);
}

// Follows tunings until all have ended. Waits for the first one WAIT seconds; below 0:
// for ever. Returns 0, or 1 if the page cannot be written.
static int follow(struct follower *f, const char *folder, double wait) {
  double began = sys_now(), busy = began;
  bool waits = false, page = f->options->html != NULL;
  double stay = page ? linger_page : linger;
  while (!follow_stopped) {
    double now = sys_now();
    follow_look(f, folder);
    if (any_lives(f))
      busy = sys_now();
    follow_show(f);
    if (f->n == 0 && !waits && now - began > linger) {
      fprintf(f->sheet.out, "%s: no tuning goes on; waiting for one\n", folder);
      fflush(f->sheet.out);
      waits = true;
    }
    if (page && follow_write_often(f) != 0)
      return 1;
    if (f->n > 0 ? sys_now() - busy > stay : wait >= 0 && sys_now() - began > wait)
      break;
    double cost = 20 * (sys_now() - now);
    f->pause = cost > look_often ? cost : look_often;
    follow_doze(f->pause);
  }
  return page ? follow_write(f, true) : 0;
}

int report_follow(const struct report_options *o, double wait, FILE *out) {
  char *message = NULL;
  char *folder = o->folder ? sys_strdup(o->folder) : folder_default(&message);
  struct follower f = { .sheet = { out, o->look }, .options = o, .began = sys_unix() };
  int status = 0;
  if (o->html) {
    follow_catch();
    fprintf(out, "%s: live until %g s after the last tuning, or ctrl-C\n", o->html,
            linger_page);
    fflush(out);
  }
  if (folder)
    status = follow(&f, folder, wait);
  else
    fprintf(out, "nothing can be followed: %s\n", message ? message : "no memory");
  if (f.n == 0 && folder && status == 0)
    fprintf(out, "%s: no tuning goes on\n", folder);
  status = status || f.n == 0;
  for (unsigned i = 0; i < f.n; i++)
    follow_forget(&f.items[i]);
  free(f.items);
  if (f.store)
    store_close(f.store);
  free(message);
  free(folder);
  return status;
}
