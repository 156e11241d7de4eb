// SPDX-License-Identifier: Apache-2.0
// Where does it hold? What the result is a result of, the kernel's other results, and another store's.
import { axis, chart, grid, lines } from './chart.js';
import { speedup } from './data.js';
import { figure, h } from './dom.js';
import * as f from './format.js';
import { table } from './table.js';

const where = (r) => `${f.machine(r.cpu)}, ${f.many(r.threads, 'thread')}`;

function answer(result, same) {
  const machines = new Set(same.map((r) => r.cpu + r.isa + r.threads)).size;
  const keys = new Set(same.map((r) => r.keyText)).size;
  return `For ${result.keyText || 'all calls'} with ${f.many(result.threads, 'thread')} of this processor and ` +
    `this compiler. ${result.kernel} has results for ${f.many(keys, 'key')} on ${f.many(machines, 'machine')}.`;
}

function facts(result) {
  const list = [['processor', result.cpu], ['instruction set', result.isa], ['threads', result.threads],
    ['compiler', result.toolchain || result.compiler], ['machine', result.machine], ['source', result.file],
    ['adopted from', result.source]];
  return h('dl', {}, list.filter(([, value]) => value).map(([name, value]) =>
    h('div', {}, h('dt', {}, name), h('dd', {}, value))));
}

// Where one number makes the key: speed-up over it, a line for each machine.
function byKey(same) {
  const names = new Set(same.flatMap((r) => Object.keys(r.key)));
  const points = same.filter((r) => speedup(r) && Object.values(r.key)[0] > 0);
  if (names.size !== 1 || points.length < 3)
    return null;
  const lanes = new Map();
  for (const r of points) {
    const lane = where(r);
    lanes.set(lane, [...(lanes.get(lane) || []), [Object.values(r.key)[0], speedup(r).ratio, r.label]]);
  }
  return chart({
    label: 'Speed-up by key', height: 260,
    option: (c) => ({
      color: [c.best, c.base, c.bad, c.other], grid: grid({ top: lanes.size > 1 ? 34 : 12, bottom: 22 }),
      legend: lanes.size > 1 ? { top: 0, left: 4, type: 'plain', textStyle: { color: c.quiet } } : undefined,
      xAxis: axis(c, { type: 'log', min: 'dataMin', max: 'dataMax', name: [...names][0], nameLocation: 'middle', nameGap: 24 }),
      yAxis: axis(c, { type: 'value', axisLabel: { formatter: (v) => f.factor(v) } }),
      tooltip: { trigger: 'item', formatter: ({ data }) => lines(data[2], f.factor(data[1])) },
      series: [...lanes].map(([name, data]) => ({ type: 'line', name, symbolSize: 7,
        data: data.sort((a, b) => a[0] - b[0]) })),
    }),
  });
}

// The values that A has and B has not.
function differing(a, b) {
  if (!a)
    return f.none;
  if (!a.winner)
    return 'the default';
  const list = Object.entries(a.winner).filter(([name, value]) => b?.winner?.[name] !== value);
  return list.length ? list.map(([name, value]) => `${name}=${value || '""'}`).join('  ') : 'the same';
}

// Results of ours and of the other store that are of the same kernel and key: on the same machine where
// it has such, else on each of its machines.
function pairs(report) {
  const others = report.against.results.map((r) => ({ ...r, keyText: f.key(r.key) }));
  const rows = [], met = new Set();
  for (const a of report.kernels.filter((r) => r.finished)) {
    const alike = others.filter((b) => b.kernel === a.kernel && b.keyText === a.keyText);
    const here = alike.filter((b) => b.cpu === a.cpu && b.isa === a.isa && b.threads === a.threads);
    for (const b of here.length ? here : alike.length ? alike : [null]) {
      rows.push({ a, b, any: a });
      met.add(b);
    }
  }
  return [...rows, ...others.filter((b) => !met.has(b)).map((b) => ({ a: null, b, any: b }))];
}

function against(report) {
  const rows = pairs(report);
  const ratio = (p) => p.a?.best && p.b?.best ? p.b.best.median / p.a.best.median : null;
  const place = (r) => r ? where(r) : f.none;
  const both = rows.filter((p) => ratio(p) !== null);
  const slower = both.filter((p) => p.b.best.low > p.a.best.high).length;
  const faster = both.filter((p) => p.b.best.high < p.a.best.low).length;
  return [h('h3', {}, `Against ${report.against.name}`),
    h('p', { class: 'note' }, `${f.many(both.length, 'result')} in both: there, ${faster} are faster, ${slower} ` +
      `slower, ${both.length - faster - slower} within the noise. A is this store, B the other.`),
    table({ name: 'comparison', rows, columns: [
      { title: 'Kernel', value: (p) => p.any.kernel, show: (p) => p.any.kernel },
      { title: 'For', value: (p) => p.any.keyText, show: (p) => p.any.keyText || f.none },
      { title: 'A', number: true, value: (p) => p.a?.best?.median ?? null, show: (p) => f.seconds(p.a?.best?.median) },
      { title: 'B', number: true, value: (p) => p.b?.best?.median ?? null, show: (p) => f.seconds(p.b?.best?.median) },
      { title: 'B / A', number: true, value: ratio, show: (p) => ratio(p) === null ? f.none : ratio(p).toFixed(3) },
      { title: 'A has', wide: true, value: (p) => differing(p.a, p.b), show: (p) => differing(p.a, p.b) },
      { title: 'B has', wide: true, value: (p) => differing(p.b, p.a), show: (p) => differing(p.b, p.a) },
      { title: 'A on', value: (p) => place(p.a), show: (p) => place(p.a) },
      { title: 'B on', value: (p) => place(p.b), show: (p) => place(p.b) },
    ] }).node];
}

export function hold(result, report, select) {
  const same = report.kernels.filter((r) => r.kernel === result.kernel);
  const keys = byKey(same);
  return [
    h('p', { class: 'answer' }, answer(result, same)), facts(result),
    keys && figure('Speed-up by key', '', keys.node),
    same.length > 1 ? table({ name: `results of ${result.kernel}`, rows: same, perPage: 10, columns: [
      { title: 'For', value: (r) => r.keyText, show: (r) =>
        h('button', { type: 'button', class: 'link', onclick: () => select(r.index) }, r.keyText || f.none) },
      { title: 'On', value: where, show: where },
      { title: 'Compiler', value: (r) => r.toolchain || '', show: (r) => r.toolchain || f.none },
      { title: 'Best', number: true, value: (r) => r.best?.median ?? null, show: (r) => f.seconds(r.best?.median) },
      { title: 'Speed-up', number: true, value: (r) => speedup(r)?.ratio ?? null,
        show: (r) => f.factor(speedup(r)?.ratio) },
      { title: 'Differs in', wide: true, value: (r) => differing(r, result), show: (r) =>
        r === result ? 'this one' : differing(r, result) },
    ] }).node : null,
    report.against ? against(report) : null,
  ];
}
