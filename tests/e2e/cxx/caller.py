# SPDX-License-Identifier: Apache-2.0
import ctypes
import sys

n = 4000
numbers = ctypes.c_float * n
saxpy = ctypes.CDLL(sys.argv[1]).saxpy
saxpy.argtypes = [ctypes.c_int, ctypes.c_float, ctypes.POINTER(ctypes.c_float), ctypes.POINTER(ctypes.c_float)]
saxpy.restype = None
x, y = numbers(*[i % 13 for i in range(n)]), numbers(*[1] * n)
for _ in range(4):
    saxpy(n, 2.0, x, y)
print('right' if all(y[i] == 1 + 8 * x[i] for i in range(n)) else 'wrong')
