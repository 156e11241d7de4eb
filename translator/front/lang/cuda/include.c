// SPDX-License-Identifier: Apache-2.0
// include.c: cuts the user's headers and puts them in place of their #include; finds the
// names that headers of CUDA's toolkit declare, so that the unit includes only the
// headers it needs.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "front/include.h"
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

static const char *toolkit_at(const char *folder) {
  const char *include = arena_printf("%s/include", folder);
  return path_is_file(arena_printf("%s/cuda_runtime.h", include)) ? include : NULL;
}

// Returns the toolkit's folder next to the compiler, which is looked up in PATH if
// needed; NULL: not there.
static const char *toolkit_beside(const char *program) {
  const char *path = getenv("PATH"), *slash = strrchr(program, '/');
  char *real = slash ? realpath(program, NULL) : NULL;
  while (!slash && !real && path && *path) {
    size_t n = strcspn(path, ":");
    const char *name = arena_printf("%.*s/%s", (int)n, path, program);
    real = path_is_file(name) && access(name, X_OK) == 0 ? realpath(name, NULL) : NULL;
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
        path_is_file(arena_printf("%s/cuda_runtime.h", value)))
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

// Returns the name in "…" or <…> of an #include; empty: a macro names the file.
static struct slice item_include(const struct item *i, bool *quoted) {
  struct directive d = { 0 };
  size_t at = 0;
  directive_next(i->text, &at, &d);
  return include_name(d.rest, quoted);
}

static const char *include_folder_of(const char *path) {
  const char *folder = path_folder(path);
  return *folder ? folder : ".";
}

// True for a folder whose headers are not the user's.
static bool is_foreign(const char *folder) {
  static const char *const folders[] = { "/usr/include", "/usr/lib", "/usr/local/cuda",
                                         NULL };
  for (const char *const *f = folders; *f; f++)
    if (strncmp(folder, *f, strlen(*f)) == 0)
      return true;
  return path_is_file(arena_printf("%s/cuda_runtime.h", folder)) ||
      path_is_file(arena_printf("%s/../cuda_runtime.h", folder));
}

// Reads the folders of the user's headers from the options.
static void include_read_folders(struct include_folders *f,
                                 const struct compile_options *o) {
  static const char *const angle[] = { "-I", "-isystem", "--include-path", NULL };
  const char *folder;
  for (const char *const *a = o->args; a && *a; a++) {
    if ((folder = include_option_value(&a, "-iquote")) != NULL) {
      if (!is_foreign(folder))
        *GROW(f->quote, f->n_quote) = folder;
      continue;
    }
    for (const char *const *option = angle; *option && !folder; option++)
      folder = include_option_value(&a, *option);
    if (folder && !is_foreign(folder))
      *GROW(f->angle, f->n_angle) = folder;
  }
}

// ---- one list -----------------------------------------------------------------------

struct includer {
  const struct compile_options *o;
  struct include_folders folders;
  struct items all;
  struct seen_file {
    dev_t device;
    ino_t inode;
  } *files;
  unsigned n_files;
  unsigned spliced;
};

static void include_add_file(struct includer *in, const struct source *s, unsigned depth);

// Returns the header at PATH without a byte order mark: pieces of it are copied into
// other text. NULL: it cannot be read.
static const struct source *header_read(const char *path) {
  struct slice text;
  return path_map(path, &text)
      ? source_of(path, arena_copy(text.data, text.size), text.size)
      : NULL;
}

static bool include_splice(struct includer *in, const char *path, unsigned depth) {
  struct stat st;
  if (depth > MAX_DEPTH || in->spliced >= MAX_FILES || stat(path, &st) != 0)
    return false;
  for (unsigned n = 0; n < in->n_files; n++)
    if (in->files[n].device == st.st_dev && in->files[n].inode == st.st_ino)
      return true;
  const struct source *s = header_read(path);
  if (!s)
    return false;
  in->spliced++;
  if (include_once((struct slice){ s->text, s->size }) != ONCE_NOT)
    *GROW(in->files, in->n_files) = (struct seen_file){ st.st_dev, st.st_ino };
  include_add_file(in, s, depth + 1);
  return true;
}

// Returns the path of the user's header that I includes; NULL: it is not a header of the
// user's.
static const char *include_user(const struct includer *in, const struct item *i) {
  bool quoted;
  struct slice name = item_include(i, &quoted);
  const char *from;
  if (!name.size)
    return NULL;
  source_where(i->s, i->start, &from, NULL);
  const char *own = include_folder_of(from);
  return include_find(&in->folders, is_foreign(own) ? NULL : own, name, quoted);
}

static void include_add_file(struct includer *in, const struct source *s,
                             unsigned depth) {
  struct items own = items_cut(s);
  for (unsigned n = 0; n < own.n; n++) {
    const char *path = NULL;
    if (own.list[n].kind == ITEM_INCLUDE)
      path = include_user(in, &own.list[n]);
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
    } else if ((value = include_option_value(&a, "-include")) != NULL &&
               path_is_file(value) && !is_foreign(include_folder_of(value))) {
      text_printf(&lines, "#include \"%s%s\"\n", *value == '/' ? "" : "./", value);
    }
  }
  if (lines.size)
    include_add_file(in, source_of("<command line>", lines.data, lines.size), 0);
}

struct items *cuda_items(const struct source *s, const struct compile_options *o) {
  struct includer in = { .o = o };
  struct items *all = arena_alloc(sizeof *all);
  include_read_folders(&in.folders, o);
  include_add_options(&in);
  include_add_file(&in, s, 0);
  items_complete(&in.all);
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

// True for headers of libraries that the host calls: NVRTC cannot read them. What device
// code uses of a header that they include is in that header.
static bool is_for_host(struct slice name) {
  static const char *const prefixes[] = { "cublas",
                                          "cufftw",
                                          "cusparse",
                                          "cusolver",
                                          "cudnn",
                                          "nccl",
                                          "nvml",
                                          "npp",
                                          "nvjpeg",
                                          "nvrtc",
                                          "nvToolsExt",
                                          "nvtx3/",
                                          "cupti",
                                          "cudaProfiler",
                                          "cuda_profiler",
                                          "cuda_occupancy",
                                          "cudaTypedefs",
                                          "cuda_gl",
                                          "cudaGL",
                                          "cuda_egl",
                                          "cudaEGL",
                                          "cuda_vdpau",
                                          "cudaVDPAU",
                                          "cufile",
                                          "nvJitLink",
                                          "nvPTX",
                                          "cutensor",
                                          "nvfatbin",
                                          NULL };
  for (const char *const *p = prefixes; *p; p++)
    if (name.size >= strlen(*p) && memcmp(name.data, *p, strlen(*p)) == 0)
      return true;
  return false;
}

static struct items header_items(struct toolkit *t, const char *path) {
  for (unsigned n = 0; n < t->n_headers; n++)
    if (strcmp(t->headers[n].path, path) == 0)
      return t->headers[n].items;
  const struct source *s = header_read(path);
  struct items items = s ? items_cut(s) : (struct items){ 0 };
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

// A walk over a header and the headers that it includes.
struct declared {
  struct toolkit *toolkit;
  const struct names *seen;
  bool spaces;        // as in items_declare
  const char **paths; // the headers walked over
  unsigned n_paths;
};

// True for a macro that opens a namespace whose name was seen: `#define BEGIN namespace a
// {`.
static bool opens_seen(const struct item *i, const struct names *seen) {
  if (i->kind != ITEM_DEFINE || !memmem(i->text.data, i->text.size, "namespace", 9))
    return false;
  struct lexer l = lexer_of(i->text);
  bool namespace = false, found = false;
  for (struct token t; !found && (t = lex(&l)).kind != TOKEN_END;) {
    found = namespace && t.kind == TOKEN_WORD && names_has(seen, t.text);
    namespace = slice_is(t.text, "namespace");
  }
  return found;
}

// SPACES: macros that open namespaces count as declarations of these.
static bool items_declare(const struct items *items, const struct names *seen,
                          bool spaces) {
  for (unsigned n = 0; n < items->n; n++) {
    const struct item *i = &items->list[n];
    if (spaces && opens_seen(i, seen))
      return true;
    for (unsigned k = 0; i->kind != ITEM_UNDEF && k < i->n_names; k++)
      if (names_has(seen, i->names[k].name) && !is_built_in_name(i->names[k].name))
        return true;
  }
  return false;
}

// Returns the next header of the toolkit that the header at PATH includes, from item *N
// on; NULL: no more.
static const char *next_included(const struct declared *d, const char *path, unsigned *n,
                                 struct slice *name) {
  const struct include_folders toolkit = { .angle = &d->toolkit->folder, .n_angle = 1 };
  struct items items = header_items(d->toolkit, path);
  while (*n < items.n) {
    const struct item *i = &items.list[(*n)++];
    bool quoted;
    if (i->kind != ITEM_INCLUDE)
      continue;
    *name = item_include(i, &quoted);
    if (!name->size || include_is_built_in(*name) || library_of(*name))
      continue;
    const char *found = include_find(&toolkit, include_folder_of(path), *name, true);
    if (found)
      return found;
  }
  return NULL;
}

static bool is_new(struct declared *d, const char *path) {
  for (unsigned n = 0; n < d->n_paths; n++)
    if (strcmp(d->paths[n], path) == 0)
      return false;
  if (d->n_paths >= MAX_DECLARING)
    return false;
  *GROW(d->paths, d->n_paths) = path;
  return true;
}

static bool file_declares(struct declared *d, const char *path) {
  if (!is_new(d, path))
    return false;
  struct items items = header_items(d->toolkit, path);
  if (items_declare(&items, d->seen, d->spaces))
    return true;
  struct slice name;
  const char *found;
  for (unsigned n = 0; (found = next_included(d, path, &n, &name)) != NULL;)
    if (file_declares(d, found))
      return true;
  return false;
}

// Adds the header at PATH, which is included as NAME, if it declares a name seen; of a
// header for the host the headers that it includes, each by itself.
static void add_declaring(struct declared *d, const char *path, struct slice name,
                          struct names *headers) {
  const char *found;
  if (!is_for_host(name)) {
    struct declared whole = { .toolkit = d->toolkit,
                              .seen = d->seen,
                              .spaces = d->spaces };
    if (file_declares(&whole, path))
      names_put(headers, name);
  } else if (is_new(d, path)) {
    for (unsigned n = 0; (found = next_included(d, path, &n, &name)) != NULL;)
      add_declaring(d, found, name, headers);
  }
}

// Returns the headers that stand for I in a unit.
static struct names toolkit_headers(struct toolkit *t, const struct item *i,
                                    const struct names *seen, bool spaces) {
  bool quoted;
  struct declared d = { .toolkit = t, .seen = seen, .spaces = spaces };
  struct names headers = { 0 };
  struct slice name = item_include(i, &quoted);
  const char *library = library_of(name);
  if (!t->folder || !name.size || include_is_built_in(name))
    return headers;
  const char *path = path_join(t->folder, name);
  if (library && names_has(seen, slice_of(library)))
    names_put(&headers, name);
  else if (!library && path_is_file(path))
    add_declaring(&d, path, name, &headers);
  return headers;
}

bool toolkit_declares(struct toolkit *t, const struct item *i, const struct names *seen) {
  return toolkit_headers(t, i, seen, false).n > 0;
}

bool toolkit_opens(struct toolkit *t, const struct item *i, const struct names *spaces) {
  return toolkit_headers(t, i, spaces, true).n > 0;
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
      if (path_is_file(arena_printf("%s/%s", t->folder, name)) ||
          path_is_file(arena_printf("%s/cccl/%s", t->folder, name)))
        text_printf(out, "#include <%s>\n", name);
    }
  return true;
}

bool toolkit_write(struct toolkit *t, const struct item *i, const struct names *seen,
                   struct text *out) {
  bool quoted;
  struct slice name = item_include(i, &quoted);
  struct names headers = toolkit_headers(t, i, seen, false);
  if (slice_is(name, "cub/cub.cuh"))
    return write_cub(t, seen, out);
  if (headers.n == 1 && slices_same(headers.list[0].text, name))
    return false;
  for (unsigned n = 0; n < headers.n; n++)
    text_printf(out, "#include <%.*s>\n", (int)headers.list[n].text.size,
                headers.list[n].text.data);
  return headers.n > 0;
}
