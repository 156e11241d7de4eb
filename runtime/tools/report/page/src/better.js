// SPDX-License-Identifier: Apache-2.0
// Could it be better? How far the best is from what the machine can do, and whether the search was over.
import { axis, chart, grid, lines, listed, logAxis } from './chart.js';
import { bars } from './bars.js';
import { settings } from './data.js';
import { figure, h } from './dom.js';
import * as f from './format.js';
import { bestSoFar, thin } from './statistics.js';

const roofOf = (report, r, threads = r.threads) => report.roofs.find((one) =>
  one.cpu === r.cpu && one.isa === r.isa && one.threads === threads);

// Where data may be, the slowest first: [name, bytes per second]. A level that is not known is left out.
const levelsOf = (roof) => [['memory', roof.memory], ['L3', roof.l3], ['L2', roof.l2], ['L1', roof.l1]]
  .filter(([, rate]) => rate > 0);

// The shortest time of RESULT, of the race or of a trial.
const shortest = (result) => Math.min(result.best?.median ?? Infinity,
  result.ran.length ? result.median[result.ran[0]] : Infinity);

// What of RESULT is above the highest line of ROOF, in words; '': nothing.
function aboveRoof(result, roof) {
  const time = shortest(result), rate = (result.flops || 0) / time, bytes = (result.bytes || 0) / time;
  return rate > 2 * roof.flops ? `${f.rate(rate, 'FLOP/s')}, and at most ${f.rate(2 * roof.flops, 'FLOP/s')} were ` +
      'measured as what this machine does in floats'
    : bytes > roof.l1 ? `${f.rate(bytes, 'B/s')}, and at most ${f.rate(roof.l1, 'B/s')} were measured as what its ` +
      'L1 cache delivers' : '';
}

// The lines of the roofline: [name, from which intensity on, FLOP/s at intensity X].
function roofLines(roof) {
  return [
    ...levelsOf(roof).map(([name, rate]) => [name, 0, (x) => Math.min(rate * x, 2 * roof.flops)]),
    ['doubles', roof.flops / roof.l1, () => roof.flops],
    ['floats', 2 * roof.flops / roof.l1, () => 2 * roof.flops],
  ];
}

// What may still be gained where SHARE of a limit is reached.
const remaining = (share) => share < 0.98 ? `: at most ${f.factor(1 / share)} is left` : ': nothing is left';

const levelName = (name) => name === 'memory' ? 'memory' : `the ${name} cache`;

// The slowest level that delivers RATE, or the fastest one.
function levelFor(roof, rate) {
  const levels = levelsOf(roof);
  return levels.find((level) => rate <= 1.02 * level[1]) || levels.at(-1);
}

// Both are declared: what sets the limit, and how near it is.
function underRoof(result, roof) {
  const rate = result.flops / result.best.median, x = result.flops / result.bytes;
  const peak = rate > 1.02 * roof.flops ? 2 * roof.flops : roof.flops;
  const numbers = peak > roof.flops ? 'floats' : 'doubles';
  const slope = `${f.plain(x, 3)}\u00a0FLOP for each byte`;
  if (roof.memory * x >= peak)
    return `With ${slope}, arithmetic sets the limit. The best does ${f.rate(rate, 'FLOP/s')}, ` +
      `${f.percent(rate / peak)} of the ${f.rate(peak, 'FLOP/s')} that this machine does in ${numbers}` +
      `${remaining(rate / peak)}.`;
  const bytes = result.bytes / result.best.median, share = bytes / roof.memory;
  if (share <= 1.02)
    return `With ${slope}, memory sets the limit. The best moves ${f.rate(bytes, 'B/s')}, ` +
      `${f.percent(share)} of the ${f.rate(roof.memory, 'B/s')} that it delivers${remaining(share)}.`;
  const [name, level] = levelFor(roof, bytes), top = Math.min(level * x, peak);
  return `Its data stay in caches: the best moves ${f.rate(bytes, 'B/s')}, ${f.factor(share)} what memory ` +
    `delivers, and reaches ${f.percent(rate / top)} of what ${top < peak ? levelName(name)
      : `arithmetic in ${numbers}`} allows${remaining(rate / top)}.`;
}

function answer(result, roof) {
  const best = result.best?.median, declared = [result.flops && 'flops', result.bytes && 'bytes'].filter(Boolean);
  if (!best)
    return 'Nothing has run, so there is nothing to compare with the machine.';
  if (!result.timed)
    return `Not known: it was tuned for ${result.measure}, and the machine’s limits that this compares with are ` +
      'those of time.';
  if (declared.length === 0)
    return 'Not known: the kernel does not declare its work. With flops(…) or bytes(…) in its pragma, this compares ' +
      'it with what the machine can do.';
  if (!roof) {
    const did = [result.flops && f.rate(result.flops / best, 'FLOP/s'),
                 result.bytes && f.rate(result.bytes / best, 'B/s')].filter(Boolean).join(' and ');
    return `Not known: the best does ${did}, but this report was made on another machine than the result, or it is a ` +
      'GPU’s.';
  }
  const above = aboveRoof(result, roof);
  if (above)
    return `Doubtful: the fastest variant does ${above}. Either the machine was busy when its limits were measured ` +
      '(a report that is made later measures them again), or the pragma declares more work than a call does.';
  if (declared.length === 2)
    return underRoof(result, roof);
  if (result.flops) {
    const rate = result.flops / best, single = rate > 1.02 * roof.flops;
    return `The best does ${f.rate(rate, 'FLOP/s')}: ` + (single ? '' : `${f.percent(rate / roof.flops)} of what this ` +
      'machine does in doubles, ') + `${f.percent(rate / roof.flops / 2)} of what it does in floats. Whether memory ` +
      'is what limits it would be seen with bytes(…) in its pragma.';
  }
  const bytes = result.bytes / best, share = bytes / roof.memory, [name, level] = levelFor(roof, bytes);
  return `The best moves ${f.rate(bytes, 'B/s')}, ` + (share > 1.02 ? `${f.factor(share)} what memory delivers ` +
    `(${f.rate(roof.memory, 'B/s')}): its data stay in caches, and it reaches ${f.percent(bytes / level)} of what ` +
    `${levelName(name)} delivers.` : `${f.percent(share)} of the ` +
    `${f.rate(roof.memory, 'B/s')} that memory delivers${remaining(share)}.`);
}

// Which limits are drawn, and how they were found.
function measured(result, roof, single) {
  if (!roof)
    return 'the machine’s own limits are not known';
  if (aboveRoof(result, roof))
    return 'the machine’s limits are left out: their measurement is doubtful';
  const alone = !single || roof.threads === 1 ? '' : `; one thread alone: ${result.flops
    ? f.rate(single.flops, 'FLOP/s') : f.rate(single.memory, 'B/s')}`;
  const list = [...(result.bytes ? levelsOf(roof).map(([name, rate]) => `${name} ${f.rate(rate, 'B/s')}`) : []),
    ...(result.flops ? [`doubles ${f.rate(roof.flops, 'FLOP/s')}`, `floats ${f.rate(2 * roof.flops, 'FLOP/s')}`] : [])];
  return `lines: the machine’s limits with ${f.many(roof.threads, 'thread')}, measured ${f.date(roof.when)}` +
    `${roof.busy ? ' while the machine was busy, so perhaps too low' : ''}: ` +
    `${list.join(', ')}${alone}`;
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

// Where the names of LINES stand: [FLOP per byte, how it lies to that point]. Variants are below all lines, so that the
// names of slopes are left above the corners in which they end, and a name that is NEAR the next one (or nearer, as a
// factor) is one line higher. The name of memory, the longest, ends at its corner.
function namePlaces(roof, right, near) {
  let before = Infinity, high = 0;
  const slopes = levelsOf(roof).map(([name, rate], k) => {
    const corner = 2 * roof.flops / rate;
    high = before / corner < (k === 1 ? 1.7 * near : near) ? high + 1 : 0;
    before = corner;
    return [name, [corner, { position: 'top', align: name === 'memory' ? 'right' : 'center', offset: [0, -14 * high] }]];
  });
  return new Map([...slopes, ...['doubles', 'floats'].map((name) => [name, [right, { position: 'top', align: 'right' }]])]);
}

function roofline(result, roof, said) {
  const x = result.flops / result.bytes;
  const left = Math.min(x / 8, roof ? roof.flops / roof.l1 / 4 : x);
  const right = Math.max(x * 8, roof ? 16 * roof.flops / roof.memory : x);
  const xs = Array.from({ length: 121 }, (_, i) => left * (right / left) ** (i / 120));
  const rates = [result.best, result.default].filter(Boolean).map((e) => result.flops / e.median)
    .concat(result.ran.length ? result.flops / result.median[result.ran.at(-1)] : []);
  const low = Math.min(...rates, ...(roof ? [roof.memory * left] : []));
  const high = Math.max(...rates, ...(roof ? [6 * roof.flops] : []));
  return chart({
    label: () => `Roofline: ${said}`, height: 340, grows: 560,
    option: (c, narrow, width, places = roof && namePlaces(roof, right, narrow ? 6 : 2)) => ({
      grid: grid({ top: 34, bottom: 22, right: 16 }), legend: legend(c), tooltip: tip(result),
      xAxis: logAxis(c, left, right, { name: 'FLOP per byte', nameLocation: 'middle',
        nameGap: 24, axisLabel: { formatter: (v) => f.plain(v, 2) } }),
      yAxis: logAxis(c, low, high, { axisLabel: { formatter: (v) => f.rate(v, 'FLOP/s') } }),
      series: [...markers(result, c, (t) => [x, result.flops / t]),
        ...(roof ? roofLines(roof).map(([name, from, y]) => {
          const [at, place] = places.get(name);
          return { type: 'line', name, silent: true, showSymbol: false,
            lineStyle: { color: c.quiet, width: 1.3,
              type: name === 'memory' || name === 'doubles' ? 'solid' : 'dashed' },
            markPoint: { silent: true, symbol: 'circle', symbolSize: 0.1, data: [{ coord: [at, y(at)] }],
              label: { show: true, formatter: name, color: c.quiet, fontSize: 12, ...place } },
            data: [from, ...xs].filter((v) => v >= Math.max(from, left)).map((v) => [v, y(v)]) };
        }) : [])],
    }),
  });
}

// One of both is declared: a line of rates.
function rates(result, roof, said) {
  const work = result.flops || result.bytes, unit = result.flops ? 'FLOP/s' : 'B/s';
  const lanes = ['variants', 'default', 'best'];
  const times = [result.default, result.best].filter(Boolean).map((e) => e.median)
    .concat(result.ran.length ? [result.median[result.ran[0]], result.median[result.ran.at(-1)]] : []);
  const fastest = Math.min(...times), slowest = Math.max(...times);
  const roofs = !roof ? [] : result.flops ? [['doubles', roof.flops], ['floats', 2 * roof.flops]]
    : levelsOf(roof);
  return chart({
    label: () => `Rates: ${said}`, height: 230, grows: 700,
    option: (c, narrow) => ({
      grid: grid({ top: 44, bottom: 4, right: narrow ? 40 : 60 }), tooltip: tip(result),
      xAxis: logAxis(c, work / slowest, Math.max(work / fastest, ...roofs.map((r) => r[1])),
        { axisLabel: { formatter: (v) => f.rate(v, unit) } }),
      yAxis: axis(c, { type: 'category', data: lanes, splitLine: { show: false } }),
      series: [...markers(result, c, (t, name) => [work / t, lanes.indexOf(name)]),
        { type: 'line', data: [], name: 'machine', markLine: { silent: true, symbol: 'none',
          lineStyle: { color: c.text, type: 'solid', width: 1.3 },
          label: { color: c.quiet, formatter: '{b}', position: 'end' },
          data: roofs.map(([name, v], k) => ({ name, xAxis: v, label: { align: k === 0 ? 'right'
            : k === roofs.length - 1 ? 'left' : 'center', offset: [0, -14 * (k % 2)] } })) } }],
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
    label: () => `${result.Measure} of each trial. ${searchSaid(result)} The best so far, by trial: ${listed(steps.slice(0, -1)
      .map(([i, t]) => `${i}: ${result.cost(t)}`))}`,
    height: 300, grows: 560,
    option: (c) => ({
      grid: grid({ top: 34, bottom: 22 }),
      legend: { data: ['best so far', 'each trial', ...(result.default ? ['default'] : [])], top: 0, left: 4,
        itemWidth: 12, itemHeight: 8, textStyle: { color: c.quiet }, selectedMode: false },
      tooltip: { trigger: 'item', formatter: ({ data }) => lines(`trial ${f.count(data[0])}: ${result.cost(data[1])}`,
        data[2] === undefined ? '' : settings(result, data[2])) },
      xAxis: axis(c, { type: 'value', min: 0, max: result.n, name: 'trial', nameLocation: 'middle', nameGap: 24,
        splitLine: { show: false }, axisLabel: { formatter: f.count } }),
      yAxis: logAxis(c, result.median[result.ran[0]], Math.max(result.median[result.ran.at(-1)],
        result.default?.median || 0), { axisLabel: { formatter: result.cost } }),
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
  const roof = roofOf(report, result), said = answer(result, roof);
  const declared = result.timed && result.best && (result.flops || result.bytes);
  const drawn = result.timed && roof && !aboveRoof(result, roof) ? roof : undefined;
  const under = !declared ? null
    : result.flops && result.bytes ? roofline(result, drawn, said) : rates(result, drawn, said);
  const trials = progress(result);
  return [h('p', { class: 'answer' }, said), h('div', { class: 'columns' },
    under && figure(result.flops && result.bytes ? 'Roofline' : 'Rates',
      measured(result, roof, roofOf(report, result, 1)), under.node),
    trials && figure('Best so far', searchSaid(result), trials.node),
    bars(result, drawn, drawn ? levelsOf(drawn) : []))];
}
