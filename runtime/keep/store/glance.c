// SPDX-License-Identifier: Apache-2.0
// glance.c: reads a winner without SQLite, which needs ten times as long to get ready and
// to open a file (settings, schema, statements) as to read a few rows. Most programs only
// read their winners.
//
// The file has SQLite's lock for readers meanwhile, so nobody writes to it, and its pages
// are read as https://www.sqlite.org/fileformat2.html describes them. Each row still has
// its checksum. Whatever is not plain (a journal with something in it, another format, a
// damaged row) ends the glance, and a connection is to be opened.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tables.h"

enum {
  HEADER = 100,    // bytes of the file's header, on its first page
  MOST_DEPTH = 8,  // of a tree
  MOST_PAGES = 64, // that one glance reads
  MOST_ROW = 1 << 20,
  LOCK_AT = 0x40000002, // where readers lock the file (os.h in SQLite)
  LOCK_SIZE = 510
};

struct glance {
  int fd;
  unsigned page, usable, read; // bytes of a page; pages read so far
  uint32_t winners, services;  // the roots of their tables; 0: not found
  bool broken;
};

// A table's page, or a row.
struct glance_bytes {
  const unsigned char *at;
  size_t size;
};

// ---- numbers ------------------------------------------------------------------------

static uint64_t glance_number(const unsigned char *p, unsigned n) {
  uint64_t value = 0;
  while (n--)
    value = value << 8 | *p++;
  return value;
}

// Reads a number of SQLite's variable length at *AT. False: it does not end within B.
static bool glance_varint(struct glance_bytes b, size_t *at, uint64_t *out) {
  *out = 0;
  for (unsigned i = 0; i < 9 && *at < b.size; i++) {
    unsigned char c = b.at[(*at)++];
    *out = i == 8 ? *out << 8 | c : *out << 7 | (c & 0x7f);
    if (i == 8 || !(c & 0x80))
      return true;
  }
  return false;
}

// ---- rows ---------------------------------------------------------------------------

// A row's columns: at HEAD their types, at BODY their values.
struct glance_row {
  struct glance_bytes all;
  size_t head, end, body;
};

static bool glance_begin(struct glance_bytes all, struct glance_row *r) {
  uint64_t size;
  *r = (struct glance_row){ .all = all };
  if (!glance_varint(all, &r->head, &size) || size < r->head || size > all.size)
    return false;
  r->end = r->body = size;
  return true;
}

// Returns how many bytes a value of TYPE takes.
static uint64_t glance_size(uint64_t type) {
  static const unsigned char sizes[] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0 };
  return type < sizeof sizes ? sizes[type] : (type - 12) / 2;
}

// Reads the next column of R: its type, and its bytes.
static bool glance_next(struct glance_row *r, uint64_t *type,
                        struct glance_bytes *value) {
  const struct glance_bytes types = { r->all.at, r->end };
  if (!glance_varint(types, &r->head, type))
    return false;
  uint64_t size = glance_size(*type);
  if (size > r->all.size - r->body)
    return false;
  *value = (struct glance_bytes){ r->all.at + r->body, size };
  r->body += size;
  return true;
}

static bool glance_is_integer(uint64_t type) {
  return (type >= 1 && type <= 6) || type == 8 || type == 9;
}

static int64_t glance_integer(uint64_t type, struct glance_bytes value) {
  unsigned bits = 8 * (unsigned)value.size;
  if (bits == 0)
    return type == 9;
  return (int64_t)(glance_number(value.at, (unsigned)value.size) << (64 - bits)) >>
      (64 - bits);
}

static bool glance_next_integer(struct glance_row *r, int64_t *out) {
  uint64_t type;
  struct glance_bytes value;
  if (!glance_next(r, &type, &value) || !glance_is_integer(type))
    return false;
  *out = glance_integer(type, value);
  return true;
}

// Sets C, which cell_empty has made for F, from the next column of R. A text gets its end
// at *ROOM. SQLite keeps real numbers without a fraction as integers.
static bool glance_cell(struct glance_row *r, const struct fact *f, struct cell *c,
                        char **room) {
  uint64_t type;
  struct glance_bytes value;
  if (!glance_next(r, &type, &value))
    return false;
  if (c->kind == CELL_INT && glance_is_integer(type)) {
    c->i = glance_integer(type, value);
    return true;
  }
  if (c->kind == CELL_REAL && (type == 7 || glance_is_integer(type))) {
    uint64_t bits = type == 7 ? glance_number(value.at, 8) : 0;
    memcpy(&c->d, &bits, sizeof c->d);
    if (type != 7)
      c->d = (double)glance_integer(type, value);
    return true;
  }
  if (type != (c->kind == CELL_TEXT ? 13 : 12) + 2 * value.size || value.size > f->most ||
      c->kind < CELL_TEXT)
    return false;
  memcpy(*room, value.at, value.size);
  (*room)[value.size] = '\0';
  c->data = *room;
  c->size = value.size;
  *room += value.size + 1;
  return c->kind == CELL_BLOB || !memchr(c->data, '\0', c->size);
}

// Reads ROW of K into WHAT, which then points into *BLOCK, malloc'ed.
static bool glance_take(struct glance_bytes row, const struct kind *k, void *what,
                        char **block) {
  struct cell cells[STORE_CELLS];
  struct glance_row r;
  int64_t sum;
  char *room = *block = sys_malloc(row.size + STORE_CELLS);
  bool good = room && glance_begin(row, &r);
  for (unsigned i = 0; good && i < k->n; i++) {
    cells[i] = cell_empty(&k->facts[i]);
    good = glance_cell(&r, &k->facts[i], &cells[i], &room);
  }
  return good && glance_next_integer(&r, &sum) && (uint64_t)sum == row_sum(k, cells) &&
      row_take(k, cells, what);
}

// ---- pages --------------------------------------------------------------------------

static bool glance_read(struct glance *g, uint32_t page, unsigned char *to) {
  off_t at = (off_t)(page - 1) * g->page;
  return page > 0 && g->read++ < MOST_PAGES &&
      pread(g->fd, to, g->page, at) == (ssize_t)g->page;
}

// A page of a tree. An inner one has a child before each of its N cells, and one after
// the last.
struct glance_page {
  struct glance_bytes bytes;
  size_t cells; // where their places are
  unsigned n;
  bool inner;
};

// Looks at BYTES, a page whose tree begins at AT. LEAF, INNER: the types that it may
// have; INNER 0: none.
static bool glance_look(struct glance_bytes bytes, size_t at, unsigned leaf,
                        unsigned inner, struct glance_page *p) {
  unsigned type = bytes.at[at];
  *p = (struct glance_page){ .bytes = bytes, .inner = type == inner };
  p->cells = at + (p->inner ? 12 : 8);
  p->n = (unsigned)glance_number(bytes.at + at + 3, 2);
  return (type == leaf || p->inner) && p->cells + 2 * p->n <= bytes.size;
}

// Returns where cell I of P begins, after the number of the child before it, if any.
static size_t glance_at(const struct glance_page *p, unsigned i) {
  return (size_t)glance_number(p->bytes.at + p->cells + 2 * i, 2) + (p->inner ? 4 : 0);
}

static uint32_t glance_child(const struct glance_page *p, unsigned i) {
  size_t at = i < p->n ? glance_at(p, i) - 4 : p->cells - 4;
  return at + 4 <= p->bytes.size ? (uint32_t)glance_number(p->bytes.at + at, 4) : 0;
}

// Finds the part of cell I's row that is on page P itself. *SIZE: of the whole row.
static bool glance_local(const struct glance *g, const struct glance_page *p, unsigned i,
                         uint64_t *size, struct glance_bytes *local) {
  size_t at = glance_at(p, i), u = g->usable;
  if (!glance_varint(p->bytes, &at, size) || *size > MOST_ROW)
    return false;
  size_t most = (u - 12) * 64 / 255 - 23, least = (u - 12) * 32 / 255 - 23,
         fits = least + (*size - least) % (u - 4);
  size_t here = *size <= most ? *size : fits <= most ? fits : least;
  *local = (struct glance_bytes){ p->bytes.at + at, here };
  return here + (here < *size ? 4 : 0) <= p->bytes.size - at;
}

// Returns all of a row of SIZE bytes, of which LOCAL are on its page, and the rest on a
// chain of others; malloc'ed.
static unsigned char *glance_whole(struct glance *g, struct glance_bytes local,
                                   size_t size) {
  unsigned char *row = sys_malloc(size + g->page), *page = row ? row + size : NULL;
  size_t done = local.size;
  if (!row)
    return NULL;
  memcpy(row, local.at, done);
  uint32_t next = done < size ? (uint32_t)glance_number(local.at + done, 4) : 0;
  while (done < size) {
    size_t n = size - done < g->usable - 4 ? size - done : g->usable - 4;
    if (!glance_read(g, next, page)) {
      free(row);
      return NULL;
    }
    next = (uint32_t)glance_number(page, 4);
    memcpy(row + done, page + 4, n);
    done += n;
  }
  return row;
}

// ---- tables -------------------------------------------------------------------------

struct glance_search {
  const struct kind *kind;
  int64_t problem;                                  // the first column of its rows
  void (*see)(void *what, char *block, void *data); // takes over BLOCK
  void *data;
};

static bool glance_key(const struct glance *g, const struct glance_page *p, unsigned i,
                       int64_t *key) {
  uint64_t size;
  struct glance_bytes local;
  struct glance_row r;
  return glance_local(g, p, i, &size, &local) && glance_begin(local, &r) &&
      glance_next_integer(&r, key);
}

static bool glance_show(struct glance *g, const struct glance_page *p, unsigned i,
                        const struct glance_search *s) {
  union row row;
  uint64_t size;
  struct glance_bytes local;
  char *block = NULL;
  unsigned char *all = glance_local(g, p, i, &size, &local) ? glance_whole(g, local, size)
                                                            : NULL;
  bool good = all &&
      glance_take((struct glance_bytes){ all, size }, s->kind, &row, &block);
  free(all);
  if (good)
    s->see(&row, block, s->data);
  else
    free(block);
  return good;
}

// Returns the first cell of P whose key is not less than that of S; -1: P is damaged.
static int glance_first(const struct glance *g, const struct glance_page *p,
                        const struct glance_search *s) {
  unsigned low = 0, high = p->n;
  while (low < high) {
    unsigned middle = (low + high) / 2;
    int64_t key;
    if (!glance_key(g, p, middle, &key))
      return -1;
    if (key < s->problem)
      low = middle + 1;
    else
      high = middle;
  }
  return (int)low;
}

static bool glance_walk(struct glance *g, uint32_t page, const struct glance_search *s,
                        unsigned depth);

static bool glance_walk_page(struct glance *g, const struct glance_page *p,
                             const struct glance_search *s, unsigned depth) {
  int first = glance_first(g, p, s);
  for (unsigned i = (unsigned)first; first >= 0; i++) {
    int64_t key;
    if (p->inner && !glance_walk(g, glance_child(p, i), s, depth + 1))
      return false;
    if (i >= p->n)
      return true;
    if (!glance_key(g, p, i, &key))
      return false;
    if (key != s->problem)
      return true;
    if (!glance_show(g, p, i, s))
      return false;
  }
  return false;
}

// Shows all rows that S searches in the tree at PAGE. False: they cannot all be read.
static bool glance_walk(struct glance *g, uint32_t page, const struct glance_search *s,
                        unsigned depth) {
  enum { LEAF = 10, INNER = 2 };
  struct glance_page p;
  unsigned char *bytes = depth < MOST_DEPTH && page > 1 ? sys_malloc(g->page) : NULL;
  bool good = bytes && glance_read(g, page, bytes) &&
      glance_look((struct glance_bytes){ bytes, g->usable }, 0, LEAF, INNER, &p) &&
      glance_walk_page(g, &p, s, depth);
  free(bytes);
  return good;
}

// ---- opening ------------------------------------------------------------------------

// Notes the root of ROW, one of the schema, where it is that of a table of ours.
static bool glance_schema(struct glance *g, struct glance_bytes row) {
  struct glance_row r;
  uint64_t type[3];
  struct glance_bytes text[3];
  int64_t root;
  bool good = glance_begin(row, &r);
  for (unsigned i = 0; good && i < 3; i++)
    good = glance_next(&r, &type[i], &text[i]);
  if (!good || !glance_next_integer(&r, &root))
    return false;
  const struct kind *const wanted[] = { &kind_summary, &kind_service };
  uint32_t *const roots[] = { &g->winners, &g->services };
  for (unsigned i = 0; i < 2; i++)
    if (text[1].size == strlen(wanted[i]->name) &&
        memcmp(text[1].at, wanted[i]->name, text[1].size) == 0)
      *roots[i] = (uint32_t)root;
  return true;
}

// Reads the first page: the file's header, and the schema, which must be on it.
static bool glance_tables(struct glance *g) {
  enum { LEAF = 13 };
  struct glance_page p;
  unsigned char *page = sys_malloc(g->page);
  bool good = page && glance_read(g, 1, page) &&
      glance_look((struct glance_bytes){ page, g->usable }, HEADER, LEAF, 0, &p);
  for (unsigned i = 0; good && i < p.n; i++) {
    size_t at = glance_at(&p, i);
    uint64_t size, row;
    good = glance_varint(p.bytes, &at, &size) && glance_varint(p.bytes, &at, &row) &&
        size <= p.bytes.size - at &&
        glance_schema(g, (struct glance_bytes){ p.bytes.at + at, size });
  }
  free(page);
  return good && g->winners && g->services;
}

static bool glance_header(struct glance *g) {
  unsigned char h[HEADER];
  if (pread(g->fd, h, sizeof h, 0) != sizeof h)
    return false;
  g->page = (unsigned)glance_number(h + 16, 2);
  g->usable = g->page - h[20];
  return memcmp(h, "SQLite format 3", 16) == 0 && g->page >= 512 && h[20] < 32 &&
      (g->page & (g->page - 1)) == 0 && h[18] == 1 && h[19] == 1 &&
      glance_number(h + 56, 4) == 1 && glance_number(h + 60, 4) == RECORD_VERSION &&
      glance_number(h + 68, 4) == STORE_APPLICATION;
}

// True if no transaction has to be rolled back or is being written. While this process
// has its lock, none can begin to write.
static bool glance_is_quiet(const char *folder) {
  struct stat st;
  char *path = sys_printf("%s/results.db-journal", folder);
  bool quiet = path && (lstat(path, &st) != 0 || st.st_size == 0);
  free(path);
  return quiet;
}

static bool glance_begin_file(struct glance *g, const char *folder) {
  struct flock lock = {
    .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = LOCK_AT, .l_len = LOCK_SIZE
  };
  struct stat st;
  char *path = sys_printf("%s/results.db", folder);
  g->fd = path ? sys_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0) : -1;
  free(path);
  return g->fd >= 0 && fstat(g->fd, &st) == 0 && store_file_is_ours(&st) &&
      fcntl(g->fd, F_SETLK, &lock) == 0 && glance_is_quiet(folder) && glance_header(g) &&
      glance_tables(g);
}

struct glance *glance_open_in(const char *folder) {
  struct glance *g = sys_calloc(1, sizeof *g);
  if (!g || !store_reserve()) {
    free(g);
    return NULL;
  }
  if (glance_begin_file(g, folder))
    return g;
  glance_close(g);
  return NULL;
}

struct glance *glance_open(void) {
  char *message = NULL;
  const char *folder = folder_open(&message);
  free(message);
  return folder ? glance_open_in(folder) : NULL;
}

bool glance_close(struct glance *g) {
  if (!g)
    return false;
  bool good = !g->broken;
  if (g->fd >= 0)
    close(g->fd); // and its lock is gone
  free(g);
  store_release();
  return good;
}

// ---- the public calls ---------------------------------------------------------------

static void glance_see_winner(void *what, char *block, void *data) {
  struct summary *m = data;
  store_summary_free(m);
  *m = *(const struct summary *)what;
  m->block = block;
}

bool glance_winner(struct glance *g, const struct identity *id, struct summary *out) {
  const struct glance_search s = { &kind_summary, problem_id(id), glance_see_winner,
                                   out };
  *out = (struct summary){ .problem = 0 };
  g->broken |= !s.problem || !glance_walk(g, g->winners, &s, 0);
  bool found = !g->broken && out->block &&
      (!id->toolchain || strcmp(id->toolchain, out->toolchain) == 0);
  if (!found)
    store_summary_free(out);
  return found;
}

struct glance_seen {
  void (*see)(const struct service *v, void *data);
  void *data;
};

static void glance_see_service(void *what, char *block, void *data) {
  const struct glance_seen *seen = data;
  seen->see(what, seen->data);
  free(block);
}

void glance_services(struct glance *g, const struct identity *id,
                     void (*see)(const struct service *v, void *data), void *data) {
  struct glance_seen seen = { see, data };
  const struct glance_search s = { &kind_service, problem_id(id), glance_see_service,
                                   &seen };
  g->broken |= !s.problem || !glance_walk(g, g->services, &s, 0);
}
