// SPDX-License-Identifier: Apache-2.0
// file.c: creates the file of results, and sets a broken one aside.
//
// Both are renames. A database gets its name only when it is whole, and a broken one is
// kept, so that it can be examined. Its journal is renamed with it: otherwise SQLite
// would roll it back into the new file.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tables.h"

// ---- making -------------------------------------------------------------------------

static int write_schema(sqlite3 *db) {
  char versions[128];
  int rc = store_run(db, "PRAGMA journal_mode=MEMORY");
  if (rc == SQLITE_OK)
    rc = store_run(db, "BEGIN");
  for (int i = 0; i < KINDS && rc == SQLITE_OK; i++) {
    char *sql = table_create_sql(kinds[i]);
    rc = sql ? store_run(db, sql) : SQLITE_NOMEM;
    free(sql);
  }
  snprintf(versions, sizeof versions,
           "PRAGMA application_id=%d; PRAGMA user_version=%d; COMMIT", STORE_APPLICATION,
           RECORD_VERSION);
  return rc == SQLITE_OK ? store_run(db, versions) : rc;
}

static int make_database(const char *path, char **message) {
  sqlite3 *db = NULL;
  int rc = sys_fails(SYS_SQLITE)
      ? SQLITE_IOERR
      : sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
  if (rc == SQLITE_OK)
    rc = write_schema(db);
  if (rc != SQLITE_OK)
    *message = sys_printf("cannot make %s: %s", path, sqlite3_errstr(rc));
  sqlite3_close(db);
  return rc == SQLITE_OK ? 0 : -1;
}

// Gives the file FROM the name TO unless TO exists. Returns 0 also if another process
// created TO first.
static int rename_if_free(const char *from, const char *to) {
  if (sys_fails(SYS_RENAME))
    return -1;
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0 || errno == EEXIST)
    return 0;
  return (errno == EINVAL || errno == ENOSYS) && (link(from, to) == 0 || errno == EEXIST)
      ? 0
      : -1;
}

int store_create(const char *path, char **message) {
  char *prefix = sys_printf("%s.new", path), *temporary = NULL;
  int fd = prefix ? folder_temporary(prefix, &temporary) : -1;
  free(prefix);
  if (!temporary)
    return -1;
  int status = fd < 0 ? -1 : 0;
  if (status != 0)
    *message = sys_printf("cannot make %s: %s", temporary, strerror(errno));
  else
    close(fd);
  if (status == 0)
    status = make_database(temporary, message);
  if (status == 0 && (status = rename_if_free(temporary, path)) != 0)
    *message = sys_printf("cannot make %s: %s", path, strerror(errno));
  if (fd >= 0)
    unlink(temporary);
  free(temporary);
  return status;
}

// ---- setting aside ------------------------------------------------------------------

// Locks a separate file, since closing the database's file would drop SQLite's locks on
// it. -1: not locked within 100 ms.
static int lock_folder(const char *folder) {
  char *path = sys_printf("%s/lock", folder);
  int fd = path ? sys_open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600) : -1;
  free(path);
  for (int i = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0; i++) {
    if (errno != EWOULDBLOCK || i == 50) {
      close(fd);
      return -1;
    }
    nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
  }
  return fd;
}

static bool is_same_file(const struct store *s) {
  struct stat st;
  return lstat(s->path, &st) == 0 && st.st_dev == s->device && st.st_ino == s->inode;
}

// Returns the first free name of the form results.db.bad-20260131T120000[.N].
static char *bad_name(const char *path) {
  char when[32];
  time_t now = time(NULL);
  struct tm tm;
  strftime(when, sizeof when, "%Y%m%dT%H%M%S", gmtime_r(&now, &tm));
  for (unsigned i = 0; i < 10000; i++) {
    struct stat st;
    char *name = i ? sys_printf("%s.bad-%s.%u", path, when, i)
                   : sys_printf("%s.bad-%s", path, when);
    if (!name || lstat(name, &st) != 0)
      return name;
    free(name);
  }
  return NULL;
}

static void rename_journal(const char *path, const char *bad) {
  char *from = sys_printf("%s-journal", path), *to = sys_printf("%s-journal", bad);
  if (from && to)
    rename(from, to);
  free(from);
  free(to);
}

void store_set_aside(struct store *s, const char *why) {
  int lock = lock_folder(s->folder);
  if (lock < 0)
    return;
  char *bad = is_same_file(s) ? bad_name(s->path) : NULL;
  if (bad && sys_rename(s->path, bad) == 0) {
    rename_journal(s->path, bad);
    log_once(AUTOTUNE_WARN, "store-bad", "%s %s; it is kept as %s and a new one is begun",
             s->path, why, bad);
  }
  free(bad);
  close(lock);
}
