/* SPDX-License-Identifier: Apache-2.0 */
/* cc.h: inside `autotune cc`, grouped by file.
 *
 *   args.c      the command line of gcc and clang, by a table
 *   emulate.c   --emulate: nvcc's command line as one for the CPU
 *   nvcc.c      that of nvcc
 *   read.c      a file and its options, for other commands
 *   headers.c   what a source includes of the user's headers; and
 *   inline.c    those with kernels put inline
 *   source.c    one source: its translation, and the compiler's arguments for it
 *   depend.c    dependency files
 *   errors.c    what the compiler says of a translated file
 *   link.c      libautotune and the one OpenMP runtime
 *   cc.c        the plan: hand the command on, or what to run instead */
#ifndef AUTOTUNE_CC_H
#define AUTOTUNE_CC_H

#include "front/front.h"

/* ---- args.c ---------------------------------------------------------------------- */

enum cc_class {
  CC_OTHER, /* handed on to compilation and link alike: -g, -W, -v */
  CC_INPUT,
  CC_OUTPUT,     /* -o */
  CC_MODE,       /* -c, -S, -E, -fsyntax-only */
  CC_LANGUAGE,   /* -x */
  CC_PREPROCESS, /* -D, -I: the translator's preprocessing needs them, a link does not */
  CC_CODE,       /* -std=, -m, -f, -O: so do these, and a link too (LTO, sanitizers) */
  CC_OPENMP, /* -fopenmp, -fopenmp=…, -fno-openmp: as CC_CODE, but they choose a runtime
              */
  CC_DEPEND, /* -MD and the like: say that a dependency file is wanted, and where */
  CC_TARGET, /* -MT, -MQ, -MP: what is to be in it */
  CC_TEMPS,  /* -save-temps */
  CC_LINK,   /* -L, -l, -Wl,…: no compilation needs them */
  CC_HAND_ON /* --version, -###, -M: nothing is translated */
};

struct cc_arg {
  enum cc_class class;
  const char *option; /* as the table spells it: "-o"; an input has "" */
  const char
      *value; /* what follows it, in the same word or the next; "" where nothing does */
  const char *words[2]; /* as given; the second is NULL where there is one only */
};

enum cc_kind {
  CC_BINARY /* an object, a library, a linker script */,
  CC_C,
  CC_CUDA,
  CC_OTHER_SOURCE
};
struct cc_input {
  unsigned arg; /* index */
  const char *path;
  const char *language; /* of -x; NULL: by its name */
  enum cc_kind kind;
};

enum cc_mode {
  CC_MODE_LINK,
  CC_MODE_COMPILE,
  CC_MODE_ASSEMBLE /* -S */,
  CC_MODE_PREPROCESS,
  CC_MODE_SYNTAX
};

struct words {
  const char **list;
  unsigned n;
}; /* words_end before it is handed to execvp */
void words_add(struct words *w, const char *word);
void words_add_arg(struct words *w, const struct cc_arg *a);
const char *const *words_end(struct words *w); /* NULL-terminated */

struct cc_command {
  char **original;       /* from the compiler on, NULL-terminated: what is handed on */
  struct words compiler; /* "gcc", or "ccache" "gcc" */
  bool clang, nvcc;      /* as far as its name tells */
  bool cplusplus;        /* g++: .c is C++ to it */
  bool musl; /* musl-gcc, x86_64-linux-musl-gcc: what it links has another C library */
  struct cc_arg *args;
  unsigned n_args; /* after the compiler, @files read in */
  struct cc_input *inputs;
  unsigned n_inputs;
  unsigned n_sources; /* inputs that are to be compiled */
  unsigned dashes; /* index in args before which options must stand ("--"), or n_args */
  enum cc_mode mode;
  const char *output;      /* NULL: not given */
  bool emulate;            /* .cu files become C++ for the CPU */
  const struct bake *bake; /* winners are written in (bake/bake.h); NULL: none */
  bool hand_on, openmp, is_static, relocatable, pedantic;
  bool depend, depend_user; /* -MD or -MMD */
  const char *depend_file; /* of -MF, -MD or -Wp,-MD,…; NULL: the compiler's own choice */
  bool depend_raw;         /* by -Wp: gcc then does not think of -o */
  bool target;             /* -MT or -MQ */
};
/* Never fails: a command line that is not understood is one to hand on. */
struct cc_command *cc_command_read(int argc, char **argv, bool emulate);

/* ---- emulate.c ------------------------------------------------------------------- */

/* The command ARGV (*ARGC words, the compiler first) as one of CLANG for the CPU, which
 * cc_command_read is to read with EMULATE. */
char **cc_emulate_command(int *argc, char **argv, const char *clang);

/* ---- emulate_cuda.c -------------------------------------------------------------- */

/* IN, a .cu file at PATH as it was translated, for a C++ compiler and the emulator's
 * headers: its launches and dynamic shared memory, annotated or not. Lines stay where
 * they were. */
void cuda_emulate(const char *path, const struct text *in, struct text *out);

/* ---- nvcc.c ---------------------------------------------------------------------- */

/* Takes WORD apart, an option of nvcc, with NEXT behind it (NULL: nothing): A has WORD in
 * it. A->option is gcc's name of it where it has one. False: not known. */
bool cc_nvcc_option(const char *word, const char *next, struct cc_arg *a);
/* What struct compile_options' args are to be, in one spelling: -DX, -Ifolder,
 * -std=c++17, -use_fast_math. CUDA: for a .cu file; else for one that nvcc hands to the
 * host's C compiler, with what that is told. */
void cc_nvcc_translator_args(const struct cc_command *c, bool cuda, struct words *w);
/* The same from ARGS alone (NULL-terminated), for the file at PATH. False, and nothing
 * added: it is no .cu file, by its name or -x. */
bool cc_nvcc_words(const char *path, char **args, struct words *w);
/* WORD for the host's compiler, which preprocesses for both sides. */
void cc_nvcc_to_host(struct words *w, const char *word);

/* ---- read.c ---------------------------------------------------------------------- */

/* The options of the file at PATH, from what follows `--` (NULL-terminated), which for a
 * .cu file may be nvcc's. Sets `language`, by PATH or `-x cu`. */
struct compile_options cc_options(const char *path, char **args);
/* The file at PATH as `autotune cc` translates it, headers with kernels inline, and in *O
 * what cc_options makes of ARGS. Fatal where it cannot be read. */
struct source *cc_read(const char *path, char **args, struct compile_options *o);

/* ---- headers.c and inline.c ------------------------------------------------------ */

struct cc_header {    /* the source too: it is the first */
  const char *path;   /* as the compiler would show it */
  const char *folder; /* of it: what its quoted includes are looked for in first */
  struct slice text;
  uint64_t device, inode; /* so that each file is read once */
  bool mentions, kernel;  /* holds a pragma of ours itself; or by what it includes */
  bool once, guarded;     /* #pragma once; all in #ifndef X, #define X … #endif */
  bool active, done;      /* while putting it inline: inside it; was put there */
  struct cc_include {
    struct directive directive;
    struct slice name;
    bool quoted, next /* include_next */;
    unsigned target;  /* index of a header; 0: not one of the user's */
    const char *path; /* as found from here */
  } *includes;
  unsigned n_includes;
};
struct cc_headers { /* a source and all headers of the user's that it may include */
  struct cc_header **list;
  unsigned n;
  struct words quote, angle; /* folders of -iquote, and of -I */
  bool pedantic, clang;      /* as in struct cc_command */
  bool conflict; /* -iquote of the source's folder would lead another header astray */
};
/* TEXT is that of the source, FOLDER where its quoted includes are looked for first. */
struct cc_headers *cc_headers_scan(const struct cc_command *c, const char *path,
                                   struct slice text, const char *folder);
bool cc_headers_kernel(
    const struct cc_headers *h); /* is `#pragma autotune` anywhere in it? */
/* FOLDER/NAME as a compiler writes it. */
char *cc_join(const char *folder, struct slice name);
/* Are these the same file? */
bool cc_same_file(const char *a, const char *b);
/* The source's text with headers that hold kernels inline, between linemarkers. Where
 * h->conflict is set it names files of the source's folder absolutely, else -iquote of
 * that folder is to be given. */
struct text cc_headers_inline(struct cc_headers *h);

/* ---- source.c -------------------------------------------------------------------- */

struct cc_source { /* an input that is to be compiled */
  const struct cc_input *input;
  const char *shown;  /* path in messages and debug information: "<stdin>" for "-" */
  const char *folder; /* of it, "." where the path has none */
  bool translated;
  bool quote;       /* -iquote of the folder is needed; see cc_headers_inline */
  struct text text; /* the translated file */
  const char *
      file; /* what is compiled: the translated file, once written, or the input's path */
};
/* Clang 22's program: AUTOTUNE_CLANG's, else the one that was found when this was built.
 */
const char *cc_clang(void);
/* Reads and scans S->input; with a kernel in it, fills S->text. False: there were errors
 * (told). */
bool cc_source_translate(const struct cc_command *c, struct cc_source *s);
/* Writes the translated file to a folder of its own under its own name. */
void cc_source_write(struct cc_source *s);
/* Options that a compilation of the translated file needs besides the user's own. */
void cc_source_options(const struct cc_command *c, const struct cc_source *s,
                       struct words *w);
/* What the compiler printed for -E, as if it came from the user's file. */
struct text cc_source_unname(const struct cc_source *s, struct text printed);

/* ---- depend.c -------------------------------------------------------------------- */

/* Has the user's compiler write the dependency file of S from the user's own file. Its
 * exit status. */
int cc_depend_write(const struct cc_command *c, const struct cc_source *s);

/* ---- errors.c -------------------------------------------------------------------- */

/* Does a compiler on this terminal colour what it says? */
bool cc_errors_coloured(void);
/* A compiler's messages, in which the translated file of S has the name of the user's. */
struct text cc_errors_unname(const struct cc_source *s, struct text printed);
/* A failed compiler's messages without those about text of ours, unless there are no
 * others. */
struct text cc_errors_filter(struct text printed);

/* ---- link.c ---------------------------------------------------------------------- */

/* Does an object, archive or library on the command line refer to autotune_begin? */
bool cc_link_sites(const struct cc_command *c);
/* Adds what a link with sites needs, at its end. */
void cc_link_libraries(const struct cc_command *c, struct words *w);
/* Is an OpenMP runtime linked? */
bool cc_link_openmp(const struct cc_command *c);
/* True for an argument that names an OpenMP runtime which ours replaces. */
bool cc_link_replaces(const struct cc_arg *a);
/* The folders of the headers and libautotune.so: AUTOTUNE_HOME's, else those beside this
 * program. */
const char *cc_include_folder(void);
const char *cc_library_folder(void);

/* ---- cc.c ------------------------------------------------------------------------ */

/* Runs a compiler's command (too long a one from a file), says when it cannot be started.
 * Its status. */
int cc_run(const struct cc_command *c, struct words *command);

#endif
