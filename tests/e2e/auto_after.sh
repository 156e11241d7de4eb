# SPDX-License-Identifier: Apache-2.0
# `autotune cc --auto`: a program that ends before its kernel is tuned. The tuning goes on while the machine is idle, and
# ends with the program with AUTOTUNE_AFTER=off, so many seconds later, or when the next program begins.
. "$(dirname "$0")/auto_lib.sh"
. "$(dirname "$0")/cc_lib.sh"
unset AUTOTUNE_MODE
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_LOG=info OMP_NUM_THREADS=1

smooth_program nearest.c
check "builds" autotune cc --auto gcc -O2 nearest.c -o nearest

tuners() { # how many processes of the program are left
  local n=0 exe
  for exe in /proc/[0-9]*/exe; do
    [ "$(readlink "$exe")" != "$PWD/nearest" ] || n=$((n + 1))
  done
  echo $n
}
niceness() { # the least of all threads of these processes
  local exe
  for exe in /proc/[0-9]*/exe; do
    [ "$(readlink "$exe")" != "$PWD/nearest" ] || awk '{ print $19 }' "${exe%/exe}"/task/*/stat
  done | sort -n | head -1
}
ended() { # WHAT: they end within 2 s
  local wait
  for wait in $(seq 40); do
    [ "$(tuners)" -gt 0 ] || break
    sleep 0.05
  done
  is "$1" "$(tuners)" 0
}
busy() { awk '/^cpu / { print $2 + $3 + $4 + $7 + $8 + $9 }' /proc/stat; }

# The tuning ends with the program.
check "ends with the program" env AUTOTUNE_AFTER=off AUTOTUNE_LOG=debug ./nearest 2.5 2> off.log
has "off: a tuning began" off.log "a tuning begins"
sleep 0.5
is "off: processes left" "$(tuners)" 0

# In C++, where sites are closed by destructors, it goes on as well, whichever kernel was called first.
sed 's/^void smooth/static void scale(int n, double *x)\n{\n  for (int t = 0; t < 3; t++)\n    for (int i = 0; i < n; i++)\n      x[i] = x[i] * 1.5 + t;\n}\n&/
  s/malloc(n \* sizeof \*x)/(double *)&/; s/, \*y = calloc(n, sizeof \*y)/, *y = (double *)calloc(n, sizeof *y)/
  s/^  clock_gettime(CLOCK_MONOTONIC, &begin);/  for (int i = 0; i < 50; i++)\n    scale(n, x);\n&/' nearest.c > nearest.cpp
check "C++ builds" autotune cc --auto g++ -O2 nearest.cpp -o nearest
check "C++ runs" env AUTOTUNE_AFTER=30s AUTOTUNE_CACHE="$work/cxx" ./nearest 1.2 2> cxx.log
has "hot" cxx.log 'smooth.*: hot:'
sleep 0.1 # there are few variants
check "C++: the tuning goes on" [ "$(tuners)" -gt 0 ]
for exe in /proc/[0-9]*/exe; do
  [ "$(readlink "$exe")" != "$PWD/nearest" ] || kill "$(basename "$(dirname "$exe")")" 2> /dev/null
done
check "builds again" autotune cc --auto gcc -O2 nearest.c -o nearest

# It ends some seconds later, busy or not.
check "ends later" env AUTOTUNE_AFTER=1s AUTOTUNE_CACHE="$work/other" ./nearest 2.5 2> short.log
has "hot" short.log 'smooth: hot:'
sleep 3
is "1s: processes left" "$(tuners)" 0

# It finds the winner for the next run. Only time in which the machine does nothing else counts as waiting.
export AUTOTUNE_CACHE=$work/on
check "goes on" env AUTOTUNE_LOG=debug AUTOTUNE_AFTER=300s ./nearest 1.5 2> first.log
check "not tuned by then" not grep -q 'smooth: tuned' first.log
before=$(busy) idle=0
for second in $(seq 280); do
  [ "$(tuners)" -gt 0 ] && [ $idle -lt 60 ] || break
  sleep 1
  now=$(busy)
  [ $((now - before)) -gt 130 ] || idle=$((idle + 1))
  before=$now
done
echo "waited $second s, of these $idle idle"
is "processes left after $second s, $idle of them idle" "$(tuners)" 0
autotune why smooth > why.out
if grep -q 'until it is tuned' why.out && [ $second -gt 100 ] && [ $idle -lt 30 ]; then
  echo "the machine was never idle: the result is not checked"
else
  hasnt "it came to its end" why.out 'until it is tuned'
  grep -q 'until it is tuned' why.out && cat first.log why.out
  has "a result" why.out '^  n = 20000 .*found'
fi

# It has a low priority. The next program ends it at once; what was tried is kept, and nothing is left half done.
export AUTOTUNE_CACHE=$work/fourth
AUTOTUNE_AFTER=60s ./nearest 1.2 2> fourth.log
sleep 0.5
check "a tuning goes on" [ "$(tuners)" -gt 0 ]
check "a low priority" [ "$(niceness)" -ge 5 ]
AUTOTUNE_MODE=locked ./nearest 0.01 2> next.log
ended "the next program ends it"
autotune report --json > next.json
has "what was tried is kept" next.json '"tried": [1-9]'
hasnt "nothing is pending" next.json '"pending": [1-9]'
export AUTOTUNE_CACHE=$work/cache

# A program that begins at once is noticed, too, before the tuning has seen the first one's end: here its process is
# stopped meanwhile.
export AUTOTUNE_CACHE=$work/fifth
AUTOTUNE_LOG=debug AUTOTUNE_AFTER=60s ./nearest 4 2> fifth.log &
program=$!
for wait in $(seq 70); do
  grep -q 'a tuning begins' fifth.log && break
  sleep 0.05
done
sleep 0.3
others=$(for exe in /proc/[0-9]*/exe; do
  [ "$(readlink "$exe")" != "$PWD/nearest" ] || basename "$(dirname "$exe")"
done | grep -vx "$program")
check "a tuning goes on beside it" [ -n "$others" ]
kill -STOP $others
wait $program
AUTOTUNE_MODE=locked ./nearest 0.01 2> next.log
kill -CONT $others
ended "a program that begins at once ends it"
has "a tuning had begun" fifth.log 'a tuning begins'

# A second tuning does not go on beside the first.
AUTOTUNE_AFTER=60s AUTOTUNE_CACHE=$work/third ./nearest 2.5 2> third.log &
AUTOTUNE_AFTER=60s AUTOTUNE_CACHE=$work/third ./nearest 2.5 2> other.log
wait $!
for wait in $(seq 50); do
  pids=$(tuners)
  [ "$pids" -gt 3 ] || break
  sleep 0.2
done
check "one goes on ($pids processes)" [ "$pids" -le 3 ]
check "one goes on ($pids processes)" [ "$pids" -ge 1 ]
for exe in /proc/[0-9]*/exe; do
  [ "$(readlink "$exe")" != "$PWD/nearest" ] || kill "$(basename "$(dirname "$exe")")" 2> /dev/null
done
sleep 0.5
is "SIGTERM ends it" "$(tuners)" 0
finish
