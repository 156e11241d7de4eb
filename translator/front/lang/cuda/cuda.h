/* SPDX-License-Identifier: Apache-2.0 */
/* cuda.h: CUDA C++. docs/design.md explains the translation of a .cu file.
 *
 *   cuda.c        language_cuda: syntax beyond the grammar, the passes, `autotune check`
 *   front.c       kernels and params against the rest of the file; loop directives
 *   signature.c   the head of a __global__ function, __launch_bounds__
 *   choose.c      #ifs among the parameters
 *   clauses.c     block, grid, shared, isolate, flush
 *   prepare.c     prepare
 *   launches.c    k<<<…>>>(…) and cudaLaunchKernel, wherever they stand
 *   mentions.c    other mentions of a kernel
 *   pointers.c    launches through pointers and in macros
 *   include.c …   the file and its headers as one list of items (items.h)
 *   unit.c        the declarations that the kernel reaches, as text for NVRTC
 *   emit.c        the translated file
 *   emulate.c     turns a translated file into C++ for the CPU
 *
 * pragma/ and kernel/ are used unchanged, and the cutter of front/reach/ (cut.h). The
 * preprocessor is not run: it would decide the `#if`s on params, and unfold the headers
 * of the host's library. Kernels and launches are found in Tree-sitter's tree. */
#ifndef AUTOTUNE_CUDA_TRANSLATOR_H
#define AUTOTUNE_CUDA_TRANSLATOR_H

#include "front/lang/cxx/cxx.h"
#include "front/reach/cut.h"

/* ---- front.c, signature.c, clauses.c --------------------------------------------- */

/* A param of kind VALUE_TUPLE, "block", has the sizes of block(16x16, 32x8): text
 * "16x16", items x, y and z. Its macro is defined to the number of threads. Expressions
 * of block, grid or shared may use params, arguments and constants of the file. Those of
 * grid and shared may also use `blockDim`, the variant's block (struct autotune_dim3).
 * All of them may use `gridDim`, the requested grid. */

struct dims {
  struct slice of[3];
  unsigned n;
}; /* expressions, as written */

/* prepare(NAME = expression): the host makes the argument NAME of a variant. */
struct prepared {
  unsigned arg;            /* index of NAME */
  struct slice text, expr; /* both sides of the `=`; the expression alone */
  struct names words;      /* of the expression, and of the macros that it uses */
  char *made_of;           /* `text` and a line "NAME text" for each of those macros */
  bool
      unclear; /* the text of a macro is not known: it may use every param and argument */
};

/* The facts that only CUDA has of a kernel. */
struct cuda_kernel {
  struct cxx_function cxx; /* the first member: cxx_of(k) */
  struct slice bounds;     /* "__launch_bounds__(256, 2)", as written; empty: none */
  struct slice outside; /* "a::b" of `void a::b::k()`, defined outside of its namespace */
  struct slice *elsewhere;
  unsigned n_elsewhere; /* namespaces of other kernels of its name in the file */
  struct overload { /* another kernel of its name, without a pragma: perhaps in another
                       branch of an #if */
    size_t end;     /* of its declaration or definition */
    bool defined;
    struct kernel as; /* its template and its parameters alone */
  } *overloads;
  unsigned n_overloads;
  int block_param;   /* index of the param for block(16x16, 32x8): kind VALUE_TUPLE, text
                        "16x16", items x, y, z; -1: none */
  struct dims block; /* block(BX, BY): over params; n 0: none */
  struct dims grid;
  bool ceil;           /* grid(expr, …); grid(ceil) */
  struct slice shared; /* shared(expr); empty: as the launch requests */
  unsigned flags;      /* enum autotune_gpu_flags, except EMULATED */
  struct prepared *prepared;
  unsigned n_prepared;
  struct launch *launches;
  unsigned n_launches; /* its launches in this file: set by cuda_launches */
  bool addressed;      /* it may be launched through its address */
  bool untuned;        /* it is launched where that is not tuned, which was said */
};
static inline struct cuda_kernel *cuda_of(const struct kernel *k) {
  return k->own;
}
/* Appends the text of an `unroll` directive in a variant: `#pragma unroll` with the
 * param's factor, between #if and #endif lines if it is optional. Several lines, without
 * the last newline. */
void cuda_unroll(const struct kernel *k, const struct loop_directive *d,
                 struct text *out);

/* Opens the namespaces of a kernel that is defined outside of them, or closes them. */
void cuda_outside(const struct cuda_kernel *c, bool open, struct text *out);

/* Parts of language_cuda (language.h). */
void cuda_kernels_check(const struct source *s, struct kernel *kernels, unsigned n);
bool cuda_signature_read(const struct source *s, struct function *f, struct kernel *k);
extern const struct clause_reader cuda_clauses[];
void cuda_clauses_check(const struct source *s, struct kernel *k);
bool cuda_clauses_use(const struct kernel *k, const struct param *p);
/* Reads a clause prepare(NAME = expression, …). */
void cuda_prepare_read(const struct source *s, struct kernel *k, const struct clause *c);
/* Reports names that the expressions of prepare(…) cannot use. */
void cuda_prepare_check(const struct source *s, const struct kernel *k);
/* Adds the words of the macros that the expressions use to their words. */
void cuda_prepare_expand(const struct source *s, struct kernel *k,
                         const struct expansion *x);
/* True if the value of P may depend on NAME, a param or an argument. */
bool cuda_prepare_uses(const struct prepared *p, const char *name);
bool cuda_directives_check(const struct source *s, const struct pragma *pragmas,
                           unsigned n, const struct function *f);

/* ---- emulate.c ------------------------------------------------------------------- */

/* Like language.emulate and language.header_inline. */
void cuda_emulate(const char *path, const struct text *in, struct text *out);
bool cuda_header_inline(struct slice text, const char *const *kernels, bool emulate);

/* ---- choose.c -------------------------------------------------------------------- */

/* Makes branches of #ifs among the parameters of kernels blank that the compiler will
 * leave out. */
void cuda_choose(const struct source *s, char *copy);
/* Appends lines that make the compiler check that, for K. */
void cuda_choose_check(const struct source *s, const struct kernel *k, struct text *out);

/* ---- launches.c ------------------------------------------------------------------ */

struct launch {
  size_t start, end;          /* of the whole expression, without `;` */
  struct slice callee;        /* "k", "ns::k" */
  struct slice template_args; /* "float, 16" of k<float, 16>; empty: none written */
  bool runtime; /* cudaLaunchKernel((void *)k, grid, block, args, shared, stream) */
  struct slice config[4];
  unsigned n_config; /* grid, block, shared, stream */
  struct slice args; /* everything between the parentheses; if RUNTIME: the array */
  int kernel;        /* index of the annotated kernel; -1: another kernel, or unknown */
  struct slice word; /* if RUNTIME: "cudaLaunchKernel" */
};
/* A part of the source that is replaced, so that a launch finds its kernel by address. */
struct rewrite {
  size_t start, end;
  const char *text;
};
struct launches {
  struct launch *list;
  unsigned n;
  struct rewrite *rewrites;
  unsigned n_rewrites;
};
/* Returns every launch of the file, in order, nested ones too. Diagnoses launches of
 * annotated kernels that cannot be rewritten, and kernels that are not launched in their
 * file, because launches in other files are not tuned. */
struct launches cuda_launches(const struct source *s, const struct kernel *kernels,
                              unsigned n_kernels);

/* ---- include.c, unit.c ----------------------------------------------------------- */

/* Returns the declarations of S and of the user's headers, which replace their #include
 * (items.h). All kernels of the file use them, one after another. */
struct items;
struct items *cuda_items(const struct source *s, const struct compile_options *o);

struct cuda_unit {
  struct text text; /* docs/design.md lists its parts and their order */
  const char **flags;
  unsigned n_flags; /* for NVRTC: "-std=c++17", "--use_fast_math", "-I…" */
  bool unnamed;     /* the kernel is in an unnamed namespace, at any depth */
  struct cuda_symbol {
    const char *name;      /* the unit's pointer is autotune_symbol_NAME */
    const char *qualified; /* its name at file scope: "::a::NAME" */
    bool constant;         /* __constant__ */
  } *symbols;
  unsigned n_symbols;
};
struct cuda_unit cuda_unit_build(const struct source *s, const struct kernel *kernels,
                                 unsigned n_kernels, const struct kernel *k,
                                 struct items *items, const struct compile_options *o);

/* ---- trial.c --------------------------------------------------------------------- */

/* Adds U, the unit of K, to ALL, unless it is not known for which arguments K, a
 * template, is instantiated, or which variant the constraints allow. */
void cuda_trial(const struct source *s, const struct kernel *k, const struct cuda_unit *u,
                struct device_units *all);

/* ---- body.c ---------------------------------------------------------------------- */

/* True for attributes of the function that is launched, not of one that it calls. */
bool cuda_entry_attribute(struct slice word);

/* ---- emit.c ---------------------------------------------------------------------- */

/* Appends the translated .cu file to OUT. */
void cuda_emit(const struct source *s, const struct pragma *pragmas, unsigned n_pragmas,
               const struct kernel *kernels, unsigned n_kernels,
               const struct launches *launches, const struct items *items,
               const struct cuda_unit *units, const struct expansion *x,
               const struct compile_options *o, struct text *out);
/* Returns the macros of the file and of the user's headers, for constraints and for
 * defaults of params. */
struct expansion *cuda_macros(const struct source *s, const struct kernel *kernels,
                              unsigned n_kernels, const struct items *items);

#endif
