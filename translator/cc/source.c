// SPDX-License-Identifier: Apache-2.0
// source.c: translates one source and writes the result to a file; adds the compiler's
// options for that file.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bake/bake.h"
#include "base/options.h"
#include "cc.h"
#include "front/lang/language.h"

// Reads standard input, and puts a copy in its place for the compiler to read.
static struct slice read_stdin(void) {
  struct text t = { 0 };
  char buffer[16384];
  ssize_t n;
  text_add(&t, "", 0);
  while ((n = read(0, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR))
    text_add(&t, buffer, n > 0 ? (size_t)n : 0);
  int fd = memfd_create("stdin", 0);
  for (size_t at = 0; fd >= 0 && at < t.size; at += (size_t)n)
    if ((n = write(fd, t.data + at, t.size - at)) < 0)
      fatal("standard input cannot be copied: %s", strerror(errno));
  if (fd < 0 || lseek(fd, 0, SEEK_SET) != 0 || dup2(fd, 0) < 0)
    fatal("standard input cannot be copied: %s", strerror(errno));
  close(fd);
  return (struct slice){ t.data, t.size };
}

// Adds in nvcc's words what options of Clang in C say of code for a device. Of options
// about one thing the last holds.
static void source_add_device_args(const struct cc_command *c, struct words *w) {
  enum { DENORMALS, CONTRACT, LASTS };
  static const struct {
    const char *option, *word; // WORD "": what nvcc does without
    int about;
  } names[] = {
    { "-fcuda-flush-denormals-to-zero", "-ftz=true", DENORMALS },
    { "-fgpu-flush-denormals-to-zero", "-ftz=true", DENORMALS },
    { "-fno-cuda-flush-denormals-to-zero", "-ftz=false", DENORMALS },
    { "-fno-gpu-flush-denormals-to-zero", "-ftz=false", DENORMALS },
    { "-ffp-contract=off", "-fmad=false", CONTRACT },
    { "-ffp-contract=on", "", CONTRACT },
    { "-ffp-contract=fast", "", CONTRACT },
    { "-ffp-contract=fast-honor-pragmas", "", CONTRACT },
  };
  static const char *const architectures[] = { "--cuda-gpu-arch=", "--offload-arch=" };
  const char *ptxas = "", *last[LASTS] = { "", "" };
  for (unsigned i = 0; i < c->n_args; i++) {
    const struct cc_arg *a = &c->args[i];
    const char *word = a->words[0];
    if (a->class == CC_INPUT)
      continue;
    if (strcmp(a->option, "-Xcuda-ptxas") == 0) // an option may be two such words
      ptxas = arena_printf("%s%s%s", ptxas, *ptxas ? " " : "", a->value);
    for (size_t n = 0; n < 2; n++)
      if (strncmp(word, architectures[n], strlen(architectures[n])) == 0)
        words_add(w, arena_printf("-arch=%s", word + strlen(architectures[n])));
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
      if (strcmp(word, names[n].option) == 0)
        last[names[n].about] = names[n].word;
  }
  for (unsigned n = 0; n < LASTS; n++)
    if (*last[n])
      words_add(w, last[n]);
  if (*ptxas)
    words_add(w, arena_printf("-Xptxas=%s", ptxas));
}

// Returns the arguments for the translator's own preprocessing.
static const char *const *translator_args(const struct cc_command *c,
                                          const struct cc_source *s) {
  struct words w = { 0 };
  if (s->quote) {
    words_add(&w, "-iquote");
    words_add(&w, *s->folder ? s->folder : ".");
  }
  if (c->nvcc)
    cc_nvcc_translator_args(c, s->input->written_in, &w);
  for (unsigned i = 0; i < c->n_args && !c->nvcc; i++) {
    enum cc_class class = c->args[i].class;
    if (class == CC_PREPROCESS || class == CC_CODE || class == CC_OPENMP)
      words_add_arg(&w, &c->args[i]);
  }
  if (!c->nvcc && s->input->written_in->nvcc)
    source_add_device_args(c, &w);
  return words_end(&w);
}

const char *cc_clang(void) {
  return options_get()->clang;
}

static struct compile_options source_compile_options(const struct cc_command *c,
                                                     const struct cc_source *s) {
  return (struct compile_options){ .args = translator_args(c, s),
                                   .clang = cc_clang(),
                                   .compiler = c->compiler.list,
                                   .language = s->input->written_in };
}

bool cc_source_whole(const struct cc_command *c, const struct cc_source *s,
                     struct text *whole, struct compile_options *o, bool *quote) {
  struct cc_source own = *s;
  struct slice text;
  if (!path_map(s->input->path, &text))
    return false;
  struct cc_headers *h = cc_headers_scan(c, s->shown, text, s->input->written_in);
  *whole = cc_headers_inline(h);
  own.quote = *quote = !h->conflict;
  *o = source_compile_options(c, &own);
  return true;
}

bool cc_source_translate(const struct cc_command *c, struct cc_source *s) {
  struct slice text;
  s->shown = strcmp(s->input->path, "-") == 0 ? "<stdin>" : s->input->path;
  s->file = s->input->path;
  s->folder = path_folder(s->input->path);
  if (strcmp(s->input->path, "-") == 0)
    text = read_stdin();
  else if (!path_map(s->input->path, &text))
    return true; // the compiler reports that it cannot be read
  struct cc_headers *h = cc_headers_scan(c, s->shown, text, s->input->written_in);
  bool emulate = c->emulate && s->input->written_in->emulate && s->input->language &&
      strcmp(s->input->language, "c++") == 0;
  if (!cc_headers_kernel(h) && !emulate)
    return true;
  s->quote = !h->conflict;
  struct text whole = cc_headers_inline(h);
  struct source *source = source_of(s->shown, whole.data, whole.size);
  struct compile_options options = source_compile_options(c, s);
  options.emulate = emulate;
  if (c->bake)
    bake_into(&options, c->bake);
  else if (!emulate && c->mode != CC_MODE_PREPROCESS && cc_units_wanted())
    options.units = &s->units;
  s->args = options.args;
  struct text out = { 0 };
  if (!translate_source(source, &options, &out))
    return false;
  if (emulate)
    s->input->written_in->emulate(s->shown, &out, &s->text);
  else
    s->text = out;
  // If the pragma was only a word in a comment, the user's own file is compiled.
  s->translated = s->text.size != whole.size ||
      memcmp(s->text.data, whole.data, whole.size) != 0;
  return true;
}

void cc_source_write(struct cc_source *s) {
  char *folder = arena_printf("%s/XXXXXX", temp_folder());
  if (!mkdtemp(folder))
    fatal("%s: no temporary folder can be made: %s", folder, strerror(errno));
  const char *name = s->shown == s->input->path
      ? path_name(s->shown)
      : arena_printf("stdin%s", *s->input->written_in->suffixes);
  char *file = arena_printf("%s/%s", folder, name);
  struct text whole = { 0 };
  text_printf(&whole, "#line 1 \"");
  for (const char *p = s->shown; *p; p++)
    text_printf(&whole, *p == '"' || *p == '\\' ? "\\%c" : "%c", *p);
  text_printf(&whole, "\"\n");
  text_add(&whole, s->text.data, s->text.size);
  file_write(file, whole.data, whole.size);
  struct stat st;
  if (stat(s->input->path, &st) == 0) // keeps __TIMESTAMP__
    utimensat(AT_FDCWD, file, (struct timespec[2]){ st.st_atim, st.st_mtim }, 0);
  s->file = file;
}

// Returns PATH as the user's own -ffile-prefix-map and -fdebug-prefix-map show it.
static const char *source_mapped(const struct cc_command *c, const char *option,
                                 const char *path) {
  for (unsigned i = c->n_args; i-- > 0;) {
    const char *word = c->args[i].words[0], *rule = NULL;
    if (strncmp(word, "-ffile-prefix-map=", 18) == 0)
      rule = word + 18;
    else if (strncmp(word, option, strlen(option)) == 0)
      rule = word + strlen(option);
    const char *equals = rule ? strchr(rule, '=') : NULL;
    if (equals && strncmp(path, rule, (size_t)(equals - rule)) == 0)
      return arena_printf("%s%s", equals + 1, path + (equals - rule));
  }
  return path;
}

// gcc writes "./x.h" for a header found by -iquote ., but "x.h" for one next to a.c.
static void add_dot_map(const struct cc_command *c, const struct cc_source *s,
                        struct words *w) {
  if (s->quote && !*s->folder && !c->clang)
    words_add(w, "-ffile-prefix-map=./=");
}

// Adds -falign-loops=32 where the user optimises for speed and says nothing of alignment.
// A stub moves the code after it, and processors fetch code in blocks of 32 or 64 bytes:
// a short loop that a stub moves across the end of a block took up to twice as long (Zen
// 3).
static void source_align_loops(const struct cc_command *c, struct words *w) {
  bool fast = false;
  for (unsigned i = 0; i < c->n_args; i++) {
    const char *word = c->args[i].words[0];
    if (strncmp(word, "-O", 2) == 0)
      fast = word[2] == '2' || word[2] == '3' || strcmp(word, "-Ofast") == 0;
    else if (strncmp(word, "-falign", 7) == 0 || strncmp(word, "-fno-align", 10) == 0)
      return;
  }
  if (fast && !c->nvcc && !c->emulate)
    words_add(w, "-falign-loops=32");
}

static void source_add_options(const struct cc_command *c, const struct cc_source *s,
                               struct words *w) {
  if (s->quote) {
    words_add(w, "-iquote");
    words_add(w, *s->folder ? s->folder : ".");
  }
  words_add(w, "-idirafter");
  words_add(w, cc_include_folder());
  if (!c->nvcc && diag_coloured())
    words_add(w, "-fdiagnostics-color=always"); // its output goes to a pipe
  add_dot_map(c, s, w);
  source_align_loops(c, w);
  words_add(w,
            arena_printf("-fmacro-prefix-map=%s=%s", s->file,
                         source_mapped(c, "-fmacro-prefix-map=", s->shown)));
  words_add(w,
            arena_printf("-fdebug-prefix-map=%s=%s", s->file,
                         source_mapped(c, "-fdebug-prefix-map=", s->shown)));
}

void cc_source_options(const struct cc_command *c, const struct cc_source *s,
                       struct words *w) {
  struct words own = { 0 };
  source_add_options(c, s, &own);
  for (unsigned i = 0; i < own.n; i++)
    if (c->nvcc)
      cc_nvcc_to_host(w, own.list[i]);
    else
      words_add(w, own.list[i]);
}

struct text cc_source_unname(const struct cc_source *s, struct text printed) {
  struct text out = { 0 };
  size_t n = strlen(s->file);
  const char *p = printed.data, *end = p + printed.size;
  text_add(&out, "", 0);
  while (p < end) {
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    const char *next = newline ? newline + 1 : end;
    const char *name = *p == '#' ? memmem(p, (size_t)(next - p), s->file, n) : NULL;
    if (name) {
      text_add(&out, p, (size_t)(name - p));
      text_printf(&out, "%s", s->shown);
      p = name + n;
    }
    text_add(&out, p, (size_t)(next - p));
    p = next;
  }
  return out;
}
