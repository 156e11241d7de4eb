// SPDX-License-Identifier: Apache-2.0
// units.c: formats times, bytes and other amounts for people.
#include <stdio.h>

#include "units.h"

static const struct measure_unit units[] = {
  { 1, "s" },
  { 1e-3, "ms" },
  { 1e-6, "µs" },
  { 1e-9, "ns" },
};

const struct measure_unit *units_of(double seconds) {
  if (!(seconds > 0))
    return &units[0];
  for (int i = 0; i < 3; i++)
    if (seconds >= units[i].size * 0.9995)
      return &units[i];
  return &units[3];
}

const char *units_digits(char *text, size_t size, double x) {
  int after = x >= 1000 ? 0 : x >= 100 ? 1 : x >= 10 ? 2 : x >= 1 ? 3 : x >= 0.1 ? 4 : 5;
  snprintf(text, size, "%.*f", after, x);
  return text;
}

const char *units_amount(char *text, size_t size, double amount,
                         const struct measure_unit *u) {
  char number[48];
  units_digits(number, sizeof number, amount / u->size);
  snprintf(text, size, "%s %s", amount > 0 ? number : "0", u->name);
  return text;
}

const char *units_seconds(char *text, size_t size, double seconds) {
  return units_amount(text, size, seconds, units_of(seconds));
}

const char *units_bytes(char *text, size_t size, double bytes) {
  static const char *const names[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
  unsigned u = 0;
  for (; u < 4 && bytes >= 1024; u++)
    bytes /= 1024;
  snprintf(text, size, u > 1 ? "%.1f %s" : "%.0f %s", bytes, names[u]);
  return text;
}
