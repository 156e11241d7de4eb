// SPDX-License-Identifier: Apache-2.0
// sandbox.c: isolates the zygote, so that variants in its workers reach nothing outside:
// no descriptor, no signal handler of the program's, no shared memory.
//
// fork() already removes other threads, timers and alarms, memory locks and asynchronous
// I/O.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sandbox.h"

// ---- descriptors --------------------------------------------------------------------

static int null_descriptor(void) {
  int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  return fd >= 0 ? fd : memfd_create("null", MFD_CLOEXEC); // no /dev in this root
}

int sandbox_descriptors(int *fds, unsigned n) {
  int first = 3, null;
  for (unsigned i = 0; i < n; i++) // out of the way of their final places
    if ((fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, first + (int)n)) < 0)
      return -1;
  for (unsigned i = 0; i < n; i++)
    if ((fds[i] = dup3(fds[i], first + (int)i, O_CLOEXEC)) < 0)
      return -1;
  if (close_range((unsigned)first + n, ~0u, 0) != 0) // Linux before 5.9
    for (int fd = first + (int)n; fd < (int)sysconf(_SC_OPEN_MAX) && fd < 65536; fd++)
      close(fd);
  if ((null = null_descriptor()) < 0)
    return -1;
  for (int fd = 0; fd < 3; fd++)
    if (fd != null && dup2(null, fd) < 0)
      return -1;
  if (null > 2)
    close(null);
  return 0;
}

// ---- signals, limits, parents -------------------------------------------------------

void sandbox_signals(void) {
  struct sigaction normal = { .sa_handler = SIG_DFL };
  for (int s = 1; s < NSIG; s++)
    sigaction(s, &normal, NULL); // fails for SIGKILL, SIGSTOP and libc's own, rightly
  stack_t none = { .ss_flags = SS_DISABLE };
  sigaltstack(&none, NULL);
  sigset_t empty;
  sigemptyset(&empty);
  sigprocmask(SIG_SETMASK, &empty, NULL);
}

bool sandbox_follow(pid_t parent, int signal) {
  prctl(PR_SET_PDEATHSIG, signal);
  return getppid() == parent;
}

// kB of a line such as "MemAvailable:   123 kB"; 0: not known.
static unsigned long long sandbox_kilobytes(const char *path, const char *name) {
  char text[4096], *at;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
  if (fd >= 0)
    close(fd);
  text[n > 0 ? n : 0] = '\0';
  at = strstr(text, name);
  return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static void sandbox_limit(int what, rlim_t value) {
  struct rlimit now;
  if (getrlimit(what, &now) == 0 && now.rlim_cur > value) {
    now.rlim_cur = value;
    setrlimit(what, &now);
  }
}

void sandbox_no_core(void) {
  sandbox_limit(RLIMIT_CORE, 0);
}

bool sandbox_has_memory(double bytes) {
  double kilobytes = (double)sandbox_kilobytes("/proc/meminfo", "MemAvailable:");
  return kilobytes <= 0 || bytes <= 512 * kilobytes;
}

void sandbox_limits(void) {
  const rlim_t gigabyte = 1ul << 30;
  sandbox_limit(RLIMIT_STACK,
                gigabyte);   // where it is unlimited, an endless recursion must end too
  prctl(PR_SET_DUMPABLE, 0); // cores that are piped to a program know no limit
  // A variant that allocates without end must fail before the machine has to choose whom
  // to kill; address space that is reserved but not used (arenas and stacks of threads)
  // is no harm.
  rlim_t free = sandbox_kilobytes("/proc/meminfo", "MemAvailable:") * 1024;
  rlim_t used = sandbox_kilobytes("/proc/self/status", "VmSize:") * 1024;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (free && used)
    sandbox_limit(RLIMIT_AS,
                  used + free / 2 + gigabyte +
                      (rlim_t)(cores > 0 ? cores : 1) * (gigabyte / 4));
}

// ---- memory -------------------------------------------------------------------------

// "55e0-55f0 rw-s 0000 fd:01 123   /dev/shm/x"; by hand, because sscanf measures the
// whole rest first.
static bool parse_mapping(const char *line, struct mapping *m) {
  char *at;
  unsigned long base = strtoul(line, &at, 16),
                end = *at == '-' ? strtoul(at + 1, &at, 16) : 0;
  if (end <= base || *at != ' ' || strnlen(at + 1, 5) < 5)
    return false;
  const char *flags = at + 1, *name = flags;
  for (int field = 0; field < 4; field++) { // flags, offset, device, inode
    name += strcspn(name, " \n");
    name += strspn(name, " ");
  }
  size_t name_size = strcspn(name, "\n");
  bool ordinary = strncmp(name, "/dev/shm/", 9) == 0 ||
      strncmp(name, "/dev/zero", 9) == 0 || strncmp(name, "/dev/hugepages", 14) == 0;
  *m = (struct mapping){
    .base = (char *)base,
    .end = (char *)end,
    .protection = (flags[0] == 'r' ? PROT_READ : 0) | (flags[1] == 'w' ? PROT_WRITE : 0) |
        (flags[2] == 'x' ? PROT_EXEC : 0),
    .shared = flags[3] == 's',
    .device = (strncmp(name, "/dev/", 5) == 0 && !ordinary) ||
        strncmp(name, "anon_inode:", 11) == 0 || strncmp(name, "/sys/", 5) == 0,
    .heap = strncmp(name, "[heap]", 6) == 0,
    .file = *name == '/',
    .name = name,
    .name_size = name_size,
  };
  return true;
}

// All of /proc/self/maps, read before anything is changed; malloc'ed.
static char *read_maps(void) {
  size_t size = 0, capacity = 1 << 16;
  char *text = sys_malloc(capacity);
  int fd = sys_open("/proc/self/maps", O_RDONLY, 0);
  ssize_t n = -1;
  while (text && fd >= 0 && (n = read(fd, text + size, capacity - size - 1)) > 0) {
    size += (size_t)n;
    if (capacity - size < 4096) {
      char *more = sys_realloc(text, capacity *= 2);
      if (!more)
        break;
      text = more;
    }
  }
  if (fd >= 0)
    close(fd);
  if (n != 0) { // not read to its end
    free(text);
    return NULL;
  }
  text[size] = '\0';
  return text;
}

// Copies memory, and fails for pages beyond a file's end instead of raising SIGBUS. A
// set-user-ID program may not open its own /proc/self/mem (MEMORY is -1); some containers
// forbid the system call that does the same.
static ssize_t copy_some(int memory, char *to, char *from, size_t n) {
  struct iovec local = { to, n }, remote = { from, n };
  return memory >= 0 ? pread(memory, to, n, (off_t)(uintptr_t)from)
                     : process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
}

static bool reads_itself(void) {
  char one = 1, other = 0;
  return copy_some(-1, &other, &one, 1) == 1 && other == one;
}

static void copy_pages(int memory, char *to, const struct mapping *m) {
  size_t page = 4096, step = 1 << 20;
  for (char *at = m->base; at < m->end;) {
    size_t left = (size_t)(m->end - at), n = left < step ? left : step;
    ssize_t got = copy_some(memory, to + (at - m->base), at, n);
    at += got > 0 ? (size_t)got : page;
  }
}

static int sandbox_replace(const struct mapping *m, int memory) {
  size_t size = (size_t)(m->end - m->base);
  if (m->device) {
    void *p =
        mmap(m->base, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return p == MAP_FAILED ? -1 : 0;
  }
  char *copy = sys_mmap(size, false);
  if (!copy)
    return -1;
  copy_pages(memory, copy, m);
  if (mprotect(copy, size, m->protection) != 0 ||
      mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, m->base) == MAP_FAILED) {
    munmap(copy, size);
    return -1;
  }
  return 0;
}

static bool is_kept(const struct mapping *m, const struct range *keep, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (keep[i].base < m->end && keep[i].base + keep[i].size > m->base)
      return true;
  return false;
}

static bool must_replace(const char *line, const struct range *keep, unsigned n,
                         struct mapping *m) {
  return parse_mapping(line, m) && m->shared &&
      (m->protection & PROT_WRITE || m->device) && !is_kept(m, keep, n);
}

// Returns the bytes that replacing will copy.
static unsigned long long shared_bytes(const char *maps, const struct range *keep,
                                       unsigned n) {
  unsigned long long sum = 0;
  struct mapping m;
  for (const char *line = maps; line; line = strchr(line, '\n'), line += line != NULL)
    if (must_replace(line, keep, n, &m) && !m.device)
      sum += (unsigned long long)(m.end - m.base);
  return sum;
}

int sandbox_memory(const struct range *keep, unsigned n, char **message) {
  char *maps = read_maps();
  int memory = sys_open("/proc/self/mem", O_RDONLY, 0), rc = 0;
  struct mapping m;
  if (!maps) {
    *message = sys_printf("/proc is not there, so shared memory cannot be protected");
    rc = -1;
  } else if (memory < 0 && !reads_itself()) {
    *message =
        sys_printf("/proc/self/mem cannot be read, so shared memory cannot be protected");
    rc = -1;
  } else if (shared_bytes(maps, keep, n) / 1024 >
             sandbox_kilobytes("/proc/meminfo", "MemAvailable:") / 2) {
    *message = sys_printf("there is more shared memory than can be copied");
    rc = -1;
  }
  for (char *line = rc ? NULL : maps; line && rc == 0;) {
    if (must_replace(line, keep, n, &m) && sandbox_replace(&m, memory) != 0) {
      *message = sys_printf("shared memory cannot be copied: %s", strerror(errno));
      rc = -1;
    }
    line = strchr(line, '\n');
    line += line != NULL;
  }
  if (memory >= 0)
    close(memory);
  free(maps);
  return rc;
}

bool sandbox_each_mapping(void (*see)(const struct mapping *m, void *data), void *data) {
  struct mapping m;
  char *maps = read_maps();
  for (const char *line = maps; line; line = strchr(line, '\n'), line += line != NULL)
    if (parse_mapping(line, &m))
      see(&m, data);
  free(maps);
  return maps != NULL;
}

struct range sandbox_mapping(const void *address, bool *heap) {
  struct range found = { NULL, 0 };
  struct mapping m;
  char *maps = read_maps();
  *heap = false;
  for (const char *line = maps; line; line = strchr(line, '\n'), line += line != NULL)
    if (parse_mapping(line, &m) && (char *)address >= m.base && (char *)address < m.end &&
        (m.protection & (PROT_READ | PROT_WRITE)) == (PROT_READ | PROT_WRITE)) {
      found = (struct range){ m.base, (size_t)(m.end - m.base) };
      *heap = m.heap;
    }
  free(maps);
  return found;
}

// True if all SIZE bytes from BASE on allow ACCESS. *KNOWN: false if that is not known.
static bool sandbox_allows(const void *base, size_t size, int access, bool *known) {
  uintptr_t at = (uintptr_t)base, end = at + size;
  struct mapping m;
  char *maps = read_maps();
  *known = maps != NULL;
  for (const char *line = maps; line && at < end;
       line = strchr(line, '\n'), line += line != NULL)
    if (parse_mapping(line, &m) && at >= (uintptr_t)m.base && at < (uintptr_t)m.end &&
        m.protection & access)
      at = (uintptr_t)m.end;
  free(maps);
  return end >= (uintptr_t)base && at >= end;
}

bool sandbox_reads(const void *base, size_t size) {
  bool known, allowed = sandbox_allows(base, size, PROT_READ, &known);
  return allowed || !known;
}

bool sandbox_writes(const void *base, size_t size) {
  bool known;
  return sandbox_allows(base, size, PROT_WRITE, &known);
}
