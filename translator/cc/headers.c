// SPDX-License-Identifier: Apache-2.0
// headers.c: finds the headers of the user's that a source may include.
//
// Runs no preprocessor: every #include counts, also in an #if that is false, and an
// #include whose file a macro names is ignored. Searches only the folders of -iquote and
// -I and the including file's own; a header found in none of them is taken for one of the
// system's, without kernels.
#include <string.h>
#include <sys/stat.h>

#include "cc.h"
#include "front/lang/language.h"

// ---- reading one file ---------------------------------------------------------------

// Adds the include of "NAME" or <NAME>. An include whose file a macro names is ignored.
static void headers_add_include(struct cc_header *h, const struct directive *d) {
  bool quoted;
  struct slice name = include_name(d->rest, &quoted);
  if (name.size)
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

// Returns the index of the header at PATH, and reads it the first time. 0: it cannot be
// read.
static unsigned header_open(struct cc_headers *hs, const char *path) {
  struct stat st;
  if (stat(path, &st) != 0)
    return 0;
  for (unsigned i = 1; i < hs->n; i++)
    if (hs->list[i]->inode == st.st_ino && hs->list[i]->device == st.st_dev)
      return i;
  struct cc_header *h = arena_alloc(sizeof *h);
  *h = (struct cc_header){
    .path = path, .folder = path_folder(path), .device = st.st_dev, .inode = st.st_ino
  };
  if (!path_map(path, &h->text))
    return 0;
  *GROW(hs->list, hs->n) = h;
  return hs->n - 1;
}

// ---- search -------------------------------------------------------------------------

static unsigned headers_find(struct cc_headers *hs, const struct cc_header *from,
                             struct cc_include *include) {
  bool absolute = include->name.data[0] == '/';
  if (absolute || !include->next)
    include->path =
        include_find(&hs->folders, from->folder, include->name, include->quoted);
  return include->path ? header_open(hs, include->path) : 0;
}

// True if INCLUDE would find another file when quoted includes are also searched in the
// source's folder.
static bool goes_astray(const struct cc_headers *hs, const struct cc_header *from,
                        const struct cc_include *include) {
  if (!include->quoted || include->name.data[0] == '/' || from == hs->list[0])
    return false;
  const char *there = path_join(hs->list[0]->folder, include->name);
  if (!path_is_file(there) || path_is_file(path_join(from->folder, include->name)))
    return false;
  return !include->target || !path_same(there, include->path);
}

// True for a folder that compilers search last, even if -I names it.
static bool is_system(const char *folder) {
  return strcmp(folder, "/usr/include") == 0 || strcmp(folder, "/usr/local/include") == 0;
}

static void read_folders(struct include_folders *f, const struct cc_command *c) {
  for (unsigned i = 0; i < c->n_args; i++) {
    const struct cc_arg *a = &c->args[i];
    if (strcmp(a->option, "-iquote") == 0)
      *GROW(f->quote, f->n_quote) = a->value;
    else if (strcmp(a->option, "-I") == 0 && strcmp(a->value, "-") != 0 &&
             !is_system(a->value))
      *GROW(f->angle, f->n_angle) = a->value;
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

// ---- headers without kernels that must be translated ---------------------------------

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

// Marks the headers that the language wants to be put inline, such as those that launch a
// kernel of another header.
static void add_wanted(struct cc_headers *hs, const struct language *l, bool emulate) {
  struct words names = { 0 };
  for (unsigned i = 0; i < hs->n; i++)
    find_names(hs->list[i], &names);
  words_end(&names);
  for (unsigned i = 1; i < hs->n; i++)
    hs->list[i]->kernel |= l->header_inline(hs->list[i]->text, names.list, emulate);
}

struct cc_headers *cc_headers_scan(const struct cc_command *c, const char *path,
                                   struct slice text, const struct language *l) {
  struct cc_headers *hs = arena_alloc(sizeof *hs);
  struct cc_header *root = arena_alloc(sizeof *root);
  *root = (struct cc_header){ .path = path, .folder = path_folder(path), .text = text };
  *GROW(hs->list, hs->n) = root;
  hs->pedantic = c->pedantic;
  hs->clang = c->clang;
  read_folders(&hs->folders, c);
  for (unsigned i = 0; i < hs->n; i++) { // the list grows as includes are found
    struct cc_header *h = hs->list[i];
    headers_scan(h);
    for (unsigned k = 0; k < h->n_includes; k++)
      h->includes[k].target = headers_find(hs, h, &h->includes[k]);
  }
  if (l->header_inline)
    add_wanted(hs, l, c->emulate);
  spread_kernels(hs);
  if (!root->kernel)
    return hs;
  for (unsigned i = 1; i < hs->n; i++) {
    struct cc_header *h = hs->list[i];
    h->once = h->kernel ? include_once(h->text) : ONCE_NOT;
    for (unsigned k = 0; k < h->n_includes; k++)
      hs->conflict |= goes_astray(hs, h, &h->includes[k]);
  }
  return hs;
}

bool cc_headers_kernel(const struct cc_headers *h) {
  return h->list[0]->kernel;
}
