// SPDX-License-Identifier: Apache-2.0
// The main loops of the winner and of the default, in assembly.
import { figure, h } from './dom.js';

// Lines such as "17 vaddpd …", " L1:": the number of a source line where it is a new one, then the instruction.
function listing(lines) {
  let last = '';
  return lines.map((line) => {
    const [, number, text] = /^(\d*)\s(.*)$/.exec(line) || [line, '', line];
    const shown = number && number !== last ? number : '';
    last = number || last;
    const label = /^L\d+:$/.test(text);
    return `${shown.padStart(label ? 4 : 5)}  ${label ? '' : ' '}${text}`;
  }).join('\n');
}

function loop(title, [how, ...lines]) {
  return figure(title, how, lines.length === 0 ? null
    : h('pre', { tabindex: 0, role: 'region', 'aria-label': title }, listing(lines)));
}

export function code(result) {
  const { winner, default: original } = result.assembly ?? {};
  if (!original)
    return null;
  return h('div', { class: 'code' },
    winner && loop('The winner\'s main loop', winner), loop('The default\'s main loop', original));
}
