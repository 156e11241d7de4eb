#ifndef FORKED_H
#define FORKED_H
// A class whose brace opens in two #ifs, and closes once: it must not spoil the rest.
#ifdef __cplusplus
extern "C" {
#endif
#if defined(ONE_THING)
struct Forked {
#endif
  extern int first;
#if !defined(ONE_THING) && defined(OTHER_THING)
struct Forked {
#endif
  extern int second;
#if defined(OTHER_THING)
};
#endif
#ifdef __cplusplus
}
#endif
#endif
