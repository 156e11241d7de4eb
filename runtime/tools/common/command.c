// SPDX-License-Identifier: Apache-2.0
// command.c: reads the command line of any command by its table, and prints its help.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "command.h"

// Returns how many columns SIZE bytes at TEXT take: one for each character of UTF-8.
static int command_width(const char *text, size_t size) {
  int n = 0;
  for (size_t i = 0; i < size; i++)
    n += (text[i] & 0xc0) != 0x80;
  return n;
}

static const char *command_word(const struct command *c) {
  const char *blank = strrchr(c->name, ' ');
  return blank ? blank + 1 : c->name;
}

const struct command *command_find(const struct command *const *list, const char *word) {
  for (; *list; list++)
    if (strcmp(command_word(*list), word) == 0)
      return *list;
  return NULL;
}

// ---- help ---------------------------------------------------------------------------

// Prints TEXT. Each line but the first begins with INDENT blanks.
static void command_put_lines(const char *text, int indent, FILE *out) {
  for (bool first = true; *text; first = false) {
    size_t n = strcspn(text, "\n");
    fprintf(out, "%*s%.*s\n", first ? 0 : indent, "", (int)n, text);
    text += n + (text[n] == '\n');
  }
}

static void command_put_commands(const struct command *c, FILE *out) {
  int word = 0, arguments = 0;
  for (const struct command *const *i = c->commands; *i; i++) {
    int n = command_width((*i)->arguments, strcspn((*i)->arguments, "\n"));
    arguments = n > arguments ? n : arguments;
    n = (int)strlen(command_word(*i));
    word = n > word ? n : word;
  }
  for (const struct command *const *i = c->commands; *i; i++) {
    size_t n = strcspn((*i)->arguments, "\n");
    fprintf(out, "  %-*s %.*s%*s %s\n", word, command_word(*i), (int)n, (*i)->arguments,
            arguments - command_width((*i)->arguments, n), "", (*i)->about);
  }
}

static size_t command_option_width(const struct setting *o) {
  return strlen(o->name) + (o->values ? 1 + strlen(o->values) : 0);
}

static void command_put_options(const struct setting *options, FILE *out) {
  size_t widest = 0;
  for (const struct setting *o = options; o->name; o++)
    if (o->help && command_option_width(o) > widest)
      widest = command_option_width(o);
  for (const struct setting *o = options; o->name; o++)
    if (o->help) {
      fprintf(out, "  %s%s%s%*s", o->name, o->values ? " " : "",
              o->values ? o->values : "", (int)(widest - command_option_width(o) + 2),
              "");
      command_put_lines(o->help, (int)widest + 4, out);
    }
}

void command_help(const struct command *c, FILE *out) {
  const char *blank = *c->name ? " " : "", *lead = "usage:";
  for (const char *line = c->arguments; *line || line == c->arguments; lead = "      ") {
    size_t n = strcspn(line, "\n");
    fprintf(out, "%s autotune%s%s%s%.*s\n", lead, blank, c->name, n ? " " : "", (int)n,
            line);
    line += n + (line[n] == '\n');
    if (!*line)
      break;
  }
  if (*c->name)
    fprintf(out, "  %s\n", c->about);
  fputs(c->details ? c->details : "", out);
  if (c->commands)
    command_put_commands(c, out);
  if (c->options)
    command_put_options(c->options, out);
  fputs(c->notes ? c->notes : "", out);
}

// ---- wrong command lines ------------------------------------------------------------

int command_refuse(const struct command *c, const char *what, const char *why) {
  fprintf(stderr, "autotune %s: %s: %s\n", c->name, what, why);
  return 2;
}

int command_misused(const struct command *c) {
  command_help(c, stderr);
  return 2;
}

enum { MOST_NAMES = 48 };

static int command_refuse_option(const struct command *c, const char *given) {
  const char *names[MOST_NAMES + 2] = { "--help" };
  unsigned n = 1;
  for (const struct setting *o = c->options; o && o->name && n < MOST_NAMES; o++)
    names[n++] = o->name;
  const char *near = value_nearest(given, strcspn(given, "="), names);
  fprintf(stderr, "autotune %s: %s: unknown option%s%s%s\n", c->name, given,
          near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
  return command_misused(c);
}

static int command_refuse_command(const struct command *c, const char *given) {
  const char *names[MOST_NAMES + 1] = { NULL };
  for (unsigned i = 0; c->commands[i] && i < MOST_NAMES; i++)
    names[i] = command_word(c->commands[i]);
  const char *near = value_nearest(given, strlen(given), names);
  fprintf(stderr, "autotune%s%s: unknown command '%s'%s%s%s\n", *c->name ? " " : "",
          c->name, given, near ? "; did you mean '" : "", near ? near : "",
          near ? "'?" : "");
  return command_misused(c);
}

// ---- reading ------------------------------------------------------------------------

// Returns the option that WORD names, alone or as `--name=VALUE`; NULL: there is none.
static const struct setting *command_option(const struct command *c, const char *word) {
  bool joined = strncmp(word, "--", 2) == 0;
  for (const struct setting *o = c->options; o && o->name; o++) {
    size_t n = strlen(o->name);
    if (strncmp(word, o->name, n) == 0 &&
        (!word[n] || (joined && word[n] == '=' && o->kind != SETTING_SWITCH)))
      return o;
  }
  return NULL;
}

// Reads the option at argv[*i] and its value. Returns 0 or the exit status.
static int command_read_option(const struct arguments *a, int *i) {
  const char *word = a->argv[*i], *equals = strchr(word, '=');
  const struct setting *o = command_option(a->command, word);
  if (!o)
    return command_refuse_option(a->command, word);
  const char *value = o->kind == SETTING_SWITCH ? ""
      : word[strlen(o->name)]                   ? equals + 1
      : *i + 1 < a->argc                        ? a->argv[++*i]
                                                : NULL;
  if (!value || (o->variable && !*value))
    return command_refuse(a->command, o->name, "its value is missing");
  char *why = NULL;
  if ((!o->variable || setting_accepts(o->variable, value, &why)) &&
      setting_read(o, value, a->options, &why))
    return 0;
  command_refuse(a->command, o->name, why ? why : "no memory");
  free(why);
  return 2;
}

enum { HELP = -1 };

// Reads all arguments. Returns 0, HELP, or the exit status.
static int command_read(struct arguments *a) {
  const struct command *c = a->command;
  bool only_words = false;
  int status = 0;
  a->rest = a->argv + a->argc;
  for (int i = 1; i < a->argc && status == 0; i++) {
    char *word = a->argv[i];
    bool dashes = strcmp(word, "--") == 0 && !only_words;
    bool option = *word == '-' && word[1] && !only_words;
    if (dashes && c->rest == REST_NONE) {
      only_words = true;
    } else if (dashes || (c->rest == REST_FROM_WORD && !option)) {
      a->rest = a->argv + i + dashes;
      return 0;
    } else if (option && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
      status = HELP;
    } else if (option) {
      status = command_read_option(a, &i);
    } else if (a->n == c->most) {
      command_refuse(c, word, "unexpected argument");
      status = command_misused(c);
    } else {
      a->words[a->n++] = word;
    }
  }
  return status;
}

static int command_run_one(const struct command *c, int argc, char **argv) {
  struct arguments a = { c, .argc = argc, .argv = argv };
  a.options = calloc(1, c->size + 1);
  a.words = calloc((size_t)argc + 1, sizeof *a.words);
  char *unused;
  for (const struct setting *o = c->options; a.options && o && o->name; o++)
    if (o->initial)
      setting_read(o, o->initial, a.options, &unused);
  int status = a.options && a.words ? command_read(&a)
                                    : command_refuse(c, "memory", strerror(ENOMEM));
  if (status == HELP)
    command_help(c, stdout);
  else if (status == 0)
    status = a.n < c->least ? command_misused(c) : c->run(&a);
  free(a.options);
  free(a.words);
  return status == HELP ? 0 : status;
}

int command_run(const struct command *c, int argc, char **argv) {
  if (!c->commands)
    return command_run_one(c, argc, argv);
  if (argc < 2)
    return command_misused(c);
  const struct command *own = command_find(c->commands, argv[1]);
  if (own)
    return command_run(own, argc - 1, argv + 1);
  if (strcmp(argv[1], "--help") != 0 && strcmp(argv[1], "-h") != 0 &&
      strcmp(argv[1], "help") != 0)
    return command_refuse_command(c, argv[1]);
  command_help(c, stdout);
  return 0;
}
