/* SPDX-License-Identifier: Apache-2.0 */
/* autotune_abi.h: the interface between translated files and libautotune. Programs use
 * autotune.h instead.
 *
 * For each kernel `autotune cc` writes one struct autotune_kernel and one struct
 * autotune_site into the translated file, and replaces the kernel by a function that
 * looks at the site:
 *
 *   hot path    site->hot has this call's key: the function calls that entry's code
 *   slow path   autotune_begin returns the code to call; autotune_end takes the result
 *   gate        of a kernel that is tuned only when hot: without an entry most calls run
 *               the default at once, and a sample takes the slow path
 *   launches    of CUDA kernels go through autotune_launch_kernel (autotune_cuda.h)
 *
 * Everything except the site and its entries is constant, and lives as long as the
 * translated code. Layouts do not change while AUTOTUNE_ABI stays the same: additions
 * take the place of `reserved`, or stand at the end of struct autotune_kernel, whose
 * `size` says how much of it exists.
 *
 * Of the C library only stddef.h is included, so that a `#define _GNU_SOURCE` further
 * down in the file still has its effect. Macros of the user do no harm unless they are
 * named autotune_… or AUTOTUNE_…. The language is C89 with GNU's keywords, and C++11. */
#ifndef AUTOTUNE_ABI_H
#define AUTOTUNE_ABI_H

#include <stddef.h>

#include "autotune_text.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef AUTOTUNE_API
#if defined(__GNUC__)
#define AUTOTUNE_API __attribute__((__visibility__("default")))
#else
#define AUTOTUNE_API
#endif
#endif

/* 3 is 2 with the member `apart`: stubs of 2 look for overlap themselves, those of 3
 * leave it to the runtime. 4 is 3 with autotune_rows_apart and autotune_rows_rise. 5 is 4
 * with the member `prepared` of struct autotune_gpu. A runtime reads all
 * of these. */
#define AUTOTUNE_ABI 5
#define AUTOTUNE_ABI_OLDEST 2

/* Any function. It is cast back to its own type before it is called. */
typedef void (*autotune_fn)(void);

/* ---- the machine ----------------------------------------------------------------- */

/* The machine as constraints see it: the values of AUTOTUNE_L1D and so on. Sizes are
 * bytes; 0: not known. */
struct autotune_machine {
  long long l1d, l2; /* caches of one core */
  long long l3;      /* the cache that cores share */
  long long line;    /* of a cache */
  long long vector;  /* the widest vector register */
  long long cores;   /* physical cores that this process may use */
  long long threads; /* logical cores that this process may use */
  /* Of the device that a CUDA kernel is launched on; 0 for kernels in C. */
  long long smem_per_block; /* the limit for kernels that request more than 48 KiB */
  long long smem_per_sm;
  long long registers;   /* of 32 bits, of a multiprocessor */
  long long sms;         /* multiprocessors */
  long long warp;        /* threads of a warp */
  long long max_threads; /* of a block */
  long long cc;          /* compute capability: 90 for 9.0 */
};

/* ---- the space of variants ------------------------------------------------------- */

enum autotune_kind {
  AUTOTUNE_INT,     /* .i and .d are the number */
  AUTOTUNE_REAL,    /* .d is the number */
  AUTOTUNE_WORD,    /* an identifier, such as `dynamic`; .i: its number in the kernel */
  AUTOTUNE_STRING,  /* a string literal, whose quotes are part of .define */
  AUTOTUNE_TUPLE,   /* "(2,1)" */
  AUTOTUNE_CHOICE,  /* of structure: optional, permutation, alternative; .i: the macro's
                       value */
  AUTOTUNE_FLAGS,   /* of the compiler, with blanks between them; no macro */
  AUTOTUNE_COMPILER /* "clang" or the name of an external compiler; no macro */
};

struct autotune_value {
  const char *text;   /* as reports show it */
  const char *define; /* the macro's definition; NULL: there is no macro */
  long long i;
  double d;
};

/* One dimension of the space. */
struct autotune_param {
  const char *name; /* unique in the kernel: "MR"; "tile@12.1" for a set without a name */
  const char *macro; /* is defined before the unit's text; NULL: there is none */
  enum autotune_kind kind;
  /* The index of an earlier parameter, or -1. Where that parameter's .i is 0, this one
   * does not matter and has only its value 0. */
  int when;
  unsigned n_values;
  unsigned original; /* index of the default variant's value; n_values: it has none */
  const struct autotune_value *values;
};

/* The text from which one compiler makes all its variants. With external linkage it
 * defines RET (*const autotune_entry)(ARGS…), the address of the variant. */
struct autotune_unit {
  const char *compiler;     /* "clang" (in process), or as spelled in compiler(…) */
  const char *text;         /* ends with NUL */
  const char *const *flags; /* of the build: -std, -m*, -f*, -O*, no -D, -I, -W; then
                               NULL. With -xc++ the text is C++, otherwise C */
};

/* An object of the program that units refer to: a non-constant global, or a function of
 * the file that is not copied into the unit. The unit declares it extern under NAME. */
struct autotune_symbol {
  const char *name;
  const void *address;
  size_t size; /* of an object, in bytes; 0: a function, or not known */
};

/* ---- constraints ----------------------------------------------------------------- */

/* A step of a condition in postfix order, evaluated over ranges of values. It shows
 * before all parameters are chosen whether the condition can still hold. */
enum autotune_op {
  AUTOTUNE_OP_PARAM,   /* parameter INDEX */
  AUTOTUNE_OP_NUMBER,  /* NUMBER */
  AUTOTUNE_OP_LEAF,    /* number INDEX of those that `leaves` computes */
  AUTOTUNE_OP_UNKNOWN, /* anything */
  AUTOTUNE_OP_NEGATE,
  AUTOTUNE_OP_NOT,
  AUTOTUNE_OP_TO_INTEGER,
  AUTOTUNE_OP_MULTIPLY,
  AUTOTUNE_OP_DIVIDE,
  AUTOTUNE_OP_REMAINDER,
  AUTOTUNE_OP_ADD,
  AUTOTUNE_OP_SUBTRACT,
  AUTOTUNE_OP_LESS,
  AUTOTUNE_OP_AT_MOST,
  AUTOTUNE_OP_EQUAL,
  AUTOTUNE_OP_AND,
  AUTOTUNE_OP_OR,
  AUTOTUNE_OP_CHOOSE /* of three: a ? b : c */
};
struct autotune_step {
  enum autotune_op op;
  unsigned index;
  double number;
};

/* One factor of the constraint: `constraint(a && b)` has two. A variant exists where all
 * factors hold. */
struct autotune_condition {
  /* Returns 0 where the variant does not exist. VALUES has one element for each
   * parameter; only those in PARAMS are read. */
  int (*holds)(const struct autotune_value *const *values, void *const *args,
               const struct autotune_machine *machine);
  unsigned n_params; /* 0: the condition depends only on the arguments and the machine */
  const unsigned *params; /* indices, ascending */
  const char *text;       /* as written, for people; NULL: not known */
  unsigned n_steps;       /* 0: it cannot be evaluated early */
  const struct autotune_step *steps;
  unsigned n_leaves; /* parts without parameters; with any, numbers below 0 may wrap */
  void (*leaves)(double *out, void *const *args, const struct autotune_machine *machine);
};

/* ---- what a call reads and writes ------------------------------------------------ */

/* How elements are compared. Each of the last three is added to one of the others, only
 * in `elements` of struct autotune_gpu: the argument points to addresses of such
 * elements. */
enum autotune_element {
  AUTOTUNE_BYTES, /* compared exactly */
  AUTOTUNE_F16,
  AUTOTUNE_BF16,
  AUTOTUNE_F32,
  AUTOTUNE_F64,
  AUTOTUNE_F80,
  AUTOTUNE_F128,
  AUTOTUNE_SIGNED, /* an integer, compared exactly; its size says which */
  AUTOTUNE_UNSIGNED,
  AUTOTUNE_POINTER, /* its bytes are compared, not what it points to */
  AUTOTUNE_ADDRESSES = 16,
  AUTOTUNE_CONST_ADDRESSES = 32, /* through which nothing is written */
  AUTOTUNE_DEEP_ADDRESSES = 64   /* of addresses again */
};
enum autotune_access {
  AUTOTUNE_IN = 1,
  AUTOTUNE_OUT = 2,
  AUTOTUNE_INOUT = 3,
  AUTOTUNE_SCRATCH = 4 /* neither its old nor its new contents matter */
};

struct autotune_section {
  const char *name; /* "C[0:m*n]" */
  enum autotune_access access;
  enum autotune_element element; /* of complex numbers: their parts' */
  size_t element_size;           /* bytes of an element, or of a complex one's part */
};

/* COUNT objects, STRIDE bytes from one to the next. */
struct autotune_repeat {
  size_t count, stride;
};
/* Numbers of one meaning in an element: a field, and that of each struct in an array. */
struct autotune_leaf {
  const char *path; /* "[].z[].im": one [] for each of `repeats`, but none for the last of
                       a complex number, which counts its parts; "": the element. A union
                       of nothing but `float` is an array of them */
  enum autotune_element element;
  size_t offset, size;        /* bytes: of the first one in the element; of one */
  unsigned repeat, n_repeats; /* its part of `repeats`, the outermost first */
  const void *mask;           /* of SIZE bytes: the bits that count; NULL: all */
};
/* What an element consists of. Bytes in no leaf are padding and are not compared. */
struct autotune_layout {
  size_t size; /* bytes of an element */
  unsigned n_leaves;
  const struct autotune_leaf *leaves;
  unsigned n_repeats;
  const struct autotune_repeat *repeats; /* of all leaves */
};
#define AUTOTUNE_MOST_REPEATS 16 /* of a leaf */

struct autotune_span {
  void *base;
  size_t bytes;
};

/* The result of `describe` for one call. */
struct autotune_call {
  struct autotune_span *spans; /* n_sections elements, owned by the caller */
  double flops, bytes;         /* 0: not declared */
};

/* Collects the memory of sections whose rows are reached through pointers (`x[0:n][0:m]`
 * where x is `double **`). */
struct autotune_rows {
  /* Section SECTION has N dimensions, which begin at LOW and have COUNT indices. */
  void (*shape)(struct autotune_rows *rows, unsigned section, unsigned n,
                const long long *low, const long long *count);
  /* Adds the next BYTES bytes of SECTION. ADDRESSES not 0: they are no part of it, but
   * pointers that lead to it; they must not be read where 0 is returned. */
  int (*add)(struct autotune_rows *rows, unsigned section, const volatile void *base,
             size_t bytes, int addresses);
};
typedef void autotune_rows_fn(void *const *args, const void *result,
                              struct autotune_rows *rows);

enum autotune_verify {
  AUTOTUNE_VERIFY_DEFAULT,
  AUTOTUNE_VERIFY_TOLERANCE,
  AUTOTUNE_VERIFY_EXACT,
  AUTOTUNE_VERIFY_OFF
};

enum autotune_arg_kind {
  AUTOTUNE_ARG_OTHER,   /* or not known */
  AUTOTUNE_ARG_POINTER, /* arrays and functions are */
  AUTOTUNE_ARG_INTEGER,
  AUTOTUNE_ARG_REAL,      /* float or double */
  AUTOTUNE_ARG_TENSOR_MAP /* CUtensorMap: holds an address in a form of the driver's */
};
struct autotune_arg {
  const char *name;
  size_t size; /* bytes */
  int kind;    /* enum autotune_arg_kind */
};

/* ---- CUDA ------------------------------------------------------------------------ */

struct autotune_dim3 {
  unsigned x, y, z;
};
struct autotune_launch {
  struct autotune_dim3 grid, block;
  size_t shared; /* bytes of dynamic shared memory */
  void *stream;  /* cudaStream_t, which is the driver's CUstream */
};

/* A __device__ or __constant__ variable that the unit refers to by address: the unit has
 * a pointer named autotune_symbol_NAME. */
struct autotune_gpu_symbol {
  const char *name;
  /* Sets *ADDRESS to the variable's address on the current device and *BYTES to its size
   * (cudaGetSymbolAddress, cudaGetSymbolSize). Returns a cudaError_t. */
  int (*locate)(void **address, size_t *bytes);
  int written; /* 1: variants may write it (no __constant__) */
};

enum autotune_gpu_flags {
  AUTOTUNE_GPU_CEIL = 1,       /* grid(ceil): blocks may be partial, the kernel checks */
  AUTOTUNE_GPU_NO_ISOLATE = 2, /* isolate(off) */
  AUTOTUNE_GPU_NO_FLUSH = 4,   /* flush(off): the L2 cache is not emptied before a run */
  AUTOTUNE_GPU_EMULATED = 8    /* built by `autotune cc --emulate` */
};

/* An argument that the host makes for each variant: prepare(NAME = expression). */
struct autotune_prepared {
  unsigned arg;     /* its index */
  const char *text; /* "NAME = expression", as written, and a line for each macro in it */
  unsigned n_params;
  const unsigned *params; /* indices of the parameters that it depends on */
  unsigned n_args;
  const unsigned *args; /* indices of the arguments that it depends on */
  int compared; /* 1: every bit of its type counts, so that two values can be compared */
  /* Writes the argument to OUT, which has room for it at any alignment. VALUES has one
   * element for each parameter. Calls functions of the user's file. */
  void (*make)(const struct autotune_value *const *values, void *const *args,
               const struct autotune_machine *machine, void *out);
};

struct autotune_gpu {
  unsigned flags; /* enum autotune_gpu_flags */
  /* Launches the default variant through the program's own runtime (cudaLaunchKernel).
   * Returns the cudaError_t. */
  int (*launch)(const struct autotune_launch *asked, void *const *args);
  /* Sets *OUT, but its stream, to the launch of a variant where the program requests
   * ASKED. VALUES has one element for each parameter. Returns 0 where the variant cannot
   * be launched, for instance because its blocks do not divide the threads. */
  int (*geometry)(const struct autotune_value *const *values, void *const *args,
                  const struct autotune_machine *machine,
                  const struct autotune_launch *asked, struct autotune_launch *out);
  /* Lines before the unit's text: "#define AUTOTUNE_T0 float\n", or "". NULL: a template
   * argument, such as a closure, has no name that the unit could use. */
  const char *instance;
  unsigned n_symbols;
  const struct autotune_gpu_symbol *symbols;
  unsigned n_written; /* arguments that point to non-const objects, or to addresses */
  const unsigned *written;               /* their indices */
  const enum autotune_element *elements; /* element type of each; NULL: AUTOTUNE_BYTES */
  /* Since AUTOTUNE_ABI 5: arguments that variants get in place of the launch's. The
   * kernel as written gets the launch's. */
  unsigned n_prepared;
  const struct autotune_prepared *prepared;
};

/* ---- a kernel -------------------------------------------------------------------- */

/* Everything that the translator knows about a kernel. ARGS are the addresses of a call's
 * arguments. */
struct autotune_kernel {
  unsigned abi; /* AUTOTUNE_ABI */
  const char *name;
  const char *file; /* as given to the compiler */
  unsigned line;
  autotune_fn original; /* the default variant: as written, by the user's compiler */
  /* Calls FN with ARGS and writes its result to RET. */
  void (*invoke)(autotune_fn fn, void *const *args, void *ret);
  /* Computes sections, flops and bytes of a call. Never NULL. */
  void (*describe)(void *const *args, struct autotune_call *call);
  size_t ret_size; /* bytes; 0: void */
  enum autotune_element ret_element;
  unsigned n_args;
  const struct autotune_arg *args;
  unsigned n_keys;
  const char *const *keys; /* the expressions, as written */
  unsigned n_params;
  const struct autotune_param *params;
  unsigned n_sections;
  const struct autotune_section *sections;
  unsigned n_units; /* the first is "clang" unless compiler(…) leaves it out */
  const struct autotune_unit *units;
  unsigned n_symbols;
  const struct autotune_symbol *symbols;
  enum autotune_verify verify;
  /* For AUTOTUNE_VERIFY_TOLERANCE. ATOL below 0: it is measured. */
  double rtol, atol;
  const char *search;       /* NULL: the default */
  double budget_seconds;    /* 0: the default */
  unsigned budget_variants; /* 0: the default */
  const char *mode;         /* NULL: the default */
  unsigned openmp;          /* 1: variants may use OpenMP */
  unsigned n_conditions;
  const struct autotune_condition *conditions;
  double budget_fraction; /* as a fraction of the time that the program spends in the
                             kernel: 0.05; 0: the default */
  double until; /* tuning ends where less improvement is expected: 0.02; 0: the default */
  const char *family; /* kernels of one family learn from each other; NULL: none */
  /* Returns the bytes that the loops in the innermost tile touch, as far as subscripts
   * show. NULL: the kernel has no tile. */
  double (*footprint)(const struct autotune_value *const *values, void *const *args,
                      const struct autotune_machine *machine);
  const char *compiler; /* the compiler of the default variant, as `autotune cc` was given
                           it; NULL: not known */
  /* A text that compiles on its own to the kernel as written and the functions above, for
   * captured calls (struct autotune_replay). NULL: there is none, and NOT_CAPTURED is the
   * reason. */
  const char *replay;
  const char *not_captured; /* the reason, for people */
  /* The CUDA part of the kernel; NULL: the kernel is in C. In a CUDA kernel `original` is
   * never called, `invoke` is NULL, sections and pointers are the device's, and the last
   * key is the device's ordinal, which is not stored. */
  const struct autotune_gpu *gpu;
  unsigned inferred; /* 1: sections are inferred from subscripts */
  /* Bit I % 32 of element I / 32: symbol I is a static object to which only what the
   * kernel reaches refers, so that only its own calls can read it. */
  unsigned own_symbols[4];
  unsigned size; /* bytes of this struct; 0: it ends here */
  /* For each section what its elements consist of; NULL: numbers of `element`. The same
   * for the result. */
  const struct autotune_layout *const *layouts;
  const struct autotune_layout *ret_layout;
  /* Collects the memory of sections with rows, of which `describe` says nothing. RESULT:
   * NULL. The function itself is NULL where there are no such sections. */
  autotune_rows_fn *rows;
  int when_hot; /* 1: nothing is tuned until calls have taken long enough: proposed by
                   `autotune cc --auto`, not written by the user */
  struct autotune_gate *gate; /* with when_hot; NULL: each call asks the runtime */
  /* Returns 0 if sections overlap in a call, so that it may only run as written. Takes
   * time where sections have many rows. NULL: nothing is assumed of the sections. */
  int (*apart)(void *const *args);
  double until_roof; /* tuning ends where the best variant reaches this share of the roof,
                        0.8; 0: the default */
};

/* Lets one of many calls of a kernel through to the runtime, while no entry is for them.
 * Zero at first. */
struct autotune_gate {
  unsigned left; /* calls until the next one that goes through, with that one; 0: the next
                    one; AUTOTUNE_GATE_CLOSED: none does */
};
#define AUTOTUNE_GATE_CLOSED (~0u)

/* autotune_entry points to this in code made from a kernel's `replay`. The lists have one
 * element for each condition. */
struct autotune_replay {
  autotune_fn original;
  void (*invoke)(autotune_fn fn, void *const *args, void *ret);
  void (*describe)(void *const *args, struct autotune_call *call);
  int (*const *holds)(const struct autotune_value *const *values, void *const *args,
                      const struct autotune_machine *machine);
  double (*footprint)(const struct autotune_value *const *values, void *const *args,
                      const struct autotune_machine *machine);
  void (*const *leaves)(double *out, void *const *args,
                        const struct autotune_machine *machine);
  autotune_rows_fn *rows; /* exists where the kernel has the function */
};

/* ---- calls ----------------------------------------------------------------------- */

/* A variant that is installed for one key. Lives until its site is closed. */
struct autotune_entry {
  autotune_fn code;
  unsigned watch; /* not 0: LEFT counts down with each call, and at 0 a call is timed */
  unsigned left;
#ifdef __cplusplus
  long long key[1];
#else
  long long key[]; /* n_keys of them */
#endif
};

/* A kernel's site in the program: zero except for `kernel`. */
struct autotune_site {
  struct autotune_entry *hot; /* the entry used last; atomic */
  const struct autotune_kernel *kernel;
  void *state; /* the runtime's */
};

/* One call that goes through the runtime; on the caller's stack. */
struct autotune_call_state {
  void *node; /* NULL: autotune_end need not be called */
  autotune_fn code;
  double began;       /* seconds */
  const void *result; /* the call's result, set before autotune_end; NULL: void */
  void *capture;      /* the call is being captured (capture.c) */
  unsigned long long reserved[3];
};

/* Finds a variant for KEY, tunes, or refuses. Returns the code to call for this key,
 * never NULL, and sets site->hot where that code is final. Trials discard the kernel's
 * results. The caller makes the call and then, if STATE->node is set, calls autotune_end;
 * it may leave that out (longjmp, exit). From any thread. */
AUTOTUNE_API autotune_fn autotune_begin(struct autotune_site *site, const long long *key,
                                        void *const *args,
                                        struct autotune_call_state *state);
AUTOTUNE_API void autotune_end(struct autotune_call_state *state);

/* Launches a CUDA kernel on the current device for the calling thread: a tuned variant,
 * with its own geometry and on ASKED's stream, if there is one. Tunes first where that is
 * due. Returns 0: launched; AUTOTUNE_LAUNCH_DEFAULT: the caller must launch the kernel as
 * written. Synchronises only to tune, and not while ASKED's stream is being captured. */
#define AUTOTUNE_LAUNCH_DEFAULT (-1)
AUTOTUNE_API int autotune_launch_kernel(struct autotune_site *site, const long long *key,
                                        void *const *args,
                                        const struct autotune_launch *asked);

/* True if nothing that a call of KERNEL with ARGS writes overlaps another section, or the
 * pointers that lead to rows. Reads all these pointers. From any thread. */
AUTOTUNE_API int autotune_rows_apart(const struct autotune_kernel *kernel,
                                     void *const *args);
/* For walks over rows: tries to take the rows that COUNT pointers at POINTERS lead to all
 * at once. FIRST and BYTES are of the first row, as for `add`. Returns 0 if each of them
 * is to be added. */
AUTOTUNE_API int autotune_rows_rise(struct autotune_rows *rows, unsigned section,
                                    const void *pointers, long long count,
                                    const volatile void *first, size_t bytes);

/* Forgets SITE, because its code is about to be unmapped. Called by a destructor of the
 * translated file. */
AUTOTUNE_API void autotune_site_close(struct autotune_site *site);

#include "autotune_stub.h"

#ifdef __cplusplus
}
#endif
#endif
