// SPDX-License-Identifier: Apache-2.0
// nvrtc_compile.c: compiles the units of .cu files with NVRTC, for sm_80 and sm_90a, with
// each param at its first value and at its last.
//
//   nvrtc_compile [OPTION…] FILE.cu …
//
//   -I…                   as in the build
//   -p                    prints the units instead
//   -i 'float, 16'        the instance of a template; a comment in the file, `//
//   instance:
//                         float, 16`, says the same
//   -n 20                 20 random variants that the constraints allow, by a fixed seed,
//                         in place of those two; -n 0: all of them
//   -q                    for sm_90 and the first values alone
//   -a d=4096             the value of an argument, or of a template's constant, in
//                         constraints
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc/cc.h"
#include "front/lang/cuda/cuda.h"
#include "front/lang/language.h"

enum { SKIPPED = 77 };

typedef struct program *program;
static struct {
  int (*create)(program *, const char *, const char *, int, const char *const *,
                const char *const *);
  int (*compile)(program, int, const char *const *);
  int (*log_size)(program, size_t *);
  int (*log)(program, char *);
  int (*cubin_size)(program, size_t *);
  int (*destroy)(program *);
} nvrtc;

static bool load(void) {
  static const char *const names[] = { "/lib64/libnvrtc.so", "/lib64/libnvrtc.so.13",
                                       "/lib64/libnvrtc.so.12" };
  const char *path = getenv("CUDA_PATH");
  void *library = NULL;
  for (size_t i = 0; i < 3 && !library; i++)
    library =
        dlopen(arena_printf("%s%s", path ? path : "/usr/local/cuda", names[i]), RTLD_NOW);
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
  return nvrtc.create && nvrtc.compile && nvrtc.log_size && nvrtc.log &&
      nvrtc.cubin_size && nvrtc.destroy;
}

// The options of the command line.
static struct {
  const char *instance;
  bool sample, quick;
  unsigned n; // -n
  struct slice names[16], values[16];
  unsigned n_names; // -a
} given;

// Returns macros of K's instance, and of its params at POINT.
static struct text definitions(const struct source *s, const struct kernel *k,
                               const unsigned *point) {
  struct text t = { 0 };
  text_add(&t, "", 0);
  const char *line = strstr(s->text + k->main.end, "// instance:");
  const char *words = given.instance ? given.instance : line ? line + 12 : NULL;
  if (cxx_of(k)->n_params && words) {
    unsigned n;
    struct slice rest = { words, strcspn(words, "\n") };
    struct slice *values = slice_split(rest, &n);
    for (unsigned i = 0; i < n; i++)
      text_printf(&t, "#define AUTOTUNE_T%u %.*s\n", i, (int)values[i].size,
                  values[i].data);
  }
  for (unsigned i = 0; i < k->n_params; i++) {
    const struct param *p = &k->params[i];
    if (p->macro && p->n_values)
      text_printf(&t, "#define %s %s\n", p->macro, p->values[point[i]].define);
  }
  return t;
}

// ---- variants that exist ------------------------------------------------------------

struct arch {
  const char *name;
  struct {
    const char *name, *value;
  } numbers[8];
};
static const struct arch archs[] = {
  { "sm_80",
    { { "AUTOTUNE_SMEM_PER_BLOCK", "166912" },
      { "AUTOTUNE_SMEM_PER_SM", "167936" },
      { "AUTOTUNE_REGISTERS", "65536" },
      { "AUTOTUNE_SMS", "108" },
      { "AUTOTUNE_WARP", "32" },
      { "AUTOTUNE_MAX_THREADS", "1024" },
      { "AUTOTUNE_CC", "80" } } },
  { "sm_90a",
    { { "AUTOTUNE_SMEM_PER_BLOCK", "232448" },
      { "AUTOTUNE_SMEM_PER_SM", "233472" },
      { "AUTOTUNE_REGISTERS", "65536" },
      { "AUTOTUNE_SMS", "132" },
      { "AUTOTUNE_WARP", "32" },
      { "AUTOTUNE_MAX_THREADS", "1024" },
      { "AUTOTUNE_CC", "90" } } },
};

// Returns the constraint with numbers in place of the machine's names and the given
// names.
static struct expr *constraint_on(const struct kernel *k, struct slice text,
                                  const struct arch *a) {
  struct text out = { 0 };
  struct lexer l = lexer_of(text);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    struct slice word = t.text;
    for (unsigned i = 0; a->numbers[i].name; i++)
      if (slice_is(t.text, a->numbers[i].name))
        word = slice_of(a->numbers[i].value);
    for (unsigned i = 0; i < given.n_names; i++)
      if (given.names[i].size == t.text.size &&
          !memcmp(given.names[i].data, t.text.data, t.text.size))
        word = given.values[i];
    text_printf(&out, " %.*s", (int)word.size, word.data);
  }
  return expr_parse(k, (struct slice){ out.data, out.size });
}

static bool next(const struct kernel *k, unsigned *point) {
  for (unsigned i = k->n_params; i-- > 0; point[i] = 0)
    if (++point[i] < k->params[i].n_values)
      return true;
  return false;
}

// Stores points that the constraints allow: given.n at random (Vitter's algorithm R), or
// all. Returns their number.
static unsigned variants(const struct kernel *k, const struct arch *a, unsigned ***out) {
  unsigned seen = 0, n = 0, state = 1,
           *point = arena_alloc((k->n_params + 1) * sizeof *point);
  size_t size = (k->n_params + 1) * sizeof *point;
  struct expr **e = arena_alloc((k->n_constraints + 1) * sizeof *e);
  unsigned **list = NULL;
  for (unsigned i = 0; i < k->n_constraints; i++)
    e[i] = constraint_on(k, k->constraints[i], a);
  do {
    bool allowed = true;
    for (unsigned i = 0; i < k->n_constraints && allowed; i++) {
      struct number v = e[i] ? expr_value(e[i], k, point) : (struct number){ 0 };
      allowed = !v.known || number_true(v);
    }
    if (!allowed)
      continue;
    state = state * 1664525 + 1013904223;
    unsigned at = (state >> 8) % ++seen;
    if (!given.n || n < given.n)
      *GROW(list, n) = memcpy(arena_alloc(size), point, size);
    else if (at < given.n)
      memcpy(list[at], point, size);
  } while (next(k, point));
  *out = list;
  return n;
}

// Stores the point of all first values, and the point of all last values.
static unsigned corners(const struct kernel *k, unsigned ***out) {
  unsigned **list = NULL, n = 0;
  for (unsigned last = 0; last < (given.quick ? 1 : 2); last++) {
    unsigned *point = arena_alloc((k->n_params + 1) * sizeof *point);
    for (unsigned i = 0; i < k->n_params; i++)
      point[i] = last ? k->params[i].n_values - 1 : 0;
    *GROW(list, n) = point;
  }
  *out = list;
  return n;
}

static const char *values_of(const struct kernel *k, const unsigned *point) {
  struct text t = { 0 };
  text_add(&t, "", 0);
  for (unsigned i = 0; i < k->n_params; i++)
    text_printf(&t, " %s=%s", k->params[i].name, k->params[i].values[point[i]].text);
  return t.data;
}

// Adds the words of flags(…).
static void add_flags(const struct kernel *k, const unsigned *point,
                      const char ***options, unsigned *n) {
  for (unsigned i = 0; i < k->n_params; i++) {
    const char *p = k->params[i].values[point[i]].text;
    for (size_t size; k->params[i].kind == VALUE_FLAGS && *p; p += size) {
      p += strspn(p, " \"");
      size = strcspn(p, " \"");
      if (size)
        *GROW(*options, *n) = arena_copy(p, size);
    }
  }
}

static bool compile(const struct kernel *k, const unsigned *point, struct text text,
                    const struct cuda_unit *u, const char *arch) {
  program p;
  size_t size = 0, cubin = 0;
  const char **options = NULL;
  unsigned n = 0;
  for (unsigned i = 0; i < u->n_flags; i++)
    *GROW(options, n) = u->flags[i];
  add_flags(k, point, &options, &n);
  *GROW(options, n) = arena_printf("-arch=%s", arch);
  if (nvrtc.create(&p, text.data, "unit.cu", 0, NULL, NULL) != 0)
    return false;
  int result = nvrtc.compile(p, (int)n, options);
  nvrtc.log_size(p, &size);
  char *log = arena_alloc(size + 1);
  nvrtc.log(p, log);
  if (result == 0)
    nvrtc.cubin_size(p, &cubin);
  printf("%s: %s for %s:%s\n", cubin ? "good" : "bad ", k->main.name, arch,
         values_of(k, point));
  if (size > 1)
    printf("%s\n", log);
  nvrtc.destroy(&p);
  return cubin > 0 && size <= 1; // no warning either
}

static bool compile_unit(const struct source *s, const struct kernel *k,
                         const struct cuda_unit *u) {
  bool good = true;
  for (size_t a = given.quick ? 1 : 0; a < sizeof archs / sizeof *archs; a++) {
    unsigned **points,
        n = given.sample ? variants(k, &archs[a], &points) : corners(k, &points);
    for (unsigned i = 0; i < n; i++) {
      struct text text = definitions(s, k, points[i]);
      text_add(&text, u->text.data, u->text.size);
      good = compile(k, points[i], text, u, archs[a].name) && good;
    }
    printf("%u variants of %s for %s\n", n, k->main.name, archs[a].name);
    good = good && n > 0;
  }
  return good;
}

static bool file(const char *path, char **args, bool print) {
  struct compile_options o = cc_options(path, args);
  struct source *s = source_read(path);
  unsigned n_pragmas = 0, n_kernels = 0;
  if (!s)
    return fprintf(stderr, "%s: cannot be read\n", path), false;
  struct pragma *pragmas = pragma_all(s, &n_pragmas);
  s->args = o.args;
  source_parse(s, o.language);
  struct kernel *kernels = kernel_all(s, pragmas, n_pragmas, &n_kernels);
  bool good = diag_errors() == 0 && n_kernels > 0;
  for (unsigned i = 0; good && i < n_kernels; i++) {
    struct cuda_unit u =
        cuda_unit_build(s, kernels, n_kernels, &kernels[i], cuda_items(s, &o), &o);
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

static void add_number(char *word) {
  char *equals = strchr(word, '=');
  if (!equals || given.n_names == 16)
    fatal("-a NAME=NUMBER, 16 at most: %s", word);
  given.names[given.n_names] = (struct slice){ word, (size_t)(equals - word) };
  given.values[given.n_names++] = slice_of(equals + 1);
}

int main(int argc, char **argv) {
  bool print = false;
  int status = 0, c, n = 0;
  char **options = calloc((size_t)argc + 1, sizeof *options);
  while (options && (c = getopt(argc, argv, "pqi:n:a:I:D:")) != -1)
    switch (c) {
    case 'p':
      print = true;
      break;
    case 'q':
      given.quick = true;
      break;
    case 'i':
      given.instance = optarg;
      break;
    case 'n':
      given.sample = true;
      given.n = (unsigned)atoi(optarg);
      break;
    case 'a':
      add_number(optarg);
      break;
    case 'I':
    case 'D':
      options[n++] = arena_printf("-%c%s", c, optarg);
      break;
    default:
      return 2;
    }
  if (!options || (!print && !load())) {
    printf("no libnvrtc\n");
    return SKIPPED;
  }
  for (int i = optind; i < argc; i++)
    if (!file(argv[i], options, print)) {
      printf("FAILED: %s\n", argv[i]);
      status = 1;
    }
  free(options);
  return status;
}
