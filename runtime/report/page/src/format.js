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

export const seconds = (s) => given(s)
  ? scaled(s, [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']]) : none;

// RATE per second of UNIT ("FLOP/s", "B/s").
export const rate = (r, unit) => given(r)
  ? scaled(r, [[1e12, `T${unit}`], [1e9, `G${unit}`], [1e6, `M${unit}`], [1e3, `k${unit}`], [1, unit]])
  : none;

export const factor = (f) => given(f) ? `${f >= 100 ? f.toFixed(0) : f.toFixed(2)}\u00a0×` : none;
export const percent = (p) => given(p) ? `${(100 * p).toFixed(p < 0.1 ? 1 : 0)}\u00a0%` : none;
export const count = (n) => given(n) ? n.toLocaleString('en-US').replace(/,/g, '\u202f') : none;
export const plain = digits;

export function many(n, one, more = `${one}s`) {
  return `${count(n)} ${n === 1 ? one : more}`;
}

export function interval(e) {
  return e && e.samples >= 6 ? `${seconds(e.low)} … ${seconds(e.high)}` : none;
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

export function key(k) {
  return Object.entries(k).map(([name, value]) => `${name} = ${value}`).join(', ');
}
