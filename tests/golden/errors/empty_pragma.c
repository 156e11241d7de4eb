#pragma autotune
void f(void) { }
