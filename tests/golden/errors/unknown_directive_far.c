#pragma autotune frobnicate
void f(void) { }
