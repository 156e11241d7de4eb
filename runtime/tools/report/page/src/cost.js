// SPDX-License-Identifier: Apache-2.0
// What did it cost? Where the time of the tuning went, and after how many calls it is paid for.
import { axis, chart, grid, lines, listed } from './chart.js';
import { figure, h } from './dom.js';
import * as f from './format.js';

// Calls after which what was saved is what was spent; null: never.
function breakEven(result) {
  const saved = result.timed && result.default && result.best && result.winner
    ? result.default.median - result.best.median : 0;
  return saved > 0 && result.seconds ? Math.ceil(result.seconds.total / saved) : null;
}

function answer(result) {
  if (!result.seconds)
    return 'Not known: the tuning did not come to its end.';
  if (result.source)
    return `Nothing here: the winner was adopted from ${result.source}.`;
  const calls = breakEven(result);
  const took = `Tuning took ${f.seconds(result.seconds.total)}`;
  if (result.winner && !result.timed)
    return `${took}; what it saves is ${result.measure}, not time.`;
  if (calls === null)
    return `${took}, and the default stays.`;
  return calls <= 1 ? `${took}, which the first call saves already.`
    : `${took}, which is paid for after ${f.many(calls, 'call')}.`;
}

function parts(result) {
  const s = result.seconds;
  const list = [['compiling', s.compiling], ['verifying', s.verifying], ['timing', s.timing],
                ['in all', s.total]].reverse();
  return chart({
    label: () => `What the tuning's time was spent on: ${listed(list.slice().reverse().map(([name, s]) =>
      `${name} ${f.seconds(s)}`))}`,
    height: 160,
    option: (c) => ({
      grid: grid({ right: 72 }),
      xAxis: axis(c, { type: 'value', show: false, splitLine: { show: false } }),
      yAxis: axis(c, { type: 'category', data: list.map((p) => p[0]), splitLine: { show: false } }),
      tooltip: { trigger: 'item', formatter: ({ dataIndex: i }) => lines(list[i][0], f.seconds(list[i][1])) },
      series: [{ type: 'bar', barMaxWidth: 16, data: list.map(([name, value]) => ({ value,
        itemStyle: { color: name === 'in all' ? c.other : c.best, borderRadius: [0, 2, 2, 0] } })),
        label: { show: true, position: 'right', color: c.text, formatter: ({ value }) => f.seconds(value) } }],
    }),
  });
}

function payment(result) {
  const calls = breakEven(result);
  if (calls === null || calls < 2)
    return null;
  const most = 3 * calls;
  return chart({
    label: () => 'Time spent in the kernel over the number of calls: the line of the default begins at 0, that with ' +
      `tuning at ${f.seconds(result.seconds.total)}; they cross at ${f.many(calls, 'call')}`,
    height: 240, grows: 560,
    option: (c) => ({
      grid: grid({ top: 34, bottom: 22 }),
      legend: { data: ['default', 'tuned'], top: 0, left: 4, itemWidth: 12, itemHeight: 8,
        textStyle: { color: c.quiet }, selectedMode: false },
      xAxis: axis(c, { type: 'value', max: most, name: 'calls', nameLocation: 'middle', nameGap: 24,
        splitLine: { show: false }, axisLabel: { formatter: f.count } }),
      yAxis: axis(c, { type: 'value', axisLabel: { formatter: f.seconds } }),
      tooltip: { show: false },
      series: [
        { type: 'line', name: 'default', showSymbol: false, itemStyle: { color: c.base },
          lineStyle: { color: c.base, width: 2 }, data: [[0, 0], [most, most * result.default.median]] },
        { type: 'line', name: 'tuned', showSymbol: false, itemStyle: { color: c.best },
          lineStyle: { color: c.best, width: 2 },
          data: [[0, result.seconds.total], [most, result.seconds.total + most * result.best.median]],
          markLine: { silent: true, symbol: 'none', lineStyle: { color: c.quiet, type: 'dashed' },
            label: { color: c.quiet, formatter: f.many(calls, 'call'), position: 'end' },
            data: [{ xAxis: calls }] } },
      ],
    }),
  });
}

export function cost(result) {
  const paid = result.seconds && !result.source ? payment(result) : null;
  return [
    h('p', { class: 'answer' }, answer(result)),
    result.seconds ? h('p', { class: 'note' }, `${f.date(result.when)} · search ${result.search}: ` +
      `${result.stopped} · compiling overlaps timing, so the parts may exceed the whole`) : null,
    h('div', { class: 'columns' },
      result.seconds && !result.source ? figure('Time spent', '', parts(result).node) : null,
      paid && figure('Paid for', 'time spent in the kernel and on its tuning', paid.node)),
  ];
}
