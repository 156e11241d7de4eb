// SPDX-License-Identifier: Apache-2.0
// inline.c: puts headers that hold kernels inline, in place of their #include.
//
// Keeps three things: the preprocessor sees the same tokens in the same order,
// linemarkers assign each line to its own file, and each header keeps the name it was
// found under.
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc.h"

struct inliner {
  struct cc_headers *headers;
  struct text out;
};

// Adds a linemarker, or #line under gcc -pedantic, which warns of linemarkers and has no
// pragma against that. #line does not say where a header was included; Clang needs that,
// to leave out warnings about unused functions of a header, and has a pragma against the
// warning.
static void add_marker(struct inliner *in, unsigned line, const char *path,
                       const char *flags) {
  bool markers = in->headers->clang || !in->headers->pedantic;
  text_printf(&in->out, markers ? "# %u \"" : "#line %u \"", line);
  for (; *path; path++) {
    if (*path == '"' || *path == '\\')
      text_add(&in->out, "\\", 1);
    text_add(&in->out, path, 1);
  }
  text_printf(&in->out, "\"%s\n", markers ? flags : "");
}

static void allow_markers(struct inliner *in) {
  if (in->headers->clang && in->headers->pedantic)
    text_printf(&in->out,
                "#if __has_warning(\"-Wgnu-line-marker\")\n"
                "#pragma clang diagnostic ignored \"-Wgnu-line-marker\"\n"
                "#endif\n");
}

static unsigned lines_in(struct slice text, size_t end) {
  unsigned n = 0;
  for (const char *p = text.data; (p = memchr(p, '\n', (size_t)(text.data + end - p)));
       p++)
    n++;
  return n;
}

// ---- names of headers in the translated file ----------------------------------------

static bool found_first(const struct cc_headers *hs, const char *name,
                        const char *wanted) {
  const char *path = include_find(&hs->folders, hs->conflict ? NULL : hs->list[0]->folder,
                                  slice_of(name), true);
  return path && path_same(path, wanted);
}

static const char *name_below(const char *folder, const char *path) {
  size_t n = strlen(folder);
  if (n == 0)
    return path[0] == '/' ? NULL : path;
  if (strncmp(folder, path, n) != 0)
    return NULL;
  if (folder[n - 1] != '/' && path[n] != '/')
    return NULL;
  path += n;
  while (*path == '/')
    path++;
  return path;
}

static const char *inline_respell(const struct cc_headers *hs,
                                  const struct cc_include *include) {
  const char *name = arena_copy(include->name.data, include->name.size);
  if (found_first(hs, name, include->path))
    return name;
  name = name_below(hs->list[0]->folder, include->path);
  if (name && found_first(hs, name, include->path))
    return name;
  const struct include_folders *f = &hs->folders;
  for (unsigned k = 0; k < f->n_quote + f->n_angle; k++) {
    name = name_below(k < f->n_quote ? f->quote[k] : f->angle[k - f->n_quote],
                      include->path);
    if (name && *name && found_first(hs, name, include->path))
      return name;
  }
  char absolute[PATH_MAX];
  if (include->path[0] == '/' || !getcwd(absolute, sizeof absolute))
    return include->path;
  return path_join(absolute, slice_of(include->path));
}

// Adds the directive as it is, or with the name under which the translated file finds the
// same header.
static void inline_add_include(struct inliner *in, const struct cc_header *h,
                               const struct cc_include *include) {
  const struct directive *d = &include->directive;
  const char *line = h->text.data + d->offset;
  const char *name = NULL;
  bool at_home = h == in->headers->list[0] && !in->headers->conflict;
  if (include->target && include->quoted && !at_home)
    name = inline_respell(in->headers, include);
  if (!name || slice_is(include->name, name)) {
    text_add(&in->out, line, d->end - d->offset);
    return;
  }
  text_add(&in->out, line, (size_t)(include->name.data - line));
  text_printf(&in->out, "%s", name);
  const char *behind = include->name.data + include->name.size;
  text_add(&in->out, behind, (size_t)(h->text.data + d->end - behind));
}

// ---- the text -----------------------------------------------------------------------

static const char *macro_name(const char *path) {
  char *name = arena_printf("AUTOTUNE_ONCE_%s", path_name(path));
  for (char *p = name; *p; p++)
    if (!isalnum((unsigned char)*p))
      *p = '_';
  return name;
}

// Returns the macro that stands for the #pragma once of H. Units contain it, so it is the
// same in each checkout, and usually in each source that includes H.
static const char *once_macro(const struct cc_headers *hs, const struct cc_header *h) {
  const char *name = macro_name(h->path);
  unsigned same = 0;
  for (unsigned i = 0; hs->list[i] != h; i++)
    same += strcmp(macro_name(hs->list[i]->path), name) == 0;
  return same ? arena_printf("%s_%u_", name, same) : name;
}

static void inline_text(struct inliner *in, struct cc_header *h);

// Replaces one #include of a header with a kernel; line N of H follows it.
static void inline_include(struct inliner *in, struct cc_header *h,
                           const struct cc_include *include, unsigned n) {
  struct cc_header *target = in->headers->list[include->target];
  bool again = target->active || (target->done && target->once != ONCE_NOT);
  const char *macro = target->once == ONCE_PRAGMA ? once_macro(in->headers, target)
                                                  : NULL;
  if (macro)
    text_printf(&in->out, "#ifndef %s\n", macro);
  if (again) { // its guard then leaves nothing, unless the first include was in an #if
               // that was false
    inline_add_include(in, h, include);
  } else {
    if (macro)
      text_printf(&in->out, "#define %s 1\n", macro);
    target->done = target->active = true;
    allow_markers(in);
    add_marker(in, 1, include->path, " 1");
    inline_text(in, target);
    target->active = false;
    if (target->text.size && target->text.data[target->text.size - 1] != '\n')
      text_add(&in->out, "\n", 1);
    add_marker(in, n, h->path, " 2");
  }
  if (macro)
    text_printf(&in->out, "#endif\n");
  if (macro || again)
    add_marker(in, n, h->path, "");
}

// Puts the headers in H inline. After an #else or #endif of a group that was changed it
// adds a linemarker: a group that is skipped takes its linemarkers with it.
static void inline_text(struct inliner *in, struct cc_header *h) {
  size_t at = 0, written = 0, depth = 0,
         touched = 0; // groups that are open, and how many of them were changed
  unsigned next = 0;
  struct directive d;
  while (directive_next(h->text, &at, &d)) {
    const struct cc_include *include = next < h->n_includes ? &h->includes[next] : NULL;
    bool here = include && include->directive.offset == d.offset;
    bool once = include_is_once(&d);
    enum line kind = line_kind(d.word);
    bool ends = (kind == LINE_ELSE || kind == LINE_ENDIF) && touched > 0 &&
        touched >= depth;
    next += here;
    depth += kind == LINE_IF;
    depth -= depth && kind == LINE_ENDIF;
    touched = touched > depth ? depth : touched;
    if (!here && !once && !ends)
      continue;
    text_add(&in->out, h->text.data + written, d.offset - written);
    written = d.end;
    unsigned line = lines_in(h->text, d.end) + 1;
    if (ends) {
      text_add(&in->out, h->text.data + d.offset, d.end - d.offset);
      add_marker(in, line, h->path, "");
    } else if (once && h != in->headers->list[0]) {
      for (unsigned k = lines_in(h->text, d.offset) + 1; k < line; k++)
        text_add(&in->out, "\n", 1);
    } else if (here && include->target && in->headers->list[include->target]->kernel) {
      inline_include(in, h, include, line);
      touched = depth;
    } else if (here) {
      inline_add_include(in, h, include);
    } else {
      written = d.offset;
    }
  }
  text_add(&in->out, h->text.data + written, h->text.size - written);
}

struct text cc_headers_inline(struct cc_headers *h) {
  struct inliner in = { .headers = h };
  text_add(&in.out, "", 0);
  h->list[0]->active = true;
  inline_text(&in, h->list[0]);
  return in.out;
}
