// SPDX-License-Identifier: Apache-2.0
// Every variant by two properties that the reader chooses, coloured by a third one. The choice is in the page's
// address, so that a link shows the same.
import { axis, chart, grid, lines, logAxis, mix } from './chart.js';
import { fateNames, settings, winnerRow } from './data.js';
import { choose, figure, h } from './dom.js';
import * as f from './format.js';
import { jitter, thin } from './statistics.js';

const MOST_POINTS = 5000, MOST_COLOURS = 8, symbols = ['circle', 'rect', 'triangle', 'diamond'];

// What variants can be compared by: of(row) is a number, or NaN where it is not known; with `texts` it is the place in
// these. What is the same for all variants is left out.
function properties(result) {
  const c = result.columns;
  const number = (id, name, of, show, more = { log: true }) => ({ id, name, of, show, ...more });
  const texts = (id, name, list, of) => ({ id, name, texts: list, of: (i) => of(i) < 0 ? NaN : of(i),
    show: (v) => list[v] || '""' });
  const column = (list) => (i) => list?.[i] ?? NaN;
  const time = (i) => result.median[i], fates = Object.keys(fateNames);
  const all = [
    number('time', result.measure, time, result.cost),
    result.timed && result.flops && number('flops', 'speed in FLOP/s', (i) => result.flops / time(i), (v) => f.rate(v, 'FLOP/s')),
    result.timed && result.bytes && number('bytes', 'speed in B/s', (i) => result.bytes / time(i), (v) => f.rate(v, 'B/s')),
    result.default?.median && number('gain', `times as ${result.timed ? 'fast' : 'good'} as the default`,
      (i) => result.default.median / time(i), f.times),
    number('size', 'size of the code', column(c.size), f.bytes, {}),
    number('compiling', 'time to compile', column(c.compiling), f.seconds),
    number('verifying', 'time to verify', column(c.verifying), f.seconds),
    number('timing', 'time to measure', column(c.timing), f.seconds),
    number('order', 'order of trials', (i) => i + 1, f.count, {}),
    number('slowdown', 'slowdown of the machine', column(c.slowdown), f.times),
    number('part', 'part of a run that was timed', column(c.part), f.times),
    texts('compiler', 'compiler', c.compiler.texts, (i) => c.compiler.of[i]),
    texts('fate', 'fate', fates.map((name) => fateNames[name]), (i) => c.fate[i]),
    ...result.parameters.map((p) => texts(`p.${p.name}`, p.name, p.values, (i) => p.of[i])),
  ].filter(Boolean);
  for (const p of all) {
    p.seen = Array.from({ length: result.n }, (_, i) => p.of(i)).filter((v) => Number.isFinite(v) && (!p.log || v > 0));
    p.low = p.seen.reduce((a, b) => Math.min(a, b), Infinity);
    p.high = p.seen.reduce((a, b) => Math.max(a, b), -Infinity);
  }
  return all.filter((p) => p.low < p.high);
}

function axisOf(c, p, narrow, more) {
  if (!p.texts)
    return (p.log ? logAxis(c, p.low, p.high, { ...more, axisLabel: { formatter: p.show } })
      : axis(c, { type: 'value', scale: true, ...more, axisLabel: { formatter: p.show } }));
  return axis(c, { type: 'value', min: -0.6, max: p.texts.length - 0.4, splitLine: { show: false }, ...more,
    axisLabel: { customValues: p.texts.map((_, v) => v), formatter: (v) => f.middle(p.show(v), narrow ? 10 : 18) } });
}

// One series for each colour where these are few values; else one, with the colours of a scale.
function coloured(c, p, points) {
  const ramp = [c.best, c.other, c.base], few = [c.best, c.base, c.bad, c.other];
  const series = (name, data, more) => ({ type: 'scatter', name, data, symbolSize: 6, itemStyle: { opacity: 0.75 }, ...more });
  if (!p)
    return { series: [series('variants', points, { itemStyle: { color: c.other, opacity: 0.6 } })] };
  if (p.texts && p.texts.length <= MOST_COLOURS) {
    const met = p.texts.map((_, v) => v).filter((v) => points.some((one) => one[2] === v));
    return { legend: { top: 0, left: 0, data: met.map(p.show), itemWidth: 10, itemHeight: 10, selectedMode: false,
        textStyle: { color: c.quiet } },
      series: met.map((v, k) => series(p.show(v), points.filter((one) => one[2] === v), { symbol: symbols[k % 4],
        itemStyle: { color: met.length <= few.length ? few[k] : mix(k / (met.length - 1), ramp), opacity: 0.75 } })) };
  }
  const scale = p.log ? Math.log10 : (v) => v, back = (v) => p.log ? 10 ** v : Math.round(v);
  return { series: [series('variants', points.map(([x, y, v, i]) => [x, y, scale(v), i]))],
    visualMap: { type: 'continuous', dimension: 2, min: scale(p.low), max: scale(p.high), seriesIndex: 0, orient: 'horizontal',
      calculable: false, hoverLink: false, itemWidth: 12, itemHeight: 120, top: 0, left: 0, inRange: { color: ramp },
      text: [p.show(p.high), p.show(p.low)], textStyle: { color: c.quiet }, formatter: (v) => p.show(back(v)) } };
}

// CHOICES: x, y and colour by their ids, as in the address; unknown ones are as if they were not given.
export function explore(result, choices) {
  const all = properties(result);
  if (all.length < 2)
    return null;
  const named = (name, instead) => all.find((p) => p.id === choices.get(name)) || instead;
  const first = all.find((p) => p.id.startsWith('p.')) || all[1];
  let y = named('y', all[0]), x = named('x', first === y ? all[1] : first), colour = named('colour', null);
  const winner = winnerRow(result), rows = [...result.ran, ...Array.from(result.fate.keys())
    .filter((i) => result.fate[i] !== 'right' || !(result.median[i] > 0))];
  const place = (p, i) => p.of(i) + (p.texts ? 0.5 * jitter(i) : 0);
  const known = (i) => [x, y, colour].every((p) => !p || (Number.isFinite(p.of(i)) && (!p.log || p.of(i) > 0)));
  const point = (i) => [place(x, i), place(y, i), colour ? colour.of(i) : 0, i];
  const hash = () => `#result-${result.index}&${new URLSearchParams({ x: x.id, y: y.id, ...(colour && { colour: colour.id }) })}`;

  const one = chart({
    label: () => `${f.many(rows.filter(known).length, 'variant')} by ${x.name} and ${y.name}` +
      `${colour ? `, coloured by ${colour.name}` : ''}. The same numbers are in the CSV file of all variants`,
    height: 380, grows: 1100, id: 'free',
    option: (c, narrow) => {
      const drawn = coloured(c, colour, thin(rows.filter(known), MOST_POINTS).map(point));
      return { ...drawn, grid: grid({ top: colour ? 60 : 30, bottom: 24 }),
        xAxis: axisOf(c, x, narrow, { name: x.name, nameLocation: 'middle', nameGap: 24 }),
        yAxis: axisOf(c, y, narrow, { name: y.name, nameTextStyle: { color: c.quiet, fontSize: 12, align: 'left' } }),
        tooltip: { trigger: 'item', formatter: ({ data: [, , , i] }) => lines(
          ...[x, y, colour].filter((p, k, list) => p && list.indexOf(p) === k).map((p) => `${p.name}: ${p.show(p.of(i))}`),
          i === winner ? 'the winner' : '', settings(result, i)) },
        series: [...drawn.series, { type: 'scatter', symbol: 'diamond', symbolSize: 14, z: 5,
          itemStyle: { color: c.text, borderColor: c.surface, borderWidth: 1.5 },
          data: winner >= 0 && known(winner) ? [point(winner)] : [] }] };
    },
  });
  const link = h('a', { class: 'link', href: hash() }, 'Link to this view');
  const names = all.map((p) => p.name);
  const pick = (label, list, chosen, set) => choose(label, list, chosen, (k) => {
    set(k);
    link.setAttribute('href', hash());
    history.replaceState(null, '', hash());
    one.redraw();
  });
  const most = rows.length > MOST_POINTS ? `; ${f.count(MOST_POINTS)} of ${f.count(rows.length)} are drawn` : '';
  return figure('Any two properties', `${winner >= 0 ? 'the diamond is the winner; ' : ''}a variant is missing where one of ` +
    `them is not known${most}`,
    h('div', { class: 'pickers' }, pick('x axis', names, all.indexOf(x), (k) => { x = all[k]; }),
      pick('y axis', names, all.indexOf(y), (k) => { y = all[k]; }),
      pick('colour', ['all the same', ...names], all.indexOf(colour) + 1, (k) => { colour = all[k - 1] || null; }), link),
    one.node);
}
