/* SPDX-License-Identifier: Apache-2.0 */
/* rewrite.c: changes a unit's text, token by token, where macros cannot. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rewrite.h"

struct token {
  const char *at;
  size_t n;
};
struct unit {
  const char *at;     /* the first byte that is not read yet */
  const char *copied; /* the first byte that is not in the output yet */
  FILE *out;
};

static bool rewrite_is(struct token t, const char *word) {
  return t.n == strlen(word) && !memcmp(t.at, word, t.n);
}

static const char *skip_string(const char *p) {
  char quote = *p++;
  while (*p && *p != quote && *p != '\n')
    p += p[0] == '\\' && p[1] ? 2 : 1;
  return *p == quote ? p + 1 : p;
}

/* Returns the end of the raw string R"delimiter(…)delimiter" at P. */
static const char *rewrite_skip_raw(const char *p) {
  const char *open = strchr(p, '(');
  if (!open || open - p > 18)
    return p + 1;
  char close[24];
  int n = snprintf(close, sizeof close, ")%.*s\"", (int)(open - p - 1), p + 1);
  const char *end = strstr(open, close);
  return end ? end + n : open + strlen(open);
}

static const char *rewrite_skip_line(const char *p) {
  while (*p && *p != '\n')
    p += p[0] == '\\' && p[1] ? 2 : 1;
  return p;
}

static const char *skip_blank(const char *p, bool *line_began) {
  for (;;) {
    if (*p == '\n')
      *line_began = true;
    if (isspace((unsigned char)*p)) {
      p++;
    } else if (p[0] == '/' && p[1] == '/') {
      p = rewrite_skip_line(p);
    } else if (p[0] == '/' && p[1] == '*') {
      const char *end = strstr(p + 2, "*/");
      p = end ? end + 2 : p + strlen(p);
    } else if (*p == '#' && *line_began) {
      p = rewrite_skip_line(p);
    } else {
      return p;
    }
  }
}

static bool word_char(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

/* Returns the next token. Skips comments and preprocessor directives. */
static struct token rewrite_next(struct unit *u) {
  bool line_began = u->at == u->copied || u->at[-1] == '\n';
  const char *p = skip_blank(u->at, &line_began), *end = p;
  if (!*p) {
    u->at = p;
    return (struct token){ p, 0 };
  }
  if (*p == 'R' && p[1] == '"')
    end = rewrite_skip_raw(p + 1);
  else if (word_char(*p))
    while (word_char(*end) ||
           (*end == '\'' && isdigit((unsigned char)*p) && word_char(end[1])))
      end++;
  else if (*p == '"' || *p == '\'')
    end = skip_string(p);
  else
    end = p + 1;
  u->at = end;
  return (struct token){ p, (size_t)(end - p) };
}

static void copy_until(struct unit *u, const char *p) {
  fwrite(u->copied, 1, (size_t)(p - u->copied), u->out);
  u->copied = p;
}

/* Moves U after the bracket that closes the bracket T. */
static void skip_group(struct unit *u, struct token t) {
  char open = *t.at, close = open == '(' ? ')' : open == '{' ? '}' : ']';
  for (int depth = 1; depth;) {
    t = rewrite_next(u);
    if (!t.n)
      return;
    if (t.n == 1)
      depth += *t.at == open ? 1 : *t.at == close ? -1 : 0;
  }
}

static void keep_lines(struct unit *u, const char *from, const char *to) {
  for (; from < to; from++)
    if (*from == '\n')
      putc('\n', u->out);
}

/* Rewrites `extern __shared__ __align__(16) T name[];`, of which `extern` has been read.
 * Other declarations are left as they are. */
static void dynamic_shared(struct unit *u, struct token first) {
  struct token type[64], name = { NULL, 0 }, t = rewrite_next(u);
  unsigned n = 0;
  bool shared = false;
  const char *begin = u->at;
  for (; t.n && n < 64; t = rewrite_next(u)) {
    if (rewrite_is(t, "__shared__")) {
      shared = true;
    } else if (rewrite_is(t, "__align__") || rewrite_is(t, "alignas") ||
               rewrite_is(t, "__attribute__")) {
      struct token open = rewrite_next(u);
      if (rewrite_is(open, "("))
        skip_group(u, open);
    } else if (rewrite_is(t, "[") || rewrite_is(t, ";") || rewrite_is(t, "(") ||
               rewrite_is(t, "{") || *t.at == '"') {
      break;
    } else {
      type[n++] = t;
    }
  }
  if (!shared || !rewrite_is(t, "[") || n < 2) {
    u->at = begin; /* another `extern` may follow within it */
    return;
  }
  skip_group(u, t);
  t = rewrite_next(u);
  if (!rewrite_is(t, ";"))
    return;
  name = type[--n];
  copy_until(u, first.at);
  fprintf(u->out, "AUTOTUNE_EMULATE_DYNAMIC(%.*s,", (int)name.n, name.at);
  for (unsigned i = 0; i < n; i++)
    fprintf(u->out, " %.*s", (int)type[i].n, type[i].at);
  fprintf(u->out, ");");
  keep_lines(u, first.at, u->at);
  u->copied = u->at;
}

/* Moves U after the `}` of the open body, and rewrites the declarations in it. */
static void rewrite_body(struct unit *u) {
  struct token t;
  for (int depth = 1; depth && (t = rewrite_next(u)).n;) {
    if (rewrite_is(t, "extern"))
      dynamic_shared(u, t);
    depth += rewrite_is(t, "{") ? 1 : rewrite_is(t, "}") ? -1 : 0;
  }
}

/* Writes the call that says how large a kernel's clusters are, after its first brace.
 * GROUP: the size in its parentheses. */
static void rewrite_cluster(struct unit *u, struct token group) {
  if (!group.n)
    return;
  copy_until(u, u->at);
  fprintf(u->out, " autotune_emulate::clusters%.*s;", (int)group.n, group.at);
}

/* Adds the registration of a kernel of which `__global__` has been read, without
 * template<…>. */
static void rewrite_kernel(struct unit *u) {
  struct token before = { NULL, 0 }, t, name = { NULL, 0 }, cluster = { NULL, 0 };
  while ((t = rewrite_next(u)).n) {
    if (rewrite_is(t, "(")) {
      bool attribute = before.n &&
          (rewrite_is(before, "__launch_bounds__") ||
           rewrite_is(before, "__attribute__") || rewrite_is(before, "__maxnreg__") ||
           rewrite_is(before, "__cluster_dims__"));
      skip_group(u, t);
      if (rewrite_is(before, "__cluster_dims__"))
        cluster = (struct token){ t.at, (size_t)(u->at - t.at) };
      if (!attribute && before.n)
        name = before;
    } else if (rewrite_is(t, "{")) {
      rewrite_cluster(u, cluster);
      rewrite_body(u);
      break;
    } else if (rewrite_is(t, ";")) {
      return;
    }
    before = t;
  }
  if (!name.n)
    return;
  copy_until(u, u->at);
  fprintf(u->out, " AUTOTUNE_EMULATE_KERNEL(%.*s)", (int)name.n, name.at);
}

char *rewrite_unit(const char *text) {
  char *made = NULL;
  size_t size = 0;
  struct unit u = { .at = text, .copied = text, .out = open_memstream(&made, &size) };
  if (!u.out)
    return NULL;
  bool template = false; /* between template<…> and the end of its declaration */
  for (struct token t = rewrite_next(&u); t.n; t = rewrite_next(&u)) {
    if (rewrite_is(t, "template"))
      template = true;
    else if (rewrite_is(t, ";") || rewrite_is(t, "{") || rewrite_is(t, "}"))
      template = false;
    else if (rewrite_is(t, "extern"))
      dynamic_shared(&u, t);
    else if (rewrite_is(t, "__global__") && !template)
      rewrite_kernel(&u);
  }
  copy_until(&u, u.at);
  bool failed = ferror(u.out);
  if (fclose(u.out) != 0 || failed) {
    free(made);
    return NULL;
  }
  return made;
}
