// SPDX-License-Identifier: Apache-2.0
// propose.c: `autotune cc --auto`: translates a source with the pragmas that `autotune
// suggest` proposes for it, in memory.
//
// A child process does this, so that nothing that goes wrong in it can reach the build:
// then the file is compiled as it is. The reasons are to be had by `autotune suggest`.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "autotune.h"
#include "base/options.h"
#include "cc.h"
#include "front/lang/language.h"
#include "suggest/suggest.h"

enum { LONGEST_SECONDS = 60 }; // of processor time, for one source

// True if S may get pragmas: a file that the command compiles and does not rewrite
// in another way.
static bool propose_applies(const struct cc_command *c, const struct cc_source *s) {
  bool compiles = c->mode == CC_MODE_LINK || c->mode == CC_MODE_COMPILE ||
      c->mode == CC_MODE_ASSEMBLE;
  return c->automatic && compiles && !c->nvcc && !c->emulate && !c->bake &&
      !s->input->written_in->not_suggested && strcmp(s->input->path, "-") != 0;
}

// True if the build of a file in C++ may do without C++'s runtime library, which kernels
// of C++ need.
static bool propose_is_bare(const struct compile_options *o) {
  static const char *const signs[] = { "-ffreestanding", "-fno-rtti",
                                       "-fno-threadsafe-statics", NULL };
  for (const char *const *a = o->args; o->language->cplusplus && a && *a; a++)
    if (slice_in(slice_of(*a), signs))
      return true;
  return false;
}

enum { PROPOSED_NONE = 1, REFUSED_ALL = 2 }; // the child's status, apart from 0

// Writes to F the names of the kernels in a line, then the translated file. WHOLE: the
// file with its headers that hold kernels. Returns the child's status.
static int propose_write(const struct cc_source *s, const struct text *whole,
                         struct compile_options *o, enum digits digits, FILE *f) {
  struct suggestions found;
  struct suggest_how how = { .automatic = true, .digits = digits };
  struct text patched = { 0 }, out = { 0 };
  struct source *plain = source_of(s->shown, whole->data, whole->size);
  if (!suggest_file(plain, o, how, &found) || found.n == 0)
    return PROPOSED_NONE;
  patch_number(found.source, found.list, found.n, &patched);
  o->when_hot = found.names;
  o->apart = true;
  o->weak = !s->translated; // otherwise the user's own kernels need the library
  if (!translate_source(source_of(s->shown, patched.data, patched.size), o, &out))
    return REFUSED_ALL;
  for (unsigned i = 0; i < found.n_kernels; i++)
    fprintf(f, "%s%s", i ? ", " : "", found.kernels[i].what);
  fputc('\n', f);
  fwrite(out.data, 1, out.size, f);
  return fclose(f) == 0 ? 0 : PROPOSED_NONE;
}

static void propose_child(const struct cc_source *s, const struct text *whole,
                          struct compile_options *o, enum digits digits, int fd) {
  struct rlimit limit = { LONGEST_SECONDS, LONGEST_SECONDS };
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  FILE *f = fdopen(fd, "wb");
  setrlimit(RLIMIT_CPU, &limit);
  setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
  bool quiet = options_get()->log_level < AUTOTUNE_DEBUG;
  if (!f || null < 0 || dup2(null, 1) < 0 || (quiet && dup2(null, 2) < 0))
    _exit(PROPOSED_NONE);
  int status = propose_write(s, whole, o, digits, f);
  temp_remove();
  _exit(status);
}

static void propose_failed(const struct cc_source *s, const char *why) {
  fprintf(stderr,
          "autotune: warning: %s: compiled without the kernels of --auto, a defect of "
          "autotune: %s; please report it\n",
          s->shown, why);
}

// Returns what the child wrote; empty: nothing was proposed, or it failed.
static struct text propose_run(const struct cc_source *s, const struct text *whole,
                               struct compile_options *o, enum digits digits) {
  struct text got = { 0 };
  int fds[2], status;
  char buffer[16384];
  ssize_t n;
  fflush(NULL);
  if (pipe2(fds, O_CLOEXEC) != 0)
    return got;
  pid_t child = fork();
  if (child == 0)
    propose_child(s, whole, o, digits, fds[1]);
  close(fds[1]);
  while (child > 0 &&
         ((n = read(fds[0], buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR)))
    text_add(&got, buffer, n > 0 ? (size_t)n : 0);
  close(fds[0]);
  while (child > 0 && waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      child = -1;
  if (child > 0 && WIFSIGNALED(status))
    propose_failed(
        s, arena_printf("signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status))));
  else if (child > 0 && WEXITSTATUS(status) == REFUSED_ALL)
    propose_failed(s, "they were refused together; AUTOTUNE_LOG=debug shows why");
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? got
                                                                    : (struct text){ 0 };
}

static void propose_log(const struct cc_source *s, const char *what, const char *more) {
  if (options_get()->log_level >= AUTOTUNE_INFO)
    fprintf(stderr, "autotune: %s: %s%s\n", s->shown, what, more);
}

void cc_source_propose(const struct cc_command *c, struct cc_source *s) {
  struct text whole;
  struct compile_options options;
  bool quote;
  if (!propose_applies(c, s) || !cc_source_whole(c, s, &whole, &options, &quote))
    return;
  struct text got = { 0 };
  if (!propose_is_bare(&options))
    got = propose_run(s, &whole, &options,
                      c->exact           ? DIGITS_EXACT
                          : c->fast_math ? DIGITS_FAST
                                         : DIGITS_CLOSE);
  const char *newline = got.size ? memchr(got.data, '\n', got.size) : NULL;
  if (!newline) {
    propose_log(s, "no kernel was proposed; `autotune suggest` says why", "");
    return;
  }
  struct cc_source *plain = arena_alloc(sizeof *plain);
  *plain = *s;
  size_t head = (size_t)(newline - got.data) + 1;
  s->plain = plain;
  s->quote = quote;
  s->translated = true;
  s->text = (struct text){ got.data + head, got.size - head };
  propose_log(s, "kernels once they are hot: ", arena_copy(got.data, head - 1));
}

bool cc_source_revert(struct cc_source *s) {
  if (!s->plain)
    return false;
  *s = *s->plain;
  if (s->translated)
    cc_source_write(s);
  return true;
}

int cc_source_reverted(const struct cc_source *s, int status) {
  if (status == 0)
    propose_failed(s,
                   "the compiler refused them; `autotune suggest` makes a patch that "
                   "shows the error");
  return status;
}
