// SPDX-License-Identifier: Apache-2.0
// processors.c: reports what times depend on besides code. No check here fails.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "doctor.h"
#include "base/base.h"
#include "base/units.h"

// ---- limits of control groups -------------------------------------------------------

// Calls SEE with the text of FILE in each group of cgroup v2 from this process's own to
// the root: the limits of the groups above hold as well.
static void each_group(const char *file, void (*see)(const char *text, void *data),
                       void *data) {
  static const char root[] = "/sys/fs/cgroup";
  char line[PATH_MAX], path[PATH_MAX + 64], text[256];
  FILE *groups = fopen("/proc/self/cgroup", "re");
  if (!groups)
    return;
  while (fgets(line, sizeof line, groups))
    if (strncmp(line, "0::", 3) == 0) {
      line[strcspn(line, "\n")] = '\0';
      for (char *group = line + 3;; *strrchr(group, '/') = '\0') {
        snprintf(path, sizeof path, "%s%s/%s", root, strcmp(group, "/") ? group : "",
                 file);
        if (doctor_line(path, text, sizeof text))
          see(text, data);
        if (!strrchr(group, '/'))
          break;
      }
    }
  fclose(groups);
}

static void least_quota(const char *text, void *data) { // "150000 100000", "max 100000"
  double quota, period, *least = data;
  if (sscanf(text, "%lf %lf", &quota, &period) == 2 && period > 0)
    *least = fmin(*least, quota / period);
}

static void least_bytes(const char *text, void *data) {
  char *end;
  double bytes = strtod(text, &end), *least = data;
  if (end != text)
    *least = fmin(*least, bytes);
}

// Reads the quota of cgroup v1. A container sees its own group as the root.
static void old_quota(double *least) {
  char quota[32], period[32], pair[80];
  if (doctor_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", quota, sizeof quota) &&
      doctor_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us", period, sizeof period) &&
      atof(quota) > 0) {
    snprintf(pair, sizeof pair, "%s %s", quota, period);
    least_quota(pair, least);
  }
}

// ---- processors ---------------------------------------------------------------------

bool check_processors(struct finding *f) {
  const struct machine *m = machine_get();
  double quota = INFINITY;
  each_group("cpu.max", least_quota, &quota);
  old_quota(&quota);
  long online = sysconf(_SC_NPROCESSORS_ONLN), threads = (long)m->numbers.threads;
  bool bound = quota < (double)threads;
  char fraction[64] = "";
  if (bound)
    snprintf(fraction, sizeof fraction, ", a quota of %.2f", quota);
  return finding_say(f, !bound, "%ld of %ld for this process%s; %s", threads, online,
                     fraction, m->name);
}

static const char *processors_turbo(void) {
  char text[16];
  if (doctor_line("/sys/devices/system/cpu/intel_pstate/no_turbo", text, sizeof text))
    return *text == '0' ? ", turbo on" : ", turbo off";
  if (doctor_line("/sys/devices/system/cpu/cpufreq/boost", text, sizeof text))
    return *text == '1' ? ", turbo on" : ", turbo off";
  return "";
}

bool check_frequency(struct finding *f) {
  char governor[64], clock[64];
  bool known = doctor_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
                           governor, sizeof governor);
  bool slow =
      doctor_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  clock, sizeof clock) &&
      (strcmp(clock, "hpet") == 0 || strcmp(clock, "acpi_pm") == 0);
  if (slow) {
    finding_say(f, false, "the clock is %s, and takes about a microsecond to read",
                clock);
    return finding_instead(
        f, DOCTOR_NOTE,
        "kernels of microseconds are timed badly; tsc is the clock to have");
  }
  if (!known)
    return finding_say(f, true, "governor not visible, as in most virtual machines%s",
                       processors_turbo());
  return finding_say(f, strcmp(governor, "performance") == 0, "governor %s%s", governor,
                     processors_turbo());
}

bool check_load(struct finding *f) {
  double load[1];
  long threads = (long)machine_identity()->numbers.threads;
  if (getloadavg(load, 1) != 1)
    return finding_say(f, true, "not known");
  return finding_say(f, load[0] <= 0.5 * (double)threads,
                     "%.2f in the last minute, %ld processor%s", load[0], threads,
                     threads == 1 ? "" : "s");
}

// ---- memory -------------------------------------------------------------------------

// Returns the bytes of a line such as "MemAvailable:    5432100 kB"; NAN: there is none.
static double processors_meminfo(const char *name) {
  char line[128];
  double found = NAN;
  FILE *file = fopen("/proc/meminfo", "re");
  size_t n = strlen(name);
  while (file && isnan(found) && fgets(line, sizeof line, file))
    if (strncmp(line, name, n) == 0 && line[n] == ':')
      found = 1024 * strtod(line + n + 1, NULL);
  if (file)
    fclose(file);
  return found;
}

bool check_memory(struct finding *f) {
  enum { ENOUGH = 1 << 30 };
  double total = processors_meminfo("MemTotal"),
         left = processors_meminfo("MemAvailable"), limit = INFINITY;
  char all[32], most[32], available[32], policy[16] = "";
  struct rlimit space;
  each_group("memory.max", least_bytes, &limit);
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
    limit = fmin(limit, (double)space.rlim_cur);
  bool bound = limit < total;
  finding_say(f, true, "%s, %s available%s%s", units_bytes(all, sizeof all, total),
              units_bytes(available, sizeof available, left),
              bound ? ", limited to " : "",
              bound ? units_bytes(most, sizeof most, limit) : "");
  if (doctor_line("/proc/sys/vm/overcommit_memory", policy, sizeof policy) &&
      *policy == '2')
    return finding_instead(
        f, DOCTOR_NOTE,
        "vm.overcommit_memory is 2: a program that holds more than half of the memory "
        "cannot be forked, and so not be tuned");
  return fmin(left, limit) >= ENOUGH;
}
