// SPDX-License-Identifier: Apache-2.0
// Charts: ECharts, the parts of it that are used, in the page's colours. A chart is drawn when it comes
// near the window, and again when colours or the width class change.
import * as echarts from 'echarts/core';
import { BarChart, CustomChart, HeatmapChart, LineChart, ParallelChart, ScatterChart }
  from 'echarts/charts';
import { GridComponent, LegendComponent, MarkLineComponent, MarkPointComponent, ParallelComponent,
         TooltipComponent, VisualMapContinuousComponent } from 'echarts/components';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';
import { h } from './dom.js';

echarts.use([BarChart, CustomChart, HeatmapChart, LineChart, ParallelChart, ScatterChart,
  GridComponent, LegendComponent, MarkLineComponent, MarkPointComponent, ParallelComponent,
  TooltipComponent, VisualMapContinuousComponent, CanvasRenderer, SVGRenderer]);

const NARROW = 460, live = new Set();
let renderer = 'canvas';

export function colours() {
  const style = getComputedStyle(document.documentElement);
  const one = (name) => style.getPropertyValue(`--${name}`).trim();
  return { text: one('text'), quiet: one('quiet'), line: one('line'), surface: one('surface'),
           ink: one('ink'), best: one('best'), base: one('base'), other: one('other'), bad: one('bad'),
           cold: one('cold'), font: getComputedStyle(document.body).fontFamily };
}

// The colour at T, from 0 to 1, of a scale from the first to the last of COLOURS.
export const mix = (t, list) => echarts.color.lerp(t, list);

// Tooltips are elements, so that no name is ever taken for markup.
export const lines = (...texts) => h('div', { class: 'tip' }, texts.filter(Boolean)
  .map((t, i) => h(i ? 'div' : 'b', {}, t)));

const common = (c) => ({
  animation: false,
  textStyle: { fontFamily: c.font, color: c.text, fontSize: 12 },
  tooltip: { backgroundColor: c.surface, borderColor: c.line, confine: true, padding: [6, 10],
             textStyle: { color: c.text, fontSize: 12, fontFamily: c.font } },
});

export function axis(c, more) {
  return {
    axisLine: { show: false }, axisTick: { show: false },
    splitLine: { lineStyle: { color: c.line } },
    nameTextStyle: { color: c.quiet, fontSize: 12 },
    ...more,
    axisLabel: { color: c.quiet, fontSize: 12, hideOverlap: true, ...(more.axisLabel || {}) },
  };
}

// Where ticks stand on a logarithmic axis from LOW to HIGH: at 1, 2 and 5 times powers of ten, and where these are
// few, at even steps.
function ticksOf(low, high) {
  const ticks = [];
  if (high / low <= 2.5) {
    const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find((digit) => digit * power >= rough) * power;
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-9); k++)
      ticks.push(Number((k * step).toPrecision(6)));
    return ticks;
  }
  for (let e = Math.floor(Math.log10(low)); 10 ** e <= high; e++)
    for (const digit of high / low > 1000 ? [1] : [1, 2, 5])
      if (digit * 10 ** e >= low && digit * 10 ** e <= high)
        ticks.push(Number((digit * 10 ** e).toPrecision(3)));
  return ticks;
}

export function logAxis(c, low, high, more) {
  const margin = Math.max(1.06, (high / low) ** 0.03);
  const ticks = ticksOf(more.min || low / margin, high * margin);
  return axis(c, { type: 'log', min: low / margin, max: high * margin, ...more,
    splitLine: { customValues: ticks, lineStyle: { color: c.line } },
    axisTick: { show: false, customValues: ticks },
    axisLabel: { customValues: ticks, ...(more.axisLabel || {}) } });
}

export const grid = (more = {}) => ({ left: 4, right: 16, top: 12, bottom: 4,
  outerBoundsMode: 'same', outerBoundsContain: 'all', ...more });

// The height in pixels of ONE, which is WIDTH wide. A chart that grows is as high as said where it is as wide as
// GROWS, and at most 1.6 times as high where it is wider.
function heightOf(one, width) {
  const height = typeof one.height === 'function' ? one.height(width < NARROW) : one.height;
  return Math.round(one.grows ? height * Math.min(1.6, Math.max(1, width / one.grows)) : height);
}

function draw(one) {
  const width = one.node.clientWidth, narrow = width < NARROW;
  one.narrow = narrow;
  const c = colours();
  one.node.style.height = `${heightOf(one, width)}px`;
  if (one.renderer !== renderer) {
    one.chart?.dispose();
    one.chart = null;
  }
  if (!one.chart) {
    one.renderer = renderer;
    one.chart = echarts.init(one.node, null, { renderer });
    one.node.chart = one.chart;
    one.ready?.(one.chart);
  }
  one.chart.resize();
  one.chart.setOption({ ...common(c), ...one.option(c, narrow, width) }, { notMerge: true });
  one.drawn?.(one.chart);
}

const near = new IntersectionObserver((entries) => {
  for (const e of entries)
    if (e.isIntersecting && e.target.one && !e.target.one.chart)
      draw(e.target.one);
}, { rootMargin: '600px' });

const sizes = new ResizeObserver((entries) => {
  for (const { target: { one } } of entries)
    if (one?.chart) {
      if ((one.node.clientWidth < NARROW) !== one.narrow)
        draw(one);
      else {
        one.node.style.height = `${heightOf(one, one.node.clientWidth)}px`;
        one.chart.resize();
      }
    }
});

// label(): what it shows, in words, for those who do not see it; option(colours, narrow, width): what ECharts is
// given; ready(chart): once it is there; drawn(chart): whenever it was drawn anew; grows: see heightOf.
export function chart({ label, height, grows, option, ready, drawn, id }) {
  const node = h('div', { class: 'chart', role: 'img', 'aria-label': label(), id });
  const one = { node, height, grows, option, ready, drawn };
  node.one = one;
  node.style.height = `${heightOf(one, NARROW)}px`;
  live.add(one);
  near.observe(node);
  sizes.observe(node);
  return { node, chart: () => one.chart, redraw: () => {
    node.setAttribute('aria-label', label());
    if (one.chart)
      draw(one);
  } };
}

// Gives all charts the heights that they will have, also those that are not drawn yet.
export function settle() {
  for (const one of live)
    if (one.node.isConnected)
      one.node.style.height = `${heightOf(one, one.node.clientWidth)}px`;
}

// Those that are no longer on the page are let go.
export function sweep() {
  for (const one of live)
    if (!one.node.isConnected) {
      near.unobserve(one.node);
      sizes.unobserve(one.node);
      one.chart?.dispose();
      live.delete(one);
    }
}

export function redrawAll() {
  for (const one of live)
    if (one.node.isConnected && one.chart)
      draw(one);
}

// On paper all charts are drawn, and as lines in place of pixels.
export function redrawForPrint(on) {
  renderer = on ? 'svg' : 'canvas';
  for (const one of live)
    if (one.node.isConnected && (on || one.chart))
      draw(one);
}

// "A 3.40 ×, B 1.40 ×": the first MOST of a list, in words.
export function listed(parts, most = 12) {
  return parts.slice(0, most).join(', ') + (parts.length > most ? `, and ${parts.length - most} more` : '');
}
