// SPDX-License-Identifier: Apache-2.0
// One call before and after, and how long it would take at each limit of the machine: bars, and what each is.
import { axis, chart, grid, lines, listed, logAxis } from './chart.js';
import { figure } from './dom.js';
import * as f from './format.js';
import { table } from './table.js';

// [{ name, time, what, kind }] in the order in which they are drawn; LEVELS and ROOF as in better.js.
function barsOf(result, roof, levels) {
  const own = result.timed && result.own_calls, limit = (name, work, rate, unit, what) =>
    ({ name, time: work / rate, kind: 'limit', what: `limit: ${what}, at ${f.rate(rate, unit)}` });
  const list = [
    { name: 'default', time: result.default?.median, kind: 'base', what: 'the kernel as it was written: made by the ' +
      'program’s compiler with the program’s flags, and called as a function' },
    { name: 'default, same flags', time: result.as_written, kind: 'base', what: 'the kernel as it was written, made by ' +
      'the compiler of the variants with their flags' },
    { name: result.winner ? 'winner' : 'fastest variant', time: result.best?.median, kind: 'best',
      what: result.winner ? 'the variant that won' : 'it is not used: the default stays' },
    ...(own ? [
      { name: 'default in program', time: own.default / own.pairs, kind: 'base',
        what: `mean of ${f.many(own.pairs, 'call')} of the program itself with the default` },
      { name: result.winner ? 'winner in program' : 'variant in program', time: own.winner / own.pairs, kind: 'best',
        what: `mean of ${f.many(own.pairs, 'call')} of the program itself with the variant` }] : []),
    ...(roof && result.bytes ? levels.map(([name, rate]) => limit(`bytes from ${name}`, result.bytes, rate, 'B/s',
      `what bytes(…) declares, all of it from ${name === 'memory' ? 'memory' : `the ${name} cache`}`)) : []),
    ...(roof && result.flops ? [['doubles', roof.flops], ['floats', 2 * roof.flops]].map(([name, rate]) =>
      limit(`arithmetic, ${name}`, result.flops, rate, 'FLOP/s', `what flops(…) declares, in ${name}, and nothing else`)) : []),
  ];
  return list.filter((one) => one.time > 0);
}

export function bars(result, roof, levels) {
  const list = barsOf(result, roof, levels);
  if (list.length < 2 || !result.best)
    return null;
  const best = result.best.median, times = list.map((one) => one.time);
  const low = Math.min(...times), high = Math.max(...times), log = high > 20 * low;
  const one = chart({
    label: () => `${result.Measure} of a call: ${listed(list.map((b) => `${b.name} ${result.cost(b.time)}`))}`,
    height: 40 + 26 * list.length,
    option: (c, narrow) => ({
      grid: grid({ right: 76 }),
      xAxis: log ? logAxis(c, low / 2, high, { startValue: low / 10, axisLabel: { formatter: result.cost } })
        : axis(c, { type: 'value', min: 0, axisLabel: { formatter: result.cost } }),
      yAxis: axis(c, { type: 'category', inverse: true, data: list.map((b) => b.name), splitLine: { show: false },
        axisLabel: { hideOverlap: false, formatter: (name) => f.fit(name, narrow ? 130 : 190) } }),
      tooltip: { trigger: 'item', formatter: ({ dataIndex: i }) => lines(`${list[i].name}: ${result.cost(list[i].time)}`,
        list[i].what) },
      series: [{ type: 'bar', barMaxWidth: 14, data: list.map((b) => ({ value: b.time, itemStyle: { borderRadius: [0, 2, 2, 0],
        ...(b.kind === 'limit' ? { color: 'transparent', borderColor: c.other, borderWidth: 1.5 } : { color: c[b.kind] }) } })),
        label: { show: true, position: 'right', color: c.text, formatter: ({ value }) => result.cost(value) } }],
    }),
  });
  const node = figure('Before, after and the limits', `${result.measure} of a call${log ? ', on a logarithmic scale' : ''}; hollow: what the ` +
    'machine’s limits allow', one.node,
    table({ name: 'bars', rows: list, perPage: 12, search: false, columns: [
      { title: 'Bar', value: (b) => b.name, show: (b) => b.name },
      { title: result.Measure, number: true, value: (b) => b.time, show: (b) => result.cost(b.time) },
      { title: 'Over the best', number: true, value: (b) => b.time / best, show: (b) => `${f.plain(b.time / best, 3)}\u00a0×` },
      { title: 'What it is', soft: true, value: (b) => b.what, show: (b) => b.what },
    ] }).node);
  node.classList.add('whole');
  return node;
}
