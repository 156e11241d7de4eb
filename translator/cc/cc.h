/* SPDX-License-Identifier: Apache-2.0 */
/* cc.h: functions of `autotune cc`, grouped by file.
 *
 *   args.c           reads the command line of gcc and clang, by a table
 *   emulate.c        --emulate: turns nvcc's command line into one for the CPU
 *   nvcc.c           reads the command line of nvcc
 *   read.c           reads a file and its options for other commands
 *   headers.c        finds the headers of the user's that a source includes
 *   inline.c         puts headers that hold kernels inline
 *   source.c         translates one source; the compiler's arguments for it
 *   propose.c        --auto: the same with pragmas that are proposed
 *   names.c          the program under the names of compilers; `autotune auto`
 *   depend.c         dependency files
 *   errors.c         edits the compiler's messages about a translated file
 *   units.c          compiles the code of CUDA kernels once with NVRTC
 *   link.c           adds libautotune and the one OpenMP runtime to a link
 *   cc.c             decides which commands to run, and runs them */
#ifndef AUTOTUNE_CC_H
#define AUTOTUNE_CC_H

#include "front/include.h"
#include "front/kernel/kernel.h"

/* ---- args.c ---------------------------------------------------------------------- */

enum cc_class {
  CC_OTHER, /* passed on to both compilation and link: -g, -W, -v */
  CC_INPUT,
  CC_OUTPUT,     /* -o */
  CC_MODE,       /* -c, -S, -E, -fsyntax-only */
  CC_LANGUAGE,   /* -x */
  CC_PREPROCESS, /* -D, -I: needed by the translator's preprocessing, not by a link */
  CC_CODE,       /* -std=, -m, -f, -O: needed by both, and by a link (LTO, sanitizers) */
  CC_OPENMP, /* -fopenmp, -fopenmp=…, -fno-openmp: as CC_CODE; they choose a runtime */
  CC_DEPEND, /* -MD and the like: ask for a dependency file and may name it */
  CC_TARGET, /* -MT, -MQ, -MP: set what the dependency file contains */
  CC_TEMPS,  /* -save-temps */
  CC_LINK,   /* -L, -l, -Wl,…: not needed by a compilation */
  CC_HAND_ON /* --version, -###, -M: the command is passed on, nothing is translated */
};

struct cc_arg {
  enum cc_class class;
  const char *option; /* as the table spells it: "-o"; "" for an input */
  /* the option's value, from the same word or the next; "" if it has none */
  const char *value;
  const char *words[2]; /* as given; the second is NULL if there is only one */
};

enum cc_kind {
  CC_BINARY,  /* an object, a library, a linker script */
  CC_KERNELS, /* a source in a language that kernels are written in */
  CC_OTHER_SOURCE
};
struct cc_input {
  unsigned arg; /* in cc_command.args */
  const char *path;
  const char *language; /* from -x; NULL: derived from the file name */
  enum cc_kind kind;
  const struct language *written_in; /* of CC_KERNELS; else NULL */
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
}; /* call words_end before passing LIST to execvp */
void words_add(struct words *w, const char *word);
void words_add_arg(struct words *w, const struct cc_arg *a);
const char *const *words_end(struct words *w); /* NULL-terminated */

struct cc_command {
  char **original; /* the words from the compiler on, NULL-terminated, to run unchanged */
  struct words compiler; /* "gcc", or "ccache" "gcc" */
  bool clang, nvcc;      /* judged by the compiler's name */
  bool cplusplus;        /* g++: it compiles .c files as C++ */
  bool musl;             /* musl-gcc, x86_64-linux-musl-gcc: it links another C library */
  struct cc_arg *args;
  unsigned n_args; /* args after the compiler, with @files expanded */
  struct cc_input *inputs;
  unsigned n_inputs;
  unsigned n_sources; /* inputs that are to be compiled */
  /* index in args before which options must stand: that of "--", or n_args */
  unsigned dashes;
  enum cc_mode mode;
  const char *output; /* NULL: not given */
  bool emulate;       /* .cu files become C++ for the CPU */
  bool automatic;     /* files get the pragmas that `autotune suggest` proposes */
  bool fast_math;     /* these may reorder sums */
  bool exact;         /* these may not change a bit of a result */
  /* writes winners into the translated file (bake/bake.h); NULL: off */
  const struct bake *bake;
  bool hand_on, openmp, is_static, relocatable, pedantic;
  bool depend, depend_user; /* -MD or -MMD */
  const char *depend_file;  /* from -MF, -MD or -Wp,-MD,…; NULL: the compiler chooses */
  bool depend_raw;          /* given by -Wp: gcc then ignores -o for its name */
  bool target;              /* -MT or -MQ */
};
/* Never fails: it sets `hand_on` for a command line that it does not understand. */
struct cc_command *cc_command_read(int argc, char **argv, bool emulate);

/* ---- emulate.c ------------------------------------------------------------------- */

/* Returns the command ARGV (*ARGC words, the compiler first) rewritten for CLANG and the
 * CPU. Sets *ARGC. Pass the result to cc_command_read with EMULATE set. */
char **cc_emulate_command(int *argc, char **argv, const char *clang);

/* ---- nvcc.c ---------------------------------------------------------------------- */

/* Parses WORD, an option of nvcc; NEXT is the word after it, or NULL. A->words holds
 * WORD; A->option is gcc's name of the option if gcc has it. False: the option is
 * unknown. */
bool cc_nvcc_option(const char *word, const char *next, struct cc_arg *a);
/* Adds what WORD, an option of nvcc, becomes for Clang and the CPU. Returns the number of
 * words that it takes, 2 if NEXT is its value; 0: the option is unknown. Exits with a
 * message if the option needs a GPU. */
unsigned cc_nvcc_emulate(const char *word, const char *next, struct words *w);
/* Adds the arguments for compile_options.args of a source in language L, each in one
 * spelling: -DX, -Ifolder, -std=c++17, -use_fast_math. Where nvcc passes L to the host's
 * compiler, the options for that compiler are added too. */
void cc_nvcc_translator_args(const struct cc_command *c, const struct language *l,
                             struct words *w);
/* Adds WORD as an option for the host's compiler, which preprocesses for both host and
 * device. */
void cc_nvcc_to_host(struct words *w, const char *word);

/* ---- read.c ---------------------------------------------------------------------- */

/* Returns the options for the file at PATH from ARGS, the words after `--`
 * (NULL-terminated); for a .cu file these may be nvcc's. Sets `language` from PATH or `-x
 * cu`. No compiler that a source names may be run. */
struct compile_options cc_options(const char *path, char **args);
/* Returns the compilers that the user allows, for `run` of struct compile_options: NAMES
 * with commas between; NULL: none. */
const char *const *cc_run_only(const char *names);
/* A line for a table of options. */
#define SETTING_RUN(type, member)                                   \
  { "--run", SETTING_TEXT, "NAMES",                                 \
    "run these compilers where compiler(…) names them; otherwise\n" \
    "none is run, so that it is safe to read unknown sources",      \
    .at = offsetof(type, member) }
#define SETTING_COLOUR(type, member)                                \
  { "--color",                                                      \
    SETTING_WORD,                                                   \
    "WHEN",                                                         \
    "colours of messages: always, never, or auto: on a terminal,\n" \
    "if NO_COLOR, CLICOLOR and TERM allow it (the default)",        \
    .at = offsetof(type, member),                                   \
    .words = diag_colour_words }
/* Returns the file at PATH as `autotune cc` translates it, with headers that hold kernels
 * put inline, and sets *O as cc_options does. Exits with a message if the file cannot be
 * read. */
struct source *cc_read(const char *path, char **args, struct compile_options *o);

/* ---- headers.c and inline.c ------------------------------------------------------ */

struct cc_header {    /* includes the source, which is the first in the list */
  const char *path;   /* as the compiler would print it */
  const char *folder; /* of PATH: its quoted includes are searched here first */
  struct slice text;
  uint64_t device, inode; /* identify the file, so that each is read once */
  /* it holds a pragma of ours; it or a header that it includes does */
  bool mentions, kernel;
  enum include_once once; /* of a header with kernels */
  bool active, done; /* used by inline.c: its text is being put inline; was put inline */
  struct cc_include {
    struct directive directive;
    struct slice name;
    bool quoted, next /* include_next */;
    unsigned target;  /* index in cc_headers.list; 0: not a header of the user's */
    const char *path; /* the path under which TARGET was found */
  } *includes;
  unsigned n_includes;
};
struct cc_headers { /* a source and all of the user's headers that it may include */
  struct cc_header **list;
  unsigned n;
  struct include_folders folders; /* given by -iquote and by -I */
  bool pedantic, clang;           /* as in struct cc_command */
  bool conflict; /* -iquote of the source's folder would change what another header
                    includes */
};
/* Reads the headers of the source at PATH, written in L, recursively. TEXT: its text. */
struct cc_headers *cc_headers_scan(const struct cc_command *c, const char *path,
                                   struct slice text, const struct language *l);
/* True if `#pragma autotune` stands in the source or its headers. */
bool cc_headers_kernel(const struct cc_headers *h);
/* Returns the source's text with headers that hold kernels put inline, between
 * linemarkers. If h->conflict is set, files of the source's folder are named by absolute
 * paths; otherwise compile the text with -iquote of that folder. */
struct text cc_headers_inline(struct cc_headers *h);

/* ---- source.c -------------------------------------------------------------------- */

struct cc_source { /* an input that is to be compiled */
  const struct cc_input *input;
  const char *shown;  /* path in messages and debug information: "<stdin>" for "-" */
  const char *folder; /* of the input; "." if the path has none */
  bool translated;
  bool quote;       /* compile with -iquote of the folder; see cc_headers_inline */
  struct text text; /* the translated file */
  struct device_units units; /* of it, if they are to be tried */
  const char *const *args;   /* with which it was translated */
  const char *file; /* to compile: the translated file, once written, or the input */
  struct cc_source *plain; /* the same without proposed pragmas; NULL: it has none */
};
/* Returns the path of Clang 22: AUTOTUNE_CLANG, or the clang found when this was
 * built. */
const char *cc_clang(void);
/* Reads and scans S->input; if it holds a kernel, fills S->text and sets S->translated.
 * Returns false after errors, which were reported. */
bool cc_source_translate(const struct cc_command *c, struct cc_source *s);
/* Sets *WHOLE to the text to translate, the source with headers that hold kernels inline,
 * *O to the options for it, and *QUOTE as in struct cc_source. False: the compiler
 * reports that the source cannot be read. */
bool cc_source_whole(const struct cc_command *c, const struct cc_source *s,
                     struct text *whole, struct compile_options *o, bool *quote);
/* Writes S->text to a file of the same name in a new folder and sets S->file. */
void cc_source_write(struct cc_source *s);
/* Adds the options that compiling the translated file needs besides the user's own. */
void cc_source_options(const struct cc_command *c, const struct cc_source *s,
                       struct words *w);
/* Returns PRINTED, the output of -E, with the user's file name in place of the translated
 * file's. */
struct text cc_source_unname(const struct cc_source *s, struct text printed);

/* ---- propose.c ------------------------------------------------------------------- */

/* With --auto: translates S, which cc_source_translate has seen, with the pragmas that
 * are proposed for it, if there are any. */
void cc_source_propose(const struct cc_command *c, struct cc_source *s);
/* Makes S, whose compilation failed, the same without proposed pragmas. False: it had
 * none. */
bool cc_source_revert(struct cc_source *s);
/* Warns that S has no kernels, if that made it compile: STATUS is 0. Returns STATUS. */
int cc_source_reverted(const struct cc_source *s, int status);

/* ---- units.c --------------------------------------------------------------------- */

/* False: AUTOTUNE_BUILD_CHECK=off. */
bool cc_units_wanted(void);
/* Compiles U once with NVRTC, if it is there, for the newest architecture that ARGS name,
 * and warns of each unit that does not compile. */
void cc_units_try(const struct device_units *u, const char *const *args);

/* ---- names.c --------------------------------------------------------------------- */

/* Returns the compiler that the program was started as, "gcc" for "autotune-gcc" and for
 * "gcc" itself; NULL: it was started under its own name. */
const char *cc_name(const char *program);
/* Runs `autotune cc` with that compiler and the arguments of ARGV. */
int cc_run_as(const char *compiler, int argc, char **argv);
/* Removes the folder of names of compilers from PATH, so that "gcc" is gcc again. */
void cc_names_hide(void);

/* ---- depend.c -------------------------------------------------------------------- */

/* Runs the user's compiler on the user's own file to write the dependency file of S.
 * Returns the compiler's exit status. */
int cc_depend_write(const struct cc_command *c, const struct cc_source *s);

/* ---- errors.c -------------------------------------------------------------------- */

/* Gives our diagnostics colours as C's options say for the compiler's. */
void cc_errors_colour(const struct cc_command *c);
/* Returns PRINTED, a compiler's messages, with the user's file name in place of the
 * translated file's. */
struct text cc_errors_unname(const struct cc_source *s, struct text printed);
/* Returns a compiler's messages with the user's names of functions, and without those
 * that come twice because a kernel is compiled in two copies. If it FAILED, also without
 * those about generated text, unless there are no others. */
struct text cc_errors_filter(struct text printed, bool failed);

/* ---- link.c ---------------------------------------------------------------------- */

/* True if an object, archive or library on the command line refers to autotune_begin or
 * autotune_launch_kernel. */
bool cc_link_sites(const struct cc_command *c);
/* Appends the libraries and options that a link with tuned kernels needs. */
void cc_link_libraries(const struct cc_command *c, struct words *w);
/* True if the command links an OpenMP runtime. */
bool cc_link_openmp(const struct cc_command *c);
/* True if A names an OpenMP runtime which the linked one replaces. */
bool cc_link_replaces(const struct cc_arg *a);
/* Return the folders of the headers and of libautotune.so: those in AUTOTUNE_HOME, or
 * those next to this program. */
const char *cc_include_folder(void);
const char *cc_library_folder(void);
/* Returns the folder in which compilers' names are links to this program; NULL: it is
 * missing. */
const char *cc_names_folder(void);

/* ---- cc.c ------------------------------------------------------------------------ */

/* Runs a compiler's command and waits; passes the arguments in a file if they are too
 * long. Reports a command that cannot be started. Returns its exit status. */
int cc_run(const struct cc_command *c, struct words *command);

#endif
