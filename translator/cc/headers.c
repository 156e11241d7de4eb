// SPDX-License-Identifier: Apache-2.0
// headers.c: finds the headers of the user's that a source may include.
//
// Runs no preprocessor: every #include counts, also in an #if that is false, and an
// #include whose file a macro names is ignored. Searches only the folders of -iquote and
// -I and the including file's own; a header found in none of them is taken for one of the
// system's, without kernels.
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cc.h"
#include "front/lang/language.h"

char *cc_join(const char *folder, struct slice name) {
  if (!*folder || name.data[0] == '/')
    return arena_copy(name.data, name.size);
  const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
  return arena_printf("%s%s%.*s", folder, slash, (int)name.size, name.data);
}

bool cc_same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
      x.st_ino == y.st_ino;
}

static const char *headers_folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? arena_copy(path, (size_t)(slash - path) + (slash == path)) : "";
}

// ---- reading one file ---------------------------------------------------------------

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
static bool is_guarded(struct slice text) {
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

static bool has_once(struct slice text) {
  struct directive d;
  for (size_t at = 0; directive_next(text, &at, &d);) {
    struct lexer l = lexer_of(d.rest);
    if (slice_is(d.word, "pragma") && slice_is(lex(&l).text, "once"))
      return true;
  }
  return false;
}

// Adds the include of "NAME" or <NAME>. An include whose file a macro names is ignored.
static void headers_add_include(struct cc_header *h, const struct directive *d) {
  struct slice rest = d->rest;
  if (!rest.size || (rest.data[0] != '"' && rest.data[0] != '<'))
    return;
  bool quoted = rest.data[0] == '"';
  const char *end = memchr(rest.data + 1, quoted ? '"' : '>', rest.size - 1);
  if (!end || end == rest.data + 1)
    return;
  struct slice name = { rest.data + 1, (size_t)(end - rest.data - 1) };
  *GROW(h->includes, h->n_includes) =
      (struct cc_include){ .directive = *d,
                           .name = name,
                           .quoted = quoted,
                           .next = slice_is(d->word, "include_next") };
}

static void headers_scan(struct cc_header *h) {
  h->mentions = h->kernel = source_mentions_autotune(h->text.data, h->text.size);
  if (!memmem(h->text.data, h->text.size, "include", 7))
    return;
  struct directive d;
  for (size_t at = 0; directive_next(h->text, &at, &d);)
    if (slice_is(d.word, "include") || slice_is(d.word, "include_next"))
      headers_add_include(h, &d);
}

// Returns the index of the header at PATH, and reads it the first time. 0: no such file.
static unsigned header_open(struct cc_headers *hs, const char *path) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return 0;
  if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
    close(fd);
    return 0;
  }
  unsigned i;
  for (i = 1; i < hs->n; i++)
    if (hs->list[i]->inode == st.st_ino && hs->list[i]->device == st.st_dev)
      break;
  if (i == hs->n) {
    struct cc_header *h = arena_alloc(sizeof *h);
    const void *data =
        st.st_size ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : "";
    *h = (struct cc_header){ .path = path,
                             .folder = headers_folder_of(path),
                             .device = st.st_dev,
                             .inode = st.st_ino };
    if (data != MAP_FAILED)
      h->text = (struct slice){ data, (size_t)st.st_size };
    *GROW(hs->list, hs->n) = h;
  }
  close(fd);
  return i;
}

// ---- search -------------------------------------------------------------------------

static unsigned find_in(struct cc_headers *hs, const struct words *folders,
                        struct slice name, const char **path) {
  for (unsigned i = 0; i < folders->n; i++) {
    *path = cc_join(folders->list[i], name);
    unsigned found = header_open(hs, *path);
    if (found)
      return found;
  }
  return 0;
}

static unsigned headers_find(struct cc_headers *hs, const struct cc_header *from,
                             const struct cc_include *include, const char **path) {
  unsigned found = 0;
  if (include->name.data[0] == '/')
    return header_open(hs, *path = arena_copy(include->name.data, include->name.size));
  if (include->next)
    return 0;
  if (include->quoted) {
    *path = cc_join(from->folder, include->name);
    found = header_open(hs, *path);
    if (!found)
      found = find_in(hs, &hs->quote, include->name, path);
  }
  return found ? found : find_in(hs, &hs->angle, include->name, path);
}

// True if INCLUDE would find another file when quoted includes are also searched in the
// source's folder.
static bool goes_astray(const struct cc_headers *hs, const struct cc_header *from,
                        const struct cc_include *include) {
  if (!include->quoted || include->name.data[0] == '/' || from == hs->list[0])
    return false;
  const char *there = cc_join(hs->list[0]->folder, include->name);
  if (access(there, F_OK) != 0)
    return false;
  const char *own = cc_join(from->folder, include->name);
  if (access(own, F_OK) == 0)
    return false;
  return !include->target || !cc_same_file(there, include->path);
}

// True for a folder that compilers search last, even if -I names it.
static bool is_system(const char *folder) {
  return strcmp(folder, "/usr/include") == 0 || strcmp(folder, "/usr/local/include") == 0;
}

static void read_folders(struct cc_headers *hs, const struct cc_command *c) {
  for (unsigned i = 0; i < c->n_args; i++) {
    const struct cc_arg *a = &c->args[i];
    if (strcmp(a->option, "-iquote") == 0)
      words_add(&hs->quote, a->value);
    else if (strcmp(a->option, "-I") == 0 && strcmp(a->value, "-") != 0 &&
             !is_system(a->value))
      words_add(&hs->angle, a->value);
  }
}

// Marks the headers that include a header with a kernel.
static void spread_kernels(struct cc_headers *hs) {
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned i = 0; i < hs->n; i++) {
      struct cc_header *h = hs->list[i];
      for (unsigned k = 0; k < h->n_includes && !h->kernel; k++)
        if (h->includes[k].target && hs->list[h->includes[k].target]->kernel)
          changed = h->kernel = true;
    }
  }
}

// ---- headers that launch a CUDA kernel of another file ------------------------------

// Adds the words after a pragma that may be the function's name: those followed by `(`,
// up to its body.
static void headers_add_names(struct slice text, size_t at, struct words *names) {
  struct lexer l = { text.data + at, text.data + text.size, false };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END && !slice_is(t.text, "{");) {
    struct lexer ahead = l;
    if (t.kind == TOKEN_WORD && slice_is(lex(&ahead).text, "(") &&
        strncmp(t.text.data, "__", 2) != 0)
      words_add(names, arena_copy(t.text.data, t.text.size));
  }
}

static void find_names(const struct cc_header *h, struct words *names) {
  struct directive d;
  for (size_t at = 0; h->mentions && directive_next(h->text, &at, &d);) {
    struct lexer l = lexer_of(d.rest);
    if (slice_is(d.word, "pragma") && slice_is(lex(&l).text, "autotune") &&
        slice_is(lex(&l).text, "kernel"))
      headers_add_names(h->text, d.end, names);
  }
}

static bool text_has(struct slice text, const char *word) {
  return memmem(text.data, text.size, word, strlen(word)) != NULL;
}

static bool headers_launches(const struct cc_header *h, const struct words *names) {
  bool any = text_has(h->text, "<<<") || text_has(h->text, "cudaLaunch");
  for (unsigned i = 0; any && i < names->n; i++)
    if (text_has(h->text, names->list[i]))
      return true;
  return false;
}

// Marks the headers that launch a kernel, so that they are put inline and their launches
// rewritten.
static void add_launching(struct cc_headers *hs) {
  struct words names = { 0 };
  for (unsigned i = 0; i < hs->n; i++)
    find_names(hs->list[i], &names);
  for (unsigned i = 1; i < hs->n; i++)
    hs->list[i]->kernel |= headers_launches(hs->list[i], &names);
  spread_kernels(hs);
}

// Marks the headers with launches or `extern __shared__`: for the CPU all of these are
// rewritten, also those of kernels without a pragma.
static void add_emulated(struct cc_headers *hs) {
  for (unsigned i = 1; i < hs->n; i++)
    hs->list[i]->kernel |= text_has(hs->list[i]->text, "<<<") ||
        (text_has(hs->list[i]->text, "__shared__") &&
         text_has(hs->list[i]->text, "extern"));
  spread_kernels(hs);
}

static bool headers_is_cuda(const struct cc_command *c) {
  for (unsigned i = 0; i < c->n_inputs; i++)
    if (c->inputs[i].written_in == &language_cuda)
      return true;
  return false;
}

struct cc_headers *cc_headers_scan(const struct cc_command *c, const char *path,
                                   struct slice text, const char *folder) {
  struct cc_headers *hs = arena_alloc(sizeof *hs);
  struct cc_header *root = arena_alloc(sizeof *root);
  *root = (struct cc_header){ .path = path,
                              .folder = folder ? folder : headers_folder_of(path),
                              .text = text };
  *GROW(hs->list, hs->n) = root;
  hs->pedantic = c->pedantic;
  hs->clang = c->clang;
  read_folders(hs, c);
  for (unsigned i = 0; i < hs->n; i++) { // the list grows as includes are found
    struct cc_header *h = hs->list[i];
    headers_scan(h);
    for (unsigned k = 0; k < h->n_includes; k++) {
      struct cc_include *include = &h->includes[k];
      include->target = headers_find(hs, h, include, &include->path);
    }
  }
  spread_kernels(hs);
  if (c->emulate && headers_is_cuda(c))
    add_emulated(hs);
  if (!root->kernel)
    return hs;
  if (headers_is_cuda(c))
    add_launching(hs);
  for (unsigned i = 1; i < hs->n; i++) {
    struct cc_header *h = hs->list[i];
    h->once = h->kernel && has_once(h->text);
    h->guarded = h->kernel && is_guarded(h->text);
    for (unsigned k = 0; k < h->n_includes; k++)
      hs->conflict |= goes_astray(hs, h, &h->includes[k]);
  }
  return hs;
}

bool cc_headers_kernel(const struct cc_headers *h) {
  return h->list[0]->kernel;
}
