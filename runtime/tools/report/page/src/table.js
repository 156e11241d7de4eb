// SPDX-License-Identifier: Apache-2.0
// A table that sorts and filters any number of rows and shows a page of them.
import { h } from './dom.js';
import { count } from './format.js';

const ascending = (x, y) => {
  const a = x === null || Number.isNaN(x), b = y === null || Number.isNaN(y);
  return a || b ? a - b : x < y ? -1 : x > y ? 1 : 0; // what is missing comes last
};

// Does TEXT hold TERM? A term like name=value: as a whole, not as the begin of a longer one.
const holds = (text, term) => ` ${text} `.includes(` ${term} `);

// columns: [{ title, value(row), show(row), number }]; rows: whatever value and show take; more: a control of its own;
// search: can the reader filter?
export function table({ name, columns, rows, perPage = 15, sort = -1, down = false, search = rows.length > 5, more }) {
  if (matchMedia('(max-width: 560px)').matches)
    perPage = Math.min(perPage, 6); // there each is a block of its own
  let all = rows, shown = rows, page = 0, words = '';
  let sorted = rows; // all that there are, in their order; others are picked out of it
  const texts = new Map(); // of rows, for the filter; made when it is first used

  const text = (row) => {
    let t = texts.get(row);
    if (t === undefined)
      texts.set(row, t = columns.map((c) => String(c.search ? c.search(row) : c.value(row)))
        .join(' ').toLowerCase());
    return t;
  };

  function arrange() {
    const terms = words.toLowerCase().split(/\s+/).filter(Boolean);
    const whole = new Set(terms.filter((t) => t.includes('=') && all.some((r) => holds(text(r), t))));
    const some = all === rows ? null : new Set(all);
    shown = sorted.filter((r) => (!some || some.has(r)) && terms.every((t) =>
      whole.has(t) ? holds(text(r), t) : text(r).includes(t)));
    page = 0;
    fill();
  }

  function order() {
    const keys = sort < 0 ? [] : rows.map(columns[sort].value), sign = down ? -1 : 1;
    sorted = sort < 0 ? rows : Array.from(rows.keys()).sort((a, b) => {
      const x = keys[a], y = keys[b];
      const missing = x === null || y === null || Number.isNaN(x) || Number.isNaN(y);
      return (missing ? 1 : sign) * ascending(x, y);
    }).map((i) => rows[i]);
    arrange();
  }

  // Roles are said because narrow windows show rows as blocks, which would take them away.
  const heads = columns.map((c, k) => h('th', { scope: 'col', role: 'columnheader', class: c.number ? 'number' : null },
    h('button', { type: 'button', onclick: () => {
      down = sort === k ? !down : false;
      sort = k;
      order();
    } }, c.title)));
  const body = h('tbody', { role: 'rowgroup' });
  const status = h('span', { class: 'status', role: 'status' });
  const move = (by) => { page += by; fill(); };
  const back = h('button', { type: 'button', 'aria-label': 'Previous rows', onclick: () => move(-1) }, '‹');
  const on = h('button', { type: 'button', 'aria-label': 'Next rows', onclick: () => move(1) }, '›');
  const input = h('input', { type: 'search', placeholder: 'Filter: words or name=value',
    'aria-label': `Filter ${name}`, oninput: () => { words = input.value; arrange(); } });

  function fill() {
    const from = page * perPage, to = Math.min(from + perPage, shown.length);
    heads.forEach((th, k) => th.setAttribute('aria-sort',
      k !== sort ? 'none' : down ? 'descending' : 'ascending'));
    body.replaceChildren(...shown.slice(from, to).map((row) => h('tr', { role: 'row' }, columns.map((c) =>
      h('td', { role: 'cell', 'data-title': c.title,
        class: c.number ? 'number' : c.wide ? 'wide' : c.soft ? 'soft' : null }, c.show(row))))));
    status.textContent = shown.length === 0 ? 'no rows'
      : to - from === all.length ? (search ? `${count(all.length)} rows` : '')
      : `${count(from + 1)}–${count(to)} of ${count(shown.length)}` +
        (shown.length < all.length ? ` (${count(all.length)} in all)` : '');
    back.disabled = page === 0;
    on.disabled = to >= shown.length;
    back.hidden = on.hidden = shown.length <= perPage;
    tools.hidden = !search && !more && back.hidden && !status.textContent;
  }

  // What the reader has chosen; null: nothing. It is made so by set, as far as there still is such.
  const first = JSON.stringify([sort, down]);
  const view = {
    get: () => words || page || JSON.stringify([sort, down]) !== first ? { sort, down, words, page } : null,
    set: (v) => {
      [sort, down, words] = [v.sort < columns.length ? v.sort : sort, v.down, v.words];
      input.value = words;
      order();
      page = Math.min(v.page, Math.max(0, Math.ceil(shown.length / perPage) - 1));
      fill();
    },
  };

  const tools = h('div', { class: 'tools' }, search ? input : null, status, back, on, more);
  order();
  const node = h('div', { class: 'table' }, tools,
    h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': name },
      h('table', { role: 'table' }, h('caption', { class: 'unseen' }, name),
        h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, heads)), body)));
  node.view = view;
  return { node, setRows: (some) => { all = some || rows; arrange(); } };
}
