// SPDX-License-Identifier: Apache-2.0
// proposer.c: a program that proposes variants: its process, and lines to it and from it.
// Lines are read when they are asked for, so a program that writes too much waits.
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/run_program.h"
#include "proposer.h"

enum {
  LONGEST_LINE = 1 << 20,
  MOST_UNSENT = 16 << 20,
  PIECE = 1 << 16,
};
static const double farewell = 0.25; // seconds that it has at the end

struct proposer {
  const char *command;
  pid_t pid;         // -1: not running
  int input, output; // -1: closed
  char *unsent;
  size_t n_unsent;
  char *text; // read, from `at` on not yet returned
  size_t at, size, capacity;
  bool started, deaf; // deaf: it does not read
  char trouble[160];  // "": none
};

struct proposer *proposer_new(const char *command) {
  struct proposer *p = sys_calloc(1, sizeof *p);
  if (p)
    *p = (struct proposer){ .command = command, .pid = -1, .input = -1, .output = -1 };
  return p;
}

static void proposer_close(int *fd) {
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
}

// Ends the program. Returns its status as run_program_end does; 0 if it does not run.
static int proposer_end(struct proposer *p) {
  proposer_close(&p->input);
  proposer_close(&p->output);
  int status = p->pid >= 0 ? run_program_end(p->pid, farewell) : 0;
  p->pid = -1;
  return status;
}

void proposer_free(struct proposer *p) {
  if (!p)
    return;
  proposer_end(p);
  free(p->unsent);
  free(p->text);
  free(p);
}

const char *proposer_trouble(const struct proposer *p) {
  return p->trouble[0] ? p->trouble : NULL;
}

void proposer_start(struct proposer *p) {
  if (p->started)
    return;
  p->started = true;
  if (getauxval(AT_SECURE)) { // the caller's PATH would choose what runs
    snprintf(p->trouble, sizeof p->trouble, "a set-user-ID program runs no other");
    return;
  }
  p->pid = run_program_start(p->command, &p->input, &p->output);
  if (p->pid < 0) {
    p->input = p->output = -1;
    snprintf(p->trouble, sizeof p->trouble, "it cannot be started: %s", strerror(errno));
  }
}

// ---- to it --------------------------------------------------------------------------

// From now on nothing is sent. A program that only writes a list is of this kind.
static void proposer_leave(struct proposer *p) {
  p->deaf = true;
  free(p->unsent);
  p->unsent = NULL;
  p->n_unsent = 0;
  proposer_close(&p->input);
}

static void proposer_flush(struct proposer *p) {
  struct blocked_signals blocked;
  size_t sent = 0;
  if (p->input < 0 || !p->n_unsent)
    return;
  sys_block_signals(&blocked);
  while (sent < p->n_unsent) {
    ssize_t n = write(p->input, p->unsent + sent, p->n_unsent - sent);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && errno != EAGAIN)
      proposer_leave(p);
    if (n < 0)
      break;
    sent += (size_t)n;
  }
  sys_unblock_signals(&blocked);
  if (p->n_unsent) {
    p->n_unsent -= sent;
    memmove(p->unsent, p->unsent + sent, p->n_unsent);
  }
}

void proposer_send(struct proposer *p, json_t *line) {
  char *text = line && !p->deaf ? json_dumps(line, JSON_COMPACT) : NULL;
  size_t size = text ? strlen(text) : 0;
  json_decref(line);
  if (!text)
    return;
  char *all = p->n_unsent + size < MOST_UNSENT
      ? sys_realloc(p->unsent, p->n_unsent + size + 1)
      : NULL;
  if (all) {
    p->unsent = all;
    memcpy(all + p->n_unsent, text, size);
    all[p->n_unsent + size] = '\n';
    p->n_unsent += size + 1;
  } else {
    proposer_leave(p);
  }
  free(text);
  proposer_flush(p);
}

// ---- from it ------------------------------------------------------------------------

// Notes that the program has closed its output.
static void proposer_ended(struct proposer *p) {
  int status = proposer_end(p);
  if (status == RUN_TIMEOUT)
    snprintf(p->trouble, sizeof p->trouble, "it closed its output");
  else if (status > 128)
    snprintf(p->trouble, sizeof p->trouble, "it was ended by signal %d", status - 128);
  else
    snprintf(p->trouble, sizeof p->trouble, "it ended with status %d", status);
}

// Reads what is there, one piece at most. False: nothing was there.
static bool proposer_read(struct proposer *p) {
  if (p->output < 0)
    return false;
  if (p->at > 0) {
    p->size -= p->at;
    memmove(p->text, p->text + p->at, p->size);
    p->at = 0;
  }
  if (p->capacity - p->size < PIECE + 1) {
    char *more = sys_realloc(p->text, p->size + 2 * PIECE);
    if (!more) {
      snprintf(p->trouble, sizeof p->trouble, "there is no memory");
      return false;
    }
    p->text = more;
    p->capacity = p->size + 2 * PIECE;
  }
  ssize_t n = read(p->output, p->text + p->size, PIECE);
  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return false;
  if (n <= 0) { // what it has written ends with a line, if with an incomplete one
    if (p->size > 0 && p->text[p->size - 1] != '\n')
      p->text[p->size++] = '\n';
    proposer_ended(p);
    return p->size > 0;
  }
  p->size += (size_t)n;
  return true;
}

const char *proposer_line(struct proposer *p) {
  proposer_flush(p);
  for (;;) {
    char *line = p->text + p->at;
    char *end = p->size > p->at ? memchr(line, '\n', p->size - p->at) : NULL;
    if (end) {
      *end = '\0';
      p->at += (size_t)(end - line) + 1;
      return line;
    }
    if (p->size - p->at > LONGEST_LINE) {
      snprintf(p->trouble, sizeof p->trouble, "it wrote a line of more than %d bytes",
               LONGEST_LINE);
      proposer_end(p);
    }
    if (!proposer_read(p))
      return NULL;
  }
}

static double proposer_now(void) { // not sys_now, since a test may stop its clock
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double proposer_wait(struct proposer *p, double seconds) {
  double begun = proposer_now();
  struct pollfd ends[] = { { p->output, POLLIN, 0 },
                           { p->n_unsent ? p->input : -1, POLLOUT, 0 } };
  if (seconds > 0 && p->output >= 0)
    poll(ends, 2, (int)(seconds * 1000) + 1);
  proposer_flush(p);
  return proposer_now() - begun;
}
