// SPDX-License-Identifier: Apache-2.0
// commit.c: finds the commit of git that is checked out (gitrepository-layout(5)).
//
//   FOLDER/.git            a folder; or a file "gitdir: PATH" (worktrees, submodules)
//   GITDIR/HEAD            a commit, or "ref: refs/heads/main"
//   GITDIR/commondir       of a worktree: where the references of all worktrees are
//   COMMON/refs/heads/main a commit
//   COMMON/packed-refs     lines "COMMIT refs/heads/main"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base.h"
#include "commit.h"

enum { LINE = 4096, PACKED = 16 << 20, HOPS = 5, SHORTEST_ID = 40 };

// Returns the text of the file NAME in FOLDER, malloc'ed; NULL: there is no such file, or
// it is larger than MOST bytes.
static char *commit_read(const char *folder, const char *name, size_t most) {
  struct stat st;
  char *path = sys_printf("%s/%s", folder, name), *text = NULL;
  int fd = path ? sys_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0) : -1, n = -1;
  if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
      (uint64_t)st.st_size <= most && (text = sys_malloc((size_t)st.st_size + 1)) != NULL)
    n = sys_read_all(fd, text, (size_t)st.st_size);
  if (n >= 0)
    text[n] = '\0';
  else
    free(text);
  if (fd >= 0)
    close(fd);
  free(path);
  return n >= 0 ? text : NULL;
}

// Returns what follows PREFIX in the first line of TEXT, which is cut there; NULL: TEXT
// begins otherwise.
static char *commit_after(char *text, const char *prefix) {
  size_t n = strlen(prefix);
  if (!text || strncmp(text, prefix, n) != 0)
    return NULL;
  text[strcspn(text, "\r\n")] = '\0';
  return text + n;
}

// Returns PATH, which is relative to FOLDER or absolute; malloc'ed.
static char *commit_path(const char *folder, const char *path) {
  return *path == '/' ? sys_strdup(path) : sys_printf("%s/%s", folder, path);
}

// Returns the repository of FOLDER, malloc'ed; NULL: FOLDER has none of its own.
static char *commit_repository(const char *folder) {
  char *path = sys_printf("%s/.git", folder), *text = commit_read(folder, ".git", LINE),
       *link = commit_after(text, "gitdir: ");
  char *found = link ? commit_path(folder, link) : path ? sys_strdup(path) : NULL;
  char *head = found ? commit_read(found, "HEAD", LINE) : NULL;
  if (!head) {
    free(found);
    found = NULL;
  }
  free(head);
  free(text);
  free(path);
  return found;
}

// Returns the repository that FILE is in, malloc'ed; NULL: it is in none.
static char *commit_find(const char *file) {
  char *path = realpath(file, NULL), *found = NULL;
  for (char *slash; path && !found && (slash = strrchr(path, '/'));) {
    *slash = '\0';
    found = commit_repository(path);
  }
  free(path);
  return found;
}

// Returns the line of packed-refs for NAME, which begins with its commit; malloc'ed.
static char *commit_packed(const char *common, const char *name) {
  char *all = commit_read(common, "packed-refs", PACKED);
  char *end = sys_printf(" %s\n", name), *line = NULL;
  char *at = all && end ? strstr(all, end) : NULL;
  if (at) {
    *at = '\0';
    char *before = strrchr(all, '\n');
    line = sys_strdup(before ? before + 1 : all);
  }
  free(all);
  free(end);
  return line;
}

// Returns the text of the reference NAME of REPOSITORY; malloc'ed.
static char *commit_reference(const char *repository, const char *name) {
  if (strncmp(name, "refs/", 5) != 0 || strstr(name, ".."))
    return NULL;
  char *to = commit_read(repository, "commondir", LINE), *rest = commit_after(to, "");
  char *common = rest ? commit_path(repository, rest) : sys_strdup(repository);
  char *text = commit_read(repository, name, LINE);
  if (!text && common)
    text = commit_read(common, name, LINE);
  if (!text && common)
    text = commit_packed(common, name);
  free(common);
  free(to);
  return text;
}

const char *commit_of(const char *file, char text[COMMIT_SIZE]) {
  char *repository = commit_find(file);
  char *head = repository ? commit_read(repository, "HEAD", LINE) : NULL, *name;
  for (int i = 0; i < HOPS && (name = commit_after(head, "ref: ")); i++) {
    char *next = commit_reference(repository, name);
    free(head);
    head = next;
  }
  bool is = head && strspn(head, "0123456789abcdef") >= SHORTEST_ID;
  snprintf(text, COMMIT_SIZE, "%s", is ? head : "");
  free(head);
  free(repository);
  return text;
}
