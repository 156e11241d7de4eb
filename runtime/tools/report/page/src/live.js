// SPDX-License-Identifier: Apache-2.0
// A live page: `autotune report --html FILE --follow` writes the file again while tunings go on, and the page loads
// itself again. What its reader has chosen is kept meanwhile in the state of the page's place in the browser's history,
// and nowhere else.
import { settle } from './chart.js';
import { h } from './dom.js';
import * as f from './format.js';

const LEAST = 2000, QUIET = 1500, LOOK = 250; // milliseconds between loads, since the reader did something, and of looking
const TOO_OLD = 60; // seconds after which whoever writes the page is taken for gone
const places = 'section, figure, h3, .table'; // where a reader can be

const state = history.state?.autotune;
const touched = new Map(state?.touched); // names of what the reader has changed: [label of the result, value]
let paused = state?.paused ?? false, busy = 0, held = false, ours = false;

// ---- names of elements ---------------------------------------------------------------

const titleOf = (node) => node.getAttribute('aria-label') || node.closest('label')?.querySelector('span')?.textContent ||
  node.querySelector(':scope > .scroll')?.getAttribute('aria-label') ||
  node.querySelector(':scope > figcaption strong')?.textContent ||
  (['H3', 'BUTTON', 'A', 'SUMMARY'].includes(node.tagName) ? node.textContent : '');

// Those that SELECTOR is for, by names that are the same after the page was loaded again.
function named(selector) {
  const all = new Map();
  for (const node of document.querySelectorAll(selector)) {
    const name = `${node.closest('section')?.id ?? ''} ${node.tagName} ${titleOf(node)}`;
    let unique = name;
    for (let k = 2; all.has(unique); k++)
      unique = `${name} ${k}`;
    all.set(unique, node);
  }
  return all;
}

const nameOf = (selector, node) => [...named(selector)].find(([, one]) => one === node)?.[0];

// ---- what the reader has chosen ---------------------------------------------------------

const shown = () => document.querySelector('.of')?.textContent; // the result
const selects = 'section select, header select', folds = 'details > summary';
const focusable = 'a, button, input, select, summary, [tabindex]';

const textOf = (select) => select.options[select.selectedIndex]?.textContent;
const isEnd = (select) => select.selectedIndex ===
  (select.getAttribute('aria-label')?.endsWith(', from') ? 0 : select.length - 1);

function keep() {
  for (const [name, select] of named('.axes select')) // they may be brushed, which no event of theirs tells
    if (isEnd(select))
      touched.delete(name);
    else
      touched.set(name, [shown(), textOf(select)]);
  for (const [name, node] of named('.table')) {
    const view = node.view.get();
    if (view)
      touched.set(name, [shown(), view]);
    else
      touched.delete(name);
  }
  for (const [name, summary] of named(folds))
    if (summary.parentElement.open)
      touched.set(name, [shown(), true]);
    else
      touched.delete(name);
  const above = [...named(places)].filter(([, node]) => node.getBoundingClientRect().top <= 90).at(-1);
  const at = scrollY > 0 && above ? [above[0], above[1].getBoundingClientRect().top] : null;
  history.scrollRestoration = 'manual';
  history.replaceState({ autotune: { touched: [...touched], paused, at, label: chosen() ? shown() : null,
    focus: nameOf(focusable, document.activeElement) } }, '', location.href);
}

// True if the reader has chosen the result that is shown: now, or before.
const chosen = () => /^#result-/.test(location.hash) || state?.label;

function restore() {
  const give = (node, value) => {
    if (node.view)
      node.view.set(value);
    else if (node.tagName === 'SUMMARY')
      node.parentElement.open = true;
    else {
      const k = Array.from(node.options).findIndex((o) => o.textContent === value);
      if (k >= 0 && k !== node.selectedIndex) {
        node.selectedIndex = k;
        node.dispatchEvent(new Event('change', { bubbles: true }));
      }
    }
  };
  ours = true;
  for (const selector of [selects, '.table', folds])
    for (const [name, node] of named(selector)) {
      const [label, value] = touched.get(name) ?? [];
      if (value !== undefined && (label === shown() || !/^(why|better|wrong|cost|hold) /.test(name)))
        give(node, value);
    }
  ours = false;
  named(focusable).get(state.focus)?.focus({ preventScroll: true });
  if (state.at) {
    // Charts that come near the window are drawn, and may change their heights.
    settle();
    let times = 0;
    const scroll = () => {
      const node = named(places).get(state.at[0]);
      if (node && !busy)
        scrollBy({ top: node.getBoundingClientRect().top - state.at[1], behavior: 'instant' });
      if (node && ++times < 20 && !busy)
        requestAnimationFrame(scroll);
    };
    scroll();
  }
}

// ---- loading again ----------------------------------------------------------------------

const time = (unix) => new Date(unix * 1000).toTimeString().slice(0, 8);

// "live: 37 variants tried, best 1.2 ms, 14:03:05"; the names only where they say something.
function said(report) {
  const one = (t) => {
    const result = report.kernels[t.result], cost = result?.cost ?? f.seconds;
    const best = t.best > 0 ? `best ${cost(t.best)}` : 'none right yet';
    return `${report.kernels.length > 1 || report.live.tunings.length > 1 ? `${t.name}: ` : ''}` +
      `${f.many(t.tried, 'variant')} tried, ${best}`;
  };
  return `${report.live.tunings.map(one).join('; ') || 'no tuning goes on'}, ${time(report.made)}`;
}

// The note in the page's head; null: the page is not live.
export function liveNote(report) {
  if (!report.live)
    return null;
  if (Date.now() / 1000 - report.made > Math.max(TOO_OLD, 4 * report.live.every))
    return h('p', { class: 'live' }, `not live any more: last written at ${time(report.made)}`);
  const button = h('button', { type: 'button', 'aria-pressed': String(paused), onclick: () => {
    paused = !paused;
    button.setAttribute('aria-pressed', String(paused));
  } }, 'Pause');
  return h('p', { class: 'live' }, h('b', {}, 'live'), `: ${said(report)} `, button);
}

// Makes the address ask for the result that the reader had chosen, wherever it is by now.
export function findAgain(report) {
  const index = state?.label ? report.kernels.findIndex((r) => r.label === state.label) : -1;
  const [, , choices] = /^#result-(\d+)(&.*)?$/.exec(location.hash) || [];
  if (index >= 0)
    history.replaceState(history.state, '', `#result-${index}${choices ?? ''}`);
  return Boolean(state); // then the page is not to scroll by itself
}

// To be called when the page is there.
export function stayLive(report) {
  const live = document.querySelector('.live button');
  if (state) {
    restore();
    // If the reader loads it again, the browser finds the place as it does in pages that are not live.
    history.replaceState(live ? { autotune: { ...state, at: null } } : null, '', location.href);
    addEventListener('load', () => setTimeout(() => { history.scrollRestoration = 'auto'; }, 500));
  }
  if (!live)
    return;
  const did = () => { busy = performance.now(); };
  for (const name of ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchmove'])
    addEventListener(name, did, { capture: true, passive: true });
  addEventListener('pointerdown', () => { held = true; }, true);
  for (const name of ['pointerup', 'pointercancel'])
    addEventListener(name, () => { held = false; }, true);
  addEventListener('change', ({ target }) => {
    const name = nameOf(selects, target);
    if (name && !ours)
      touched.set(name, [shown(), textOf(target)]);
  });
  // Loading may take at most a twentieth of the time: a tuning goes on.
  const wait = Math.max(LEAST, 1000 * report.live.every, 20 * performance.now()), loaded = performance.now();
  setInterval(() => {
    const now = performance.now();
    const reads = held || (busy && now - busy < QUIET) || !getSelection().isCollapsed;
    if (paused || reads || document.hidden || now - loaded < wait)
      return;
    keep();
    location.reload();
  }, LOOK);
}
