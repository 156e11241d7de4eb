#pragma autotune kernel
int f = 3;
