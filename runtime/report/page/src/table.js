// SPDX-License-Identifier: Apache-2.0
// A table that sorts and filters any number of rows and shows a page of them.
import { h } from './dom.js';
import { count } from './format.js';

const ascending = (x, y) => {
  const a = x === null || Number.isNaN(x), b = y === null || Number.isNaN(y);
  return a || b ? a - b : x < y ? -1 : x > y ? 1 : 0; // what is missing comes last
};

// columns: [{ title, value(row), show(row), number }]; rows: whatever value and show take.
export function table({ name, columns, rows, perPage = 15, sort = -1, down = false, filter = true }) {
  let all = rows, shown = rows, page = 0, words = '';
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
    shown = terms.length ? all.filter((r) => terms.every((t) => text(r).includes(t))) : all.slice();
    if (sort >= 0) {
      const value = columns[sort].value;
      const keys = new Map(shown.map((r) => [r, value(r)]));
      const sign = down ? -1 : 1;
      shown.sort((a, b) => {
        const x = keys.get(a), y = keys.get(b);
        const missing = x === null || y === null || Number.isNaN(x) || Number.isNaN(y);
        return (missing ? 1 : sign) * ascending(x, y);
      });
    }
    page = 0;
    fill();
  }

  const heads = columns.map((c, k) => h('th', { scope: 'col', class: c.number ? 'number' : null },
    h('button', { type: 'button', onclick: () => {
      down = sort === k ? !down : false;
      sort = k;
      arrange();
    } }, c.title)));
  const body = h('tbody');
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
    body.replaceChildren(...shown.slice(from, to).map((row) => h('tr', {}, columns.map((c) =>
      h('td', { class: c.number ? 'number' : c.wide ? 'wide' : c.soft ? 'soft' : null }, c.show(row))))));
    status.textContent = shown.length === 0 ? 'no rows'
      : to - from === all.length ? `${count(all.length)} rows`
      : `${count(from + 1)}–${count(to)} of ${count(shown.length)}` +
        (shown.length < all.length ? ` (${count(all.length)} in all)` : '');
    back.disabled = page === 0;
    on.disabled = to >= shown.length;
    back.hidden = on.hidden = shown.length <= perPage;
  }

  arrange();
  const tools = h('div', { class: 'tools' }, filter && rows.length > 5 ? input : null, status, back, on);
  const node = h('div', { class: 'table' }, tools,
    h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': name },
      h('table', {}, h('thead', {}, h('tr', {}, heads)), body)));
  return { node, setRows: (r) => { all = r; arrange(); } };
}
