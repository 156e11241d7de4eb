/* SPDX-License-Identifier: Apache-2.0 */
/* units.h: formats times for people, in UTF-8. Thread-safe. */
#ifndef AUTOTUNE_UNITS_H
#define AUTOTUNE_UNITS_H

#include <stddef.h>

/* A unit of time: s, ms, µs or ns. SIZE is in seconds. */
struct time_unit {
  double size;
  const char *name;
};
const struct time_unit *units_of(double seconds);
/* Formats X with four significant digits: "1.712", "84.12", "984.1", "0.0142". SIZE is at
 * least 48. Returns TEXT. */
const char *units_digits(char *text, size_t size, double x);
/* Formats SECONDS as "84.12 ms". SIZE is at least 64. Returns TEXT, or a constant. */
const char *units_seconds(char *text, size_t size, double seconds);

#endif
