// SPDX-License-Identifier: Apache-2.0
// results.c: the folder of results: may it be trusted, does it take rows, and can code
// that is kept in it be opened by the next process? That fails on a file system that is
// mounted noexec.
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
#include "run/cpu/module.h"
#include "compile/jit.h"
#include "doctor.h"
#include "base/base.h"
#include "keep/store/store.h"
#include "keep/store/tables.h"

// ---- where it lies ------------------------------------------------------------------

// File systems of other machines, by the numbers of statfs(2): locks there may be slow or
// lie.
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

static void results_describe(struct finding *f, const char *folder) {
  enum { LITTLE = 256 << 20 };
  struct stat st;
  struct statvfs v;
  char room[32];
  if (stat(folder, &st) != 0 || statvfs(folder, &v) != 0) {
    finding_set(f, DOCTOR_FAILED, "%s: %s", folder, strerror(errno));
    return;
  }
  double left = (double)v.f_bavail * (double)v.f_frsize;
  const char *network = network_of(folder);
  finding_set(f, network || left < LITTLE ? DOCTOR_NOTE : DOCTOR_OK,
              "%.400s: user %u's, mode %o, %s free%s%s", folder, (unsigned)st.st_uid,
              st.st_mode & 07777u, doctor_bytes(room, sizeof room, left),
              network ? ", on " : "", network ? network : "");
  if (network)
    finding_advise(
        f,
        "locks and first calls may be slow there: AUTOTUNE_CACHE can name a local folder");
  else if (left < LITTLE)
    finding_advise(
        f,
        "make room, or name another folder in AUTOTUNE_CACHE; `autotune db prune` takes "
        "out what nobody can use");
}

void check_folder(struct finding *f, const struct doctor_options *o) {
  (void)o;
  const char *cache = options_get()->cache;
  char *message = NULL;
  if (cache && !*cache) {
    finding_set(f, DOCTOR_NOTE, "switched off by AUTOTUNE_CACHE: nothing is remembered");
    return;
  }
  const char *folder = folder_open(&message);
  struct store *s = folder ? store_open(&message) : NULL;
  if (s) {
    store_close(s);
    results_describe(f, folder);
  } else {
    finding_set(f, DOCTOR_FAILED, "%s, so nothing is remembered",
                message ? message : "no memory");
    finding_advise(
        f,
        "it must be a folder of this user alone: mend that, or name another in AUTOTUNE_CACHE");
  }
  free(message);
}

// ---- code in it ---------------------------------------------------------------------

// A compiled function as a shared object at PATH, opened from there.
static bool results_keeps(const struct jit_api *jit, const char *path, char **message) {
  static const char text[] = "static int answer(void) { return 42; }\n"
                             "int (*const autotune_entry)(void) = answer;\n";
  const char *const flags[] = { "-O2", NULL };
  void *object = NULL, *handle = NULL;
  size_t size = 0;
  if (jit->compile(text, flags, &object, &size, message) != 0 ||
      jit->link_shared(object, size, path, message) != 0)
    return false;
  autotune_fn code = module_load(path, NULL, 0, &handle, message);
  return code && ((int (*)(void))code)() == 42;
}

// A new file in the folder of results, or in memory where there is none. *OWN: to be
// removed.
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

void check_kept_code(struct finding *f, const struct doctor_options *o) {
  (void)o;
  char *message = NULL;
  const struct jit_api *jit = jit_open(&message);
  if (!jit) {
    finding_set(f, DOCTOR_MISSING, "not tried: there is no compiler");
    return;
  }
  bool own = false;
  char *path = new_file(&own);
  if (!path)
    finding_set(f, DOCTOR_FAILED, "no file can be made: %s", strerror(errno));
  else if (results_keeps(jit, path, &message))
    finding_set(f, DOCTOR_OK,
                "a compiled function was linked into %s and opened from there",
                own ? "the folder of results" : "a memory file");
  else
    finding_set(f, DOCTOR_FAILED, "%s",
                message ? message : "a function gave a wrong answer");
  if (f->state == DOCTOR_FAILED)
    finding_advise(
        f,
        "a file system mounted noexec would do this: name another folder in AUTOTUNE_CACHE");
  if (path && own)
    unlink(path);
}
