# SPDX-License-Identifier: Apache-2.0
# A tuning whose time ends while compiled variants wait says so. It does not say that all variants were tried.
. "$(dirname "$0")/cc_lib.sh"

# A call takes 0.3 of the budget, the default two calls. Some variants of an OpenMP kernel are compiled before one runs.
cat > slow.c << 'EOF'
#include <stdio.h>
#include <unistd.h>
#pragma autotune kernel param(MORE = 0: 0, 1, 2, 3, 4, 5) inout(x[0:2])
void slow(double *x)
{
  usleep(900000 + MORE);
#pragma omp parallel for num_threads(1)
  for (int i = 0; i < 2; i++)
    x[i] = x[i] * 0.5 + 1;
}
int main(void)
{
  static double x[2];
  slow(x);
  printf("%g\n", x[0]);
  return 0;
}
EOF
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_SEARCH=exhaustive
check "cc" autotune cc gcc -O1 -fopenmp slow.c -o slow
AUTOTUNE_MODE=first AUTOTUNE_BUDGET=3s AUTOTUNE_LOG=debug ./slow > out 2> log
is "answer" "$(cat out)" 1
autotune report > report
has "the next run goes on: $(cat log)" log 'default: .* beats* it.*; the next run of the program tries more'
hasnt "not all were tried" report 'all variants tried'
AUTOTUNE_MODE=first AUTOTUNE_BUDGET=30s AUTOTUNE_LOG=info ./slow > out 2> log
has "it tries the other ones" log 'default: none of 6 variants beats it'
autotune report > report
has "all were tried" report 'all variants tried'

# Each run tries one more, although the default alone takes longer than the budget.
export AUTOTUNE_CACHE=$work/cache.short
for i in 1 2; do AUTOTUNE_MODE=first AUTOTUNE_BUDGET=1s AUTOTUNE_LOG=info ./slow > out 2> log.$i; done
has "one was tried" log.1 'the only variant tried .*; the next run of the program tries more'
has "another one was tried" log.2 'none of 2 variants .*; the next run of the program tries more'

# Where the last ones take less time than all that comes before the first one, they are tried, too.
sed 's/: 0, 1, 2, 3, 4, 5)/: 0, 1)/' slow.c > two.c
export AUTOTUNE_CACHE=$work/cache.two
check "cc" autotune cc gcc -O1 -fopenmp two.c -o two
AUTOTUNE_MODE=first AUTOTUNE_BUDGET=3s AUTOTUNE_LOG=info ./two > out 2> log
has "it tries both" log 'default: none of 2 variants beats it'
finish
