/* SPDX-License-Identifier: Apache-2.0 */
/* fibre.c: switches from one stack to another: pushes the registers that the calling
 * convention preserves, exchanges the stack pointer, and pops the registers. */
#include "emulator.h"

#if defined(__x86_64__)

__asm__(".text\n"
        ".globl fibre_switch\n"
        ".hidden fibre_switch\n"
        ".type fibre_switch, @function\n"
        "fibre_switch:\n"
        "  pushq %rbp\n"
        "  pushq %rbx\n"
        "  pushq %r12\n"
        "  pushq %r13\n"
        "  pushq %r14\n"
        "  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n"
        "  popq %r14\n"
        "  popq %r13\n"
        "  popq %r12\n"
        "  popq %rbx\n"
        "  popq %rbp\n"
        "  ret\n"
        ".size fibre_switch, .-fibre_switch\n");

void *fibre_prepare(void *top, void (*entry)(void)) {
  void **sp = top;
  *--sp = NULL; /* the return address: ENTRY has no caller */
  *--sp = (void *)(uintptr_t)entry;
  for (int i = 0; i < 6; i++)
    *--sp = NULL;
  return sp;
}

#elif defined(__aarch64__)

__asm__(".text\n"
        ".globl fibre_switch\n"
        ".hidden fibre_switch\n"
        ".type fibre_switch, %function\n"
        "fibre_switch:\n"
        "  sub sp, sp, #160\n"
        "  stp x19, x20, [sp]\n"
        "  stp x21, x22, [sp, #16]\n"
        "  stp x23, x24, [sp, #32]\n"
        "  stp x25, x26, [sp, #48]\n"
        "  stp x27, x28, [sp, #64]\n"
        "  stp x29, x30, [sp, #80]\n"
        "  stp d8, d9, [sp, #96]\n"
        "  stp d10, d11, [sp, #112]\n"
        "  stp d12, d13, [sp, #128]\n"
        "  stp d14, d15, [sp, #144]\n"
        "  mov x9, sp\n"
        "  str x9, [x0]\n"
        "  mov sp, x1\n"
        "  ldp x19, x20, [sp]\n"
        "  ldp x21, x22, [sp, #16]\n"
        "  ldp x23, x24, [sp, #32]\n"
        "  ldp x25, x26, [sp, #48]\n"
        "  ldp x27, x28, [sp, #64]\n"
        "  ldp x29, x30, [sp, #80]\n"
        "  ldp d8, d9, [sp, #96]\n"
        "  ldp d10, d11, [sp, #112]\n"
        "  ldp d12, d13, [sp, #128]\n"
        "  ldp d14, d15, [sp, #144]\n"
        "  add sp, sp, #160\n"
        "  ret\n"
        ".size fibre_switch, .-fibre_switch\n");

void *fibre_prepare(void *top, void (*entry)(void)) {
  void **sp = (void **)top - 20;
  for (int i = 0; i < 20; i++)
    sp[i] = NULL;
  sp[11] = (void *)(uintptr_t)entry; /* x30 */
  return sp;
}

#else
#error "fibre_switch is written for x86-64 and aarch64"
#endif
