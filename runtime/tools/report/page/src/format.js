// SPDX-License-Identifier: Apache-2.0
// Numbers for people: four digits, as the report on a terminal has them.

const digits = (x, n = 4) =>
  x === 0 ? '0' : Math.abs(x) >= 1e6 ? x.toExponential(2) : Number(x.toPrecision(n)).toString();

function scaled(x, units) {
  for (const [size, name] of units)
    if (Math.abs(x) >= size * 0.99995)
      return `${digits(x / size)}\u00a0${name}`;
  const [size, name] = units[units.length - 1];
  return `${digits(x / size)}\u00a0${name}`;
}

export const none = '–';
const given = (x) => x !== null && x !== undefined && Number.isFinite(x);

// A function that shows amounts in UNITS: [[size, name]], the largest first.
export const amounts = (units) => (x) => !given(x) ? none
  : x === 0 ? `0\u00a0${(units.find(([size]) => size === 1) || units[0])[1]}` : scaled(x, units);

export const seconds = amounts([[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']]);

// RATE per second of UNIT ("FLOP/s", "B/s").
export const rate = (r, unit) => given(r)
  ? scaled(r, [[1e12, `T${unit}`], [1e9, `G${unit}`], [1e6, `M${unit}`], [1e3, `k${unit}`], [1, unit]])
  : none;

export const times = (f) => `${digits(f)}\u00a0×`; // on axes
export const factor = (f) => given(f) ? `${f >= 100 ? f.toFixed(0) : f.toFixed(2)}\u00a0×` : none;
export const percent = (p) => given(p) ? `${(100 * p).toFixed(p < 0.1 ? 1 : 0)}\u00a0%` : none;
export const count = (n) => given(n) ? n.toLocaleString('en-US').replace(/,/g, '\u202f') : none;
export const plain = digits;

export function many(n, one, more = `${one}s`) {
  return `${count(n)} ${n === 1 ? one : more}`;
}

// SHOW: as the costs of its result are shown.
export function interval(e, show) {
  return e && e.samples >= 6 ? `${show(e.low)}\u00a0… ${show(e.high)}` : none;
}

export function date(unix) {
  if (!given(unix) || unix <= 0)
    return none;
  const d = new Date(unix * 1000), two = (n) => String(n).padStart(2, '0');
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ` +
    `${two(d.getHours())}:${two(d.getMinutes())}`;
}

// "Intel(R) Xeon(R) …" of "GenuineIntel Intel(R) Xeon(R) … family 6 model 143 stepping 8".
export function machine(cpu) {
  const found = /^\S+ (.+) family /.exec(cpu);
  return (found ? found[1] : cpu).replace(/\((R|TM)\)/g, '');
}

export const bytes = (n) => scaled(n, [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']]);

// Where a result is from; a device has no threads.
export const place = (r) => machine(r.cpu) + (r.threads ? `, ${many(r.threads, 'thread')}` : '');

// "48 KiB L1, 2 MiB L2 · 8 cores" of "l1d=49152 l2=2097152 … cores=8"; a text of another kind is left as it is.
export function caches(text) {
  const known = new Map(text.split(' ').map((one) => one.split('=')));
  if (!known.has('l1d') || !known.has('cores'))
    return text;
  const sizes = [['l1d', 'L1'], ['l2', 'L2'], ['l3', 'L3']].filter(([name]) => known.get(name) > 0)
    .map(([name, shown]) => `${bytes(Number(known.get(name)))} ${shown}`);
  return `${sizes.join(', ')} · ${many(Number(known.get('cores')), 'core')}`;
}

// At most N characters of TEXT: what is cut is in its middle, as names and flags differ at their ends.
export function middle(text, n) {
  const all = Array.from(text);
  const before = Math.ceil((n - 1) / 2);
  return all.length <= n ? text
    : `${all.slice(0, before).join('')}…${all.slice(all.length - (n - 1 - before)).join('')}`;
}

// As many characters as about fit into so many pixels of an axis.
export const fit = (text, pixels) => middle(text, Math.max(5, Math.floor(pixels / 6.6)));

export function key(k) {
  return Object.entries(k).map(([name, value]) => `${name} = ${value}`).join(', ');
}
