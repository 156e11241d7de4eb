// SPDX-License-Identifier: Apache-2.0
// clauses.c: reads block, grid, shared, isolate, flush; checks flags(…) against NVRTC's
// options. prepare.c reads prepare.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "autotune_abi.h"
#include "cuda.h"

#define MAX_THREADS 1024 // of a block, on every device so far; z: 64
#define MAX_DEPTH 64

// ---- block --------------------------------------------------------------------------

// Reads up to three numbers of `16x16x2`; returns how many. 0: TEXT is not a size.
static unsigned read_size(struct slice text, unsigned long sizes[3]) {
  char *p = arena_copy(text.data, text.size);
  unsigned n = 0;
  sizes[0] = sizes[1] = sizes[2] = 1;
  while (n < 3 && isdigit((unsigned char)*p)) {
    sizes[n++] = strtoul(p, &p, 10);
    if (*p == '\0')
      return n;
    if (*p++ != 'x')
      return 0;
  }
  return 0;
}

static bool clauses_check_size(const struct source *s, const struct argument *a,
                               const unsigned long sizes[3]) {
  bool zero = sizes[0] == 0 || sizes[1] == 0 || sizes[2] == 0;
  bool large = sizes[0] > MAX_THREADS || sizes[1] > MAX_THREADS || sizes[2] > MAX_DEPTH;
  if (!zero && !large && sizes[0] * sizes[1] * sizes[2] <= MAX_THREADS)
    return true;
  diag_error(s, a->offset, a->text.size,
             zero ? NULL : "no device has blocks of more than 1024 threads, 64 in z",
             zero ? "a block of 0 threads" : "no block is as large as '%.*s'",
             (int)a->text.size, a->text.data);
  return false;
}

static struct value size_value(const struct argument *a, const unsigned long sizes[3]) {
  unsigned long threads = sizes[0] * sizes[1] * sizes[2];
  struct value v = { .offset = a->offset,
                     .text = arena_copy(a->text.data, a->text.size),
                     .define = arena_printf("%lu", threads),
                     .i = (long long)threads,
                     .d = (double)threads };
  for (unsigned i = 0; i < 3; i++) {
    char *text = arena_printf("%lu", sizes[i]);
    *GROW(v.items, v.n_items) =
        (struct value){ a->offset,        text, text, (long long)sizes[i],
                        (double)sizes[i], NULL, 0 };
  }
  return v;
}

static void read_sizes(const struct source *s, struct kernel *k, const struct clause *c) {
  struct param param = {
    .name = "block", .kind = VALUE_TUPLE, .when = -1, .offset = c->offset
  };
  for (unsigned i = 0; i < c->n_args; i++) {
    unsigned long sizes[3];
    if (!read_size(c->args[i].text, sizes))
      diag_error(
          s, c->args[i].offset, c->args[i].text.size,
          "write block(16x16, 32x8), block(128, 256), or names of params: block(BX, BY)",
          "'%.*s' is not a size of a block", (int)c->args[i].text.size,
          c->args[i].text.data);
    else if (clauses_check_size(s, &c->args[i], sizes))
      value_add(s, &param, size_value(&c->args[i], sizes), VALUE_TUPLE, false);
  }
  param.original = param.n_values; // the default is the block that the launch requests
  if (param.n_values && params_left(s, k, c->offset))
    cuda_of(k)->block_param = kernel_add_param(k, param);
}

// Reads up to three expressions.
static void clauses_read_dims(const struct source *s, const struct clause *c,
                              unsigned first, struct dims *d) {
  for (unsigned i = first; i < c->n_args; i++) {
    if (d->n == 3) {
      diag_error(s, c->args[i].offset, c->args[i].text.size, NULL,
                 "'%s' has three dimensions at most", c->name);
      return;
    }
    if (c->args[i].text.size)
      d->of[d->n++] = c->args[i].text;
  }
}

// True if TEXT computes with a name, as in 2 * BX.
static bool computes(struct slice text) {
  struct lexer l = lexer_of(text);
  bool name = false, sign = false;
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    name = name || t.kind == TOKEN_WORD;
    sign = sign || t.kind == TOKEN_PUNCTUATOR;
  }
  return name && sign;
}

// True if the arguments are expressions. Sizes begin with a digit; if any argument does
// not, all are expressions.
static bool is_expression(const struct clause *c) {
  for (unsigned i = 0; i < c->n_args; i++) {
    if (c->args[i].text.size && !isdigit((unsigned char)*c->args[i].text.data))
      return true;
    if (computes(c->args[i].text))
      return true;
  }
  return false;
}

static void read_block(const struct source *s, struct kernel *k, const struct clause *c) {
  if (is_expression(c))
    clauses_read_dims(s, c, 0, &cuda_of(k)->block);
  else
    read_sizes(s, k, c);
}

// ---- grid, shared -------------------------------------------------------------------

static void read_grid(const struct source *s, struct kernel *k, const struct clause *c) {
  unsigned first = c->n_args && slice_is(c->args[0].text, "ceil");
  cuda_of(k)->ceil = first;
  for (unsigned i = first; i < c->n_args; i++)
    if (slice_is(c->args[i].text, "ceil")) {
      diag_error(s, c->args[i].offset, c->args[i].text.size,
                 "write grid(ceil) or grid(ceil, x, y)",
                 "'ceil' is the first word of 'grid'");
      return;
    }
  clauses_read_dims(s, c, first, &cuda_of(k)->grid);
}

static void read_shared(const struct source *s, struct kernel *k,
                        const struct clause *c) {
  (void)s;
  if (c->n_args)
    cuda_of(k)->shared = c->args[0].text;
}

// ---- isolate, flush -----------------------------------------------------------------

static bool is_off(const struct source *s, const struct clause *c) {
  struct slice text = c->n_args ? c->args[0].text : slice_of("on");
  if (!slice_is(text, "on") && !slice_is(text, "off") && text.size)
    diag_error(s, c->args[0].offset, text.size,
               arena_printf("write %s(on) or %s(off)", c->name, c->name),
               "'%s' is on or off, not '%.*s'", c->name, (int)text.size, text.data);
  return slice_is(text, "off");
}

static void read_isolate(const struct source *s, struct kernel *k,
                         const struct clause *c) {
  if (is_off(s, c))
    cuda_of(k)->flags |= AUTOTUNE_GPU_NO_ISOLATE;
}

static void read_flush(const struct source *s, struct kernel *k, const struct clause *c) {
  if (is_off(s, c))
    cuda_of(k)->flags |= AUTOTUNE_GPU_NO_FLUSH;
}

const struct clause_reader cuda_clauses[] = {
  { "block", read_block },
  { "grid", read_grid },
  { "shared", read_shared },
  { "isolate", read_isolate },
  { "flush", read_flush },
  { "prepare", cuda_prepare_read },
  { NULL, NULL },
};

// ---- NVRTC's options ----------------------------------------------------------------

// NVRTC's options that change the code of a kernel.
static const char *const nvrtc_options[] = { "-gpu-architecture",
                                             "-arch",
                                             "-maxrregcount",
                                             "-use_fast_math",
                                             "-ftz",
                                             "-prec-sqrt",
                                             "-prec-div",
                                             "-fmad",
                                             "-dopt",
                                             "-extra-device-vectorization",
                                             "-Xptxas",
                                             "-ptxas-options",
                                             "-Ofast-compile",
                                             "-Ofc",
                                             "-restrict",
                                             "-default-device",
                                             "-modify-stack-limit",
                                             "-split-compile",
                                             "-lineinfo",
                                             "-G",
                                             "-device-debug",
                                             "-D",
                                             "-define-macro",
                                             "-U",
                                             "-undefine-macro",
                                             NULL };

// Returns the option that WORD names, with one dash in place of two and without its
// value; NULL: none.
static const char *option_of(struct slice word) {
  if (word.size > 1 && word.data[1] == '-')
    word.data++, word.size--;
  const char *equals = memchr(word.data, '=', word.size);
  struct slice name = { word.data, equals ? (size_t)(equals - word.data) : word.size };
  for (const char *const *o = nvrtc_options; *o; o++)
    if (slice_is(name, *o) ||
        (strlen(*o) == 2 && strchr("DU", (*o)[1]) && word.size > 2 &&
         memcmp(word.data, *o, 2) == 0))
      return *o;
  return NULL;
}

// True if NVRTC makes code of a device for the architecture TEXT: sm_90, sm_90a, sm_100f.
static bool clauses_is_architecture(struct slice text) {
  size_t n = 3;
  if (text.size < 4 || memcmp(text.data, "sm_", 3) != 0)
    return false;
  while (n < text.size && isdigit((unsigned char)text.data[n]))
    n++;
  return n > 3 && (n == text.size || (n + 1 == text.size && strchr("af", text.data[n])));
}

// Returns the word after P, which may be empty.
static struct slice clauses_word(const char *p) {
  p += strspn(p, " \t");
  return (struct slice){ p, strcspn(p, " \t") };
}

static void clauses_check_flags(const struct source *s, const struct value *v) {
  static const char *const taking[] = { "-gpu-architecture",
                                        "-arch",
                                        "-maxrregcount",
                                        "-Xptxas",
                                        "-ptxas-options",
                                        "-D",
                                        "-U",
                                        "-define-macro",
                                        "-undefine-macro",
                                        NULL };
  struct slice word = clauses_word(v->text);
  for (; word.size; word = clauses_word(word.data + word.size)) {
    const char *option = option_of(word);
    size_t at = v->offset + 1 + (size_t)(word.data - v->text);
    if (!option) {
      const char *meant = diag_meant(s, at, word.size, nearest(word, nvrtc_options));
      diag_error(
          s, at, word.size,
          meant ? meant
                : "flags of a CUDA kernel are NVRTC's, as in \"-maxrregcount=64\" or "
                  "\"--use_fast_math\"",
          "NVRTC has no option '%.*s' that changes a kernel's code", (int)word.size,
          word.data);
      return;
    }
    const char *equals = memchr(word.data, '=', word.size);
    struct slice value = { word.data + word.size, 0 };
    if (equals)
      value = (struct slice){ equals + 1, (size_t)(value.data - equals) - 1 };
    else if (slice_in(slice_of(option), taking) && word.size <= strlen(option) + 1)
      value = word = clauses_word(word.data + word.size); // the next word
    if (strstr(option, "arch") && !clauses_is_architecture(value)) {
      size_t end = v->offset + 1 + (size_t)(value.data + value.size - v->text);
      diag_error(
          s, at, end - at,
          "write the device's own, such as sm_90a; on other devices these variants "
          "are left out",
          "NVRTC makes code of a device for 'sm_90', 'sm_90a' and the like, not for "
          "'%.*s'",
          (int)value.size, value.data);
      return;
    }
  }
}

// ---- checks and the table of clauses ------------------------------------------------

static void check_dims(const struct source *s, const struct kernel *k,
                       const struct dims *d, unsigned uses, const char *what) {
  for (unsigned i = 0; i < d->n; i++)
    names_check(s, k, k->main.pragma, d->of[i], USE_PARAMS | USE_MACHINE | uses, what);
}

void cuda_clauses_check(const struct source *s, struct kernel *k) {
  const struct pragma *p = k->main.pragma;
  struct cuda_kernel *c = cuda_of(k);
  check_dims(s, k, &c->block, USE_GRID, "the block");
  check_dims(s, k, &c->grid, USE_GRID | USE_BLOCK | USE_CEIL, "the grid");
  names_check(s, k, p, c->shared, USE_PARAMS | USE_MACHINE | USE_GRID | USE_BLOCK,
              "shared memory");
  cuda_prepare_check(s, k);
  if (c->ceil)
    c->flags |= AUTOTUNE_GPU_CEIL;
  for (unsigned i = 0; i < p->n_clauses; i++)
    if (strcmp(p->clauses[i].name, "compiler") == 0)
      diag_error(s, p->clauses[i].offset, p->clauses[i].size, NULL,
                 "'compiler' is not for CUDA kernels: NVRTC makes their variants");
  for (unsigned i = 0; i < k->n_params; i++)
    for (unsigned j = 0; k->params[i].kind == VALUE_FLAGS && j < k->params[i].n_values;
         j++)
      clauses_check_flags(s, &k->params[i].values[j]);
}

bool cuda_clauses_use(const struct kernel *k, const struct param *p) {
  const struct cuda_kernel *c = cuda_of(k);
  bool used = lex_mentions(c->shared, slice_of(p->name));
  for (unsigned i = 0; i < c->block.n; i++)
    used = used || lex_mentions(c->block.of[i], slice_of(p->name));
  for (unsigned i = 0; i < c->grid.n; i++)
    used = used || lex_mentions(c->grid.of[i], slice_of(p->name));
  for (unsigned i = 0; i < c->n_prepared; i++)
    used = used || cuda_prepare_uses(&c->prepared[i], p->name);
  return used;
}
