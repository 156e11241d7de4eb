// SPDX-License-Identifier: Apache-2.0
// nvrtc.c: CUDA variants: cubins for the very device, made in the tuner's own process on
// its threads.
//
// Toolkit headers are wanted only where the unit says so, by the -I that was right where
// the program was built. Where that folder is not, CUDA_PATH's takes its place.
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/cuda/gpu.h"

enum { MOST_OPTIONS = 256, MESSAGE_SIZE = 4096 };

static atomic_int target = 80;

void gpu_nvrtc_target(int cc) {
  atomic_store(&target, cc);
}

static bool nvrtc_applicable(const char *compiler) {
  return strcmp(compiler, "nvrtc") == 0;
}

static const char *compile_nvrtc_version(const char *compiler) {
  static _Atomic(char *) known;
  const struct gpu_nvrtc *n = gpu_nvrtc_get(NULL);
  char *text = atomic_load(&known), *none = NULL;
  int major, minor;
  (void)compiler;
  if (text || !n || n->nvrtc_version(&major, &minor) != 0 ||
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

// FOLDER where it is, else the toolkit's that is here.
static void nvrtc_add_include(struct options_list *o, const char *folder) {
  const char *home = secure_getenv("CUDA_PATH");
  if (access(folder, R_OK | X_OK) == 0)
    add_owned(o, sys_printf("-I%s", folder));
  else if (home && *home)
    add_owned(o, sys_printf("-I%s/include", home));
  else
    nvrtc_add(o, "-I/usr/local/cuda/include");
}

static bool nvrtc_names_architecture(const char *flag) {
  return nvrtc_begins(flag, "--gpu-architecture") || nvrtc_begins(flag, "-arch");
}

static void set_options(struct options_list *o, const char *const *flags) {
  bool architecture = false;
  for (; flags && *flags; flags++) {
    architecture |= nvrtc_names_architecture(*flags);
    if (strcmp(*flags, "-I") == 0 && flags[1])
      nvrtc_add_include(o, *++flags);
    else if (nvrtc_begins(*flags, "-I"))
      nvrtc_add_include(o, *flags + 2);
    else
      nvrtc_add(o, *flags);
  }
  if (!architecture)
    add_owned(o, sys_printf("--gpu-architecture=sm_%d", atomic_load(&target)));
}

static void free_options(struct options_list *o) {
  for (int i = 0; i < o->n_owned; i++)
    free(o->owned[i]);
}

// ---- compiling ----------------------------------------------------------------------

// The first line with an error, and what follows it.
static char *nvrtc_first_error(const char *log) {
  const char *mark = strstr(log, "error:"), *from = mark ? mark : log;
  while (mark && from > log && from[-1] != '\n')
    from--;
  from += strspn(from, "\n ");
  return *from ? sys_printf("%.*s", MESSAGE_SIZE, from) : NULL;
}

static char *nvrtc_complaint(const struct gpu_nvrtc *n, gpu_program p, gpu_result e) {
  size_t size = 0;
  char *log = NULL, *message = NULL;
  if (n->nvrtc_log_size(p, &size) == 0 && size > 1 && (log = sys_calloc(size + 1, 1)) &&
      n->nvrtc_log(p, log) == 0)
    message = nvrtc_first_error(log);
  free(log);
  return message ? message : sys_printf("error: NVRTC failed (%d) and said nothing", e);
}

static gpu_result take_cubin(const struct gpu_nvrtc *n, gpu_program p,
                             struct object *out) {
  size_t size = 0;
  gpu_result e = n->nvrtc_cubin_size(p, &size);
  if (e != 0 || size == 0 || !(out->data = sys_malloc(size)))
    return e ? e : -1;
  out->size = size;
  return n->nvrtc_cubin(p, out->data);
}

static int compile_nvrtc_compile(const char *compiler, const char *text,
                                 const char *const *flags, struct object *out) {
  const char *why = NULL;
  const struct gpu_nvrtc *n = gpu_nvrtc_get(&why);
  struct options_list *o = sys_calloc(1, sizeof *o);
  gpu_program p = NULL;
  gpu_result e = -1;
  double begin = sys_now();
  (void)compiler;
  *out = (struct object){ 0 };
  if (!n || !o || sys_fails(SYS_JIT)) {
    out->message = sys_printf("error: %s", n ? "no memory" : why);
  } else if ((e = n->nvrtc_create(&p, text, "kernel.cu", 0, NULL, NULL)) != 0) {
    out->message = sys_printf("error: NVRTC cannot begin (%d)", e);
  } else {
    set_options(o, flags);
    e = n->nvrtc_compile(p, o->n, o->list);
    if (e != 0)
      out->message = nvrtc_complaint(n, p, e);
    else if ((e = take_cubin(n, p, out)) != 0)
      out->message = sys_printf("error: NVRTC made no cubin (%d)", e);
    n->nvrtc_destroy(&p);
  }
  if (o)
    free_options(o);
  free(o);
  out->seconds = sys_now() - begin;
  return e == 0 ? 0 : -1;
}

const struct backend backend_nvrtc = {
  .name = "nvrtc",
  .applicable = nvrtc_applicable,
  .version = compile_nvrtc_version,
  .compile = compile_nvrtc_compile,
};
