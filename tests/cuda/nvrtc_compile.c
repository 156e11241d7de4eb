// SPDX-License-Identifier: Apache-2.0
// nvrtc_compile.c: compiles the units of .cu files with NVRTC, for sm_80 and sm_90: with each param at its
// first value and at its last. `nvrtc_compile [-I…] FILE.cu …`; `-p` prints the units instead.
// A template's instance is told by a comment in the file: `// instance: float, 16`.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/cuda.h"

enum { SKIPPED = 77 };

typedef struct program *program;
static struct {
  int (*create)(program *, const char *, const char *, int, const char *const *, const char *const *);
  int (*compile)(program, int, const char *const *);
  int (*log_size)(program, size_t *);
  int (*log)(program, char *);
  int (*cubin_size)(program, size_t *);
  int (*destroy)(program *);
} nvrtc;

static bool load(void)
{
  static const char *const names[] = { "/lib64/libnvrtc.so", "/lib64/libnvrtc.so.13", "/lib64/libnvrtc.so.12" };
  const char *path = getenv("CUDA_PATH");
  void *library = NULL;
  for (size_t i = 0; i < 3 && !library; i++)
    library = dlopen(arena_printf("%s%s", path ? path : "/usr/local/cuda", names[i]), RTLD_NOW);
  if (!library)
    library = dlopen("libnvrtc.so", RTLD_NOW);
  if (!library)
    return false;
  *(void **)&nvrtc.create = dlsym(library, "nvrtcCreateProgram");
  *(void **)&nvrtc.compile = dlsym(library, "nvrtcCompileProgram");
  *(void **)&nvrtc.log_size = dlsym(library, "nvrtcGetProgramLogSize");
  *(void **)&nvrtc.log = dlsym(library, "nvrtcGetProgramLog");
  *(void **)&nvrtc.cubin_size = dlsym(library, "nvrtcGetCUBINSize");
  *(void **)&nvrtc.destroy = dlsym(library, "nvrtcDestroyProgram");
  return nvrtc.create && nvrtc.compile && nvrtc.log_size && nvrtc.log && nvrtc.cubin_size &&
         nvrtc.destroy;
}

// `// instance: a, b` in front of K, or behind it.
static struct text definitions(const struct source *s, const struct kernel *k, bool last)
{
  struct text t = { 0 };
  text_add(&t, "", 0);
  const char *line = strstr(s->text + k->main.end, "// instance:");
  if (k->cuda->n_params && line) {
    unsigned n;
    struct slice rest = { line + 12, strcspn(line + 12, "\n") };
    struct slice *values = slice_split(rest, &n);
    for (unsigned i = 0; i < n; i++)
      text_printf(&t, "#define AUTOTUNE_T%u %.*s\n", i, (int)values[i].size, values[i].data);
  }
  for (unsigned i = 0; i < k->n_params; i++) {
    const struct param *p = &k->params[i];
    if (p->macro && p->n_values)
      text_printf(&t, "#define %s %s\n", p->macro, p->values[last ? p->n_values - 1 : 0].define);
  }
  return t;
}

static bool compile(const char *name, struct text text, const struct cuda_unit *u, const char *arch)
{
  program p;
  size_t size = 0, cubin = 0;
  const char **options = NULL;
  unsigned n = 0;
  for (unsigned i = 0; i < u->n_flags; i++)
    *GROW(options, n) = u->flags[i];
  *GROW(options, n) = arena_printf("-arch=%s", arch);
  if (nvrtc.create(&p, text.data, "unit.cu", 0, NULL, NULL) != 0)
    return false;
  int result = nvrtc.compile(p, (int)n, options);
  nvrtc.log_size(p, &size);
  char *log = arena_alloc(size + 1);
  nvrtc.log(p, log);
  if (result == 0)
    nvrtc.cubin_size(p, &cubin);
  printf("%s: %s for %s, %zu bytes\n", cubin ? "good" : "bad ", name, arch,
         (size_t)(strchr(text.data, '\0') - text.data));
  if (size > 1)
    printf("%s\n", log);
  nvrtc.destroy(&p);
  return cubin > 0 && size <= 1; // no warning either
}

static bool compile_unit(const struct source *s, const struct kernel *k, const struct cuda_unit *u)
{
  static const char *const archs[] = { "sm_80", "sm_90" };
  bool good = true;
  for (int last = 0; last < 2; last++) {
    struct text text = definitions(s, k, last);
    text_add(&text, u->text.data, u->text.size);
    for (size_t a = 0; a < sizeof archs / sizeof *archs; a++)
      good = compile(k->main.name, text, u, archs[a]) && good;
  }
  return good;
}

static bool file(const char *path, char **args, bool print)
{
  struct compile_options o = translate_options(path, args);
  struct source *s = source_read(path);
  unsigned n_pragmas = 0, n_kernels = 0;
  if (!s)
    return fprintf(stderr, "%s: cannot be read\n", path), false;
  struct pragma *pragmas = pragma_all(s, &n_pragmas);
  source_parse(s);
  struct kernel *kernels = cuda_kernels(s, pragmas, n_pragmas, &n_kernels);
  bool good = diag_errors() == 0 && n_kernels > 0;
  for (unsigned i = 0; good && i < n_kernels; i++) {
    struct cuda_unit u = cuda_unit_build(s, kernels, n_kernels, &kernels[i], &o);
    if (!print) {
      good = compile_unit(s, &kernels[i], &u);
      continue;
    }
    for (unsigned j = 0; j < u.n_flags; j++)
      printf("// %s\n", u.flags[j]);
    printf("%.*s", (int)u.text.size, u.text.data);
  }
  return good;
}

int main(int argc, char **argv)
{
  bool print = argc > 1 && strcmp(argv[1], "-p") == 0;
  int first = print ? 2 : 1, status = 0;
  char **options = calloc((size_t)argc + 1, sizeof *options);
  for (; options && first < argc && argv[first][0] == '-'; first++)
    options[first - (print ? 2 : 1)] = argv[first];
  if (!options || (!print && !load())) {
    printf("no libnvrtc\n");
    return SKIPPED;
  }
  for (int i = first; i < argc; i++)
    if (!file(argv[i], options, print)) {
      printf("FAILED: %s\n", argv[i]);
      status = 1;
    }
  return status;
}
