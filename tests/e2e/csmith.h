/* SPDX-License-Identifier: Apache-2.0 */
/* csmith.h: stands for the header that csmith's programs include: arithmetic that is
 * defined in every case, and a checksum of the program's variables. */
#ifndef CSMITH_H
#define CSMITH_H
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Where the exact result is not representable, the first operand. BITS: of the type. */
#define ARITHMETIC(type, suffix, wide, low, high)                                              \
  static type safe_add_func_##suffix(type a, type b)                                           \
  { wide r; return __builtin_add_overflow((wide)a, (wide)b, &r) || r < (wide)(low) ||          \
                   r > (wide)(high) ? a : (type)r; }                                           \
  static type safe_sub_func_##suffix(type a, type b)                                           \
  { wide r; return __builtin_sub_overflow((wide)a, (wide)b, &r) || r < (wide)(low) ||          \
                   r > (wide)(high) ? a : (type)r; }                                           \
  static type safe_mul_func_##suffix(type a, type b)                                           \
  { wide r; return __builtin_mul_overflow((wide)a, (wide)b, &r) || r < (wide)(low) ||          \
                   r > (wide)(high) ? a : (type)r; }                                           \
  static type safe_div_func_##suffix(type a, type b)                                           \
  { return b == 0 || (low != 0 && a == (type)(low) && b == (type)-1) ? a : (type)(a / b); }    \
  static type safe_mod_func_##suffix(type a, type b)                                           \
  { return b == 0 || (low != 0 && a == (type)(low) && b == (type)-1) ? a : (type)(a % b); }
#define SHIFT(type, suffix, right)                                                             \
  static type safe_lshift_func_##suffix(type a, right b)                                       \
  { return a < 0 || b < 0 || (unsigned long)b >= sizeof(type) * 8 - 1 ||                       \
           (uint64_t)a >> (sizeof(type) * 8 - 1 - (unsigned)b) ? a                             \
                                                               : (type)((uint64_t)a << b); }   \
  static type safe_rshift_func_##suffix(type a, right b)                                       \
  { return a < 0 || b < 0 || (unsigned long)b >= sizeof(type) * 8 ? a : (type)(a >> b); }
#define SIGNED(n)                                                                              \
  ARITHMETIC(int##n##_t, int##n##_t_s_s, int64_t, INT##n##_MIN, INT##n##_MAX)                  \
  SHIFT(int##n##_t, int##n##_t_s_s, int) SHIFT(int##n##_t, int##n##_t_s_u, unsigned int)       \
  static int##n##_t safe_unary_minus_func_int##n##_t_s(int##n##_t a)                           \
  { return a == INT##n##_MIN ? a : (int##n##_t)-a; }
#define UNSIGNED(n)                                                                            \
  ARITHMETIC(uint##n##_t, uint##n##_t_u_u, uint64_t, 0, UINT##n##_MAX)                         \
  SHIFT(uint##n##_t, uint##n##_t_u_s, int) SHIFT(uint##n##_t, uint##n##_t_u_u, unsigned int)   \
  static uint##n##_t safe_unary_minus_func_uint##n##_t_u(uint##n##_t a)                        \
  { return (uint##n##_t)-a; }
SIGNED(8) SIGNED(16) SIGNED(32) SIGNED(64)
UNSIGNED(8) UNSIGNED(16) UNSIGNED(32) UNSIGNED(64)

static uint32_t crc32_context = 0xFFFFFFFFu;
static void crc32_gentab(void) {}
static void transparent_crc_bytes(const void *data, size_t size, char *name, int print)
{
  const unsigned char *p = data;
  for (size_t i = 0; i < size; i++)
    crc32_context = (crc32_context ^ p[i]) * 16777619u;
  if (print)
    printf("...checksum after hashing %s : %X\n", name, crc32_context);
}
static void transparent_crc(uint64_t value, char *name, int print)
{
  transparent_crc_bytes(&value, sizeof value, name, print);
}
static void platform_main_begin(void) {}
static void platform_main_end(uint32_t crc, int print)
{
  (void)print;
  printf("checksum = %X\n", crc);
}
#endif
