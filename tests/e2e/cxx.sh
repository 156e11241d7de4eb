#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Kernels of C++: built by g++ and clang++ in several standards, tuned, right, known in the next process; called from
# Fortran and Python; the untuned parts of a program stay as without autotune; CMake.
set -u
build=$(cd "$1" && pwd) here=$(cd "$(dirname "$0")" && pwd)
PATH=$build/bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset AUTOTUNE_MODE AUTOTUNE_SEARCH
export AUTOTUNE_BUDGET=20s LC_ALL=C AUTOTUNE_LOG=info
failed=0
fail() { echo "FAILED: $*"; failed=1; }
cp "$here"/cxx/*.cpp "$here"/cxx/*.f90 "$here"/cxx/*.py .

# COMPILER…: compiles program.cpp with and without autotune, and compares what both print
both() {
  local name=${*// /_} words=("$@")
  "$@" -Wno-unknown-pragmas -O2 program.cpp elsewhere.cpp -o plain > /dev/null 2>&1 || { echo "no $*"; return; }
  autotune cc "${words[@]}" -Wall -Wextra -O2 program.cpp elsewhere.cpp -o tuned 2> messages || fail "$*: does not build"
  grep -q 'warning\|error' messages && { fail "$*: messages"; cat messages; }
  ./plain > expected
  export AUTOTUNE_CACHE=$work/cache-$name
  for pass in first second; do
    ./tuned > out 2> err || fail "$*, $pass: exit status $?"
    cmp -s expected out || { fail "$*, $pass: other output"; diff expected out; }
    grep -q 'not compile\|none of [0-9]* variants was right' err && { fail "$*, $pass"; cat err; }
  done
  grep -q 'never tuned' err && { fail "$*: the second process tuned again"; cat err; }
  for kernel in lab::axpy Grid::smooth 'scale<double, 3>' 'scale<float, 4>' matrix count spread; do
    autotune report | grep -qF "$kernel  (program.cpp" || fail "$*: '$kernel' was not tuned"
  done
  autotune report | grep -q 'did not compile' && { fail "$*"; autotune report | grep -A2 'did not compile'; }
}
both g++ -std=c++11
autotune why axpy | grep -q '^lab::axpy on' || fail "why without the namespace"
autotune why scale | grep -c '^scale<' | grep -qx 2 || fail "why without the template's arguments"
both g++ -std=c++17
both clang++-22 -std=c++14
both clang++-22 -std=c++23 -fopenmp

# What is written for the compiler's errors alone makes no code, and no warnings.
for cc in "g++ -std=gnu++11" "g++ -std=gnu++20" "clang++-22 -std=gnu++11" "clang++-22 -std=c++23"; do
  autotune cc $cc -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wold-style-cast -Wzero-as-null-pointer-constant \
    -c clauses.cpp -o clauses.o > messages 2>&1 || fail "$cc: clauses.cpp does not build"
  [ -s messages ] && { fail "$cc: messages"; cat messages; }
done
for cc in "g++ -std=c++11" "clang++-22 -std=c++17"; do
  autotune cc $cc -O0 -c program.cpp -o checks.o || fail "$cc: does not build"
  ! nm -C checks.o | grep autotune_checks || fail "$cc: code of checks"
done

# Loops and blocks as kernels: the same answers in the statement's place, while it is tuned, and as winners.
loops() { # COMPILER…
  "$@" -Wno-unknown-pragmas -O2 loops.cpp -o plain || { echo "no $*"; return; }
  autotune cc "$@" -Wall -Wextra -O2 loops.cpp -o tuned 2> messages || fail "loops, $*: does not build"
  [ "$(grep -c 'warning: \|error: ' messages)" = 1 ] && grep -q "an exception may leave it: 'main_......' throws" messages ||
    { fail "loops, $*: messages"; cat messages; }
  ./plain > loops.expected
  AUTOTUNE_MODE=off ./tuned > out && cmp -s loops.expected out || fail "loops, $*: other output untuned"
  export AUTOTUNE_CACHE=$work/cache-loops-${*// /_}
  for pass in first second; do
    ./tuned > out 2> err || fail "loops, $*, $pass: exit status $?"
    cmp -s loops.expected out || { fail "loops, $*, $pass: other output"; diff loops.expected out; }
  done
  grep -q 'never tuned' err && { fail "loops, $*: the second process tuned again"; cat err; }
  for kernel in 'lab::total_......<double, 3, ' 'lab::total_......<float, 1, ' 'lab::step_......<' \
    'lab::Solver_again_...... ' 'lab::folded_......<' 'main_......<'; do
    AUTOTUNE_LOG=error autotune report | grep -A12 "^$kernel" | grep -q 'winner *WAY=1' || { fail "loops, $*: $kernel"; autotune report; }
  done
}
loops g++ -std=c++11 -fopenmp
loops clang++-22 -std=c++20

# What cannot be tuned is one warning, and the program builds and is right.
cat > not.cpp << 'END'
#include <cstdio>
struct Shape { virtual double area(double x) const { return 2 * x; } };
#pragma autotune kernel inout(x[0:n])
void measure(int n, double *x, const Shape *s)
{
  for (int i = 0; i < n; i++)
    x[i] = s->area(x[i]);
}
int main()
{
  double x[3] = { 1, 2, 3 };
  Shape s;
  measure(3, x, &s);
  std::printf("%g\n", x[2]);
}
END
autotune cc g++ -c not.cpp 2> messages || fail "not.cpp does not build"
grep -q "^not.cpp:3:1: warning: 'measure' is not tuned: it uses 'Shape', which has virtual functions$" messages ||
  { fail "no warning"; cat messages; }
[ "$(grep -c warning messages)" = 1 ] || fail "more than one warning"
g++ not.o -o not && [ "$(./not)" = 6 ] || fail "not.cpp is wrong"

# Callers in Fortran (bind(c)) and in Python (ctypes).
export AUTOTUNE_CACHE=$work/cache-callers
autotune cc g++ -O2 -fPIC -shared library.cpp -o liblibrary.so || fail "library.cpp does not build"
if command -v gfortran > /dev/null; then
  gfortran caller.f90 -o fortran -L. -llibrary -Wl,-rpath,"$work" || fail "caller.f90 does not build"
  [ "$(./fortran 2> err)" = right ] || { fail "Fortran"; cat err; }
  grep -q 'saxpy: .*variants' err || { fail "Fortran's calls did not tune"; cat err; }
else
  echo "not tried: gfortran is not here"
fi
rm -rf "$AUTOTUNE_CACHE"
if command -v python3 > /dev/null; then
  [ "$(python3 caller.py ./liblibrary.so 2> err)" = right ] || { fail "Python"; cat err; }
  grep -q 'saxpy: .*variants' err || { fail "Python's calls did not tune"; cat err; }
else
  echo "not tried: python3 is not here"
fi

# Elements that are structs are compared number by number: in structs and arrays within them, with a look at their padding.
# FMA rounds otherwise than the build, which has none; the other variant is wrong in one member.
cat > grids.cpp << 'END'
#include <cstdio>
#include <vector>
#define WRONG 0
struct number {
  double re, im;
  number &operator+=(const number &other) { re += other.re; im += other.im; return *this; }
};
struct grid { number v[8]; int n; double w[3][2]; char c; };
#pragma autotune kernel param(WRONG: 0, 1) flags("-march=native -ffp-contract=fast") inout(g[0:n]) verify(rtol: 1e-9)
void advance(int n, grid *g)
{
  for (int t = 0; t < 50; t++)
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < 8; k++) {
        g[i].v[k].re = g[i].v[k].re * 1.01 + 0.1 * k;
        g[i].v[k] += number{ 0.1, WRONG && k == 3 ? 0.2 : 0.1 };
      }
      for (auto &row : g[i].w)
        for (double &z : row)
          z = z * 1.1 + 0.3;
      g[i].n++;
    }
}
int main()
{
  std::vector<grid> g(500);
  for (size_t i = 0; i < g.size(); i++)
    g[i].v[1].re = g[i].w[1][1] = 0.37 * (double)i;
  advance((int)g.size(), g.data());
  std::printf("%d %.6g %.6g\n", g[7].n, g[7].v[3].im, g[9].w[2][1]);
}
END
for cc in "g++ -std=c++11" "clang++-22 -std=c++17"; do
  rm -rf "$AUTOTUNE_CACHE"
  autotune cc $cc -O2 -Wall -Wextra grids.cpp -o grids > messages 2>&1 || fail "$cc: structs: does not build"
  grep -q 'warning\|error' messages && { fail "$cc: structs: messages"; cat messages; }
  [ "$(./grids 2> err)" = "50 5 349.173" ] || fail "$cc: structs: $(./grids 2>&1)"
  autotune report --verbose > report
  grep -q '2 tried · 1 right · 1 wrong' report || { fail "$cc: structs: the right variant"; cat report; }
  grep -q 'g\[0\] at byte 56 is 10 instead of 5' report || { fail "$cc: structs: the message"; cat report; }
done

# Constructors of the program's classes do not run for this.
cat > own.cpp << 'END'
#include <autotune_cxx.h>
#include <cstdio>
#include <cstdlib>
struct own {
  double x, y, z;
  own() {}
  explicit own(const double *p) : x(p[0]), y(p[1]), z(p[2]) {}
  own(int) { abort(); }
};
struct holds { own v; int n; };
struct plain { double d; int n; };
template <class T_> int known() { return autotune::layout_of<T_>::get() != nullptr; }
int main() { std::printf("%d %d %d\n", known<own>(), known<holds>(), known<plain>()); }
END
for cc in "g++ -std=c++11" "clang++-22 -std=c++17"; do
  $cc -isystem "$build/include" own.cpp -o own && [ "$(./own)" = "0 0 1" ] || fail "$cc: constructors: $(./own)"
done

# CMake: a target of C++.
mkdir project && cp program.cpp elsewhere.cpp project
cat > project/CMakeLists.txt << END
cmake_minimum_required(VERSION 3.16)
project(p CXX)
set(AUTOTUNE_PROGRAM $build/bin/autotune)
include($here/../../cmake/autotuneEnable.cmake)
add_library(autotune::autotune INTERFACE IMPORTED)
add_executable(program program.cpp elsewhere.cpp)
autotune_enable(program)
END
cmake -S project -B project/build > messages 2>&1 && cmake --build project/build >> messages 2>&1 ||
  { fail "CMake"; cat messages; }
AUTOTUNE_CACHE=$work/cache-cmake project/build/program > out 2> err
cmp -s expected out || fail "CMake: other output"
grep -q 'Grid::smooth: .*variant' err || { fail "CMake: nothing was tuned"; cat err; }

[ $failed = 0 ] && echo "right"
exit $failed
