// SPDX-License-Identifier: Apache-2.0
// results.c: checks that the folder of results can be trusted and takes rows, and that
// code in it can be loaded, which fails on a file system that is mounted noexec.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "run/cpu/module.h"
#include "compile/compile.h"
#include "compile/jit.h"
#include "doctor.h"
#include "base/base.h"
#include "base/units.h"
#include "keep/store/store.h"
#include "keep/store/tables.h"

// ---- the folder ---------------------------------------------------------------------

// File systems of other machines, by the numbers of statfs(2). Locks there may be slow or
// not work.
static const struct {
  unsigned long type;
  const char *name;
} networks[] = {
  { 0x6969, "NFS" },        { 0xff534d42, "CIFS" }, { 0xfe534d42, "SMB" },
  { 0x0bd00bd0, "Lustre" }, { 0x47504653, "GPFS" }, { 0x19830326, "BeeGFS" },
  { 0x00c36400, "Ceph" },   { 0x5346414f, "AFS" },  { 0x65735546, "FUSE" },
};

static const char *network_of(const char *folder) {
  struct statfs s;
  if (statfs(folder, &s) != 0)
    return NULL;
  for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
    if (((unsigned long)s.f_type & 0xffffffff) == networks[i].type)
      return networks[i].name;
  return NULL;
}

static bool results_describe(struct finding *f, const char *folder) {
  enum { LITTLE = 256 << 20 };
  struct stat st;
  struct statvfs v;
  char room[32];
  if (stat(folder, &st) != 0 || statvfs(folder, &v) != 0) {
    finding_say(f, false, "%s: %s", folder, strerror(errno));
    return finding_instead(f, DOCTOR_FAILED, "");
  }
  double left = (double)v.f_bavail * (double)v.f_frsize;
  const char *network = network_of(folder);
  finding_say(f, true, "%.400s: user %u's, mode %o, %s free%s%s", folder,
              (unsigned)st.st_uid, st.st_mode & 07777u,
              units_bytes(room, sizeof room, left), network ? ", on " : "",
              network ? network : "");
  if (network)
    return finding_instead(f, DOCTOR_NOTE,
                           "locks and first calls may be slow there: AUTOTUNE_CACHE can "
                           "name a local folder");
  return left >= LITTLE ||
      finding_instead(f, DOCTOR_NOTE,
                      "make room, or name another folder in AUTOTUNE_CACHE; `autotune db "
                      "prune` takes out what nobody can use");
}

bool check_folder(struct finding *f) {
  const char *cache = options_get()->cache;
  char *message = NULL;
  if (cache && !*cache) {
    finding_say(f, false, "switched off by AUTOTUNE_CACHE: nothing is remembered");
    return finding_instead(f, DOCTOR_NOTE, "");
  }
  const char *folder = folder_open(&message);
  struct store *s = folder ? store_open(&message) : NULL;
  if (s) {
    store_close(s);
    return results_describe(f, folder);
  }
  finding_say(f, false, "%s, so nothing is remembered", message ? message : "no memory");
  free(message);
  return false;
}

// ---- code in it ---------------------------------------------------------------------

// Compiles a function, links it as a shared object at PATH, and loads and calls it.
static bool results_keeps(const struct jit_api *jit, const char *path, char **message) {
  const char *const flags[] = { "-O2", NULL };
  void *object = NULL, *handle = NULL;
  size_t size = 0;
  if (jit->compile(doctor_unit, flags, &object, &size, message) != 0 ||
      jit->link_shared(object, size, path, message) != 0)
    return false;
  autotune_fn code = module_load(path, NULL, 0, &handle, message);
  return code && ((int (*)(void))code)() == 42;
}

// Creates a file in the folder of results, or in memory if there is no folder. Returns
// its path, malloc'ed; *OWN: the caller removes the file. NULL and errno: it failed.
static char *new_file(bool *own) {
  char *unused = NULL, *path = NULL, *prefix;
  const char *cache = options_get()->cache;
  const char *folder = cache && !*cache ? NULL : folder_open(&unused);
  int fd = -1;
  *own = folder != NULL;
  if (folder && (prefix = sys_printf("%s/doctor", folder))) {
    fd = folder_temporary(prefix, &path);
    free(prefix);
    close(fd);
    return fd >= 0 ? path : NULL;
  }
  fd = memfd_create("autotune-doctor", MFD_CLOEXEC);
  return fd >= 0 ? sys_printf("/proc/self/fd/%d", fd) : NULL;
}

bool check_kept_code(struct finding *f) {
  char *message = NULL;
  const struct jit_api *jit = jit_open(&message);
  bool own = false, good = false;
  if (!jit) {
    finding_say(f, false, "not tried: there is no compiler");
    return finding_instead(f, DOCTOR_MISSING, "");
  }
  char *path = new_file(&own);
  if (!path)
    finding_say(f, false, "no file can be made: %s", strerror(errno));
  else if (results_keeps(jit, path, &message))
    good = finding_say(f, true,
                       "a compiled function was linked into %s and opened from there",
                       own ? "the folder of results" : "a memory file");
  else
    finding_say(f, false, "%s", message ? message : "a function gave a wrong answer");
  if (path && own)
    unlink(path);
  return good;
}
