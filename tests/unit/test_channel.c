// SPDX-License-Identifier: Apache-2.0
// What our processes say to each other: a packet whole, a descriptor with it, and none
// left over.
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/channel.h"

static int open_descriptors(void) {
  int n = 0;
  for (int fd = 0; fd < 256; fd++)
    n += fcntl(fd, F_GETFD) >= 0;
  return n;
}

static void test_a_file_goes_with_a_packet(void **state) {
  int pair[2], number = 42, got = 0, fd = -1;
  char text[6] = "";
  (void)state;
  assert_int_equal(message_pair(pair), 0);
  int file = message_file("hello", "hello", 5);
  assert_true(file >= 0);
  assert_true(message_send(pair[0], &number, sizeof number, file, 0, NULL));
  close(file);
  assert_int_equal(message_receive(pair[1], &got, sizeof got, 0, &fd), sizeof got);
  assert_int_equal(got, 42);
  assert_int_equal(pread(fd, text, 5, 0), 5);
  assert_string_equal(text, "hello");
  assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
  close(fd);
  close(pair[0]);
  assert_int_equal(message_receive(pair[1], &got, sizeof got, 0, &fd), 0);
  assert_int_equal(fd, -1);
  close(pair[1]);
}

static void test_a_file_that_nobody_wants_is_closed(void **state) {
  int pair[2], number = 1;
  (void)state;
  assert_int_equal(message_pair(pair), 0);
  int before = open_descriptors();
  assert_true(message_send(pair[0], &number, sizeof number, pair[0], 0, NULL));
  assert_int_equal(message_receive(pair[1], &number, sizeof number, 0, NULL),
                   sizeof number);
  assert_int_equal(open_descriptors(), before);
  close(pair[0]);
  close(pair[1]);
}

// What is longer than what was waited for is something else.
static void test_a_longer_packet_says_so(void **state) {
  char sent[12] = "", got[8];
  int pair[2];
  (void)state;
  assert_int_equal(message_pair(pair), 0);
  assert_true(message_send(pair[0], sent, sizeof sent, -1, 0, NULL));
  assert_int_equal(message_receive(pair[1], got, sizeof got, 0, NULL), sizeof sent);
  close(pair[0]);
  close(pair[1]);
}

static unsigned interrupted;

static bool enough(void) {
  return ++interrupted == 2;
}

static void nothing(int signal) {
  (void)signal;
}

// With the socket full, signals come in; the second is one too many.
static void test_a_signal_ends_it_when_asked_to(void **state) {
  const struct sigaction act = { .sa_handler = nothing };
  const struct itimerval every = { { 0, 5000 }, { 0, 5000 } }, never = { 0 };
  char packet[1024] = "";
  int pair[2];
  (void)state;
  assert_int_equal(message_pair(pair), 0);
  while (message_send(pair[0], packet, sizeof packet, -1, MSG_DONTWAIT, NULL))
    ;
  assert_int_equal(errno, EAGAIN);
  sigaction(SIGALRM, &act, NULL);
  setitimer(ITIMER_REAL, &every, NULL);
  assert_false(message_send(pair[0], packet, sizeof packet, -1, 0, enough));
  assert_int_equal(errno, EINTR);
  setitimer(ITIMER_REAL, &never, NULL);
  assert_int_equal(interrupted, 2);
  close(pair[0]);
  close(pair[1]);
}

static void test_who_is_gone_raises_no_signal(void **state) {
  int pair[2];
  (void)state;
  assert_int_equal(message_pair(pair), 0);
  close(pair[1]);
  assert_false(message_send(pair[0], "x", 1, -1, 0, NULL));
  assert_int_equal(errno, EPIPE);
  close(pair[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_file_goes_with_a_packet),
    cmocka_unit_test(test_a_file_that_nobody_wants_is_closed),
    cmocka_unit_test(test_a_longer_packet_says_so),
    cmocka_unit_test(test_a_signal_ends_it_when_asked_to),
    cmocka_unit_test(test_who_is_gone_raises_no_signal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
