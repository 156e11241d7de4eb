// SPDX-License-Identifier: Apache-2.0
// units_runtime.c: a runtime that tries every variant of a kernel at its first call, in
// the program itself, compiled without any header, and tells which of them disagrees with
// the default variant. libautotune-jit (-DUNITS_JIT=its path) makes the variants, and gcc
// those of units for gcc.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autotune_abi.h"
#include "compile/jit.h"

enum { MAX_PARAMS = 64, MAX_VARIANTS = 120 };

static const struct jit_api *jit(void)
{
  static const struct jit_api *api;
  if (!api) {
    void *library = dlopen(UNITS_JIT, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      fprintf(stderr, "units: %s\n", dlerror());
      exit(3);
    }
    const struct jit_api *(*entry)(void);
    *(void **)&entry = dlsym(library, JIT_ENTRY);
    api = entry();
  }
  return api;
}

// Loads LLVM before the first call; see csmith_driver.c.
void units_prepare(void)
{
  jit();
}

static const struct autotune_machine machine = { 32768, 1048576, 8388608, 64, 64, 2, 2 };

// Returns the text of a variant: its definitions, then the unit.
static char *variant_source(const struct autotune_kernel *k, const struct autotune_unit *u,
                            const struct autotune_value *const *values)
{
  size_t size = strlen(u->text) + 1;
  for (unsigned i = 0; i < k->n_params; i++)
    if (k->params[i].macro)
      size += strlen(k->params[i].macro) + strlen(values[i]->define) + 16;
  char *text = malloc(size), *p = text;
  for (unsigned i = 0; i < k->n_params; i++)
    if (k->params[i].macro)
      p += sprintf(p, "#define %s %s\n", k->params[i].macro, values[i]->define);
  strcpy(p, u->text);
  return text;
}

// Stores the flags: the build's, the variant's, and none for headers.
static unsigned variant_flags(const struct autotune_kernel *k, const struct autotune_unit *u,
                              const struct autotune_value *const *values, const char **flags)
{
  unsigned n = 0;
  flags[n++] = "-O1";
  flags[n++] = "-march=native";
  flags[n++] = "-nostdinc";
  flags[n++] = "-fPIC";
  flags[n++] = "-w";
  flags[n++] = "-ffp-contract=off"; // results are compared bit for bit
  if (k->openmp)
    flags[n++] = "-fopenmp";
  for (const char *const *f = u->flags; *f && n < 60; f++)
    flags[n++] = *f;
  for (unsigned i = 0; values && i < k->n_params; i++)
    if (k->params[i].kind == AUTOTUNE_FLAGS && *values[i]->text)
      flags[n++] = values[i]->text; // one flag in these tests
  flags[n] = NULL;
  return n;
}

// Compiles to an object file with gcc. Returns 0 or -1.
static int compile_outside(const char *compiler, const char *text, const char *const *flags,
                           void **object, size_t *size)
{
  char source[] = "/tmp/units-XXXXXX.c", command[4096];
  FILE *f = fdopen(mkstemps(source, 2), "w");
  fputs(text, f);
  fclose(f);
  char *p = command + sprintf(command, "%s -c -x c %s -o %s.o", compiler, source, source);
  for (; *flags; flags++)
    p += sprintf(p, " '%s'", *flags);
  int status = system(command);
  remove(source);
  sprintf(command, "%s.o", source);
  f = status == 0 ? fopen(command, "rb") : NULL;
  if (!f)
    return -1;
  *object = malloc(1 << 22);
  *size = fread(*object, 1, 1 << 22, f);
  fclose(f);
  remove(command);
  return 0;
}

static autotune_fn load(const struct autotune_kernel *k,
                        const struct autotune_value *const *values)
{
  const struct autotune_unit *u = &k->units[0];
  for (unsigned i = 0; i < k->n_params; i++)
    for (unsigned j = 0; k->params[i].kind == AUTOTUNE_COMPILER && j < k->n_units; j++)
      if (strcmp(k->units[j].compiler, values[i]->text) == 0)
        u = &k->units[j];
  const char *flags[64];
  char *message = NULL, *text = variant_source(k, u, values);
  void *object = NULL;
  size_t size = 0;
  variant_flags(k, u, values, flags);
  int bad = strcmp(u->compiler, "clang") == 0
                ? jit()->compile(text, flags, &object, &size, &message)
                : compile_outside(u->compiler, text, flags, &object, &size);
  struct jit_code *code = bad ? NULL
                              : jit()->load(object, size, k->symbols, k->n_symbols, &message);
  if (!code)
    fprintf(stderr, "units: %s does not %s: %s\n%s\n", k->name, bad ? "compile" : "load",
            message ? message : "", getenv("UNITS_TEXT") ? text : "");
  free(text);
  autotune_fn *entry = code ? jit()->symbol(code, "autotune_entry") : NULL;
  return entry ? *entry : NULL;
}

struct state {
  const struct autotune_kernel *k;
  void *const *args;
  unsigned n;
  struct autotune_span spans[32];
  char *before[32], *after[32];
  char ret[64];
  unsigned tried, wrong;
};

static void copy(const struct state *s, char *const *from, char *const *to)
{
  for (unsigned i = 0; i < s->n; i++)
    memcpy(to ? to[i] : s->spans[i].base, from ? from[i] : s->spans[i].base, s->spans[i].bytes);
}

static void run(struct state *s, const struct autotune_value *const *values)
{
  const struct autotune_kernel *k = s->k;
  char ret[64] = { 0 };
  for (unsigned i = 0; i < k->n_params; i++)
    if (k->params[i].when >= 0 && values[k->params[i].when]->i == 0 &&
        values[i] != &k->params[i].values[0])
      return;
  if (s->tried >= MAX_VARIANTS)
    return;
  for (unsigned i = 0; i < k->n_conditions; i++)
    if (!k->conditions[i].holds(values, s->args, &machine))
      return;
  s->tried++;
  autotune_fn fn = load(k, values);
  copy(s, s->before, NULL);
  if (fn)
    k->invoke(fn, s->args, ret);
  int wrong = !fn || memcmp(ret, s->ret, k->ret_size <= 64 ? k->ret_size : 0) != 0;
  for (unsigned i = 0; i < s->n; i++)
    wrong |= memcmp(s->spans[i].base, s->after[i], s->spans[i].bytes) != 0;
  s->wrong += (unsigned)wrong;
  for (unsigned i = 0; wrong && i < k->n_params; i++)
    fprintf(stderr, "units: %s: wrong with %s=%s\n", k->name, k->params[i].name,
            values[i]->text);
}

static void each(struct state *s, const struct autotune_value **values, unsigned param)
{
  if (param == s->k->n_params) {
    run(s, values);
    return;
  }
  for (unsigned i = 0; i < s->k->params[param].n_values; i++) {
    values[param] = &s->k->params[param].values[i];
    each(s, values, param + 1);
  }
}

// Makes the kernel again from its replay: it describes the call alike and computes the
// same.
static void replay(struct state *s)
{
  const struct autotune_kernel *k = s->k;
  const char *flags[64];
  char *message = NULL;
  void *object = NULL;
  size_t size = 0;
  if (!k->replay) {
    fprintf(stderr, "units: %s: no replay: %s\n", k->name, k->not_captured);
    return;
  }
  variant_flags(k, &(struct autotune_unit){ .flags = k->units[0].flags }, NULL, flags);
  struct jit_code *code = NULL;
  if (jit()->compile(k->replay, flags, &object, &size, &message) == 0)
    code = jit()->load(object, size, k->symbols, k->n_symbols, &message);
  if (!code)
    fprintf(stderr, "units: %s: no replay: %s\n%s\n", k->name, message ? message : "",
            getenv("UNITS_TEXT") ? k->replay : "");
  const struct autotune_replay **entry = code ? jit()->symbol(code, "autotune_entry") : NULL;
  struct autotune_span spans[32];
  struct autotune_call call = { .spans = spans };
  char ret[64] = { 0 };
  int wrong = !entry;
  if (entry) {
    (*entry)->describe(s->args, &call);
    copy(s, s->before, NULL);
    (*entry)->invoke((*entry)->original, s->args, ret);
    wrong = memcmp(ret, s->ret, k->ret_size <= 64 ? k->ret_size : 0) != 0;
  }
  for (unsigned i = 0; entry && i < s->n; i++)
    wrong |= spans[i].base != s->spans[i].base || spans[i].bytes != s->spans[i].bytes ||
             memcmp(s->spans[i].base, s->after[i], s->spans[i].bytes) != 0;
  if (wrong)
    fprintf(stderr, "units: %s: wrong from its replay\n", k->name);
  s->wrong += (unsigned)wrong;
}

// UNITS_PICK=N: compares nothing; calls run the variant with the N-th value of each
// parameter.
static autotune_fn pick(struct autotune_site *site, unsigned which)
{
  const struct autotune_kernel *k = site->kernel;
  const struct autotune_value *values[MAX_PARAMS];
  if (!site->state) {
    for (unsigned i = 0; i < k->n_params; i++)
      values[i] = &k->params[i].values[which % k->params[i].n_values];
    autotune_fn fn = load(k, values);
    if (!fn)
      exit(4);
    memcpy(&site->state, &fn, sizeof fn);
  }
  autotune_fn fn;
  memcpy(&fn, &site->state, sizeof fn);
  return fn;
}

autotune_fn autotune_begin(struct autotune_site *site, const long long *key, void *const *args,
                           struct autotune_call_state *state)
{
  state->node = NULL;
  const struct autotune_kernel *k = site->kernel;
  if (getenv("UNITS_PICK") && k->n_params <= MAX_PARAMS)
    return pick(site, (unsigned)atoi(getenv("UNITS_PICK")));
  struct state s = { .k = k, .args = args, .n = k->n_sections };
  struct autotune_call call = { .spans = s.spans };
  const struct autotune_value *values[MAX_PARAMS];
  (void)key;
  if (site->state || k->abi != AUTOTUNE_ABI || k->n_sections > 32 || k->n_params > MAX_PARAMS)
    return k->original;
  site->state = &s; // a kernel that calls itself gets the default
  k->describe(args, &call);
  for (unsigned i = 0; i < s.n; i++) {
    s.before[i] = malloc(s.spans[i].bytes + 1);
    s.after[i] = malloc(s.spans[i].bytes + 1);
  }
  copy(&s, NULL, s.before);
  k->invoke(k->original, args, s.ret);
  copy(&s, NULL, s.after);
  each(&s, values, 0);
  replay(&s);
  copy(&s, s.before, NULL);
  for (unsigned i = 0; i < s.n; i++) {
    free(s.before[i]);
    free(s.after[i]);
  }
  fprintf(stderr, "units: %s: %u variants, %u wrong, key of %u\n", k->name, s.tried, s.wrong,
          k->n_keys);
  if (s.wrong || !s.tried)
    exit(4);
  return k->original;
}

void autotune_end(struct autotune_call_state *state)
{
  (void)state;
}

void autotune_site_close(struct autotune_site *site)
{
  site->hot = NULL;
}
