// SPDX-License-Identifier: Apache-2.0
// include.c: cuts the user's headers and puts them in place of their #include; finds the
// names that headers of CUDA's toolkit declare, so that the unit includes only the
// headers it needs.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "items.h"

enum { MAX_DEPTH = 60, MAX_FILES = 3000, MAX_DECLARING = 200 };

// ---- finding headers ----------------------------------------------------------------

// Returns the value of option OPTION at *A, joined or in the next word, to which *A then
// moves; NULL: it is another option.
static const char *include_option_value(const char *const **a, const char *option) {
  size_t n = strlen(option);
  if (strncmp(**a, option, n) != 0)
    return NULL;
  const char *value = **a + n;
  if (*value)
    return value + (*value == '=');
  return (*a)[1] ? *++*a : NULL;
}

static bool is_file(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static const char *toolkit_at(const char *folder) {
  const char *include = arena_printf("%s/include", folder);
  return is_file(arena_printf("%s/cuda_runtime.h", include)) ? include : NULL;
}

// Returns the toolkit's folder next to the compiler, which is looked up in PATH if
// needed; NULL: not there.
static const char *toolkit_beside(const char *program) {
  const char *path = getenv("PATH"), *slash = strrchr(program, '/');
  char *real = slash ? realpath(program, NULL) : NULL;
  while (!slash && !real && path && *path) {
    size_t n = strcspn(path, ":");
    const char *name = arena_printf("%.*s/%s", (int)n, path, program);
    real = is_file(name) && access(name, X_OK) == 0 ? realpath(name, NULL) : NULL;
    path += n + (path[n] == ':');
  }
  if (!real)
    return NULL;
  const char *found = NULL;
  for (int up = 0; up < 2; up++) {
    char *end = strrchr(real, '/');
    if (end)
      *end = '\0';
  }
  found = toolkit_at(arena_copy(real, strlen(real)));
  free(real);
  return found;
}

const char *toolkit_include(const struct compile_options *o) {
  static const char *const variables[] = { "CUDA_PATH", "CUDA_HOME" };
  const char *found = NULL, *value;
  for (const char *const *a = o->args; a && *a && !found; a++)
    if ((value = include_option_value(&a, "-I")) != NULL &&
        is_file(arena_printf("%s/cuda_runtime.h", value)))
      found = value;
    else if (strncmp(*a, "--cuda-path=", 12) == 0)
      found = toolkit_at(*a + 12);
  for (size_t i = 0; i < 2 && !found; i++)
    if ((value = getenv(variables[i])) != NULL && *value)
      found = toolkit_at(value);
  for (const char *const *c = o->compiler; c && *c && !found; c++)
    if (strstr(*c, "nvcc"))
      found = toolkit_beside(*c);
  if (!found)
    found = toolkit_at("/usr/local/cuda");
  return found;
}

static const char *include_folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? arena_copy(path, (size_t)(slash - path) + (slash == path)) : ".";
}

// Returns the name in "…" or <…> of an #include; empty: the name comes from a macro.
static struct slice include_name(const struct cuda_item *i, bool *quoted) {
  struct slice text = item_text(i);
  struct lexer l = lexer_of(text);
  lex(&l), lex(&l);
  while (l.p < l.end && (*l.p == ' ' || *l.p == '\t'))
    l.p++;
  *quoted = l.p < l.end && *l.p == '"';
  if (l.p == l.end || (*l.p != '"' && *l.p != '<'))
    return (struct slice){ 0 };
  const char *end = memchr(l.p + 1, *quoted ? '"' : '>', (size_t)(l.end - l.p - 1));
  return (struct slice){ l.p + 1, end ? (size_t)(end - l.p - 1) : 0 };
}

// True for a folder whose headers are not the user's.
static bool is_foreign(const char *folder) {
  static const char *const folders[] = { "/usr/include", "/usr/lib", "/usr/local/cuda",
                                         NULL };
  for (const char *const *f = folders; *f; f++)
    if (strncmp(folder, *f, strlen(*f)) == 0)
      return true;
  return is_file(arena_printf("%s/cuda_runtime.h", folder)) ||
      is_file(arena_printf("%s/../cuda_runtime.h", folder));
}

// Returns the path of the user's header that I includes; NULL: it is not a header of the
// user's.
static const char *find_header(const struct cuda_item *i,
                               const struct compile_options *o) {
  static const char *const quote[] = { "-iquote", NULL };
  static const char *const angle[] = { "-I", "-isystem", "--include-path", NULL };
  bool quoted;
  struct slice name = include_name(i, &quoted);
  const char *from, *path, *folder;
  if (!name.size)
    return NULL;
  if (*name.data == '/')
    return is_file(path = arena_copy(name.data, name.size)) ? path : NULL;
  source_where(i->s, i->start, &from, NULL);
  path = arena_printf("%s/%.*s", include_folder_of(from), (int)name.size, name.data);
  if (quoted && !is_foreign(include_folder_of(from)) && is_file(path))
    return path;
  for (int pass = quoted ? 0 : 1; pass < 2; pass++)
    for (const char *const *a = o->args; a && *a; a++)
      for (const char *const *option = pass ? angle : quote; *option; option++)
        if ((folder = include_option_value(&a, *option)) != NULL) {
          path = arena_printf("%s/%.*s", folder, (int)name.size, name.data);
          if (!is_foreign(folder) && is_file(path))
            return path;
          break;
        }
  return NULL;
}

// ---- one list -----------------------------------------------------------------------

struct includer {
  const struct compile_options *o;
  struct cuda_items all;
  struct seen_file {
    dev_t device;
    ino_t inode;
  } *files;
  unsigned n_files;
  unsigned spliced;
};

// True for #pragma once, or #ifndef X and #define X before everything else.
static bool is_once(const struct cuda_items *items) {
  for (unsigned n = 0; n < items->n; n++)
    if (items->list[n].kind == ITEM_OTHER &&
        lex_mentions(item_text(&items->list[n]), slice_of("once")))
      return true;
  if (items->n < 2 || items->list[0].kind != ITEM_IF ||
      items->list[1].kind != ITEM_DEFINE)
    return false;
  struct slice guard = items->list[1].names[0];
  return lex_mentions(item_text(&items->list[0]), guard);
}

static void include_add_file(struct includer *in, const struct source *s, unsigned depth);

static bool include_splice(struct includer *in, const char *path, unsigned depth) {
  struct stat st;
  if (depth > MAX_DEPTH || in->spliced >= MAX_FILES || stat(path, &st) != 0)
    return false;
  for (unsigned n = 0; n < in->n_files; n++)
    if (in->files[n].device == st.st_dev && in->files[n].inode == st.st_ino)
      return true;
  const struct source *s = source_read(path);
  if (!s)
    return false;
  in->spliced++;
  struct cuda_items own = items_cut(s);
  if (is_once(&own))
    *GROW(in->files, in->n_files) = (struct seen_file){ st.st_dev, st.st_ino };
  include_add_file(in, s, depth + 1);
  return true;
}

static void include_add_file(struct includer *in, const struct source *s,
                             unsigned depth) {
  struct cuda_items own = items_cut(s);
  for (unsigned n = 0; n < own.n; n++) {
    const char *path = NULL;
    if (own.list[n].kind == ITEM_INCLUDE)
      path = find_header(&own.list[n], in->o);
    if (!path || !include_splice(in, path, depth))
      *GROW(in->all.list, in->all.n) = own.list[n];
  }
}

// Adds -DNAME=VALUE and -UNAME in the order of the command line, as lines; then the files
// of -include.
static void include_add_options(struct includer *in) {
  struct text lines = { 0 };
  const char *value;
  for (const char *const *a = in->o->args; a && *a; a++) {
    if ((value = include_option_value(&a, "-D")) != NULL) {
      size_t n = strcspn(value, "=");
      text_printf(&lines, "#define %.*s %s\n", (int)n, value,
                  value[n] ? value + n + 1 : "1");
    } else if ((value = include_option_value(&a, "-U")) != NULL) {
      text_printf(&lines, "#undef %s\n", value);
    } else if ((value = include_option_value(&a, "-include")) != NULL && is_file(value) &&
               !is_foreign(include_folder_of(value))) {
      text_printf(&lines, "#include \"%s%s\"\n", *value == '/' ? "" : "./", value);
    }
  }
  if (lines.size)
    include_add_file(in, source_of("<command line>", lines.data, lines.size), 0);
}

struct cuda_items *cuda_items(const struct source *s, const struct compile_options *o) {
  struct includer in = { .o = o };
  struct cuda_items *all = arena_alloc(sizeof *all);
  include_add_options(&in);
  include_add_file(&in, s, 0);
  items_nest(&in.all);
  *all = in.all;
  return all;
}

// ---- the toolkit --------------------------------------------------------------------

// True for headers whose declarations NVRTC has built in, or which are only for the host.
static bool include_is_built_in(struct slice name) {
  static const char *const headers[] = { "cuda.h",
                                         "cuda_runtime.h",
                                         "cuda_runtime_api.h",
                                         "device_launch_parameters.h",
                                         "vector_types.h",
                                         "vector_functions.h",
                                         "vector_functions.hpp",
                                         "builtin_types.h",
                                         "device_types.h",
                                         "driver_types.h",
                                         "driver_functions.h",
                                         "host_defines.h",
                                         "host_config.h",
                                         "math_functions.h",
                                         "device_functions.h",
                                         "common_functions.h",
                                         "device_atomic_functions.h",
                                         "channel_descriptor.h",
                                         "library_types.h",
                                         "texture_types.h",
                                         "surface_types.h",
                                         "cuda_device_runtime_api.h",
                                         "crt/host_defines.h",
                                         "crt/host_config.h",
                                         "crt/common_functions.h",
                                         "crt/math_functions.h",
                                         "crt/math_functions.hpp",
                                         "crt/device_functions.h",
                                         "crt/device_functions.hpp",
                                         "crt/device_double_functions.h",
                                         "nv/target",
                                         NULL };
  return slice_in(name, headers) || (name.size > 3 && memcmp(name.data, "sm_", 3) == 0);
}

// Returns the library that header NAME is in, if the library has very many headers: they
// are needed only if its namespace is named. NULL: another header.
static const char *library_of(struct slice name) {
  static const char *const libraries[] = { "cub",  "thrust",  "cuda",
                                           "cute", "cutlass", NULL };
  for (const char *const *l = libraries; *l; l++)
    if (name.size > strlen(*l) && memcmp(name.data, *l, strlen(*l)) == 0 &&
        name.data[strlen(*l)] == '/')
      return *l;
  return NULL;
}

struct declared {
  struct toolkit *toolkit;
  const struct names *seen;
  const char **paths;
  unsigned n_paths;
};

static struct cuda_items header_items(struct toolkit *t, const char *path) {
  for (unsigned n = 0; n < t->n_headers; n++)
    if (strcmp(t->headers[n].path, path) == 0)
      return t->headers[n].items;
  const struct source *s = source_read(path);
  struct cuda_items items = s ? items_cut(s) : (struct cuda_items){ 0 };
  *GROW(t->headers, t->n_headers) = (struct header){ path, items };
  return items;
}

// True for names that NVRTC has built in. Headers declare them too, in an #if for
// compilers that lack them.
static bool is_built_in_name(struct slice name) {
  static const char *const names[] = { "threadIdx", "blockIdx", "blockDim",
                                       "gridDim",   "warpSize", NULL };
  return slice_in(name, names);
}

static bool file_declares(struct declared *d, const char *path) {
  for (unsigned n = 0; n < d->n_paths; n++)
    if (strcmp(d->paths[n], path) == 0)
      return false;
  if (d->n_paths >= MAX_DECLARING)
    return false;
  *GROW(d->paths, d->n_paths) = path;
  struct cuda_items items = header_items(d->toolkit, path);
  for (unsigned n = 0; n < items.n; n++) {
    const struct cuda_item *i = &items.list[n];
    struct slice name = { 0 };
    bool quoted;
    for (unsigned k = 0; i->kind != ITEM_UNDEF && k < i->n_names; k++)
      if (names_has(d->seen, i->names[k]) && !is_built_in_name(i->names[k]))
        return true;
    if (i->kind == ITEM_INCLUDE)
      name = include_name(i, &quoted);
    if (!name.size || include_is_built_in(name) || library_of(name))
      continue;
    const char *background =
        arena_printf("%s/%.*s", include_folder_of(path), (int)name.size, name.data);
    const char *other =
        arena_printf("%s/%.*s", d->toolkit->folder, (int)name.size, name.data);
    const char *found = is_file(background) ? background : is_file(other) ? other : NULL;
    if (found && file_declares(d, found))
      return true;
  }
  return false;
}

bool toolkit_declares(struct toolkit *t, const struct cuda_item *i,
                      const struct names *seen) {
  bool quoted;
  struct slice name = include_name(i, &quoted);
  const char *library = library_of(name);
  if (!t->folder || !name.size || include_is_built_in(name))
    return false;
  if (library)
    return names_has(seen, slice_of(library));
  const char *path = arena_printf("%s/%.*s", t->folder, (int)name.size, name.data);
  struct declared d = { .toolkit = t, .seen = seen };
  return is_file(path) && file_declares(&d, path);
}

// Returns the name of CUB's header for a class, without suffix: BlockReduce is in
// block_reduce.cuh.
static const char *include_snake(struct slice word) {
  struct text t = { 0 };
  text_add(&t, "", 0);
  for (size_t i = 0; i < word.size; i++) {
    bool upper = isupper((unsigned char)word.data[i]);
    text_printf(&t, "%s%c", upper && i ? "_" : "", tolower((unsigned char)word.data[i]));
  }
  return t.data;
}

// Appends #includes that replace <cub/cub.cuh>: it has algorithms for the host, which
// NVRTC refuses. Includes the headers of the algorithms for blocks and warps that are
// named.
static bool write_cub(const struct toolkit *t, const struct names *seen,
                      struct text *out) {
  static const char *const folders[] = { "block", "warp", "thread", "iterator" };
  for (unsigned n = 0; n < seen->n; n++)
    for (size_t f = 0; isupper((unsigned char)*seen->list[n].text.data) && f < 4; f++) {
      const char *name =
          arena_printf("cub/%s/%s.cuh", folders[f], include_snake(seen->list[n].text));
      if (is_file(arena_printf("%s/%s", t->folder, name)) ||
          is_file(arena_printf("%s/cccl/%s", t->folder, name)))
        text_printf(out, "#include <%s>\n", name);
    }
  return true;
}

bool toolkit_write(const struct toolkit *t, const struct cuda_item *i,
                   const struct names *seen, struct text *out) {
  bool quoted;
  return slice_is(include_name(i, &quoted), "cub/cub.cuh") && write_cub(t, seen, out);
}
