// SPDX-License-Identifier: Apache-2.0
// Messages between our processes: they arrive whole, with their descriptor, are checked
// against the protocol, and are waited for no longer than requested.
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/channel.h"

enum { NUMBER, WITH_FILE, TEXT };
static const struct message_kind kinds[] = {
  [NUMBER] = { sizeof(int) },
  [WITH_FILE] = { sizeof(int), .descriptor = true },
  [TEXT] = { MESSAGE_ANY },
};
static const struct protocol protocol = { TEXT + 1, kinds };

static struct channel ends[2];

static void connect_ends(void) {
  int pair[2];
  assert_int_equal(channel_pair(pair), 0);
  for (int i = 0; i < 2; i++)
    ends[i] = (struct channel){ pair[i], -1, &protocol, NULL };
}

static void close_ends(void) {
  close(ends[0].socket);
  close(ends[1].socket);
}

static bool say(unsigned kind, uint64_t serial, int number, int fd) {
  return channel_send(
      &ends[0], &(struct message){ kind, serial, &number, sizeof number, fd }, true);
}

static int open_descriptors(void) {
  int n = 0;
  for (int fd = 0; fd < 256; fd++)
    n += fcntl(fd, F_GETFD) >= 0;
  return n;
}

static void test_a_file_goes_with_a_message(void **state) {
  int got = 0;
  struct message m;
  (void)state;
  connect_ends();
  int file = channel_file("hello", "hello", 5);
  assert_true(file > 2);
  assert_true(say(WITH_FILE, 7, 42, file));
  close(file);
  assert_int_equal(channel_receive(&ends[1], &m, &got, sizeof got, 1), CHANNEL_MESSAGE);
  assert_int_equal(m.kind, WITH_FILE);
  assert_int_equal(m.serial, 7);
  assert_int_equal(m.size, sizeof got);
  assert_int_equal(got, 42);
  assert_true(m.fd > 2 && (fcntl(m.fd, F_GETFD) & FD_CLOEXEC));
  const char *text = channel_map(m.fd, 5);
  assert_memory_equal(text, "hello", 5);
  assert_null(channel_map(m.fd, 6)); // it is shorter
  munmap((void *)(uintptr_t)text, 5);
  close(m.fd);
  close(ends[0].socket);
  assert_int_equal(channel_receive(&ends[1], &m, &got, sizeof got, 1), CHANNEL_CLOSED);
  assert_true(channel_is_closed(&ends[1]));
  close(ends[1].socket);
}

static void test_a_file_that_nobody_wants_is_closed(void **state) {
  int got = 0;
  struct message m;
  (void)state;
  connect_ends();
  int before = open_descriptors();
  assert_true(say(NUMBER, 0, 1, ends[0].socket));
  assert_int_equal(channel_receive(&ends[1], &m, &got, sizeof got, 1), CHANNEL_MESSAGE);
  assert_int_equal(m.fd, -1);
  assert_int_equal(open_descriptors(), before);
  assert_true(say(WITH_FILE, 0, 1, ends[0].socket));
  channel_drain(&ends[1]);
  assert_int_equal(open_descriptors(), before);
  close_ends();
}

// A packet outside the protocol ends the conversation, and leaves no descriptor.
static void test_what_is_no_message(void **state) {
  static const struct {
    unsigned kind;
    size_t size;
  } bad[] = { { NUMBER, 3 }, { NUMBER, 5 }, { TEXT + 1, 4 }, { TEXT, 9 }, { ~0u, 0 } };
  char text[16] = "", got[8];
  struct message m;
  (void)state;
  connect_ends();
  int before = open_descriptors();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    m = (struct message){ bad[i].kind, 0, text, bad[i].size, ends[0].socket };
    assert_true(channel_send(&ends[0], &m, true));
    assert_int_equal(channel_receive(&ends[1], &m, got, sizeof got, 1), CHANNEL_CLOSED);
    assert_int_equal(m.fd, -1);
  }
  assert_int_equal(send(ends[0].socket, "x", 1, 0), 1); // shorter than any
  assert_int_equal(channel_receive(&ends[1], &m, got, sizeof got, 1), CHANNEL_CLOSED);
  assert_int_equal(open_descriptors(), before);
  close_ends();
}

static void test_an_answer_has_its_questions_serial(void **state) {
  int got = 0;
  struct message m, question = { .kind = TEXT, .serial = 5, .fd = -1 };
  (void)state;
  connect_ends();
  int before = open_descriptors();
  assert_true(say(WITH_FILE, 4, 1, ends[0].socket)); // an old descriptor, not used
  assert_true(say(NUMBER, 5, 2, -1));
  assert_int_equal(channel_ask(&ends[1], &question, &m, &got, sizeof got, 1),
                   CHANNEL_MESSAGE);
  assert_int_equal(got, 2);
  assert_int_equal(open_descriptors(), before);
  question.serial = 6;
  assert_true(say(NUMBER, 5, 2, -1));
  assert_int_equal(channel_ask(&ends[1], &question, &m, &got, sizeof got, 0.01),
                   CHANNEL_SILENT);
  close_ends();
}

static unsigned looks;

static bool at_the_second_look(void) {
  return ++looks == 2;
}

static void test_waiting_ends(void **state) {
  int got = 0, other[2];
  struct message m;
  (void)state;
  connect_ends();
  assert_int_equal(channel_receive(&ends[1], &m, &got, sizeof got, 0), CHANNEL_SILENT);
  assert_int_equal(channel_receive(&ends[1], &m, &got, sizeof got, 0.01), CHANNEL_SILENT);
  assert_int_equal(channel_pair(other), 0);
  ends[1].watch = other[0];
  assert_int_equal(channel_receive(&ends[1], &m, &got, sizeof got, 0), CHANNEL_SILENT);
  close(other[1]);
  assert_true(say(NUMBER, 0, 1, -1)); // messages sent before the end still arrive
  assert_int_equal(channel_receive(&ends[1], &m, &got, sizeof got, -1), CHANNEL_MESSAGE);
  assert_int_equal(channel_receive(&ends[1], &m, &got, sizeof got, 0), CHANNEL_WATCHED);
  assert_int_equal(channel_receive(&ends[1], &m, &got, sizeof got, -1), CHANNEL_WATCHED);
  ends[1].watch = -1;
  ends[1].stop = at_the_second_look;
  looks = 0;
  assert_int_equal(channel_receive(&ends[1], &m, &got, sizeof got, -1), CHANNEL_STOPPED);
  assert_int_equal(looks, 2);
  close(other[0]);
  close_ends();
}

static void nothing(int signal) {
  (void)signal;
}

// With the socket full, signals come in; the second is one too many.
static void test_a_signal_ends_it_when_asked_to(void **state) {
  const struct sigaction act = { .sa_handler = nothing };
  const struct itimerval every = { { 0, 5000 }, { 0, 5000 } }, never = { 0 };
  char text[1024] = "";
  const struct message m = { TEXT, 0, text, sizeof text, -1 };
  (void)state;
  connect_ends();
  while (channel_send(&ends[0], &m, false))
    ;
  assert_int_equal(errno, EAGAIN);
  ends[0].stop = at_the_second_look;
  looks = 0;
  sigaction(SIGALRM, &act, NULL);
  setitimer(ITIMER_REAL, &every, NULL);
  assert_false(channel_send(&ends[0], &m, true));
  assert_int_equal(errno, EINTR);
  setitimer(ITIMER_REAL, &never, NULL);
  assert_int_equal(looks, 2);
  close_ends();
}

static void test_who_is_gone_raises_no_signal(void **state) {
  (void)state;
  connect_ends();
  close(ends[1].socket);
  assert_false(say(NUMBER, 0, 1, -1));
  assert_int_equal(errno, EPIPE);
  close(ends[0].socket);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_file_goes_with_a_message),
    cmocka_unit_test(test_a_file_that_nobody_wants_is_closed),
    cmocka_unit_test(test_what_is_no_message),
    cmocka_unit_test(test_an_answer_has_its_questions_serial),
    cmocka_unit_test(test_waiting_ends),
    cmocka_unit_test(test_a_signal_ends_it_when_asked_to),
    cmocka_unit_test(test_who_is_gone_raises_no_signal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
