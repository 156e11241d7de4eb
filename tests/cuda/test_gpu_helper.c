// SPDX-License-Identifier: Apache-2.0
// Tests autotune-gpu-worker as the tuner uses it: it runs variants on copies and
// compares. A fault ends only the helper: it leaves no zombie and no descriptor, and does
// not change the program's memory. (RELIABILITY: V4.)
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/cuda/helper.h"
#include "run/cuda/run.h"
#include "gpu_fixture.h"
#include "base/channel.h"
#include "run/cpu/sandbox.h"

#define ADD UNIT("if (i < n) c[i] += a[i];")

extern char **environ;

// The helper's program: the build's, unless the test runs elsewhere.
static const char *worker(void) {
  const char *path = getenv("TEST_GPU_WORKER");
  return path ? path : GPU_WORKER;
}

struct helper {
  pid_t pid;
  struct channel channel;
};

// ---- talking to it ------------------------------------------------------------------

static void say(const struct helper *h, enum helper_message kind, const void *data,
                size_t size, int fd) {
  static uint64_t serial;
  const struct message m = { kind, ++serial, data, size, fd };
  assert_true(channel_send(&h->channel, &m, true));
}

// The file that came with the last message, or -1; the caller closes it.
static int got_file = -1;

// Returns the kind of the next message; -1: the helper has ended.
static int hear(const struct helper *h, void *data, size_t size) {
  struct message m;
  enum channel_result e = channel_receive(&h->channel, &m, data, size, 60);
  got_file = e == CHANNEL_MESSAGE ? m.fd : -1;
  assert_true(e == CHANNEL_MESSAGE || e == CHANNEL_CLOSED);
  return e == CHANNEL_MESSAGE ? (int)m.kind : -1;
}

static const char *version = AUTOTUNE_VERSION;

// Starts a helper with SHARED, which is ready or says why not.
static struct helper start(const struct gpu_shared *shared, int file,
                           struct gpu_ready *ready) {
  static struct gpu_hello hello;
  char *const argv[] = { (char *)(uintptr_t)worker(), (char *)(uintptr_t)"3", NULL };
  posix_spawn_file_actions_t files;
  struct helper h;
  int pair[2];
  assert_int_equal(channel_pair(pair), 0);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, pair[1], 3);
  assert_int_equal(posix_spawn(&h.pid, worker(), &files, NULL, argv, environ), 0);
  posix_spawn_file_actions_destroy(&files);
  close(pair[1]);
  h.channel = (struct channel){ pair[0], -1, &helper_protocol, NULL };
  snprintf(hello.version, sizeof hello.version, "%s", version);
  hello.parent = getpid();
  hello.shared = *shared;
  say(&h, HELPER_HELLO, &hello, sizeof hello, file);
  assert_int_equal(hear(&h, ready, sizeof *ready), HELPER_READY);
  return h;
}

// Waits some seconds for the helper's end, and returns its status.
static int end(struct helper *h) {
  int status = -1;
  close(h->channel.socket);
  for (int i = 0; i < 5000 && waitpid(h->pid, &status, WNOHANG) == 0; i++)
    poll(NULL, 0, 2);
  assert_int_not_equal(status, -1);
  return status;
}

static int cubin_file(const struct cubin *c) {
  int fd = memfd_create("cubin", MFD_CLOEXEC);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, c->data, c->size), (ssize_t)c->size);
  return fd;
}

// Gives the order O with the file FD. False: the helper died.
static bool give(struct helper *h, const struct gpu_order *o, int fd,
                 struct gpu_answer *out) {
  say(h, HELPER_ORDER, o, sizeof *o, fd);
  double runs = 0; // everything that was begun must have ended
  int kind;
  while ((kind = hear(h, out, sizeof *out)) == HELPER_RUNS) {
    double said;
    memcpy(&said, out, sizeof said);
    assert_true(said != 0 && (said > 0) == (runs <= 0));
    runs = said;
  }
  assert_true(kind == -1 || (kind == HELPER_REPLY && runs <= 0));
  return kind == HELPER_REPLY;
}

// False: the helper died while it ran the variant.
static bool order(struct helper *h, uint64_t ticket, const char *text, double limit,
                  struct gpu_answer *out) {
  const struct cubin *c = cubin_of(text);
  int fd = cubin_file(c);
  struct gpu_order o = {
    .ticket = ticket, .size = c->size, .launch = launch_of(64), .plan = checks
  };
  o.plan.limit = limit;
  bool answered = give(h, &o, fd, out);
  close(fd);
  assert_int_equal(got_file, -1);
  return answered;
}

// ---- the program's side -------------------------------------------------------------

static struct gpu_run *run;
static struct gpu_shared shared;

// Makes a call with its reference, and its memory for helpers; FILE receives that if
// SNAPSHOT.
static void fraction(bool snapshot, int *file) {
  struct gpu_answer a;
  char why[256] = "";
  struct gpu_call c = described();
  run = gpu_run_new(api, &c, why, sizeof why);
  assert_non_null(run);
  gpu_run_reference(run, original, &checks, &a);
  assert_string_equal(a.message, "");
  assert_int_equal(gpu_run_share(run, snapshot, &shared, file, why, sizeof why), 0);
}

static void take_back(int file) {
  assert_untouched();
  gpu_run_free(run);
  if (file >= 0)
    close(file);
}

static unsigned descriptors(void) {
  unsigned n = 0;
  DIR *d = opendir("/proc/self/fd");
  while (readdir(d))
    n++;
  closedir(d);
  return n;
}

// ---- tests --------------------------------------------------------------------------

static void variants_run_on_copies(void **state) {
  (void)state;
  for (int snapshot = 0; snapshot < 2; snapshot++) {
    struct gpu_ready ready;
    struct gpu_answer a;
    int file;
    begin_call(AUTOTUNE_INOUT);
    call.c_first = 100;
    call.c_count = 800;
    const char *right = UNIT("if (i >= 100 && i < 900) c[i] += a[i];");
    set_original(right);
    fraction(snapshot, &file);
    for (unsigned i = 0; i < shared.call.n_allocations; i++)
      assert_true(shared.allocations[i].exported == !snapshot);
    struct helper h = start(&shared, file, &ready);
    assert_string_equal(ready.why, "");
    assert_true(ready.ready);
    assert_true(order(&h, 1, right, 5, &a));
    assert_string_equal(a.message, "");
    assert_int_equal(a.status, STATUS_OK);
    assert_int_equal(a.n_samples, 0);
    assert_true(a.facts.registers > 0);
    assert_true(order(
        &h, 2, UNIT("if (i >= 100 && i < 900) c[i] += i == 500 ? 9 : a[i];"), 5, &a));
    assert_int_equal(a.status, STATUS_WRONG);
    assert_string_equal(a.message, "c[0:n]: element 400 is 509 instead of 501");
    assert_true(order(&h, 3, UNIT("if (i >= 100 && i < 901) c[i] += a[i];"), 5, &a));
    assert_int_equal(a.status, STATUS_WRONG);
    assert_string_equal(a.message, "memory next to c[0:n] was changed");
    const char *input =
        UNIT("if (i >= 100 && i < 900) { c[i] += a[i]; ((float *)a)[i] = 0; }");
    assert_true(order(&h, 4, input, 5, &a));
    assert_int_equal(a.status, STATUS_WRONG);
    assert_string_equal(a.message, "a[0:n]: it is only read, and was changed");
    // Arguments that do not fit into the file, or that the call does not have.
    const struct cubin *c = cubin_of(right);
    struct gpu_order o = {
      .ticket = 5, .size = c->size, .launch = launch_of(64), .plan = checks
    };
    for (o.prepared = 8; o.prepared < 2 * c->size; o.prepared += c->size) {
      int fd = cubin_file(c);
      assert_true(give(&h, &o, fd, &a));
      assert_int_equal(a.status, STATUS_LOAD);
      close(fd);
    }
    int status = end(&h);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    take_back(file);
  }
}

// A helper measures rounding, and another one uses what it found.
static void rounding_is_measured(void **state) {
  (void)state;
  const char *right = UNIT("if (i < n) c[i] = 3 * a[i];");
  const char *wrong = UNIT("if (i < n) c[i] = 3 * a[i] + (i == 500 ? 0.5f : 0);");
  static float data[N];
  struct gpu_ready ready;
  struct gpu_answer a;
  int file;
  begin_call(AUTOTUNE_OUT);
  for (int i = 0; i < N; i++)
    data[i] = i ? 1e-3f * (float)i : 1e9f;
  device_write(call.a, data, sizeof data);
  set_original(right);
  fraction(false, &file);
  struct helper first = start(&shared, file, &ready),
                second = start(&shared, file, &ready);
  assert_true(ready.ready);
  assert_true(order(&first, 1, wrong, 5, &a) && a.status == STATUS_OK);
  const struct cubin *c = cubin_of(right);
  struct gpu_order o = { .kind = ORDER_WRITTEN,
                         .ticket = UINT64_MAX,
                         .size = c->size,
                         .launch = launch_of(BLOCK),
                         .plan = checks };
  int fd = cubin_file(c);
  assert_true(give(&first, &o, fd, &a));
  close(fd);
  assert_string_equal(a.message, "");
  int found = got_file;
  assert_true(a.status == STATUS_OK && found >= 0 && a.found > 0);
  assert_true(order(&first, 2, wrong, 5, &a) && a.status == STATUS_WRONG);
  assert_true(order(&second, 2, wrong, 5, &a) && a.status == STATUS_OK);
  o = (struct gpu_order){ .kind = ORDER_TOLERATE, .size = sizeof(struct gpu_noise) };
  assert_true(give(&second, &o, found, &a) && a.status == STATUS_LOAD); // too short
  o.size = 0;
  assert_true(give(&first, &o, -1, &a) && a.status == STATUS_LOAD);
  struct gpu_noise n[2];
  assert_int_equal(pread(found, n, sizeof n, 0), sizeof n);
  o.size = sizeof n + n[0].bits + n[1].bits; // nothing is undetermined
  assert_int_equal(o.size, sizeof n);
  assert_true(give(&second, &o, found, &a) && a.status == STATUS_OK);
  assert_true(order(&second, 3, wrong, 5, &a) && a.status == STATUS_WRONG);
  close(found);
  end(&first);
  end(&second);
  begin_call(AUTOTUNE_INOUT);
  take_back(file);
}

// Guards next to sections are narrow, and a wrong stride goes beyond them; but a helper
// checks all of its copy.
static void far_from_the_sections(void **state) {
  (void)state;
  enum { FAR = 100000, ROOM = 150000 };
  const char *far = UNIT("if (i < n) { c[i] += a[i]; if (i == 7) c[100000] = 1; }");
  const char *on = UNIT("if (i < n) { c[i] += a[i]; if (i == 7) c[100000] += 1; }");
  begin_call(AUTOTUNE_INOUT);
  static float data[ROOM];
  gpu_pointer c = call.c;
  call.c = device_new(sizeof data);
  for (int defaults_too = 0; defaults_too < 2; defaults_too++) {
    struct gpu_ready ready;
    struct gpu_answer a;
    int file;
    for (int i = 0; i < N; i++)
      data[i] = (float)i;
    device_write(call.c, data, sizeof data);
    set_original(defaults_too ? on : ADD);
    fraction(false, &file);
    struct helper h = start(&shared, file, &ready);
    assert_string_equal(ready.why, "");
    assert_true(order(&h, 1, ADD, 5, &a));
    assert_int_equal(a.status, STATUS_OK);
    assert_true(order(&h, 2, far, 5, &a));
    assert_string_equal(
        a.message, defaults_too ? "" : "c: memory far from its sections was changed");
    assert_int_equal(a.status, defaults_too ? STATUS_OK : STATUS_WRONG);
    assert_int_equal(a.sticky, !defaults_too); // its copies cannot be used again
    end(&h);
    take_back(file);
  }
  api->release(call.c);
  call.c = c;
}

// The faults that end a helper, and the reported status of each. In the emulator a launch
// ends by itself only after a long time.
static const struct deadly {
  const char *name, *text, *message;
  enum status status;
  double limit;
} deadly[] = {
  { "an illegal address", UNIT("if (i == 0) c[1ll << 33] = 1;"),
    "CUDA_ERROR_ILLEGAL_ADDRESS", STATUS_CRASH, 5 },
  { "a trap", UNIT("if (i == 0) __trap();"), "CUDA_ERROR_", STATUS_CRASH, 5 },
  { "an assertion",
    "#undef NDEBUG\n#ifndef AUTOTUNE_EMULATE\n#include <assert.h>\n#endif\n" UNIT(
        "assert(i != 7);"),
    "CUDA_ERROR_ASSERT", STATUS_CRASH, 5 },
  { "an endless loop", UNIT("while (((volatile float *)a)[0] == 1) ;"),
    "no end after 0.1 s", STATUS_TIMEOUT, 0.1 },
};

static void what_ends_a_helper(void **state) {
  (void)state;
  enum { TIMES = 20 };
  int file;
  begin_call(AUTOTUNE_INOUT);
  set_original(ADD);
  fraction(false, &file);
  cubin_of(ADD);
  unsigned before = descriptors();
  for (unsigned i = 0; i < TIMES * (sizeof deadly / sizeof *deadly); i++) {
    const struct deadly *d = &deadly[i / TIMES];
    struct gpu_ready ready;
    struct gpu_answer a;
    struct helper h = start(&shared, file, &ready);
    if (!ready.ready)
      fail_msg("%s: %s", d->name, ready.why);
    assert_true(order(&h, 1, ADD, 5, &a));
    assert_int_equal(a.status, STATUS_OK);
    if (!order(&h, 2, d->text, d->limit, &a))
      fail_msg("%s: it died before it answered", d->name);
    if (a.status != d->status || !a.sticky || !strstr(a.message, d->message))
      fail_msg("%s: %s, %s", d->name, status_words[a.status].name, a.message);
    struct pollfd gone = { h.channel.socket, POLLIN, 0 };
    assert_int_equal(poll(&gone, 1, 10000), 1); // by itself
    end(&h);
    assert_untouched();
  }
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  assert_int_equal(errno, ECHILD);
  assert_int_equal(descriptors(), before);
  take_back(file);
}

// A call that does not fit the host's memory is refused before any of it is copied.
static void no_room_for_a_snapshot(void **state) {
  (void)state;
  char why[256] = "";
  int file;
  begin_call(AUTOTUNE_INOUT);
  set_original(ADD);
  fraction(false, &file);
  size_t *bytes = &run->call.allocations[0].bytes, own = *bytes;
  int none;
  *bytes = gpu_host_room() + (64 << 20);
  assert_int_equal(gpu_run_share(run, true, &shared, &none, why, sizeof why), -1);
  assert_non_null(strstr(why, strerror(ENOMEM)));
  *bytes = own;
  take_back(file);
}

// A helper that has too little memory of its own does not use the program's.
static void no_memory(void **state) {
  (void)state;
  const char *emulate = getenv("AUTOTUNE_EMULATE");
  if (!api->emulated)
    skip();
  int file;
  begin_call(AUTOTUNE_INOUT);
  set_original(ADD);
  fraction(false, &file);
  unsigned before = descriptors();
  for (int i = 0; i < 20; i++) {
    struct gpu_ready ready;
    setenv("AUTOTUNE_EMULATE", i % 2 ? "fault=memory:1+" : "fault=memory:2", 1);
    struct helper h = start(&shared, file, &ready);
    assert_false(ready.ready);
    assert_false(ready.no_ipc);
    assert_non_null(strstr(ready.why, "no room for a copy of 0.0 MiB"));
    end(&h);
  }
  setenv("AUTOTUNE_EMULATE", "fault=ipc:1", 1);
  struct gpu_ready ready;
  struct helper h = start(&shared, file, &ready);
  assert_false(ready.ready);
  assert_true(ready.no_ipc);
  end(&h);
  if (emulate)
    setenv("AUTOTUNE_EMULATE", emulate, 1);
  else
    unsetenv("AUTOTUNE_EMULATE");
  assert_int_equal(descriptors(), before);
  take_back(file);
}

// The helper ends with the tuner, even while an endless kernel runs.
static void ends_with_its_parent(void **state) {
  (void)state;
  int file, report[2];
  begin_call(AUTOTUNE_INOUT);
  set_original(ADD);
  const struct cubin *c = cubin_of(deadly[3].text);
  fraction(false, &file);
  assert_int_equal(pipe2(report, O_CLOEXEC), 0);
  pid_t parent = fork();
  if (parent == 0) {
    struct gpu_ready ready;
    struct helper h = start(&shared, file, &ready);
    struct gpu_order o = {
      .ticket = 1, .size = c->size, .launch = launch_of(64), .plan = checks
    };
    int fd = cubin_file(c);
    o.plan.limit = 30;
    say(&h, HELPER_ORDER, &o, sizeof o, fd);
    poll(NULL, 0, 300);
    _exit(write(report[1], &h.pid, sizeof h.pid) != sizeof h.pid);
  }
  pid_t helper = 0;
  int status;
  assert_int_equal(waitpid(parent, &status, 0), parent);
  assert_int_equal(status, 0);
  assert_int_equal(read(report[0], &helper, sizeof helper), sizeof helper);
  bool gone = false;
  for (int i = 0; i < 2500 && !gone; i++) {
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)helper);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0)
      close(fd);
    // The process that adopted it may be slow to collect it.
    gone = n <= 0 || strstr(text, ") Z ") || strstr(text, ") X ");
    poll(NULL, 0, 2);
  }
  assert_true(gone);
  close(report[0]);
  close(report[1]);
  take_back(file);
}

// Packets of the same size may have another meaning in another version.
static void another_version(void **state) {
  (void)state;
  struct gpu_ready ready;
  static struct gpu_shared nothing;
  version = "0.0.9";
  struct helper h = start(&nothing, -1, &ready);
  version = AUTOTUNE_VERSION;
  assert_false(ready.ready);
  assert_string_equal(ready.why,
                      "it is autotune-gpu-worker " AUTOTUNE_VERSION
                      ", and libautotune is 0.0.9");
  int status = end(&h);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

// Only a packet of the right size from its parent starts a helper.
static void strangers(void **state) {
  (void)state;
  static struct {
    struct gpu_hello hello;
    char more;
  } longer;
  struct gpu_hello hello = { .parent = 0 };
  for (int i = 0; i < 3; i++) {
    char *const argv[] = { (char *)(uintptr_t)worker(), (char *)(uintptr_t)"3", NULL };
    posix_spawn_file_actions_t files;
    int pair[2], status;
    pid_t pid;
    assert_int_equal(channel_pair(pair), 0);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, pair[1], 3);
    assert_int_equal(posix_spawn(&pid, worker(), &files, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&files);
    longer.hello.parent = getpid();
    hello.parent = getpid() + 1;
    const struct helper h = { pid, { pair[0], -1, &helper_protocol, NULL } };
    say(&h, HELPER_HELLO, i == 2 ? (void *)&longer : &hello,
        i == 2  ? sizeof longer
            : i ? sizeof hello
                : 5,
        -1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    close(pair[0]);
    close(pair[1]);
  }
}

int main(void) {
  begin_device();
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(variants_run_on_copies),
    cmocka_unit_test(rounding_is_measured),
    cmocka_unit_test(far_from_the_sections),
    cmocka_unit_test(another_version),
    cmocka_unit_test(what_ends_a_helper),
    cmocka_unit_test(no_memory),
    cmocka_unit_test(no_room_for_a_snapshot),
    cmocka_unit_test(ends_with_its_parent),
    cmocka_unit_test(strangers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
