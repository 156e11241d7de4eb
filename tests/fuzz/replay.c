// SPDX-License-Identifier: Apache-2.0
// replay.c: runs a fuzzer's target on every file of the folders it is given.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static char current[4096]; // for whoever looks at a crash in a debugger

static int replay_file(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f)
    return 0;
  uint8_t *data = NULL;
  size_t size = 0, n;
  do {
    data = realloc(data, size + 65536);
    if (!data)
      abort();
    n = fread(data + size, 1, 65536, f);
    size += n;
  } while (n > 0);
  fclose(f);
  snprintf(current, sizeof current, "%s", path);
  LLVMFuzzerTestOneInput(data, size);
  free(data);
  return 1;
}

static int replay_folder(const char *folder) {
  DIR *d = opendir(folder);
  int n = 0;
  for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
    char path[4096];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
      n += replay_file(path);
  }
  if (d)
    closedir(d);
  return n;
}

int main(int argc, char **argv) {
  int n = 0;
  for (int i = 1; i < argc; i++) {
    int here = replay_folder(argv[i]);
    if (here == 0) {
      printf("no files in %s\n", argv[i]);
      return 1;
    }
    n += here;
  }
  printf("%d files\n", n);
  return n == 0;
}
