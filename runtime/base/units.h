/* SPDX-License-Identifier: Apache-2.0 */
/* units.h: formats times, bytes and other amounts for people, in UTF-8. Thread-safe. */
#ifndef AUTOTUNE_UNITS_H
#define AUTOTUNE_UNITS_H

#include <stddef.h>

struct measure_unit {
  double size; /* in the basic unit, for times in seconds */
  const char *name;
};
/* Returns the unit in which SECONDS are read best: s, ms, µs or ns. */
const struct measure_unit *units_of(double seconds);
/* Formats X with four significant digits: "1.712", "84.12", "984.1", "0.0142". SIZE is at
 * least 48. Returns TEXT. */
const char *units_digits(char *text, size_t size, double x);
/* Formats AMOUNT in U as "84.12 ms". SIZE is at least 64. Returns TEXT. */
const char *units_amount(char *text, size_t size, double amount,
                         const struct measure_unit *u);
/* Formats SECONDS as "84.12 ms". SIZE is at least 64. Returns TEXT. */
const char *units_seconds(char *text, size_t size, double seconds);
/* Formats BYTES as "7.7 GiB". SIZE is at least 32. Returns TEXT. */
const char *units_bytes(char *text, size_t size, double bytes);

#endif
