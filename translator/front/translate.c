// SPDX-License-Identifier: Apache-2.0
// translate.c: the passes in order, and `autotune translate`.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bake/bake.h"
#include "cc/cc.h"
#include "front/lang/cuda/cuda.h"
#include "front/analysis/analysis.h"
#include "front/reach/unit.h"

// The build or a header gives P its default.
static void adopt_default(struct param *p, struct slice value) {
  value = slice_trim(value);
  p->original = 0;
  while (p->original < p->n_values && !slice_is(value, p->values[p->original].define))
    p->original++;
}

// -DNAME=VALUE, the last of them.
void adopt_options(struct kernel *k, const struct compile_options *o) {
  for (const char *const *a = o->args; a && *a; a++) {
    const char *d = "";
    if (strcmp(*a, "-D") == 0 && a[1])
      d = *++a;
    else if (strncmp(*a, "-D", 2) == 0)
      d = *a + 2;
    size_t n = strcspn(d, "=");
    for (unsigned i = 0; *d && i < k->n_params; i++)
      if (k->params[i].named && k->params[i].macro &&
          slice_is((struct slice){ d, n }, k->params[i].macro))
        adopt_default(&k->params[i], slice_of(d[n] ? d + n + 1 : "1"));
  }
}

// A header's `#define NAME value`.
void adopt_headers(struct kernel *k, const struct expansion *x) {
  for (unsigned i = 0; i < k->n_params; i++) {
    struct param *p = &k->params[i];
    if (!p->named || !p->macro)
      continue;
    for (const struct name *n = NULL;
         (n = expand_find(x, NAME_MACRO, slice_of(p->macro), n)) != NULL;) {
      const struct macro *m = &x->macros[n->index];
      const char *behind = m->name.data + m->name.size,
                 *end = m->text.data + m->text.size;
      if (m->undefined || m->ours)
        continue;
      adopt_default(p, (struct slice){ behind, (size_t)(end - behind) });
      break;
    }
  }
}

// Of how many pointers the declaration of A is made: 2 for `double **A` and `double
// *A[n]`.
static unsigned pointer_levels(const struct kernel_arg *a) {
  struct lexer l = lexer_of(a->text);
  unsigned stars = 0, brackets = 0, nested = 0;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    nested += slice_is(t.text, "(") ? 1u : 0;
    stars += slice_is(t.text, "*") && !nested;
    brackets += slice_is(t.text, "[");
  }
  return stars + (stars && brackets && !nested);
}

// Several rows that pointers point to are all over the memory, no one range of bytes; one
// is: `rows[i][0:n]`.
static void check_sections(const struct source *s, const struct kernel *k) {
  for (unsigned i = 0; i < k->n_sections; i++)
    for (unsigned j = 0; j < k->n_args; j++) {
      const struct section *c = &k->sections[i];
      const struct kernel_arg *a = &k->args[j];
      if (!a->name || !slice_is(c->base, a->name))
        continue;
      unsigned levels = pointer_levels(a), d = 0;
      while (d + 1 < levels && d + 1 < c->n_dims && !c->dims[d].length.size)
        d++;
      if (d + 1 < levels && d + 1 < c->n_dims)
        diag_error(s, c->offset, c->base.size, "let it be one block: `double (*A)[n]`",
                   "the section '%s' is no one block: '%s' points to pointers", c->name,
                   a->name);
    }
}

struct translation {
  struct source *s;
  const struct compile_options *o;
  struct pragma *pragmas;
  unsigned n_pragmas;
  struct kernel *kernels;
  unsigned n_kernels;
  struct unit **units; // of each kernel, of each of its compilers
  const char **compilers;
  struct expansion **expansions;
  unsigned n_compilers;
};

// For kernel K, which is the first that asks for COMPILER.
static struct expansion *expansion_for(struct translation *t, const struct kernel *k,
                                       const char *compiler) {
  for (unsigned i = 0; i < t->n_compilers; i++)
    if (strcmp(t->compilers[i], compiler) == 0)
      return t->expansions[i];
  unsigned n = t->n_compilers;
  struct expansion *x = expand_file(t->s, t->kernels, t->n_kernels, compiler, t->o);
  const struct pragma *p = k->main.pragma;
  bool own = strcmp(compiler, "clang") == 0;
  if (!x)
    diag_error(
        t->s, p->offset, p->end - p->offset,
        own ? "-I and -D of the build go behind `--` in `autotune check` and `translate`"
            : "is it installed? 'compiler' names those that make variants",
        "'%s' cannot preprocess this file", own ? t->o->clang : compiler);
  *GROW(t->compilers, t->n_compilers) = compiler;
  *GROW(t->expansions, n) = x;
  return x;
}

// An #if leaves K out of this build, rather than macros making another function of it.
static bool is_left_out(const struct translation *t, const struct kernel *k,
                        const struct expansion *x) {
  const struct item *other = expand_defined_at(x, &k->main);
  if (other)
    diag_error(t->s, k->main.name_at, strlen(k->main.name),
               "write the kernel's name and parentheses without a macro",
               "'%s' becomes a function called '%.*s'", k->main.name,
               (int)other->names[0].name.size, other->names[0].name.data);
  return !other;
}

// NULL: an #if leaves K out, or an error.
static struct unit *units_for(struct translation *t, struct kernel *k) {
  struct unit *units = arena_alloc(k->n_compilers * sizeof *units);
  for (unsigned i = 0; i < k->n_compilers; i++) {
    const struct expansion *x = expansion_for(t, k, k->compilers[i]);
    if (!x || !expand_function(x, &k->main)) {
      k->left_out = x && is_left_out(t, k, x);
      return NULL;
    }
    if (i == 0) {
      adopt_headers(k, x);
      adopt_options(k, t->o);
      expand_classify(x, k);
      classify_key(k);
      check_sections(t->s, k);
      sections_adopt(t->s, k, x);
      flags_check(t->s, k, t->o);
    }
    units[i] = unit_build(t->s, k, x, t->o);
  }
  return units;
}

// All that the file says, as written and as its compilers see it. False: something is
// wrong, and told.
static bool translate_understand(struct translation *t) {
  unsigned errors = diag_errors();
  t->pragmas = pragma_all(t->s, &t->n_pragmas);
  if (t->n_pragmas == 0)
    return diag_errors() == errors;
  source_parse(t->s);
  t->kernels = (t->s->cuda ? cuda_kernels : kernel_all)(t->s, t->pragmas, t->n_pragmas,
                                                        &t->n_kernels);
  if (diag_errors() != errors)
    return false;
  for (unsigned i = 0; i < t->n_kernels; i++)
    adopt_options(&t->kernels[i], t->o);
  if (t->s->cuda) { // a C compiler's view of the file is of no use
    const struct expansion *x =
        cuda_macros(t->s, t->kernels, t->n_kernels, cuda_items(t->s, t->o));
    for (unsigned i = 0; i < t->n_kernels; i++) {
      adopt_headers(&t->kernels[i], x);
      adopt_options(&t->kernels[i], t->o);
    }
    unsigned n_launches;
    cuda_launches(t->s, t->kernels, t->n_kernels, &n_launches);
    return diag_errors() == errors;
  }
  t->units = arena_alloc((t->n_kernels + 1) * sizeof *t->units);
  for (unsigned i = 0; i < t->n_kernels; i++)
    t->units[i] = units_for(t, &t->kernels[i]);
  return diag_errors() == errors;
}

const struct kernel *translate_kernels(struct source *s, const struct compile_options *o,
                                       unsigned *n) {
  struct translation t = { .s = s, .o = o };
  *n = translate_understand(&t) ? t.n_kernels : 0;
  return t.kernels;
}

// Winners of CUDA kernels are compiled for the device that is there.
static bool refuse_cuda(const struct source *s) {
  unsigned n;
  struct pragma *pragmas = pragma_all(s, &n);
  if (n)
    diag_error(s, pragmas[0].offset, pragmas[0].end - pragmas[0].offset,
               "ship wisdom, and run with AUTOTUNE_MODE=locked",
               "kernels of CUDA cannot be baked");
  return n == 0;
}

bool translate_source(struct source *s, const struct compile_options *o,
                      struct text *out) {
  unsigned errors = diag_errors();
  if (s->cuda && o->bake && !refuse_cuda(s))
    return false;
  if (s->cuda)
    return cuda_translate(s, o, o->emulate, out);
  struct translation t = { .s = s, .o = o };
  if (!translate_understand(&t))
    return false;
  if (o->bake && t.n_pragmas)
    bake_choose(s, t.kernels, t.n_kernels, t.units,
                t.n_compilers ? t.expansions[0] : NULL, o);
  if (diag_errors() != errors)
    return false;
  if (t.n_pragmas == 0)
    text_add(out, s->text, s->size);
  else
    emit_file(s, t.pragmas, t.n_pragmas, t.kernels, t.n_kernels,
              t.n_compilers ? t.expansions[0] : NULL, t.units, o, out);
  return true;
}

// As `autotune cc` sees it, whatever the compiler is; with #line, which all compilers
// know, for linemarkers.
static const struct cc_command *command_of(const char *path, char **args, bool cuda) {
  char **argv = NULL;
  unsigned n = 0;
  *GROW(argv, n) = cuda ? arena_copy("nvcc", 4) : arena_copy("cc", 2);
  while (*args)
    *GROW(argv, n) = *args++;
  *GROW(argv, n) = arena_copy(path, strlen(path));
  *GROW(argv, n) = NULL;
  struct cc_command *c = cc_command_read((int)n - 1, argv, false);
  c->pedantic = true;
  return c;
}

struct source *translate_read(const char *path, char **args, struct compile_options *o) {
  struct source *s = source_read(path);
  if (!s)
    fatal("%s: %s", path, strerror(errno));
  *o = translate_options(path, args);
  const char *slash = strrchr(path, '/');
  const char *folder = slash ? arena_copy(path, (size_t)(slash - path) + (slash == path))
                             : "";
  struct cc_headers *h = cc_headers_scan(command_of(path, args, o->cuda), path,
                                         (struct slice){ s->text, s->size }, folder);
  if (cc_headers_kernel(h)) {
    struct text whole = cc_headers_inline(h);
    s = source_of(path, whole.data, whole.size);
    o->args += h->conflict ? 2 : 0; // without the `-iquote` of the folder
  }
  s->cuda = o->cuda;
  return s;
}

struct compile_options translate_options(const char *path, char **args) {
  const char *slash = strrchr(path, '/');
  struct words all = { 0 };
  words_add(&all, "-iquote");
  words_add(&all,
            slash ? arena_copy(path, slash > path ? (size_t)(slash - path) : 1) : ".");
  bool cuda = cc_nvcc_words(path, args, &all);
  while (!cuda && *args)
    words_add(&all, *args++);
  const char *clang = getenv("AUTOTUNE_CLANG");
  return (struct compile_options){ .args = words_end(&all),
                                   .cuda = cuda,
                                   .clang = clang && *clang ? clang : AUTOTUNE_CLANG };
}

static bool write_stream(FILE *f, const struct text *out) {
  return fwrite(out->data ? out->data : "", 1, out->size, f) == out->size;
}

// A device, a pipe or a link is written to, never replaced: root could lose /dev/null.
static bool translate_is_replaceable(const char *path) {
  struct stat st;
  return lstat(path, &st) == 0 ? S_ISREG(st.st_mode) : errno == ENOENT;
}

// All or nothing: a reader of PATH never sees half of it.
int translate_write(const char *path, const struct text *out) {
  if (!path)
    return write_stream(stdout, out) && fflush(stdout) == 0 ? 0 : -1;
  bool replace = translate_is_replaceable(path);
  const char *to = replace ? arena_printf("%s.%ld.tmp", path, (long)getpid()) : path;
  FILE *f = fopen(to, "wb");
  if (!f)
    return -1;
  bool good = write_stream(f, out);
  good = fclose(f) == 0 && good;
  if (good && (!replace || rename(to, path) == 0))
    return 0;
  int error = errno;
  if (replace)
    unlink(to);
  errno = error;
  return -1;
}

static const char usage[] =
    "usage: autotune translate IN.c [-o OUT.c] [-- COMPILER ARGUMENTS]\n"
    "Writes IN.c as the compiler gets it from `autotune cc`, to OUT.c or standard output.\n";

int command_translate(int argc, char **argv) {
  const char *in = NULL, *path = NULL;
  int i = 1;
  for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "--help") == 0)
      return fputs(usage, stdout) < 0;
    if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
      path = argv[++i];
    else if (argv[i][0] != '-' && !in)
      in = argv[i];
    else
      return fprintf(stderr, "autotune translate: unexpected %s\n%s", argv[i], usage), 2;
  }
  if (!in)
    return fputs(usage, stderr), 2;
  struct compile_options o;
  struct source *s = translate_read(in, argv + (i < argc ? i + 1 : argc), &o);
  struct text out = { 0 };
  if (!translate_source(s, &o, &out))
    return 1;
  if (translate_write(path, &out) != 0)
    fatal("%s: %s", path ? path : "standard output", strerror(errno));
  return 0;
}
