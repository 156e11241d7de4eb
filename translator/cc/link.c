// SPDX-License-Identifier: Apache-2.0
// link.c: finds out whether a tuned kernel is linked; adds libautotune and one OpenMP
// runtime to such a link.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc.h"

// ---- references to autotune_begin and autotune_launch_kernel --------------------------

static bool file_refers(const char *path, unsigned depth);

// Searches the members of a thin archive (`ar T`), which holds only their names: the
// member files stand next to it.
static bool thin_archive_refers(const char *path, struct slice data, unsigned depth) {
  const char *folder = path_folder(path);
  struct slice names = { 0 };
  for (size_t at = 8; at + 60 <= data.size;) {
    const char *header = data.data + at;
    size_t size = strtoul(arena_copy(header + 48, 10), NULL, 10);
    at += 60;
    bool table = header[0] == '/' &&
        (header[1] == ' ' || header[1] == '/' || header[1] == 'S');
    if (table && size > data.size - at)
      return false;
    if (table && header[1] == '/')
      names = (struct slice){ data.data + at, size };
    if (table) {
      at += size + (size & 1);
      continue;
    }
    struct slice name = { header, 16 };
    size_t offset = strtoul(arena_copy(header + 1, 15), NULL, 10);
    if (header[0] == '/' && offset < names.size)
      name = (struct slice){ names.data + offset, names.size - offset };
    const char *end = memmem(name.data, name.size, "/\n", 2);
    if (header[0] != '/')
      end = memchr(name.data, '/', name.size);
    if (!end)
      continue;
    name.size = (size_t)(end - name.data);
    if (file_refers(path_join(folder, name), depth + 1))
      return true;
  }
  return false;
}

// Objects of CUDA and proposed kernels refer to the library weakly, for builds that do
// not link it.
static bool weakly;

static bool link_holds(struct slice data, const char *symbol) {
  return memmem(data.data, data.size, symbol, strlen(symbol)) != NULL;
}

// True if the file at PATH contains the symbol's name. An object has it in its table of
// strings; so have LTO objects of LLVM and gcc and each member of an archive. A string
// constant may contain it too: then libautotune is linked in vain, but --as-needed drops
// it.
static bool file_refers(const char *path, unsigned depth) {
  struct slice data;
  if (!path_map(path, &data) || data.size <= 8)
    return false;
  bool launches = link_holds(data, "autotune_launch_kernel");
  bool found = launches || link_holds(data, "autotune_begin");
  weakly |= launches || link_holds(data, "autotune_weakly");
  if (!found && depth < 4 && memcmp(data.data, "!<thin>\n", 8) == 0)
    found = thin_archive_refers(path, data, depth);
  return found;
}

// True for libautotune itself, which contains the names without having a tuned kernel.
static bool is_own_library(const char *path) {
  return strncmp(path_name(path), "libautotune", 11) == 0;
}

static bool library_refers(const struct cc_command *c, const char *name) {
  static const char *const forms[] = { "lib%s.so", "lib%s.a", NULL };
  if (strcmp(name, "autotune") == 0)
    return false;
  for (unsigned i = 0; i < c->n_args; i++) {
    if (strcmp(c->args[i].option, "-L") != 0)
      continue;
    const char *folder = c->args[i].value;
    if (name[0] == ':' && file_refers(path_join(folder, slice_of(name + 1)), 0))
      return true;
    for (const char *const *f = forms; name[0] != ':' && *f; f++) {
      const char *suffix = strrchr(*f, '.');
      const char *file = arena_printf("lib%s%s", name, suffix);
      if (file_refers(path_join(folder, slice_of(file)), 0))
        return true;
    }
  }
  return false;
}

// True if one of the files and libraries in `-Wl,--whole-archive,libx.a,-ly` refers to
// libautotune.
static bool linker_words_refer(const struct cc_command *c, const char *words) {
  while (*words) {
    size_t n = strcspn(words, ",");
    char *word = arena_copy(words, n);
    words += n + (words[n] == ',');
    if (strncmp(word, "-l", 2) == 0
            ? library_refers(c, word + 2)
            : word[0] != '-' && !is_own_library(word) && file_refers(word, 0))
      return true;
  }
  return false;
}

bool cc_link_sites(const struct cc_command *c) {
  for (unsigned i = 0; i < c->n_inputs; i++)
    if (c->inputs[i].kind != CC_KERNELS &&
        // assembly and preprocessed text of a translated file contain the name too
        !is_own_library(c->inputs[i].path) && file_refers(c->inputs[i].path, 0))
      return true;
  for (unsigned i = 0; i < c->n_args; i++) {
    const struct cc_arg *a = &c->args[i];
    if (strcmp(a->option, "-l") == 0 && library_refers(c, a->value))
      return true;
    if ((strcmp(a->option, "-Wl,") == 0 || strcmp(a->option, "-Xlinker") == 0) &&
        linker_words_refer(c, a->value))
      return true;
  }
  return false;
}

// ---- folders ------------------------------------------------------------------------

static const char *link_home(void) {
  char program[PATH_MAX], folder[PATH_MAX];
  const char *given = getenv("AUTOTUNE_HOME");
  if (given && *given)
    return given;
  ssize_t n = readlink("/proc/self/exe", program, sizeof program - 4);
  if (n <= 0)
    fatal("/proc/self/exe: %s", strerror(errno));
  program[n] = '\0';
  char *slash = strrchr(program, '/');
  strcpy(slash, "/..");
  if (!realpath(program, folder))
    fatal("%s: %s", program, strerror(errno));
  return arena_copy(folder, strlen(folder));
}

const char *cc_include_folder(void) {
  const char *folder = arena_printf("%s/include", link_home());
  if (access(arena_printf("%s/autotune_abi.h", folder), R_OK) != 0)
    fatal("%s/autotune_abi.h: %s (AUTOTUNE_HOME says where autotune is installed)",
          folder, strerror(errno));
  return folder;
}

const char *cc_library_folder(void) {
  static const char *const folders[] = { "lib", AUTOTUNE_LIBDIR, NULL };
  for (const char *const *f = folders; *f; f++) {
    const char *folder = arena_printf("%s/%s", link_home(), *f);
    if (access(arena_printf("%s/libautotune.so", folder), R_OK) == 0)
      return folder;
  }
  fatal("%s/lib/libautotune.so: %s (AUTOTUNE_HOME says where autotune is installed)",
        link_home(), strerror(errno));
}

const char *cc_names_folder(void) {
  static const char *const folders[] = { "lib", AUTOTUNE_LIBDIR, NULL };
  for (const char *const *f = folders; *f; f++) {
    const char *folder = arena_printf("%s/%s/autotune/compilers", link_home(), *f);
    if (access(folder, X_OK) == 0)
      return folder;
  }
  return NULL;
}

static const char *openmp_library(void) {
  const char *given = getenv("AUTOTUNE_OPENMP");
  const char *path = given && *given ? given : AUTOTUNE_LIBOMP;
  if (access(path, R_OK) != 0)
    fatal("%s: %s (AUTOTUNE_OPENMP names LLVM's OpenMP runtime)", path, strerror(errno));
  return path;
}

// ---- additions to the command -------------------------------------------------------

// Recognizes -lgomp and the file itself, as CMake's FindOpenMP names it:
// /usr/lib/…/libgomp.so.
bool cc_link_replaces(const struct cc_arg *a) {
  static const char *const runtimes[] = { "gomp", "omp", "iomp5", "omp5", NULL };
  const char *slash = a->class == CC_INPUT ? strrchr(a->value, '/') : NULL;
  if (a->class == CC_OPENMP)
    return true;
  for (const char *const *r = runtimes; *r; r++)
    if ((strcmp(a->option, "-l") == 0 && strcmp(a->value, *r) == 0) ||
        (slash && strcmp(slash + 1, arena_printf("lib%s.so", *r)) == 0))
      return true;
  return false;
}

bool cc_link_openmp(const struct cc_command *c) {
  bool used = c->openmp;
  for (unsigned i = 0; i < c->n_args; i++)
    used |= c->args[i].class != CC_OPENMP && cc_link_replaces(&c->args[i]);
  return used;
}

static void add_rpath(struct words *w, const char *folder) // -Wl, would end it at a comma
{
  words_add(w, "-Xlinker");
  words_add(w, "-rpath");
  words_add(w, "-Xlinker");
  words_add(w, folder);
}

void cc_link_libraries(const struct cc_command *c, struct words *w) {
  const char *folder = cc_library_folder();
  if (c->nvcc) { // nvcc moves -Xlinker before -l, and passes every -l to the device
                 // linker
    const char *const own[] = { "--push-state",
                                "--no-as-needed", // the reference to it is weak
                                arena_printf("%s/libautotune.so", folder),
                                "--pop-state" };
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++) {
      words_add(w, "-Xlinker");
      words_add(w, own[i]);
    }
    add_rpath(w, folder);
    return;
  }
  words_add(w, arena_printf("-L%s", folder));
  words_add(w,
            weakly || c->automatic || c->emulate
                ? "-Wl,--push-state,-Bdynamic,--no-as-needed"
                : "-Wl,--push-state,-Bdynamic,--as-needed");
  words_add(w, "-lautotune");
  words_add(w, "-Wl,--pop-state");
  if (c->emulate)
    words_add(w, "-lautotune-emulate");
  add_rpath(w, folder);
  if (!cc_link_openmp(c))
    return;
  const char *openmp = openmp_library(), *openmp_folder = path_folder(openmp);
  words_add(w, openmp);
  if (*openmp_folder)
    add_rpath(w, openmp_folder);
  words_add(w, "-pthread");
}
