R"(
#pragma autotune kernel
)" u8R"x(" )x" R"toolongadelimiterforaraw(" R"(