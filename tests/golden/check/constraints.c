#pragma autotune kernel param(MR: 1..8) param(NR: 1..8) param(S: block, cyclic) \
    constraint(MR * NR <= 16 && (MR % 2 == 0 || MR == 1)) constraint(S == block ? NR > 1 : NR < 3)
void params_only(float *c)
{
  c[MR] = NR + S;
}

#pragma autotune kernel param(T: 8, 16, 32) constraint(T <= n) constraint(T < 32)
void on_arguments(int n, float *c)
{
  c[n] = T;
}

#pragma autotune kernel param(T: 8, 16, 32) constraint((size_t)T * T * sizeof(float) < AUTOTUNE_L1D / 2)
void on_machine(float *c)
{
  c[0] = T;
}

#pragma autotune kernel param(T: 8, 16, 32) param(U: 0.5, 2.0) constraint((size_t)T * T < (double)300 && U > 1)
void casts(float *c)
{
  c[0] = T * U;
}
