// SPDX-License-Identifier: Apache-2.0
// help.c: `autotune help TOPIC`: shows the pages of docs/, which are part of the program.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "front/front.h"

// pages.inc, made by the build, has PAGE(x) for each docs/x.md. First use: the text, as
// page_x.
#define PAGE(name)                                                       \
  extern const char page_##name[] __attribute__((visibility("hidden"))); \
  __asm__(".section .rodata\n"                                           \
          "page_" #name ":\n"                                            \
          ".incbin \"" AUTOTUNE_DOCS "/" #name ".md\"\n"                 \
          ".byte 0\n"                                                    \
          ".previous\n");
#include "pages.inc"
#undef PAGE

// Second use: the page's line in the table.
static const struct topic {
  const char *name, *text;
} topics[] = {
#define PAGE(name) { #name, page_##name },
#include "pages.inc"
};
#define N_TOPICS (sizeof topics / sizeof *topics)

void help_topics(FILE *out) {
  fputs("\ntopics of `autotune help TOPIC`\n", out);
  for (size_t i = 0; i < N_TOPICS; i++) {
    const char *heading = topics[i].text + strspn(topics[i].text, "# ");
    fprintf(out, "  %-11s %.*s\n", topics[i].name, (int)strcspn(heading, "\n"), heading);
  }
  fputs("  variables   AUTOTUNE_… in the environment\n", out);
}

const char *help_nearest(const char *word) {
  const char *names[N_TOPICS + 1] = { NULL };
  for (size_t i = 0; i < N_TOPICS; i++)
    names[i] = topics[i].name;
  return nearest(slice_of(word), names);
}

// ---- on a terminal: headings in bold, no targets of links, and tables as lists, whose
// lines are too long there ----

static const char bold[] = "\033[1m", normal[] = "\033[0m";

// Returns the `](target)` of the link whose text begins at P, before END; else NULL.
static const char *link_end(const char *p, const char *end) {
  while (p < end && *p != ']' && *p != '[')
    p++;
  if (end - p < 2 || p[0] != ']' || p[1] != '(')
    return NULL;
  return memchr(p, ')', (size_t)(end - p));
}

// Returns S without targets of links and without anchors; code stays.
static struct slice without_links(struct slice s) {
  char *out = arena_alloc(s.size + 1);
  const char *end = s.data + s.size, *closing = NULL;
  size_t n = 0;
  bool code = false;
  for (const char *p = s.data; p < end; p++) {
    code ^= *p == '`';
    if (!code && *p == '[' && link_end(p + 1, end))
      closing = memchr(p, ']', (size_t)(end - p));
    else if (p == closing)
      p = link_end(p, end);
    else if (!code && (strncmp(p, "<a ", 3) == 0 || strncmp(p, "</a>", 4) == 0))
      p += strcspn(p, ">");
    else
      out[n++] = *p;
  }
  return (struct slice){ out, n };
}

// Prints the words of TEXT, indented by INDENT and, where they fit, within COLUMNS.
static void put_words(FILE *out, struct slice text, unsigned indent, unsigned columns) {
  unsigned at = 0;
  const char *p = text.data, *end = p + text.size;
  while (p < end) {
    size_t size = 0;
    unsigned width = 0;
    for (; p + size < end && p[size] != ' '; size++)
      width += (p[size] & 0xc0) != 0x80; // bytes that begin a character
    bool first = at == 0;
    if (!first && at + 1 + width > columns) {
      putc('\n', out);
      first = true;
    }
    if (first)
      fprintf(out, "%*s", (int)indent, "");
    fprintf(out, first ? "%.*s" : " %.*s", (int)size, p);
    at = first ? indent + width : at + 1 + width;
    for (p += size; p < end && *p == ' ';)
      p++;
  }
  putc('\n', out);
}

void help_variables(FILE *out) {
  for (const struct setting *s = setting_variables; s->name; s++)
    if (s->help) {
      fprintf(out, "  %s=%s\n", s->name, s->values);
      put_words(out, slice_of(s->help), 6, 90);
    }
}

// Prints a table row `| a | b | c |`: the first cell, and below it the others.
static void help_put_row(FILE *out, struct slice line, unsigned columns) {
  const char *p = line.data + 1, *end = line.data + line.size;
  unsigned indent = 2;
  if (strspn(line.data, "|-: ") >= line.size)
    return; // the line under the head
  while (p < end) {
    const char *from = p;
    for (bool code = false; p < end && (code || *p != '|'); p++)
      code ^= *p == '`';
    struct slice cell =
        slice_trim(without_links((struct slice){ from, (size_t)(p - from) }));
    if (cell.size)
      put_words(out, cell, indent, columns);
    indent = 6;
    p++;
  }
}

static void help_put_line(FILE *out, struct slice line, unsigned columns) {
  struct slice text = without_links(line);
  if (*line.data == '#')
    fprintf(out, "%s%.*s%s\n", bold, (int)text.size, text.data, normal);
  else if (*line.data == '|')
    help_put_row(out, line, columns);
  else if (*line.data != '!') // a picture
    fprintf(out, "%.*s\n", (int)text.size, text.data);
}

static void put_page(FILE *out, const char *text, unsigned columns) {
  bool code = false;
  for (const char *p = text; *p;) {
    struct slice line = { p, strcspn(p, "\n") };
    bool fence = strncmp(p, "```", 3) == 0;
    code ^= fence;
    if (code || fence || strncmp(p, "    ", 4) == 0)
      fprintf(out, "%.*s\n", (int)line.size, line.data);
    else
      help_put_line(out, line, columns);
    p += line.size + (p[line.size] == '\n');
  }
}

static unsigned help_terminal_columns(void) {
  struct winsize w;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 20 ? w.ws_col : 80;
}

// ---- output --------------------------------------------------------------------------

// Returns $PAGER, or less if it is not set; NULL: the user wants no pager.
static const char *help_pager(void) {
  const char *asked = getenv("PAGER");
  if (asked && (!*asked || strcmp(asked, "cat") == 0))
    return NULL;
  setenv("LESS", "FRX", 0); // less ends at once if the page fits
  return asked ? asked : "less";
}

// Shows TEXT in the pager COMMAND. False: there is no such pager.
static bool command_help_show(const char *command, const char *text) {
  enum { NOT_FOUND = 127 }; // the shell's status
  FILE *out = popen(command, "w");
  if (!out)
    return false;
  signal(SIGPIPE, SIG_IGN); // the user may quit the pager early
  put_page(out, text, help_terminal_columns());
  int status = pclose(out);
  return !(WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND);
}

bool help_show(const char *name) {
  const struct topic *topic = NULL;
  for (size_t i = 0; i < N_TOPICS; i++)
    if (strcmp(name, topics[i].name) == 0)
      topic = &topics[i];
  if (!topic)
    return false;
  const char *terminal = getenv("TERM"), *command = help_pager();
  if (!isatty(STDOUT_FILENO) || !terminal || strcmp(terminal, "dumb") == 0)
    fputs(topic->text, stdout);
  else if (!command || !command_help_show(command, topic->text))
    put_page(stdout, topic->text, help_terminal_columns());
  return true;
}
