/* SPDX-License-Identifier: Apache-2.0 */
/* autotune.h: the public interface of libautotune.
 *
 * A program needs nothing of this: `autotune cc` and the pragmas are enough. Include it
 * to ask what was found, to tune again, to wait, or to receive the log.
 *
 * All functions may be called from any thread at any time, unless said otherwise. None
 * exits, aborts or prints. A string that is returned stays valid until the program ends,
 * unless said otherwise. `key` arguments are arrays of as many integers as the kernel has
 * key expressions
 * (`autotune check` lists them); NULL means the key that was used last.
 *
 * No header of the C library is included here, so that including this one before
 * `#define _GNU_SOURCE` or the like does no harm. */
#ifndef AUTOTUNE_H
#define AUTOTUNE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define AUTOTUNE_API __attribute__((visibility("default")))
#else
#define AUTOTUNE_API
#endif

/* ---- for programs ---------------------------------------------------------------- */

enum autotune_status {
  AUTOTUNE_OK = 0,
  AUTOTUNE_UNKNOWN_KERNEL,    /* no kernel of that name is in this process */
  AUTOTUNE_UNKNOWN_PARAMETER, /* the kernel has no parameter of that name */
  AUTOTUNE_NOT_TUNED,         /* nothing is known for that key on this machine */
  AUTOTUNE_NO_MEMORY,
  AUTOTUNE_NO_STORE, /* the folder of results cannot be used; see the log */
  AUTOTUNE_TIMEOUT,
  AUTOTUNE_INVALID /* an argument is out of range */
};

/* A short English text for a status. */
AUTOTUNE_API const char *autotune_status_text(enum autotune_status status);

/* "autotune 0.1.0". */
AUTOTUNE_API const char *autotune_version(void);

/* The best known value of PARAMETER of KERNEL for KEY on this machine, as it is spelled
 * in the variant ("64", "dynamic"), to use for other kernels. Looks in this process
 * first, then in the store. Never tunes. *VALUE is left alone unless AUTOTUNE_OK is
 * returned. */
AUTOTUNE_API enum autotune_status autotune_best(const char *kernel, const long long *key,
                                                const char *parameter,
                                                const char **value);

/* The same for an integer parameter. AUTOTUNE_INVALID when its value is not an integer.
 */
AUTOTUNE_API enum autotune_status autotune_best_int(const char *kernel,
                                                    const long long *key,
                                                    const char *parameter,
                                                    long long *value);

/* Forgets what is known of KERNEL for KEY (NULL: for all keys), in this process and in
 * the store, so that its next call tunes again. KERNEL NULL: all kernels of this process.
 * Calls that are running end with the variant they began with. */
AUTOTUNE_API enum autotune_status autotune_forget(const char *kernel,
                                                  const long long *key);

/* Waits until no kernel is being tuned in this process, at most SECONDS (negative: for
 * ever). AUTOTUNE_TIMEOUT when it was longer. */
AUTOTUNE_API enum autotune_status autotune_wait(double seconds);

/* Why KERNEL runs the variant it runs for KEY: one or more lines of English ("tuned: 3.1
 * x over the default in 48 variants, …", "default: called inside a parallel region", …).
 * The caller frees *TEXT with free(). */
AUTOTUNE_API enum autotune_status autotune_why(const char *kernel, const long long *key,
                                               char **text);

enum autotune_level { AUTOTUNE_ERROR, AUTOTUNE_WARN, AUTOTUNE_INFO, AUTOTUNE_DEBUG };

/* Called for each message up to the level of AUTOTUNE_LOG (default: warn), from any
 * thread but one at a time; MESSAGE has no newline and lives as long as the call. Must
 * not call a kernel. */
typedef void autotune_log_fn(enum autotune_level level, const char *message, void *data);

/* Sends messages to FN instead of standard error; NULL: to standard error again. */
AUTOTUNE_API void autotune_set_log(autotune_log_fn *fn, void *data);

/* ---- for translated files: what `autotune cc` writes uses this, programs do not ---- */

#define AUTOTUNE_ABI 2

typedef void (*autotune_fn)(void);

/* The machine as constraints see it. Bytes; 0: unknown. */
struct autotune_machine {
  long long l1d, l2,
      l3; /* AUTOTUNE_L1D, AUTOTUNE_L2, AUTOTUNE_L3: one core's, one core's, shared */
  long long line;    /* AUTOTUNE_LINE: of the cache */
  long long vector;  /* AUTOTUNE_VECTOR: the widest vector register */
  long long cores;   /* AUTOTUNE_CORES: physical, that this process may use */
  long long threads; /* AUTOTUNE_THREADS: logical, that this process may use */
  /* Of the device that a CUDA kernel is launched on; 0 for C kernels. */
  long long
      smem_per_block; /* AUTOTUNE_SMEM_PER_BLOCK: bytes, with the opt-in beyond 48 KiB */
  long long smem_per_sm; /* AUTOTUNE_SMEM_PER_SM: bytes */
  long long registers;   /* AUTOTUNE_REGISTERS: 32-bit, of a multiprocessor */
  long long sms;         /* AUTOTUNE_SMS: multiprocessors */
  long long warp;        /* AUTOTUNE_WARP: threads */
  long long max_threads; /* AUTOTUNE_MAX_THREADS: of a block */
  long long cc;          /* AUTOTUNE_CC: compute capability, 90 for 9.0 */
};

enum autotune_kind {
  AUTOTUNE_INT,    /* .i and .d hold the number */
  AUTOTUNE_REAL,   /* .d holds the number */
  AUTOTUNE_WORD,   /* an identifier, such as `dynamic`; .i is its number within the kernel
                    */
  AUTOTUNE_STRING, /* a string literal; the macro is defined to the literal, quotes
                      included */
  AUTOTUNE_TUPLE,  /* "(2,1)" */
  AUTOTUNE_CHOICE, /* structure: optional, permutation, alternative; .i is the macro's
                      value */
  AUTOTUNE_FLAGS,  /* compiler flags, blank-separated in .text; no macro */
  AUTOTUNE_COMPILER /* .text is "clang" or the name of an external compiler; no macro */
};

struct autotune_value {
  const char *text;   /* as reports show it */
  const char *define; /* what the macro is defined to; NULL for flags and compilers */
  long long i;
  double d;
};

/* One dimension of the space. */
struct autotune_param {
  const char
      *name; /* unique within the kernel: "MR", or "tile@12.1" for a set without a name */
  const char
      *macro; /* defined in front of the unit's text; NULL for flags and compilers */
  enum autotune_kind kind;
  int when; /* index of the parameter (always a lower one) whose value's .i must not be 0
               for this one to matter, or -1. Where it does not matter, only value 0
               exists */
  unsigned n_values;
  unsigned
      original; /* the value that the default variant has, or n_values where none has */
  const struct autotune_value *values;
};

/* Text that one compiler makes every variant from. It defines
 *   RET (*const autotune_entry)(ARGS…)
 * with external linkage: the address of the variant. */
struct autotune_unit {
  const char *compiler; /* "clang" (in process), or as spelled in compiler(…) */
  const char *text;     /* NUL-terminated */
  const char *const
      *flags; /* of the build, NULL-terminated: -std, -m*, -f*, -O*, no -D, -I, -W */
};

/* What the unit refers to and the program holds: non-constant globals, functions defined
 * in the file that are not copied into the unit. The unit declares them extern under
 * NAME. */
struct autotune_symbol {
  const char *name;
  const void *address;
  size_t size; /* of an object, in bytes; 0: a function, or not known */
};

/* A factor of the constraint for ranges of values in place of values, in postfix order:
 * what can be told before all of its parameters are known. */
enum autotune_op {
  AUTOTUNE_OP_PARAM,   /* INDEX: of the parameter */
  AUTOTUNE_OP_NUMBER,  /* NUMBER */
  AUTOTUNE_OP_LEAF,    /* INDEX: of what `leaves` computes */
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

/* One factor of the constraint: the parts of `constraint(a && b)` are two. */
struct autotune_condition {
  /* 0 where the variant does not exist. VALUES: one for each parameter; only those listed
   * are looked at. */
  int (*holds)(const struct autotune_value *const *values, void *const *args,
               const struct autotune_machine *machine);
  unsigned n_params;      /* 0: it depends on the arguments and the machine alone */
  const unsigned *params; /* indices, ascending */
  const char *text;       /* as written, for people; NULL: not known */
  unsigned n_steps;       /* 0: nothing can be told early */
  const struct autotune_step *steps;
  unsigned n_leaves; /* parts without parameters; with any, numbers below 0 may wrap */
  void (*leaves)(double *out, void *const *args, const struct autotune_machine *machine);
};

enum autotune_element {                 /* how to compare what a section holds */
                        AUTOTUNE_BYTES, /* exactly */
                        AUTOTUNE_F16,
                        AUTOTUNE_BF16,
                        AUTOTUNE_F32,
                        AUTOTUNE_F64,
                        AUTOTUNE_F80,
                        AUTOTUNE_F128,
                        /* Beside one of those, in `elements` of struct autotune_gpu
                           alone: the argument points to addresses of such. */
                        AUTOTUNE_ADDRESSES = 16,
                        AUTOTUNE_CONST_ADDRESSES =
                            32, /* through which nothing is written */
                        AUTOTUNE_DEEP_ADDRESSES = 64 /* of addresses again */
};
enum autotune_access { AUTOTUNE_IN = 1, AUTOTUNE_OUT = 2, AUTOTUNE_INOUT = 3 };

struct autotune_section {
  const char *name; /* "C[0:m*n]" */
  enum autotune_access access;
  enum autotune_element element; /* complex numbers: that of their parts */
  size_t element_size;           /* bytes of one element (of one part of a complex one) */
};

struct autotune_span {
  void *base;
  size_t bytes;
};

/* What `describe` computes of one call. */
struct autotune_call {
  struct autotune_span *spans; /* n_sections of them, the caller's */
  double flops, bytes;         /* 0: not declared */
};

enum autotune_verify {
  AUTOTUNE_VERIFY_DEFAULT,
  AUTOTUNE_VERIFY_TOLERANCE,
  AUTOTUNE_VERIFY_EXACT,
  AUTOTUNE_VERIFY_OFF
};

struct autotune_arg {
  const char *name;
  size_t size; /* bytes */
  int pointer; /* 1: a pointer (arrays and functions included) */
};

/* ---- CUDA kernels (autotune_cuda.h has what translated .cu files use besides) ---- */

struct autotune_dim3 {
  unsigned x, y, z;
};
struct autotune_launch {
  struct autotune_dim3 grid, block;
  size_t shared; /* bytes of dynamic shared memory */
  void *stream;  /* cudaStream_t, which is the driver's CUstream */
};

/* A __device__ or __constant__ variable that the unit refers to by address: it holds a
 * pointer named autotune_symbol_NAME. */
struct autotune_gpu_symbol {
  const char *name;
  /* Where it is on the current device, and its bytes: cudaGetSymbolAddress and
   * cudaGetSymbolSize. 0, or a cudaError_t. */
  int (*locate)(void **address, size_t *bytes);
  int written; /* 1: variants may write it (no __constant__) */
};

enum autotune_gpu_flags {
  AUTOTUNE_GPU_CEIL =
      1, /* grid(ceil): the kernel checks bounds, so the last block may be partial */
  AUTOTUNE_GPU_NO_ISOLATE = 2, /* isolate(off) */
  AUTOTUNE_GPU_NO_FLUSH =
      4,                    /* flush(off): the L2 cache stays as the run before left it */
  AUTOTUNE_GPU_EMULATED = 8 /* built by `autotune cc --emulate` */
};

struct autotune_gpu {
  unsigned flags;
  /* The default variant through the program's own runtime (cudaLaunchKernel); its
   * cudaError_t. */
  int (*launch)(const struct autotune_launch *asked, void *const *args);
  /* How a variant is launched where the program asked for ASKED. 0: not at all, as its
   * blocks do not divide the threads that were asked for. VALUES: one for each parameter.
   */
  int (*geometry)(const struct autotune_value *const *values, void *const *args,
                  const struct autotune_machine *machine,
                  const struct autotune_launch *asked, struct autotune_launch *out);
  const char *instance; /* lines in front of the unit's text: "#define AUTOTUNE_T0
                           float\n"; or "". NULL: a template argument has no name that the
                           unit could use (a closure) */
  unsigned n_symbols;
  const struct autotune_gpu_symbol *symbols;
  unsigned n_written; /* arguments that point to what is not const, or to addresses */
  const unsigned *written; /* their indices */
  const enum autotune_element
      *elements; /* what each of them points to; NULL: bytes, compared exactly */
};

/* Everything the translator knows of a kernel. Read-only. */
struct autotune_kernel {
  unsigned abi; /* AUTOTUNE_ABI */
  const char *name;
  const char *file; /* as given to the compiler */
  unsigned line;
  autotune_fn
      original; /* the default variant: the kernel as written, by the user's compiler */
  /* Calls FN with ARGS (addresses of the arguments) and writes what it returns to RET. */
  void (*invoke)(autotune_fn fn, void *const *args, void *ret);
  /* Sections, flops and bytes of one call. Never NULL. */
  void (*describe)(void *const *args, struct autotune_call *call);
  size_t ret_size; /* 0: void */
  enum autotune_element ret_element;
  unsigned n_args;
  const struct autotune_arg *args;
  unsigned n_keys;
  const char *const *keys; /* the expressions, as written */
  unsigned n_params;
  const struct autotune_param *params;
  unsigned n_sections;
  const struct autotune_section *sections;
  unsigned n_units;
  const struct autotune_unit
      *units; /* the first is "clang" unless compiler(…) leaves it out */
  unsigned n_symbols;
  const struct autotune_symbol *symbols;
  enum autotune_verify verify;
  double rtol, atol;  /* for AUTOTUNE_VERIFY_TOLERANCE; atol below 0: rtol times the root
                         mean  square of the expected values */
  const char *search; /* NULL: the default */
  double budget_seconds;    /* 0: the default */
  unsigned budget_variants; /* 0: the default */
  const char *mode;         /* NULL: the default */
  unsigned openmp;          /* 1: variants may use OpenMP */
  unsigned n_conditions;    /* a variant exists where all hold */
  const struct autotune_condition *conditions;
  double budget_fraction; /* of the time the program has spent in the kernel: 0.05; 0: the
                          default */
  double until;       /* stop when less improvement is expected: 0.02; 0: the default */
  const char *family; /* kernels of one family learn from each other; NULL: none */
  /* Bytes that the loops within the innermost tile touch, as far as subscripts tell;
   * NULL: there is no tile. */
  double (*footprint)(const struct autotune_value *const *values, void *const *args,
                      const struct autotune_machine *machine);
  const char *compiler; /* what made the default variant, as `autotune cc` was given it;
                           NULL: not known */
  /* Compiles alone to the kernel as written and the functions above, for calls that were
   * captured (struct autotune_replay); NULL: the kernel cannot be captured
   * (NOT_CAPTURED). */
  const char *replay;
  const char *not_captured; /* why there is no replay, for people; NULL */
  /* A CUDA kernel: `original` is a function that nobody calls, `invoke` is NULL, sections
   * and pointers are the device's, the last key is the device's ordinal and no part of
   * what is stored. NULL: C. */
  const struct autotune_gpu *gpu;
  unsigned inferred; /* 1: the sections are not the user's; they were inferred from
                        subscripts */
  unsigned reserved[5];
};

/* What autotune_entry points to in code that was made from a kernel's `replay`. */
struct autotune_replay {
  autotune_fn original;
  void (*invoke)(autotune_fn fn, void *const *args, void *ret);
  void (*describe)(void *const *args, struct autotune_call *call);
  int (*const *holds)(const struct autotune_value *const *values, void *const *args,
                      const struct autotune_machine *machine); /* of each condition */
  double (*footprint)(const struct autotune_value *const *values, void *const *args,
                      const struct autotune_machine *machine);
  void (*const *leaves)(double *out, void *const *args,
                        const struct autotune_machine *machine);
};

/* A variant installed for one key. Lives until its site is closed. */
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

/* A kernel's place in the program. Zero but for `kernel`. */
struct autotune_site {
  struct autotune_entry *hot; /* the entry used last; atomic */
  const struct autotune_kernel *kernel;
  void *state; /* the runtime's */
};

/* One call that goes through the runtime; on the caller's stack. */
struct autotune_call_state {
  void *node; /* NULL: nothing is to be told of the call's end */
  autotune_fn code;
  double began;
  const void *result; /* by the caller, in front of autotune_end: what the call returned;
                         NULL: void */
  void *capture;      /* the call is being captured (capture.c) */
  unsigned long long reserved[3];
};

/* Finds, tunes or refuses: returns what to call for this key, which is never NULL, and
 * sets site->hot where that will stay true. RET of the trials is thrown away. The caller
 * makes the call, and where STATE->node is set, says so by autotune_end; it need not
 * (longjmp, exit). */
AUTOTUNE_API autotune_fn autotune_begin(struct autotune_site *site, const long long *key,
                                        void *const *args,
                                        struct autotune_call_state *state);
AUTOTUNE_API void autotune_end(struct autotune_call_state *state);

/* Is this call of ENTRY one that the runtime wants to see? (Threads may race for the
 * count: that does no harm, and the runtime switches it off for entries that several
 * threads use.) */
static __inline__ int autotune_due(struct autotune_entry *entry) {
  unsigned left;
  if (__builtin_expect(__atomic_load_n(&entry->watch, __ATOMIC_RELAXED) == 0, 1))
    return 0;
  left = __atomic_load_n(&entry->left, __ATOMIC_RELAXED) - 1;
  __atomic_store_n(&entry->left, left, __ATOMIC_RELAXED);
  return left == 0;
}

/* A launch of a CUDA kernel, on the current device and thread, as ASKED: a tuned variant
 * is launched in its place with its own geometry on the same stream, tuning first where
 * that is due. 0: launched. AUTOTUNE_LAUNCH_DEFAULT: the caller is to launch the kernel
 * as written. Never synchronises but for tuning, and never while ASKED's stream is being
 * captured. */
#define AUTOTUNE_LAUNCH_DEFAULT (-1)
AUTOTUNE_API int autotune_launch_kernel(struct autotune_site *site, const long long *key,
                                        void *const *args,
                                        const struct autotune_launch *asked);

/* Called by a destructor of the translated file: its code is about to be unmapped. */
AUTOTUNE_API void autotune_site_close(struct autotune_site *site);

/* clang-format off */
#ifdef __cplusplus /* where g++ 14 speaks of options that are C's, whatever is ignored */
#define AUTOTUNE_GENERATED_C
#else
#define AUTOTUNE_GENERATED_C                                                                 \
  _Pragma("GCC diagnostic ignored \"-Wtraditional\"")                                        \
  _Pragma("GCC diagnostic ignored \"-Wc90-c99-compat\"")
#endif

/* Around what `autotune cc` wrote into a file: it is no business of the user's warnings. (A linemarker
 * that says "system header" would do, but gcc -Wpedantic refuses linemarkers.) */
#if defined(__clang__)
#define AUTOTUNE_GENERATED                                                                   \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Weverything\"")
#define AUTOTUNE_AS_WRITTEN _Pragma("clang diagnostic pop")
#else
#define AUTOTUNE_GENERATED                                                                   \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wpragmas\"")             \
  _Pragma("GCC diagnostic ignored \"-Wpedantic\"")                                           \
  _Pragma("GCC diagnostic ignored \"-Wconversion\"")                                         \
  _Pragma("GCC diagnostic ignored \"-Wsign-conversion\"")                                    \
  _Pragma("GCC diagnostic ignored \"-Wfloat-conversion\"")                                   \
  _Pragma("GCC diagnostic ignored \"-Warith-conversion\"")                                   \
  _Pragma("GCC diagnostic ignored \"-Wunused\"")                                             \
  _Pragma("GCC diagnostic ignored \"-Wunused-function\"")                                    \
  _Pragma("GCC diagnostic ignored \"-Wunused-parameter\"")                                   \
  _Pragma("GCC diagnostic ignored \"-Wunused-variable\"")                                    \
  _Pragma("GCC diagnostic ignored \"-Wunused-const-variable\"")                              \
  _Pragma("GCC diagnostic ignored \"-Wunused-but-set-parameter\"")                           \
  _Pragma("GCC diagnostic ignored \"-Wunused-local-typedefs\"")                              \
  _Pragma("GCC diagnostic ignored \"-Wmissing-prototypes\"")                                 \
  _Pragma("GCC diagnostic ignored \"-Wmissing-declarations\"")                               \
  _Pragma("GCC diagnostic ignored \"-Wredundant-decls\"")                                    \
  _Pragma("GCC diagnostic ignored \"-Wstrict-prototypes\"")                                  \
  _Pragma("GCC diagnostic ignored \"-Wnested-externs\"")                                     \
  _Pragma("GCC diagnostic ignored \"-Wshadow\"")                                             \
  _Pragma("GCC diagnostic ignored \"-Wcast-qual\"")                                          \
  _Pragma("GCC diagnostic ignored \"-Wcast-align\"")                                         \
  _Pragma("GCC diagnostic ignored \"-Wcast-function-type\"")                                 \
  _Pragma("GCC diagnostic ignored \"-Wbad-function-cast\"")                                  \
  _Pragma("GCC diagnostic ignored \"-Wwrite-strings\"")                                      \
  _Pragma("GCC diagnostic ignored \"-Wdiscarded-qualifiers\"")                               \
  _Pragma("GCC diagnostic ignored \"-Wincompatible-pointer-types\"")                         \
  _Pragma("GCC diagnostic ignored \"-Wdeclaration-after-statement\"")                        \
  _Pragma("GCC diagnostic ignored \"-Wvla\"")                                                \
  _Pragma("GCC diagnostic ignored \"-Woverlength-strings\"")                                 \
  _Pragma("GCC diagnostic ignored \"-Wlong-long\"")                                          \
  AUTOTUNE_GENERATED_C                                                                       \
  _Pragma("GCC diagnostic ignored \"-Wtraditional-conversion\"")                             \
  _Pragma("GCC diagnostic ignored \"-Wc99-c11-compat\"")                                     \
  _Pragma("GCC diagnostic ignored \"-Wc11-c2x-compat\"")                                     \
  _Pragma("GCC diagnostic ignored \"-Wfloat-equal\"")                                        \
  _Pragma("GCC diagnostic ignored \"-Waggregate-return\"")                                   \
  _Pragma("GCC diagnostic ignored \"-Winline\"")                                             \
  _Pragma("GCC diagnostic ignored \"-Wmissing-noreturn\"")                                   \
  _Pragma("GCC diagnostic ignored \"-Wsuggest-attribute=noreturn\"")                         \
  _Pragma("GCC diagnostic ignored \"-Wsuggest-attribute=const\"")                            \
  _Pragma("GCC diagnostic ignored \"-Wsuggest-attribute=pure\"")                             \
  _Pragma("GCC diagnostic ignored \"-Wsuggest-attribute=cold\"")                             \
  _Pragma("GCC diagnostic ignored \"-Wsuggest-attribute=malloc\"")                           \
  _Pragma("GCC diagnostic ignored \"-Wsuggest-attribute=format\"")                           \
  _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"")                         \
  _Pragma("GCC diagnostic ignored \"-Wtype-limits\"")                                        \
  _Pragma("GCC diagnostic ignored \"-Wsign-compare\"")                                       \
  _Pragma("GCC diagnostic ignored \"-Wdouble-promotion\"")                                   \
  _Pragma("GCC diagnostic ignored \"-Wunsafe-loop-optimizations\"")                          \
  _Pragma("GCC diagnostic ignored \"-Wnonnull-compare\"")                                    \
  _Pragma("GCC diagnostic ignored \"-Waddress\"")                                            \
  _Pragma("GCC diagnostic ignored \"-Wpadded\"")                                             \
  _Pragma("GCC diagnostic ignored \"-Wparentheses\"")                                        \
  _Pragma("GCC diagnostic ignored \"-Wlogical-op\"")                                         \
  _Pragma("GCC diagnostic ignored \"-Wattributes\"")                                         \
  _Pragma("GCC diagnostic ignored \"-Wnull-dereference\"")                                   \
  _Pragma("GCC diagnostic ignored \"-Wundef\"")
#define AUTOTUNE_AS_WRITTEN _Pragma("GCC diagnostic pop")
#endif
/* clang-format on */

/* The element of an expression's type. */
#if !defined(__cplusplus)
#define AUTOTUNE_ELEMENT(x)               \
  _Generic((x),                           \
      float: AUTOTUNE_F32,                \
      double: AUTOTUNE_F64,               \
      long double: AUTOTUNE_F80,          \
      float _Complex: AUTOTUNE_F32,       \
      double _Complex: AUTOTUNE_F64,      \
      long double _Complex: AUTOTUNE_F80, \
      default: AUTOTUNE_BYTES)
#define AUTOTUNE_ELEMENT_SIZE(x)           \
  _Generic((x),                            \
      float _Complex: sizeof(x) / 2,       \
      double _Complex: sizeof(x) / 2,      \
      long double _Complex: sizeof(x) / 2, \
      default: sizeof(x))
#endif

#ifdef __cplusplus
}
#endif
#endif
