// SPDX-License-Identifier: Apache-2.0
// include.c: paths, and the files that #include finds.
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "front/include.h"

// ---- paths --------------------------------------------------------------------------

const char *path_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

const char *path_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? arena_copy(path, (size_t)(slash - path) + (slash == path)) : "";
}

char *path_join(const char *folder, struct slice name) {
  if (!*folder || name.data[0] == '/')
    return arena_copy(name.data, name.size);
  const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
  return arena_printf("%s%s%.*s", folder, slash, (int)name.size, name.data);
}

bool path_same(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
      x.st_ino == y.st_ino;
}

bool path_is_file(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, R_OK) == 0;
}

bool path_map(const char *path, struct slice *text) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  bool ok = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
  *text = (struct slice){ "", 0 };
  if (ok && st.st_size > 0) {
    void *data =
        mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    ok = data != MAP_FAILED;
    if (ok) {
      if (st.st_size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0)
        memset(data, ' ', 3); // compilers take the mark at the beginning only
      *text = (struct slice){ data, (size_t)st.st_size };
    }
  }
  if (fd >= 0)
    close(fd);
  return ok;
}

// ---- includes -----------------------------------------------------------------------

struct slice include_name(struct slice rest, bool *quoted) {
  *quoted = rest.size && rest.data[0] == '"';
  if (!rest.size || (rest.data[0] != '"' && rest.data[0] != '<'))
    return (struct slice){ 0 };
  const char *end = memchr(rest.data + 1, *quoted ? '"' : '>', rest.size - 1);
  return (struct slice){ rest.data + 1, end ? (size_t)(end - rest.data - 1) : 0 };
}

const char *include_find(const struct include_folders *f, const char *own,
                         struct slice name, bool quoted) {
  const char *path;
  if (name.data[0] == '/')
    own = "", quoted = true;
  if (own && quoted && path_is_file(path = path_join(own, name)))
    return path;
  for (unsigned i = quoted ? 0 : f->n_quote; i < f->n_quote + f->n_angle; i++) {
    path = path_join(i < f->n_quote ? f->quote[i] : f->angle[i - f->n_quote], name);
    if (path_is_file(path))
      return path;
  }
  return NULL;
}

// Returns the X of #ifndef X or #if !defined(X); empty if D is neither.
static struct slice guard_name(const struct directive *d) {
  struct lexer l = lexer_of(d->rest);
  struct token t = lex(&l);
  if (slice_is(d->word, "if") && slice_is(t.text, "!") &&
      slice_is(lex(&l).text, "defined")) {
    bool open = slice_is((t = lex(&l)).text, "(");
    t = open ? lex(&l) : t;
    if (open && !slice_is(lex(&l).text, ")"))
      return (struct slice){ 0 };
  } else if (!slice_is(d->word, "ifndef")) {
    return (struct slice){ 0 };
  }
  return lex(&l).kind == TOKEN_END ? t.text : (struct slice){ 0 };
}

// True if all of TEXT's directives stand within #ifndef X, #define X, …, #endif.
static bool include_is_guarded(struct slice text) {
  size_t at = 0, depth = 1;
  struct directive first, second, d = { 0 };
  if (!directive_next(text, &at, &first) || !guard_name(&first).size ||
      !directive_next(text, &at, &second) || !slice_is(second.word, "define"))
    return false;
  struct lexer l = lexer_of(second.rest);
  if (!slices_same(guard_name(&first), lex(&l).text))
    return false;
  while (depth && directive_next(text, &at, &d)) {
    enum line kind = line_kind(d.word);
    if (kind == LINE_IF)
      depth++;
    else if (kind == LINE_ENDIF)
      depth--;
    else if (depth == 1 && kind == LINE_ELSE)
      return false;
  }
  return depth == 0 && !directive_next(text, &at, &d);
}

bool include_is_once(const struct directive *d) {
  struct lexer l = lexer_of(d->rest);
  return slice_is(d->word, "pragma") && slice_is(lex(&l).text, "once");
}

enum include_once include_once(struct slice text) {
  struct directive d;
  for (size_t at = 0; directive_next(text, &at, &d);)
    if (include_is_once(&d))
      return ONCE_PRAGMA;
  return include_is_guarded(text) ? ONCE_GUARD : ONCE_NOT;
}
