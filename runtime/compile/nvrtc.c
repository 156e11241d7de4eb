// SPDX-License-Identifier: Apache-2.0
// nvrtc.c: NVRTC, and the backend that makes cubins of CUDA variants with it, in the
// tuner's own process on its threads.
//
// A unit that needs headers of the toolkit has a -I of their folder on the machine where
// the program was built. If that folder is not here, CUDA_PATH's takes its place.
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile.h"
#include "cuda_library.h"
#include "nvrtc.h"

enum {
  NEWEST = 20,
  OLDEST = 11 /* major versions */,
  MOST_OPTIONS = 256,
  MESSAGE_SIZE = 4096
};

static struct {
  pthread_once_t once;
  struct nvrtc api;
  char why[256];        // "": NVRTC is loaded
  atomic_int preferred; // major version; 0: none
  atomic_int architecture;
} nvrtc = { .once = PTHREAD_ONCE_INIT, .architecture = 80 };

#define X(member, name, parameters) { name, offsetof(struct nvrtc, member) },
static const struct cuda_function functions[] = { NVRTC_FUNCTIONS(X) };
#undef X

void nvrtc_prefer(int major) {
  atomic_store(&nvrtc.preferred, major);
}

void nvrtc_set_architecture(int cc) {
  atomic_store(&nvrtc.architecture, cc);
}

// ---- the library ---------------------------------------------------------------------

static void *nvrtc_open_in(const char *folder, int major) {
  char *path = sys_printf("%s%slibnvrtc.so.%d", folder, *folder ? "/lib64/" : "", major);
  void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  free(path);
  return library;
}

// Opens the NVRTC that the loader finds, else that of CUDA_PATH or the usual folder.
static void *nvrtc_open_major(int major) {
  const char *home = secure_getenv("CUDA_PATH");
  void *library = nvrtc_open_in("", major);
  if (!library && home && *home)
    library = nvrtc_open_in(home, major);
  return library ? library : nvrtc_open_in("/usr/local/cuda", major);
}

// Tries the driver's own version first, because an older driver may not load code of a
// newer NVRTC.
static void *nvrtc_open_library(void) {
  const char *asked = options_get()->nvrtc;
  if (asked)
    return dlopen(asked, RTLD_NOW | RTLD_LOCAL);
  int own = atomic_load(&nvrtc.preferred);
  void *library = own ? nvrtc_open_major(own) : NULL;
  for (int major = own ? own - 1 : NEWEST; !library && major >= OLDEST; major--)
    library = nvrtc_open_major(major);
  for (int major = own + 1; own && !library && major <= NEWEST; major++)
    library = nvrtc_open_major(major);
  return library;
}

static void nvrtc_open(void) {
  void *library = options_get()->nvrtc ? NULL : cuda_emulator();
  nvrtc.api.emulated = library != NULL;
  if (!library && !(library = nvrtc_open_library())) {
    snprintf(nvrtc.why, sizeof nvrtc.why, "there is no NVRTC (libnvrtc.so)");
    return;
  }
  const char *missing = cuda_functions(library, functions,
                                       sizeof functions / sizeof *functions, &nvrtc.api);
  if (missing)
    snprintf(nvrtc.why, sizeof nvrtc.why, "NVRTC is too old: it has no %s", missing);
}

const struct nvrtc *nvrtc_get(const char **why) {
  pthread_once(&nvrtc.once, nvrtc_open);
  if (why)
    *why = nvrtc.why;
  return *nvrtc.why ? NULL : &nvrtc.api;
}

// ---- the backend ---------------------------------------------------------------------

static bool nvrtc_applicable(const char *compiler) {
  return strcmp(compiler, "nvrtc") == 0;
}

static const char *compile_nvrtc_version(const char *compiler) {
  static _Atomic(char *) known;
  const struct nvrtc *n = nvrtc_get(NULL);
  char *text = atomic_load(&known), *none = NULL;
  int major, minor;
  (void)compiler;
  if (text || !n || n->version(&major, &minor) != 0 ||
      !(text = sys_printf("nvrtc %d.%d", major, minor)))
    return text;
  if (atomic_compare_exchange_strong(&known, &none, text))
    return text;
  free(text);
  return none;
}

// ---- options ------------------------------------------------------------------------

struct options_list {
  const char *list[MOST_OPTIONS];
  char *owned[MOST_OPTIONS];
  int n, n_owned;
};

static void nvrtc_add(struct options_list *o, const char *word) {
  if (o->n < MOST_OPTIONS)
    o->list[o->n++] = word;
}

static void add_owned(struct options_list *o, char *word) {
  if (word && o->n_owned < MOST_OPTIONS)
    nvrtc_add(o, o->owned[o->n_owned++] = word);
  else
    free(word);
}

static bool nvrtc_begins(const char *s, const char *prefix) {
  return strncmp(s, prefix, strlen(prefix)) == 0;
}

// Adds FOLDER if it exists here, else the include folder of the installed toolkit.
static void nvrtc_add_include(struct options_list *o, const char *folder) {
  const char *home = secure_getenv("CUDA_PATH");
  if (access(folder, R_OK | X_OK) == 0)
    add_owned(o, sys_printf("-I%s", folder));
  else if (home && *home)
    add_owned(o, sys_printf("-I%s/include", home));
  else
    nvrtc_add(o, "-I/usr/local/cuda/include");
}

// ---- architectures -------------------------------------------------------------------

// An architecture such as sm_90a. `a`: its code runs on that compute capability alone;
// `f`: on all of its family.
struct architecture {
  int cc;
  char suffix; // 0: none
};

// Reads "sm_90a". False: TEXT is no architecture of a device.
static bool architecture_read(const char *text, struct architecture *a) {
  char *end;
  if (!nvrtc_begins(text, "sm_"))
    return false;
  a->cc = (int)strtol(text + 3, &end, 10);
  a->suffix = *end == 'a' || *end == 'f' ? *end++ : '\0';
  return a->cc > 0 && *end == '\0';
}

// True if a device of compute capability CC runs the code of A.
static bool architecture_suits(struct architecture a, int cc) {
  return a.suffix == 'a' ? a.cc == cc : a.cc / 10 == cc / 10 && a.cc <= cc;
}

// True if NVRTC knows architectures with the suffix `a`: from 12.0 on.
static bool architecture_has_own(int cc) {
  const struct nvrtc *n = nvrtc_get(NULL);
  int major, minor;
  return cc >= NVRTC_OWN_FEATURES && n && n->version(&major, &minor) == 0 && major >= 12;
}

// Returns what follows the name of one of the two options that name an architecture;
// NULL: FLAG is another.
static const char *architecture_named(const char *flag) {
  static const char *const names[] = { "--gpu-architecture", "-arch" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (nvrtc_begins(flag, names[i]))
      return flag + strlen(names[i]);
  return NULL;
}

// Adds the device's own architecture with all its features, or, if the BUILD names a
// family that the device is a later member of, that family: its code may ask for it by
// name (__CUDA_ARCH_FAMILY_SPECIFIC__).
static void add_architecture(struct options_list *o, int cc,
                             const struct architecture *build) {
  if (build->suffix == 'f' && build->cc != cc && architecture_suits(*build, cc))
    add_owned(o, sys_printf("--gpu-architecture=sm_%df", build->cc));
  else
    add_owned(o,
              sys_printf("--gpu-architecture=sm_%d%s", cc,
                         architecture_has_own(cc) ? "a" : ""));
}

// Adds FLAGS and the architecture. Returns why they cannot be (malloc'ed), or NULL.
static char *set_options(struct options_list *o, const char *const *flags) {
  const char *own = NULL, *value;
  struct architecture a, build = { 0 };
  int cc = atomic_load(&nvrtc.architecture);
  for (; flags && *flags; flags++) {
    if (strcmp(*flags, "-I") == 0 && flags[1])
      nvrtc_add_include(o, *++flags);
    else if (nvrtc_begins(*flags, "-I"))
      nvrtc_add_include(o, *flags + 2);
    else if (nvrtc_begins(*flags, NVRTC_BUILD_FAMILY)) {
      if (architecture_read(*flags + strlen(NVRTC_BUILD_FAMILY), &a) &&
          architecture_suits(a, cc) && a.cc > build.cc)
        build = a;
    } else if ((value = architecture_named(*flags)) != NULL)
      own = *value == '=' ? value + 1 : flags[1] ? *++flags : "";
    else
      nvrtc_add(o, *flags);
  }
  if (own && (!architecture_read(own, &a) || !architecture_suits(a, cc)))
    return sys_printf("error: the flags ask for code for %s, which a device of sm_%d "
                      "does not run",
                      own, cc);
  if (own)
    add_owned(o, sys_printf("--gpu-architecture=%s", own));
  else
    add_architecture(o, cc, &build);
  return NULL;
}

static void free_options(struct options_list *o) {
  for (int i = 0; i < o->n_owned; i++)
    free(o->owned[i]);
}

// ---- compiling ----------------------------------------------------------------------

// Returns the first line with an error, and the lines after it.
static char *nvrtc_first_error(const char *log) {
  const char *mark = strstr(log, "error:"), *from = mark ? mark : log;
  while (mark && from > log && from[-1] != '\n')
    from--;
  from += strspn(from, "\n ");
  return *from ? sys_printf("%.*s", MESSAGE_SIZE, from) : NULL;
}

static char *nvrtc_complaint(const struct nvrtc *n, nvrtc_program p, int e) {
  size_t size = 0;
  char *log = NULL, *message = NULL;
  if (n->log_size(p, &size) == 0 && size > 1 && (log = sys_calloc(size + 1, 1)) &&
      n->log(p, log) == 0)
    message = nvrtc_first_error(log);
  free(log);
  return message ? message : sys_printf("error: NVRTC failed (%d) and said nothing", e);
}

static int take_cubin(const struct nvrtc *n, nvrtc_program p, struct object *out) {
  size_t size = 0;
  int e = n->cubin_size(p, &size);
  if (e != 0 || size == 0 || !(out->data = sys_malloc(size)))
    return e ? e : -1;
  out->size = size;
  return n->cubin(p, out->data);
}

static int compile_nvrtc_compile(const char *compiler, const char *text,
                                 const char *const *flags, struct object *out) {
  const char *why = NULL;
  const struct nvrtc *n = nvrtc_get(&why);
  struct options_list *o = sys_calloc(1, sizeof *o);
  nvrtc_program p = NULL;
  int e = -1;
  double begin = sys_now();
  (void)compiler;
  *out = (struct object){ 0 };
  if (!n || !o || sys_fails(SYS_JIT)) {
    out->message = sys_printf("error: %s", n ? "no memory" : why);
  } else if ((e = n->create(&p, text, "kernel.cu", 0, NULL, NULL)) != 0) {
    out->message = sys_printf("error: NVRTC cannot begin (%d)", e);
  } else {
    out->message = set_options(o, flags);
    e = out->message ? -1 : n->compile(p, o->n, o->list);
    if (e != 0 && !out->message)
      out->message = nvrtc_complaint(n, p, e);
    else if (e == 0 && (e = take_cubin(n, p, out)) != 0)
      out->message = sys_printf("error: NVRTC made no cubin (%d)", e);
    n->destroy(&p);
  }
  if (o)
    free_options(o);
  free(o);
  out->seconds = sys_now() - begin;
  return e == 0 ? 0 : -1;
}

const struct backend backend_nvrtc = {
  .name = "nvrtc",
  .built_in = true,
  .applicable = nvrtc_applicable,
  .version = compile_nvrtc_version,
  .compile = compile_nvrtc_compile,
};
