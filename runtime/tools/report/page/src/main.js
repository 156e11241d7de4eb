// SPDX-License-Identifier: Apache-2.0
// The page: six questions; the first is about all results, the others about the one that is chosen.
import { redrawAll, redrawForPrint, sweep } from './chart.js';
import { better } from './better.js';
import { cost } from './cost.js';
import { read, speedup } from './data.js';
import { choose, h } from './dom.js';
import * as f from './format.js';
import { gain } from './gain.js';
import { hold } from './hold.js';
import { findAgain, liveNote, stayLive } from './live.js';
import { why } from './why.js';
import { wrong } from './wrong.js';

const questions = [
  ['gain', 'What did I gain?', null],
  ['why', 'Why this variant?', why],
  ['better', 'Could it be better?', better],
  ['wrong', 'What went wrong?', wrong],
  ['cost', 'What did it cost?', cost],
  ['hold', 'Where does it hold?', hold],
];

// ---- dark and light -----------------------------------------------------------------

const themes = ['auto', 'light', 'dark'];
const names = { auto: 'as the system', light: 'light', dark: 'dark' };

function setTheme(theme) {
  if (theme === 'auto')
    delete document.documentElement.dataset.theme;
  else
    document.documentElement.dataset.theme = theme;
}

function themeSwitch() {
  return choose('Colours', themes.map((t) => names[t]), 0, (i) => {
    setTheme(themes[i]);
    redrawAll();
  });
}

// ---- printing -------------------------------------------------------------------------

// Paper is light, whatever the screen is, as wide as a sheet, and has no part that is not drawn yet.
function prepareToPrint() {
  let before, opened = [];
  addEventListener('beforeprint', () => {
    before = document.documentElement.dataset.theme || 'auto';
    setTheme('light');
    document.body.classList.add('sheet');
    opened = [...document.querySelectorAll('details.message:not([open])')];
    opened.forEach((d) => d.setAttribute('open', ''));
    redrawForPrint(true);
  });
  addEventListener('afterprint', () => {
    setTheme(before);
    document.body.classList.remove('sheet');
    opened.forEach((d) => d.removeAttribute('open'));
    redrawForPrint(false);
  });
}

// ---- the page ----------------------------------------------------------------------------

function main() {
  const report = read();
  const page = document.getElementById('page');
  const bodies = new Map();
  let picker = null;

  // CHOICES: as in the address (explore.js).
  function show(index, choices = new URLSearchParams()) {
    const result = report.kernels[index];
    if (!result) // nothing was measured yet
      return;
    for (const [id, , make] of questions)
      if (make)
        bodies.get(id).replaceChildren(...make(result, report, select, choices).flat().filter(Boolean));
    for (const node of document.querySelectorAll('.of'))
      node.textContent = result.label;
    if (picker)
      picker.querySelector('select').value = index;
    sweep();
  }

  // Shows what the address asks for, if it does: "#result-2", or "#result-2&x=order&y=time&colour=p.TILE".
  let still = findAgain(report); // the page is where its reader left it
  function follow() {
    const [, index, choices] = /^#result-(\d+)(&.*)?$/.exec(location.hash) || [];
    if (!report.kernels[index])
      return false;
    show(Number(index), new URLSearchParams(choices));
    if (choices && !still)
      document.getElementById('free')?.scrollIntoView({ block: 'center' });
    return true;
  }

  function go(index) {
    show(index);
    history.replaceState(null, '', `#result-${index}`);
  }

  function select(index) {
    go(index);
    document.getElementById('why').scrollIntoView();
  }

  const many = report.kernels.length > 1;
  picker = many ? choose('Result', report.kernels.map((r) => r.label +
    (new Set(report.kernels.filter((x) => x.label === r.label).map((x) => x.cpu)).size > 1
      ? ` · ${f.machine(r.cpu)}` : '')), 0, go) : null;
  const sections = questions.map(([id, title, make]) => {
    const body = h('div', { class: 'body' });
    bodies.set(id, body);
    return h('section', { id, 'aria-labelledby': `${id}-title` },
      h('h2', { id: `${id}-title` }, title, make ? h('span', { class: 'of' }) : null), body);
  });
  page.replaceChildren(
    h('header', {}, h('div', {}, h('h1', {}, 'autotune report'),
      h('p', { class: 'note' }, `${f.many(report.kernels.length, 'result')} of ${report.folder} · ` +
        `${f.date(report.made)} · autotune ${report.version}`), liveNote(report)), themeSwitch()),
    h('div', { class: 'bar' }, h('nav', { 'aria-label': 'Questions' },
      questions.map(([id, title]) => h('a', { href: `#${id}` }, title))), picker),
    h('main', { id: 'report', tabindex: -1 }, sections));
  document.title = `autotune: ${[...new Set(report.kernels.map((r) => r.kernel))].slice(0, 3).join(', ')}`;
  bodies.get('gain').append(...gain(report, select).flat().filter(Boolean));
  const gains = report.kernels.map((r) => r.stale ? -2 : r.finished ? speedup(r)?.ratio ?? 0 : -1);
  if (!follow())
    show(gains.indexOf(Math.max(...gains)));
  still = false;
  addEventListener('hashchange', follow);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawAll);
  prepareToPrint();
  stayLive(report);
}

main();
