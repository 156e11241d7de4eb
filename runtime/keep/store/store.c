// SPDX-License-Identifier: Apache-2.0
// store.c: connections to the file of results.
//
// SQLite with a rollback journal: its write-ahead log can be corrupted by two writers in
// the versions that distributions ship. A connection belongs to one process and is never
// used after a fork. No operation waits longer than STORE_WAIT for the lock of another
// process, but for opening and closing in a tuner; after that, work goes on without the
// store.
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tables.h"

const double STORE_WAIT = 0.08, STORE_WAIT_TO_OPEN = 1; // seconds
static const double brief_wait = 0.005;

enum verdict { OPENED, MISSING, BROKEN, REFUSED };

// ---- statements ---------------------------------------------------------------------

int store_step(sqlite3_stmt *q) {
  return sys_fails(SYS_SQLITE) ? SQLITE_IOERR : sqlite3_step(q);
}

int store_run(sqlite3 *db, const char *sql) {
  while (*sql) {
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &q, &sql);
    while (rc == SQLITE_OK && q && (rc = store_step(q)) == SQLITE_ROW)
      rc = SQLITE_OK;
    sqlite3_finalize(q);
    if (rc != SQLITE_OK && rc != SQLITE_DONE)
      return rc;
  }
  return SQLITE_OK;
}

int store_end(struct store *s, int rc) {
  if (rc == SQLITE_OK)
    rc = store_run(s->db, "COMMIT");
  if (rc != SQLITE_OK)
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
  return rc;
}

sqlite3_stmt *store_select(struct store *s, const struct kind *k, const char *where) {
  sqlite3_stmt *q = NULL;
  char *sql = table_select_sql(k, where);
  if (sql)
    sqlite3_prepare_v2(s->db, sql, -1, &q, NULL);
  free(sql);
  return q;
}

// Sleeps for short times of uneven length. SQLite's own handler waits up to 100 ms at a
// time, and so one of many processes may wait forever.
static int store_busy(void *data, int count) {
  struct store *s = data;
  if (sys_now() >= s->until)
    return 0;
  long nanoseconds = 300000 +
      (long)((unsigned)(s->pid * 7919 + count * 104729) % 1700) * 1000;
  nanosleep(&(struct timespec){ .tv_nsec = nanoseconds }, NULL);
  return 1;
}

void store_allow(struct store *s, double seconds) {
  s->until = sys_now() + seconds;
}

bool store_usable(struct store *s) {
  if (!s || !s->db || s->pid != getpid())
    return false;
  store_allow(s, s->wait);
  return true;
}

// ---- checking the file --------------------------------------------------------------

static uint32_t big_endian(const unsigned char *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

// Checks the first page through SQLite's own handle: closing a descriptor of ours would
// drop the process's locks. No lock is needed, since these bytes of our file never
// change, except the format during an upgrade.
static enum verdict judge_header(struct store *s, char **message) {
  sqlite3_file *file = NULL;
  sqlite3_int64 size = 0;
  unsigned char h[100];
  if (sqlite3_file_control(s->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) !=
          SQLITE_OK ||
      !file || !file->pMethods || file->pMethods->xFileSize(file, &size) != SQLITE_OK)
    return REFUSED;
  if (size < 512 || file->pMethods->xRead(file, h, sizeof h, 0) != SQLITE_OK ||
      memcmp(h, "SQLite format 3", 16) != 0 || big_endian(h + 68) != STORE_APPLICATION)
    return BROKEN;
  if (big_endian(h + 60) > RECORD_VERSION && big_endian(h + 60) < 1000) {
    *message =
        sys_printf("%s was written by a newer autotune (format %u) and is left alone",
                   s->path, big_endian(h + 60));
    return REFUSED;
  }
  bool known = big_endian(h + 60) >= 1 && big_endian(h + 60) <= RECORD_VERSION;
  return known && h[18] == 1 && h[19] == 1 ? OPENED : BROKEN;
}

// ---- uses of the file in this process -----------------------------------------------

// The number of connections, or RESERVED, and the process's number above it: connections
// of a parent are not its child's.
static _Atomic uint64_t uses;
static const uint32_t RESERVED = UINT32_MAX;

static uint32_t uses_now(uint64_t *now, uint64_t *own) {
  *own = (uint64_t)getpid() << 32;
  *now = atomic_load(&uses);
  return *now >> 32 == *own >> 32 ? (uint32_t)*now : 0;
}

bool store_reserve(void) {
  uint64_t now, own;
  return uses_now(&now, &own) == 0 &&
      atomic_compare_exchange_strong(&uses, &now, own | RESERVED);
}

void store_release(void) {
  uint64_t now, own;
  if (uses_now(&now, &own) == RESERVED)
    atomic_compare_exchange_strong(&uses, &now, own);
}

// Waits for the end of a reservation, which is near unless its thread was interrupted by
// this one.
static void uses_begin(void) {
  enum { PATIENCE = 10000 };
  uint64_t now, own;
  uint32_t n = uses_now(&now, &own);
  for (unsigned i = 0; n == RESERVED && i < PATIENCE; i++) {
    sched_yield();
    n = uses_now(&now, &own);
  }
  while (!atomic_compare_exchange_strong(&uses, &now, own | (n == RESERVED ? 1 : n + 1)))
    n = uses_now(&now, &own);
}

static void uses_end(void) {
  uint64_t now, own;
  uint32_t n;
  do
    n = uses_now(&now, &own);
  while (n > 0 && n != RESERVED &&
         !atomic_compare_exchange_strong(&uses, &now, own | (n - 1)));
}

// ---- opening ------------------------------------------------------------------------

// Limits what a file can make SQLite do to holding rows.
static int store_harden(struct store *s) {
  sqlite3_busy_handler(s->db, store_busy, s);
  sqlite3_extended_result_codes(s->db, 1);
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, 16 << 20);
  sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, 0);
  return store_run(s->db,
                   "PRAGMA cell_size_check=1; PRAGMA mmap_size=0; PRAGMA temp_store=2;"
                   "PRAGMA synchronous=0; PRAGMA cache_size=-2000");
}

bool store_is_locked(int rc) {
  return (rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_LOCKED;
}

static bool is_corruption(int rc) {
  rc &= 0xff;
  return rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB || rc == SQLITE_FORMAT;
}

bool store_file_is_ours(const struct stat *st) {
  return S_ISREG(st->st_mode) && st->st_uid == geteuid() &&
      !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static enum verdict judge_file(struct store *s, char **message) {
  struct stat st;
  if (lstat(s->path, &st) != 0) {
    if (errno == ENOENT)
      return MISSING;
    *message = sys_printf("%s: %s", s->path, strerror(errno));
    return REFUSED;
  }
  s->device = st.st_dev;
  s->inode = st.st_ino;
  if (S_ISREG(st.st_mode) && (!s->keep || store_file_is_ours(&st)))
    return OPENED;
  *message = sys_printf("%s is not a file of this user alone", s->path);
  return REFUSED;
}

static void store_disconnect(struct store *s) {
  sqlite3_close_v2(s->db); // a statement may still be running
  s->db = NULL;
  uses_end();
}

static enum verdict store_connect(struct store *s, char **message) {
  enum verdict verdict = judge_file(s, message);
  if (verdict != OPENED)
    return verdict;
  uses_begin();
  int rc = sys_fails(SYS_SQLITE)
      ? SQLITE_IOERR
      : sqlite3_open_v2(
            s->path, &s->db,
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX, NULL);
  store_allow(s, s->wait);
  if (rc == SQLITE_OK) {
    verdict = judge_header(s, message);
    if (verdict == OPENED && (rc = store_harden(s)) == SQLITE_OK &&
        (rc = store_upgrade(s)) == SQLITE_OK)
      rc = store_run(s->db, "PRAGMA journal_mode=TRUNCATE");
  }
  if (rc != SQLITE_OK) {
    s->locked = store_is_locked(rc);
    verdict = is_corruption(rc) ? BROKEN : REFUSED;
    if (verdict == REFUSED)
      *message = s->locked ? sys_printf("%s is locked by another process", s->path)
                           : sys_printf("%s: %s", s->path, sqlite3_errstr(rc));
  }
  if (verdict != OPENED)
    store_disconnect(s);
  return verdict;
}

// Opens the file; creates a missing one and sets a broken one aside. 0, or -1 and
// *MESSAGE.
static int store_establish(struct store *s, char **message) {
  s->checked = s->durable = false;
  for (int attempt = 0; attempt < 4; attempt++) {
    enum verdict verdict = store_connect(s, message);
    if (verdict == OPENED)
      return 0;
    if (verdict == REFUSED)
      return -1;
    if (!s->keep) {
      *message = verdict == MISSING ? sys_printf("%s does not exist", s->path)
                                    : sys_printf("%s is damaged", s->path);
      return -1;
    }
    if (verdict == BROKEN)
      store_set_aside(s, "is damaged or was written by another program");
    else if (store_create(s->path, message) != 0)
      return -1;
  }
  *message = sys_printf("%s is damaged and cannot be set aside", s->path);
  return -1;
}

bool store_recover(struct store *s, int rc) {
  bool moved = rc == SQLITE_READONLY_DBMOVED;
  if ((!is_corruption(rc) && !moved) || !s->keep)
    return false;
  store_disconnect(s);
  if (!moved)
    store_set_aside(s, "is damaged");
  char *message = NULL;
  if (store_establish(s, &message) != 0)
    log_once(AUTOTUNE_WARN, "store", "results are not kept: %s",
             message ? message : "no memory");
  free(message);
  return s->db != NULL;
}

// ---- connections that linger --------------------------------------------------------

static struct {
  _Atomic pid_t on; // the process whose connections linger; a fork of it has another id
  _Atomic(struct store *) closed; // open still, and in nobody's use; or NULL
} linger;

// Returns the lingering connection, or NULL.
static struct store *linger_take(void) {
  return atomic_exchange(&linger.closed, NULL);
}

// True if S is a connection of this process to the file that is in FOLDER now.
static bool linger_fits(struct store *s, const char *folder) {
  dev_t device = s->device;
  ino_t inode = s->inode;
  char *message = NULL;
  bool fits = s->pid == getpid() && strcmp(s->folder, folder) == 0 &&
      judge_file(s, &message) == OPENED && s->device == device && s->inode == inode;
  free(message);
  return fits;
}

static void store_free(struct store *s) {
  store_drop_queue(s);
  free(s->folder);
  free(s->path);
  free(s);
}

static void linger_end(struct store *s) {
  if (s && s->pid == getpid())
    store_disconnect(s);
  if (s)
    store_free(s);
}

static bool linger_keep(struct store *s) {
  struct store *none = NULL;
  if (atomic_load(&linger.on) != getpid() || !s->db || s->first || s->dead ||
      !atomic_compare_exchange_strong(&linger.closed, &none, s))
    return false;
  if (atomic_load(&linger.on) == 0) // another thread has turned it off since
    linger_end(linger_take());
  return true;
}

void store_linger(bool on) {
  atomic_store(&linger.on, on ? getpid() : 0);
  if (!on)
    linger_end(linger_take());
}

// NULL: *MESSAGE says why, and *LOCKED whether another process has locked the file.
static struct store *store_new(const char *folder, bool keep, double wait, bool *locked,
                               char **message) {
  *message = NULL;
  *locked = false;
  struct store *s = linger_take();
  if (s) {
    s->keep = keep;
    s->wait = wait < STORE_WAIT ? wait : STORE_WAIT;
    s->patience = 0;
    s->slowest = 0;
    if (linger_fits(s, folder))
      return s;
    linger_end(s);
  }
  s = sys_calloc(1, sizeof *s);
  if (!s)
    return NULL;
  s->pid = getpid();
  s->keep = keep;
  s->wait = wait;
  s->last = &s->first;
  s->folder = sys_strdup(folder);
  s->path = sys_printf("%s/results.db", folder);
  if (s->folder && s->path && store_establish(s, message) == 0) {
    s->wait = wait < STORE_WAIT ? wait : STORE_WAIT; // from now on
    return s;
  }
  *locked = s->locked;
  store_close(s);
  return NULL;
}

struct store *store_open_in(const char *folder, bool keep, char **message) {
  bool locked;
  return store_new(folder, keep, keep ? STORE_WAIT_TO_OPEN : STORE_WAIT, &locked,
                   message);
}

struct store *store_open_within(double seconds, char **message) {
  const char *cache = options_get()->cache;
  const char *folder = folder_open(message);
  // A caller that cannot wait only reads: creating a file waits for the disk, and the
  // tuner does that.
  bool hurries = seconds < STORE_WAIT;
  bool locked = false;
  struct store *s = folder ? store_new(folder, !hurries, seconds, &locked, message)
                           : NULL;
  bool wanted = !cache || *cache || getauxval(AT_SECURE);
  if (locked) // for now: a tuning waits longer, and says what it could not keep
    log_once(AUTOTUNE_INFO, "store-busy", "%s", *message ? *message : "no memory");
  else if (!s && wanted && !hurries)
    log_once(AUTOTUNE_WARN, "store", "results are not kept: %s",
             *message ? *message : "no memory");
  return s;
}

struct store *store_open(char **message) {
  return store_open_within(STORE_WAIT, message);
}

struct store *store_open_briefly_in(const char *folder) {
  bool locked;
  char *message = NULL;
  struct store *s = store_new(folder, true, brief_wait, &locked, &message);
  free(message); // a tuning says it
  return s;
}

struct store *store_open_briefly(void) {
  char *message = NULL;
  const char *folder = folder_open(&message);
  free(message);
  return folder ? store_open_briefly_in(folder) : NULL;
}

// A process other than the one that opened the connection does not close it: closing
// would drop the locks of the opener.
void store_close(struct store *s) {
  if (!s)
    return;
  if (s->pid == getpid()) {
    if (s->db && s->first && s->wait >= STORE_WAIT)
      store_finish_queue(s);
    store_drop_queue(s);
    if (linger_keep(s))
      return;
    store_disconnect(s);
  }
  store_free(s);
}
