/* SPDX-License-Identifier: Apache-2.0 */
/* units.h: times as people read them, in UTF-8. Thread-safe. */
#ifndef AUTOTUNE_UNITS_H
#define AUTOTUNE_UNITS_H

#include <stddef.h>

/* s, ms, µs or ns, by the size of what is told; SIZE in seconds. */
struct time_unit {
  double size;
  const char *name;
};
const struct time_unit *units_of(double seconds);
/* Four digits that matter: "1.712", "84.12", "984.1", "0.0142". SIZE of at least 48. */
const char *units_digits(char *text, size_t size, double x);
/* "84.12 ms"; SIZE of at least 64. It is TEXT, or a constant. */
const char *units_seconds(char *text, size_t size, double seconds);

#endif
