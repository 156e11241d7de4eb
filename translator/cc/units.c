// SPDX-License-Identifier: Apache-2.0
// units.c: compiles the code of CUDA kernels once with NVRTC, where it is there. What
// NVRTC does not accept would otherwise be seen only by the tuner, when the program runs.
//
// A process of its own does it, which a fault of the compiler or a long compilation ends.
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/options.h"
#include "cc.h"
#include "compile/compile.h"
#include "compile/nvrtc.h"

enum { SECONDS = 60 /* for all units of a file */, USUAL_ARCHITECTURE = 80 };

bool cc_units_wanted(void) {
  return options_get()->build_check == BUILD_CHECK_ON;
}

// Returns the newest architecture that ARGS of nvcc name: 90 for sm_90a.
static int units_architecture(const char *const *args) {
  int newest = 0;
  for (; args && *args; args++) {
    bool names = strncmp(*args, "-arch=", 6) == 0 || strncmp(*args, "-code=", 6) == 0 ||
        strncmp(*args, "-gencode=", 9) == 0;
    for (const char *p = *args; names && (p = strchr(p, '_')) != NULL;) {
      int cc = atoi(++p);
      newest = cc > newest ? cc : newest;
    }
  }
  return newest ? newest : USUAL_ARCHITECTURE;
}

// ---- compiling ----------------------------------------------------------------------

// Compiles each unit, writes the compiler's messages about it and a NUL to FD, and exits.
static _Noreturn void units_compile(const struct device_units *u, int fd) {
  const struct nvrtc *n = nvrtc_get(NULL);
  alarm(SECONDS);
  for (unsigned i = 0; n && !n->emulated && i < u->n; i++) {
    struct object o;
    backend_nvrtc.compile("nvrtc", u->list[i].text, u->list[i].flags, &o);
    const char *said = o.message ? o.message : "";
    for (size_t left = strlen(said) + 1; left > 0;) {
      ssize_t done = write(fd, said, left);
      if (done <= 0)
        _exit(0);
      said += done, left -= (size_t)done;
    }
    object_free(&o);
  }
  _exit(0);
}

// Returns what units_compile writes in a process of its own.
static struct text units_ask(const struct device_units *u, int architecture) {
  struct text said = { 0 };
  char buffer[4096];
  ssize_t n;
  int ends[2];
  if (pipe(ends) != 0)
    return said;
  nvrtc_set_architecture(architecture);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    units_compile(u, ends[1]);
  }
  close(ends[1]);
  while (child > 0 && (n = read(ends[0], buffer, sizeof buffer)) > 0)
    text_add(&said, buffer, (size_t)n);
  close(ends[0]);
  if (child > 0)
    waitpid(child, NULL, 0);
  return said;
}

// ---- what it said -------------------------------------------------------------------

// The first error of NVRTC's: "k.cu(12): error: identifier "x" is undefined".
struct complaint {
  const char *path; // NULL: it names no place
  unsigned line;
  const char *text;
};

// Reads SAID. False: it is not about the code.
static bool units_read(const char *said, struct complaint *c) {
  size_t size = strcspn(said, "\n");
  const char *place = memmem(said, size, "): ", 3), *open = place;
  while (open && open > said && *open != '(')
    open--;
  *c = (struct complaint){ .text = arena_copy(said, size) };
  if (!place || *open != '(')
    return strncmp(said, "ptxas ", 6) == 0 || strstr(c->text, "unrecognized option");
  const char *error = memmem(place, size - (size_t)(place - said), "error: ", 7);
  c->path = arena_copy(said, (size_t)(open - said));
  c->line = (unsigned)strtoul(open + 1, NULL, 10);
  if (error)
    c->text = arena_copy(error + 7, size - (size_t)(error + 7 - said));
  return error != NULL;
}

// Returns the offset in S of a line that the user knows as LINE of PATH; S->size: S has
// none.
static size_t units_offset(const struct source *s, const struct complaint *c) {
  const char *path;
  size_t at = 0;
  while (c->path && at < s->size) {
    if (source_where(s, at, &path, NULL) == c->line && strcmp(path, c->path) == 0)
      return at + strspn(s->text + at, " \t");
    const char *newline = memchr(s->text + at, '\n', s->size - at);
    at = newline ? (size_t)(newline - s->text) + 1 : s->size;
  }
  return s->size;
}

// True if C is of a header that U includes as the toolkit's: the user has no line of it.
static bool units_is_toolkits(const struct device_unit *u, const struct complaint *c) {
  for (const char *const *f = u->flags; *f && c->path; f++)
    if (strncmp(*f, "-I", 2) == 0 && strncmp(c->path, *f + 2, strlen(*f + 2)) == 0)
      return true;
  return false;
}

static void units_warn(const struct device_unit *u, const struct complaint *c) {
  static const char hint[] =
      "variants are compiled by NVRTC, without headers of the host; "
      "AUTOTUNE_BUILD_CHECK=off leaves this check out";
  const struct source *s = u->s;
  const char *text = c->text;
  size_t at = units_offset(s, c), size;
  if (units_is_toolkits(u, c))
    text = arena_printf("%s:%u: %s", c->path, c->line, c->text);
  else if (at == s->size && c->path && (s = source_read(c->path)) != NULL) // a header
    at = units_offset(s, c);
  size = s ? strcspn(s->text + at, "\r\n") : 0;
  if (size == 0) {
    s = u->s;
    at = u->k->main.name_at;
    size = strlen(u->k->main.name);
  }
  diag_warning(s, at, size, hint, "variants of '%s' do not compile: %s", u->k->main.name,
               text);
}

// True if C is among the N complaints of earlier units: they may share code.
static bool units_told(const struct complaint *all, unsigned n,
                       const struct complaint *c) {
  for (unsigned i = 0; i < n; i++)
    if (c->path && all[i].path && all[i].line == c->line &&
        strcmp(all[i].path, c->path) == 0 && strcmp(all[i].text, c->text) == 0)
      return true;
  return false;
}

void cc_units_try(const struct device_units *u, const char *const *args) {
  struct complaint *told = NULL, c;
  unsigned n_told = 0;
  if (u->n == 0)
    return;
  struct text said = units_ask(u, units_architecture(args));
  const char *p = said.data, *end = p + said.size;
  for (unsigned i = 0; i < u->n && p < end; i++, p += strlen(p) + 1) {
    if (!units_read(p, &c) || units_told(told, n_told, &c))
      continue;
    units_warn(&u->list[i], &c);
    *GROW(told, n_told) = c;
  }
}
