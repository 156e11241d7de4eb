// SPDX-License-Identifier: Apache-2.0
// Could it be better? How far the best is from what the machine can do, and whether the search was over.
import { axis, chart, grid, lines, logAxis } from './chart.js';
import { settings } from './data.js';
import { figure, h } from './dom.js';
import * as f from './format.js';
import { bestSoFar, thin } from './statistics.js';

const roofOf = (report, r, threads = r.threads) => report.roofs.find((one) =>
  one.cpu === r.cpu && one.isa === r.isa && one.threads === threads);

// The lines of the roofline: [name, FLOP/s at intensity X].
function roofLines(roof) {
  return [
    ['memory', (x) => Math.min(roof.memory * x, roof.flops)],
    ['L2 cache', (x) => Math.min(roof.cache * x, 2 * roof.flops)],
    ['doubles', () => roof.flops],
    ['floats', () => 2 * roof.flops],
  ];
}

function answer(result, roof, single) {
  const best = result.best?.median;
  if (!best)
    return 'Nothing has run, so there is nothing to compare with the machine.';
  if (!result.flops && !result.bytes)
    return 'The kernel does not declare its work. With flops(…) or bytes(…) in its pragma, this compares ' +
      'it with what the machine can do.';
  const did = [result.flops && f.rate(result.flops / best, 'FLOP/s'),
               result.bytes && f.rate(result.bytes / best, 'B/s')].filter(Boolean).join(' and ');
  if (!roof)
    return `The best does ${did}. What its machine can do is not known: this report was made on another, or it ` +
      'is a GPU.';
  const parts = [];
  if (result.flops)
    parts.push(`${f.percent(result.flops / best / roof.flops)} of the ${f.rate(roof.flops, 'FLOP/s')} in ` +
      `doubles (${f.percent(result.flops / best / roof.flops / 2)} of that in floats)`);
  if (result.bytes) {
    const share = result.bytes / best / roof.memory;
    parts.push(share > 1.02 ? `${f.factor(share)} what memory delivers (${f.rate(roof.memory, 'B/s')}), so ` +
      'its data stay in caches' : `${f.percent(share)} of the ${f.rate(roof.memory, 'B/s')} of memory`);
  }
  const alone = !single || roof.threads === 1 ? '' : ` (one thread alone: ${result.flops
    ? f.rate(single.flops, 'FLOP/s') : f.rate(single.memory, 'B/s')})`;
  return `The best does ${did}: ${parts.join(', and ')}, with ${f.many(roof.threads, 'thread')}${alone}.`;
}

function markers(result, c, point) {
  const others = thin(result.ran, 20000);
  const spot = (time, name, colour, symbol) => ({ type: 'scatter', name, symbol, symbolSize: 13, z: 5,
    itemStyle: { color: colour, borderColor: c.surface, borderWidth: 1.5 },
    data: time ? [[...point(result[time].median, name), result[time].median]] : [] });
  return [
    { type: 'scatter', name: 'variants', large: others.length > 2000, largeThreshold: 2000,
      symbolSize: others.length > 2000 ? 2 : 5, itemStyle: { color: c.other, opacity: 0.5 },
      data: others.map((i) => [...point(result.median[i], 'variants'), result.median[i], i]) },
    spot(result.default ? 'default' : null, 'default', c.base, 'rect'),
    spot(result.best ? 'best' : null, 'best', c.best, 'diamond'),
  ];
}

const tip = (result) => ({ trigger: 'item', formatter: ({ data, seriesName }) => Array.isArray(data)
  ? lines(`${seriesName === 'variants' ? '' : `${seriesName}: `}${f.seconds(data[2])}`,
      result.flops ? f.rate(result.flops / data[2], 'FLOP/s') : '',
      result.bytes ? f.rate(result.bytes / data[2], 'B/s') : '',
      data[3] === undefined ? '' : settings(result, data[3])) : lines(seriesName) });

const legend = (c) => ({ data: ['default', 'best', 'variants'], top: 0, left: 4, itemWidth: 10, itemHeight: 10,
  textStyle: { color: c.quiet }, selectedMode: false });

function roofline(result, roof) {
  const x = result.flops / result.bytes;
  const left = Math.min(x / 8, roof ? roof.flops / roof.memory / 8 : x), right = Math.max(x * 8,
    roof ? 4 * roof.flops / roof.memory : x);
  const xs = Array.from({ length: 61 }, (_, i) => left * (right / left) ** (i / 60));
  return chart({
    label: 'Roofline of the machine with the default, the best and all other variants', height: 340,
    option: (c, narrow) => ({
      grid: grid({ top: 34, bottom: 22, right: narrow ? 16 : 60 }), legend: legend(c), tooltip: tip(result),
      xAxis: axis(c, { type: 'log', min: left, max: right, name: 'FLOP per byte', nameLocation: 'middle',
        nameGap: 24, axisLabel: { formatter: (v) => f.plain(v, 2) } }),
      yAxis: axis(c, { type: 'log', axisLabel: { formatter: (v) => f.rate(v, 'FLOP/s') } }),
      series: [...markers(result, c, (t) => [x, result.flops / t]),
        ...(roof ? roofLines(roof).map(([name, y]) => ({ type: 'line', name, silent: true, showSymbol: false,
          lineStyle: { color: c.quiet, width: 1.3, type: name === 'memory' || name === 'doubles' ? 'solid' : 'dashed' },
          endLabel: { show: !narrow && (name === 'doubles' || name === 'floats'), formatter: name, color: c.quiet },
          data: xs.map((v) => [v, y(v)]) })) : [])],
    }),
  });
}

// One of both is declared: a line of rates.
function rates(result, roof) {
  const work = result.flops || result.bytes, unit = result.flops ? 'FLOP/s' : 'B/s';
  const lanes = ['variants', 'default', 'best'];
  const times = [result.default, result.best].filter(Boolean).map((e) => e.median)
    .concat(result.ran.length ? [result.median[result.ran[0]], result.median[result.ran.at(-1)]] : []);
  const fastest = Math.min(...times), slowest = Math.max(...times);
  const roofs = !roof ? [] : result.flops ? [['doubles', roof.flops], ['floats', 2 * roof.flops]]
    : [['memory', roof.memory], ['L2 cache', roof.cache]];
  return chart({
    label: 'Rates of the default, the best and all other variants under what the machine can do', height: 230,
    option: (c, narrow) => ({
      grid: grid({ top: 30, bottom: 4, right: narrow ? 24 : 60 }), tooltip: tip(result),
      xAxis: logAxis(c, work / slowest, Math.max(work / fastest, ...roofs.map((r) => r[1])),
        { axisLabel: { formatter: (v) => f.rate(v, unit) } }),
      yAxis: axis(c, { type: 'category', data: lanes, splitLine: { show: false } }),
      series: [...markers(result, c, (t, name) => [work / t, lanes.indexOf(name)]),
        { type: 'line', data: [], name: 'machine', markLine: { silent: true, symbol: 'none',
          lineStyle: { color: c.text, type: 'solid', width: 1.3 },
          label: { color: c.quiet, formatter: '{b}', position: 'end' },
          data: roofs.map(([name, v], k) => ({ name, xAxis: v, label: { align: k ? 'left' : 'right' } })) } }],
    }),
  });
}

function progress(result) {
  const steps = bestSoFar(result);
  if (steps.length < 3)
    return null;
  const right = new Set(result.ran);
  const trials = [];
  for (let i = 0; i < result.n; i++)
    if (right.has(i))
      trials.push(i);
  const drawn = thin(trials, 20000);
  return chart({
    label: 'Time of each trial and the best so far', height: 300,
    option: (c) => ({
      grid: grid({ top: 34, bottom: 22 }),
      legend: { data: ['best so far', 'each trial', ...(result.default ? ['default'] : [])], top: 0, left: 4,
        itemWidth: 12, itemHeight: 8, textStyle: { color: c.quiet }, selectedMode: false },
      tooltip: { trigger: 'item', formatter: ({ data }) => lines(`trial ${f.count(data[0])}: ${f.seconds(data[1])}`,
        data[2] === undefined ? '' : settings(result, data[2])) },
      xAxis: axis(c, { type: 'value', min: 0, max: result.n, name: 'trial', nameLocation: 'middle', nameGap: 24,
        splitLine: { show: false } }),
      yAxis: logAxis(c, result.median[result.ran[0]], Math.max(result.median[result.ran.at(-1)],
        result.default?.median || 0), { axisLabel: { formatter: f.seconds } }),
      series: [
        { type: 'scatter', name: 'each trial', large: drawn.length > 2000, largeThreshold: 2000,
          symbolSize: drawn.length > 2000 ? 2 : 5, itemStyle: { color: c.other, opacity: 0.6 },
          data: drawn.map((i) => [i + 1, result.median[i], i]) },
        { type: 'line', name: 'best so far', step: 'end', showSymbol: false, itemStyle: { color: c.best },
          lineStyle: { color: c.best, width: 2 }, data: steps },
        ...(result.default ? [{ type: 'line', name: 'default', showSymbol: false, itemStyle: { color: c.base },
          lineStyle: { color: c.base, width: 1.5, type: 'dashed' },
          data: [[0, result.default.median], [result.n, result.default.median]] }] : []),
      ],
    }),
  });
}

function searchSaid(result) {
  const steps = bestSoFar(result), v = result.variants;
  if (steps.length < 2)
    return '';
  const last = steps[steps.length - 2][0];
  return `The last improvement was trial ${f.count(last)} of ${f.count(result.n)}` +
    (v.exist ? `; ${f.percent(v.tried / v.exist)} of the ${f.count(v.exist)} variants were tried.` : '.');
}

export function better(result, report) {
  const roof = roofOf(report, result);
  const declared = result.best && (result.flops || result.bytes);
  const under = !declared ? null
    : result.flops && result.bytes ? roofline(result, roof) : rates(result, roof);
  const trials = progress(result);
  return [h('p', { class: 'answer' }, answer(result, roof, roofOf(report, result, 1))), h('div', { class: 'columns' },
    under && figure(result.flops && result.bytes ? 'Roofline' : 'Rates',
      roof ? 'lines: measured when this report was made' : 'the machine’s own limits are not known', under.node),
    trials && figure('Best so far', searchSaid(result), trials.node))];
}
