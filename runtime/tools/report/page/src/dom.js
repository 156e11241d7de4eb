// SPDX-License-Identifier: Apache-2.0
// Elements. Whatever comes from results goes in as text nodes and attributes, never as markup.

export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false)
      continue;
    if (name.startsWith('on'))
      node.addEventListener(name.slice(2), value);
    else
      node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== ''));
  return node;
}

export function choose(label, values, chosen, onchange) {
  const select = h('select', { onchange: () => onchange(Number(select.value)) },
    values.map((text, i) => h('option', { value: i, selected: i === chosen }, text)));
  return h('label', { class: 'choose' }, h('span', {}, label), select);
}

// Gives the reader the file NAME with what URL has.
export function save(name, url) {
  h('a', { href: url, download: name.replace(/[^\w.-]+/g, '_').slice(-100) }).click();
}

// Its chart can be saved as a picture.
export function figure(title, note, ...content) {
  const chart = content.find((node) => node?.className === 'chart');
  const png = () => save(`${chart.closest('section').querySelector('.of')?.textContent ?? 'results'} ${title}.png`,
    chart.chart.getDataURL({ pixelRatio: 2, backgroundColor: getComputedStyle(document.body).backgroundColor }));
  return h('figure', {},
    h('figcaption', {}, h('div', {}, h('strong', {}, title), note ? h('span', {}, ` ${note}`) : null),
      chart ? h('button', { type: 'button', class: 'save', 'aria-label': `Save as PNG: ${title}`, onclick: png }, 'PNG') : null),
    content);
}

// Texts that wrap between them, and within one only where it is wider than the line.
export const pieces = (texts) => texts.flatMap((text) => [h('span', { class: 'piece' }, text), ' ']);

export function values(object) {
  const entries = Object.entries(object);
  return h('ul', { class: 'values' }, entries.length === 0 ? h('li', {}, 'nothing to choose') :
    entries.map(([name, value]) => h('li', {}, h('span', {}, name), h('b', {}, value || '""'))));
}
