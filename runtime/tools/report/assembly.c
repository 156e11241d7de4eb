// SPDX-License-Identifier: Apache-2.0
// assembly.c: `autotune report --asm`: the winner's main loop beside that of the default.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compile/assembly.h"
#include "report.h"
#include "tools/common/clean.h"
#include "tools/common/results.h"

enum { BESIDE = 120, NUMBER = 6 }; // columns: for two listings; of a line's number

// ---- the source ---------------------------------------------------------------------

struct source {
  char **lines; // all that can be shown: NULL and 0 if the file changed since the tuning
  unsigned n;
};

static struct source source_read(const struct listed *item) {
  const char *path = item->problem.file;
  struct source s = { 0 };
  struct stat st;
  char *line = NULL;
  size_t size = 0;
  FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
          (double)st.st_mtime <= item->summary.when
      ? fopen(path, "re")
      : NULL;
  while (f && getline(&line, &size, f) >= 0) {
    char **more = (s.n & (s.n - 1)) ? s.lines
                                    : sys_realloc(s.lines, (2 * s.n + 1) * sizeof *more);
    if (!more)
      break;
    s.lines = more;
    s.lines[s.n++] = clean_line(line + strspn(line, " \t"));
  }
  if (f)
    fclose(f);
  free(line);
  return s;
}

static void source_free(struct source *s) {
  for (unsigned i = 0; i < s->n; i++)
    clean_free(s->lines[i]);
  free(s->lines);
}

// ---- one listing --------------------------------------------------------------------

struct listing_text {
  char **rows; // malloc'ed
  unsigned n;
};

static void listing_add(struct listing_text *l, char *row) {
  char **more = row && (l->n & (l->n - 1)) == 0
      ? sys_realloc(l->rows, (2 * l->n + 1) * sizeof *more)
      : l->rows;
  if (!row || !more) {
    free(row);
    return;
  }
  l->rows = more;
  l->rows[l->n++] = row;
}

// Adds ROW of a stored text, "12\tvaddpd …". *LAST is the line of the row before it.
static void listing_add_row(struct listing_text *l, const char *row, unsigned *last,
                            const struct source *source) {
  char *tab = NULL, *text = NULL;
  unsigned line = (unsigned)strtoul(row, &tab, 10);
  text = clean_line(*tab == '\t' ? tab + 1 : row);
  bool label = text[0] == 'L' && text[strlen(text) - 1] == ':';
  bool is_new = line && line != *last;
  if (is_new && line <= source->n)
    listing_add(l, sys_printf("%*u  %s", NUMBER - 2, line, source->lines[line - 1]));
  if (is_new && line > source->n)
    listing_add(l, sys_printf("%*u  %s", NUMBER - 2, line, text));
  else
    listing_add(l,
                sys_printf("%*s%s%s", label ? NUMBER - 2 : NUMBER, "",
                           source->n && !label ? "  " : "", text));
  if (line)
    *last = line;
  clean_free(text);
}

static struct listing_text listing_of(const char *text, const struct source *source) {
  struct listing_text l = { 0 };
  unsigned last = 0;
  const char *p = strchr(text, '\n');
  while (p && p[1]) {
    listing_add_row(&l, p + 1, &last, source);
    p = strchr(p + 1, '\n');
  }
  return l;
}

static void listing_text_free(struct listing_text *l) {
  for (unsigned i = 0; i < l->n; i++)
    free(l->rows[i]);
  free(l->rows);
}

// ---- two of them --------------------------------------------------------------------

static void asm_title(const struct sheet *s, const char *title, size_t width) {
  fputs(sheet_paint(s, PAINT_BOLD), s->out);
  sheet_cut(s, title, width, width != SIZE_MAX);
  fputs(sheet_paint(s, PAINT_END), s->out);
}

static void asm_beside(const struct sheet *s, const struct listing_text l[2]) {
  size_t width = (sheet_columns(s) - 3) / 2;
  asm_title(s, "  winner", width);
  fputs("   ", s->out);
  asm_title(s, "  default", SIZE_MAX);
  fputc('\n', s->out);
  for (unsigned i = 0; i < l[0].n || i < l[1].n; i++) {
    sheet_cut(s, i < l[0].n ? l[0].rows[i] : "", width, i < l[1].n);
    if (i < l[1].n) {
      fputs(s->look.unicode ? " │ " : " | ", s->out);
      sheet_cut(s, l[1].rows[i], width, false);
    }
    fputc('\n', s->out);
  }
}

static void asm_below(const struct sheet *s, const struct listing_text l[2]) {
  static const char *const titles[] = { "  winner", "  default" };
  for (int side = 0; side < 2; side++) {
    if (!l[side].n)
      continue;
    asm_title(s, titles[side], SIZE_MAX);
    fputc('\n', s->out);
    for (unsigned i = 0; i < l[side].n; i++) {
      fputs(l[side].rows[i], s->out);
      fputc('\n', s->out);
    }
    fputc('\n', s->out);
  }
}

// Prints the first line of TEXT, which says what the rest is.
static void asm_say(const struct sheet *s, const char *label, const char *text) {
  struct wrapped w = wrapped_label(s, label);
  char *first = clean_line(text);
  wrapped_text(&w, first);
  fputc('\n', s->out);
  clean_free(first);
}

static const char *asm_missing(const struct listed *item) {
  return item->problem.device != DEVICE_PROCESSOR
      ? "it runs on a device, and the code of devices is not shown"
      : !item->finished
      ? "no tuning of it has ended, so its code is not kept"
      : "its code was not kept: an earlier autotune tuned it, or it came from wisdom; "
        "`autotune tune` tunes it again";
}

static void asm_item(const struct sheet *s, const struct listed *item) {
  const struct summary *m = &item->summary;
  char *name = results_name(&item->problem);
  fprintf(s->out, "\n%s%s%s\n", sheet_paint(s, PAINT_BOLD), name,
          sheet_paint(s, PAINT_END));
  clean_free(name);
  if (!item->finished || !m->original_assembly || !*m->original_assembly) {
    sheet_line(s, "assembly", asm_missing(item));
    return;
  }
  asm_say(s, "winner", m->winner ? m->assembly : "the default is best");
  asm_say(s, "default", m->original_assembly);
  fputc('\n', s->out);
  struct source source = source_read(item);
  struct listing_text l[2] = { listing_of(m->assembly, &source),
                               listing_of(m->original_assembly, &source) };
  if (sheet_columns(s) >= BESIDE && l[0].n && l[1].n)
    asm_beside(s, l);
  else
    asm_below(s, l);
  listing_text_free(&l[0]);
  listing_text_free(&l[1]);
  source_free(&source);
}

void report_assembly(const struct report_options *o, const struct listing *l, FILE *out) {
  struct sheet s = { out, o->look };
  for (unsigned i = 0; i < l->n; i++)
    asm_item(&s, &l->items[i]);
}
