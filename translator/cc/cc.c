// SPDX-License-Identifier: Apache-2.0
// cc.c: `autotune cc COMPILER ARGS…` does what `COMPILER ARGS…` does, with kernels
// translated.
//
//   no kernel, no site   the command replaces this process (exec), as it was given
//   one source           the same command with the translated file for the source
//   several sources      one compilation for each, and one link
//   -MD and the like     a run of their own on the user's file, afterwards
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bake/bake.h"
#include "cc.h"
#include "tools/common/command.h"

struct plan {
  const struct cc_command *c;
  struct cc_source *sources;
  unsigned n; // one for each input that is to be compiled
  // some source was translated; the linked program holds a tuned kernel
  bool translated, sites;
};

static int not_started(const char *program) {
  int error = errno;
  fprintf(stderr, "autotune: %s: %s%s\n", program, strerror(error),
          error == ENOENT && !strchr(program, '/')
              ? " in PATH: is that compiler installed?"
              : "");
  return error == ENOENT ? 127 : 126;
}

static int hand_on(const struct cc_command *c) {
  temp_remove();
  execvp(c->original[0], c->original);
  return not_started(c->original[0]);
}

// ---- running ------------------------------------------------------------------------

#define LONGEST \
  (96 * 1024) // bytes of arguments: Linux allows more, but the environment counts too

// Replaces all arguments after the compiler by @FILE if they are too long.
static void cc_shorten(const struct cc_command *c, struct words *w) {
  size_t size = 0;
  for (unsigned i = 0; i < w->n; i++)
    size += strlen(w->list[i]) + 1;
  if (size < LONGEST)
    return;
  struct text t = { 0 };
  for (unsigned i = c->compiler.n; i < w->n; i++) {
    text_add(&t, "\"", 1);
    for (const char *p = w->list[i]; *p; p++) {
      if (*p == '"' || *p == '\\')
        text_add(&t, "\\", 1);
      text_add(&t, p, 1);
    }
    text_add(&t, "\"\n", 2);
  }
  char *path = temp_path("arguments");
  file_write(path, t.data, t.size);
  w->n = c->compiler.n;
  if (c->nvcc)
    words_add(w, "--options-file");
  words_add(w, c->nvcc ? path : arena_printf("@%s", path));
}

static int cc_cc_run(const struct cc_command *c, struct words *w, struct text *out,
                     struct text *errors) {
  cc_shorten(c, w);
  const char *const *argv = words_end(w);
  int status = run_command(argv, out, errors);
  return status == 127 && errno ? not_started(argv[0]) : status;
}

int cc_run(const struct cc_command *c, struct words *w) {
  return cc_cc_run(c, w, NULL, NULL);
}

// Compiles a translated file. Reads the compiler's messages, to leave out those that come
// twice or that an error of the user's causes in generated text, and all of them where S
// is to be compiled once more without proposed pragmas.
static int run_translated(const struct cc_command *c, const struct cc_source *s,
                          struct words *w, struct text *out) {
  struct text errors = { 0 };
  int status = cc_cc_run(c, w, out, &errors);
  errors = cc_errors_unname(s, errors);
  if (status != 0 && s->plain)
    return status;
  errors = cc_errors_filter(errors, status != 0);
  fwrite(errors.data, 1, errors.size, stderr);
  return status;
}

// Runs -E. Writes the output to where the compiler would have, under the user's file
// name. Removes the output file after an error, as gcc does.
static int run_preprocess(const struct cc_command *c, const struct cc_source *s,
                          struct words *w) {
  struct text printed = { 0 };
  int status = s->translated ? run_translated(c, s, w, &printed)
                             : cc_cc_run(c, w, &printed, NULL);
  struct text out = cc_source_unname(s, printed);
  if (!c->output || strcmp(c->output, "-") == 0) {
    if (fwrite(out.data, 1, out.size, stdout) != out.size || fflush(stdout) != 0)
      fatal("standard output: %s", strerror(errno));
  } else if (status == 0) {
    file_write(c->output, out.data, out.size);
  }
  return status;
}

// ---- one command --------------------------------------------------------------------

// Returns the compiler, to which options are added.
static struct words cc_begin(const struct cc_command *c) {
  struct words w = { 0 };
  for (unsigned i = 0; i < c->compiler.n; i++)
    words_add(&w, c->compiler.list[i]);
  return w;
}

static struct cc_source *source_at(const struct plan *p, unsigned arg) {
  for (unsigned i = 0; i < p->n; i++)
    if (p->sources[i].input->arg == arg)
      return &p->sources[i];
  return NULL;
}

static bool cc_links(const struct plan *p) {
  return p->c->mode == CC_MODE_LINK && p->sites && !p->c->relocatable;
}

static bool left_out_of_whole(const struct plan *p, const struct cc_arg *a) {
  bool translated = p->n && p->sources[0].translated;
  if (translated && (a->class == CC_DEPEND || a->class == CC_TARGET))
    return true;
  if (translated && p->c->mode == CC_MODE_PREPROCESS && a->class == CC_OUTPUT)
    return true;
  return cc_links(p) && cc_link_replaces(a);
}

static void add_own_options(const struct plan *p, struct words *w) {
  const struct cc_command *c = p->c;
  if (p->n && p->sources[0].translated) {
    cc_source_options(c, &p->sources[0], w);
    bool named = c->output || c->mode == CC_MODE_LINK || c->mode >= CC_MODE_PREPROCESS;
    if (!named && strcmp(p->sources[0].input->path, "-") == 0) { // so do both compilers
      words_add(w, "-o");
      words_add(w, c->mode == CC_MODE_COMPILE ? "-.o" : "-.s");
    }
  }
}

static int run_again(const struct plan *p);

// Runs the user's command. It has at most one source, which is replaced by its
// translation.
static int run_whole(const struct plan *p) {
  const struct cc_command *c = p->c;
  struct words w = cc_begin(c);
  for (unsigned i = 0; i < c->n_args; i++) {
    struct cc_source *s = source_at(p, i);
    if (i == c->dashes)
      add_own_options(p, &w);
    if (s)
      words_add(&w, s->file);
    else if (!left_out_of_whole(p, &c->args[i]))
      words_add_arg(&w, &c->args[i]);
  }
  if (c->dashes == c->n_args)
    add_own_options(p, &w);
  if (cc_links(p))
    cc_link_libraries(c, &w);
  if (!p->n || !p->sources[0].translated)
    return cc_run(c, &w);
  int status = c->mode == CC_MODE_PREPROCESS
      ? run_preprocess(c, &p->sources[0], &w)
      : run_translated(c, &p->sources[0], &w, NULL);
  if (status != 0 && cc_source_revert(&p->sources[0]))
    return cc_source_reverted(&p->sources[0], run_again(p));
  return status == 0 && c->depend ? cc_depend_write(c, &p->sources[0]) : status;
}

// As hand_on, but returns to say what became of it.
static int run_original(const struct cc_command *c) {
  int status = run_command((const char *const *)c->original, NULL, NULL);
  return status == 127 && errno ? not_started(c->original[0]) : status;
}

// Runs the user's command once more after its source was reverted.
static int run_again(const struct plan *p) {
  const struct cc_command *c = p->c;
  struct plan again = *p;
  again.translated = p->sources[0].translated;
  again.sites = c->mode == CC_MODE_LINK && (again.translated || cc_link_sites(c));
  return again.translated || cc_links(&again) ? run_whole(&again) : run_original(c);
}

// ---- a command for each source ------------------------------------------------------

static int cc_compile(const struct cc_command *c, struct cc_source *s,
                      const char *object) {
  struct words w = cc_begin(c);
  for (unsigned i = 0; i < c->n_args; i++)
    switch (c->args[i].class) {
    case CC_OTHER:
    case CC_MODE:
    case CC_PREPROCESS:
    case CC_CODE:
    case CC_OPENMP:
    case CC_TEMPS:
      if (i != c->dashes)
        words_add_arg(&w, &c->args[i]);
      break;
    default:
      break;
    }
  if (c->clang)
    words_add(&w, "-Qunused-arguments"); // options that only the link needs
  if (s->translated)
    cc_source_options(c, s, &w);
  if (object) {
    words_add(&w, "-c");
    words_add(&w, "-o");
    words_add(&w, object);
  }
  if (s->input->language || !c->nvcc) {
    words_add(&w, "-x");
    words_add(&w, s->input->language ? s->input->language : "none");
  }
  words_add(&w, s->file);
  int status = c->mode == CC_MODE_PREPROCESS ? run_preprocess(c, s, &w)
      : s->translated                        ? run_translated(c, s, &w, NULL)
                                             : cc_run(c, &w);
  if (status != 0 && cc_source_revert(s))
    return cc_source_reverted(s, cc_compile(c, s, object));
  return status == 0 && c->depend ? cc_depend_write(c, s) : status;
}

static int link_objects(const struct plan *p, char *const *objects) {
  const struct cc_command *c = p->c;
  struct words w = cc_begin(c);
  for (unsigned i = 0; i < c->n_args; i++) {
    const struct cc_arg *a = &c->args[i];
    const struct cc_source *s = source_at(p, i);
    bool wanted = a->class == CC_OTHER || a->class == CC_CODE || a->class == CC_OPENMP ||
        a->class == CC_LINK || a->class == CC_INPUT || a->class == CC_OUTPUT;
    if (s)
      words_add(&w, objects[s - p->sources]);
    else if (wanted && i != c->dashes && !(cc_links(p) && cc_link_replaces(a)))
      words_add_arg(&w, a);
  }
  if (c->clang)
    words_add(&w, "-Qunused-arguments");
  if (cc_links(p))
    cc_link_libraries(c, &w);
  return cc_run(c, &w);
}

// Runs a command for each source, then the link. Continues after an error as the compiler
// does, but then does not link.
static int run_each(const struct plan *p) {
  const struct cc_command *c = p->c;
  char **objects = arena_alloc(p->n * sizeof *objects);
  int failed = 0;
  for (unsigned i = 0; i < p->n; i++) {
    if (c->mode == CC_MODE_LINK)
      objects[i] = temp_path(arena_printf("%u.o", i));
    int status = cc_compile(c, &p->sources[i], objects[i]);
    failed = failed ? failed : status;
  }
  return failed || c->mode != CC_MODE_LINK ? failed : link_objects(p, objects);
}

// ---- the plan -----------------------------------------------------------------------

// Translates all sources before running anything, so that an error leaves all files
// unchanged.
static bool translate_all(struct plan *p) {
  const struct cc_command *c = p->c;
  bool ok = true;
  p->sources = arena_alloc((c->n_sources + 1) * sizeof *p->sources);
  for (unsigned i = 0; i < c->n_inputs; i++) {
    if (c->inputs[i].kind == CC_BINARY)
      continue;
    struct cc_source *s = &p->sources[p->n++];
    s->input = &c->inputs[i];
    s->file = s->shown = s->input->path;
    if (s->input->kind == CC_KERNELS)
      ok &= cc_source_translate(c, s);
    if (s->input->kind == CC_KERNELS && ok)
      cc_source_propose(c, s);
    p->translated |= s->translated;
  }
  return ok;
}

static int run_plan(struct plan *p) {
  const struct cc_command *c = p->c;
  for (unsigned i = 0; i < p->n; i++)
    if (p->sources[i].translated)
      cc_source_write(&p->sources[i]);
  bool two_openmp = cc_links(p) && p->n &&
      cc_link_openmp(c); // then compiling and linking take different options
  int status = p->n > 1 || two_openmp ? run_each(p) : run_whole(p);
  for (unsigned i = 0; i < p->n && status == 0; i++) // else the compiler has said it all
    cc_units_try(&p->sources[i].units, p->sources[i].args);
  return status;
}

struct cc_given {
  bool emulate, automatic, fast, exact;
  const char *from; // source of the winners for --bake
};

static const struct setting cc_table[] = {
  { "--auto", SETTING_SWITCH, NULL,
    "C files also get what `autotune suggest` proposes: nothing\n"
    "else in them changes, and only what is hot is tuned",
    .at = offsetof(struct cc_given, automatic) },
  { "--auto=fast-math", SETTING_SWITCH, NULL,
    "the same, and variants may reorder sums of floating-point\n"
    "numbers (-ffast-math)",
    .at = offsetof(struct cc_given, fast) },
  { "--auto=exact", SETTING_SWITCH, NULL,
    "the same as --auto, and variants may not change a bit of a result",
    .at = offsetof(struct cc_given, exact) },
  { "--emulate", SETTING_SWITCH, NULL,
    "CUDA programs for the CPU, to see whether they are right",
    .at = offsetof(struct cc_given, emulate) },
  { "--bake", SETTING_TEXT, "FILE",
    "with FILE's winners written in and no libautotune; FILE is\n"
    "wisdom or a folder of results",
    .at = offsetof(struct cc_given, from) },
  { .name = NULL },
};

static int cc_command_run(const struct arguments *a) {
  const struct cc_given *g = a->options;
  struct bake bake = { .from = g->from };
  bool emulate = g->emulate;
  char **argv = a->rest;
  int argc = (int)(a->argv + a->argc - argv);
  if (argc < 1 || (g->exact && g->fast))
    return command_misused(a->command);
  cc_names_hide();
  if (emulate)
    argv = cc_emulate_command(&argc, argv, cc_clang());
  struct cc_command *c = cc_command_read(argc, argv, emulate);
  struct plan p = { .c = c };
  cc_errors_colour(c);
  c->bake = bake.from ? &bake : NULL;
  enum automatic_option by_variable = options_get()->automatic;
  c->exact = g->exact || (!g->fast && by_variable == AUTO_EXACT);
  c->fast_math = !c->exact && (g->fast || by_variable == AUTO_FAST_MATH);
  c->automatic = g->automatic || c->exact || c->fast_math || by_variable == AUTO_ON;
  if (c->automatic) // compilers that are autotune themselves get a translated file
    setenv("AUTOTUNE_AUTO", "0", 1);
  bool one_output = c->output && c->n_sources > 1 &&
      c->mode != CC_MODE_LINK; // the compiler reports this error
  if (c->hand_on || !c->n_inputs || one_output)
    return hand_on(c);
  if (!translate_all(&p))
    return 1;
  p.sites = c->mode == CC_MODE_LINK &&
      ((p.translated && !c->bake) || emulate || cc_link_sites(c));
  if (!p.translated && !cc_links(&p))
    return hand_on(c);
  if (cc_links(&p) && c->automatic && (c->is_static || c->musl)) {
    p.sites = false; // proposed kernels then run as written
    return p.translated ? run_plan(&p) : hand_on(c);
  }
  if (cc_links(&p) && c->is_static)
    fatal("-static: a program with tuned kernels needs shared libraries: libautotune.so "
          "loads what it compiles; link without -static, or with the compiler alone for "
          "the untuned program");
  if (cc_links(&p) && c->musl)
    fatal(
        "%s: a program with tuned kernels needs the GNU C library, which libautotune.so "
        "is linked to; link with gcc or clang, or with the compiler alone for the "
        "untuned program",
        c->compiler.list[c->compiler.n - 1]);
  return run_plan(&p);
}

const struct command command_cc = {
  "cc",
  "[--auto[=fast-math|=exact] | --emulate | --bake FILE] COMPILER ARGS…",
  "compile and link, with kernels made tunable",
  .details =
      "  as COMPILER ARGS…, but tuning what is annotated with `#pragma autotune`\n",
  .options = cc_table,
  .size = sizeof(struct cc_given),
  .rest = REST_FROM_WORD,
  .run = cc_command_run,
};
