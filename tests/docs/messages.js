// SPDX-License-Identifier: Apache-2.0
// messages.js RUNTIME PAGE: each warning that the runtime can log, and each reason in a warning, is on the
// page, word by word, with `…` for text that differs; and the page explains no message that is not in a source.
'use strict';
const fs = require('fs'), path = require('path');
const [runtime, page] = process.argv.slice(2);

// Calls that make a message, and whether the message of CALL is for the page. Lower levels are only printed on request.
const MAKERS = {
  log_message: call => /AUTOTUNE_(WARN|ERROR)/.test(call),
  log_once: call => /AUTOTUNE_(WARN|ERROR)|\(level,/.test(call), // call/refuse.c: the level is of the reason
  log_once_of: call => /AUTOTUNE_(WARN|ERROR)/.test(call),
  WARN: () => true,    // base/options.c
  EXPECTS: () => true, // base/values.c
  REFUSE: () => true, // keep/store/folder.c, keep/capture/
  FAIL: () => true,   // keep/wisdom/line.c
  SAY: () => true,
  call_refuse: () => true, // run/cuda/call.c
  complain: () => true,
};
const REASON = /\*(?:message|why) = ([^;]*);/g;      // in the folders whose reasons come in warnings
const REASONS_IN = /^keep\/(store|wisdom)\/|^run\/cpu\/(?!module)|^compile\/jit_open\.c|^run\/cuda\/api\.c/;

function sources(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap(e => {
    const name = path.join(folder, e.name);
    return e.isDirectory() ? sources(name) : /\.(c|cpp)$/.test(name) ? [name] : [];
  });
}

// TEXT from the bracket at AT to the one that closes it.
function bracket(text, at) {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    if (text[i] === '"')
      for (i++; text[i] !== '"'; i++)
        i += text[i] === '\\';
    depth += (text[i] === '(') - (text[i] === ')');
    if (depth === 0)
      return text.slice(at, i + 1);
  }
  return '';
}

// The message as a reader sees it: `…` for text that differs, and single blanks.
const plain = s => s.replace(/"\s*(PRI\w+)\s*"/g, 'd').replace(/%%/g, '\0')
  .replace(/%[-+ #0]*[\d*]*(\.[\d*]+)?(hh|h|ll|l|z|j)?[a-zA-Z]/g, '…').replace(/\0/g, '%')
  .replace(/\\(["\\])/g, '$1').replace(/…+/g, '…').trim();

// The literals in TEXT, adjacent ones joined; a message has more than one word.
function literals(text) {
  const joined = text.replace(/"\s+"/g, '').replace(/"\s+(PRI\w+)\s+"/g, 'd');
  return [...joined.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(m => plain(m[1]))
    .filter(s => s.split(' ').length > 2 && /[A-Za-z]{2,}[^…]* |… [a-z]/.test(s) && s[0] !== ';' && !s.startsWith('tuned:'));
}

function messages() {
  const found = new Map();
  for (const file of sources(runtime)) {
    const text = fs.readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$|\s\/\/ .*$/gm, '');
    const where = path.relative(runtime, file), note = s => found.set(s, where);
    for (const m of text.matchAll(/\b(log_message|log_once|log_once_of|WARN|EXPECTS|REFUSE|FAIL|SAY|call_refuse|complain)\(/g)) {
      const call = bracket(text, m.index + m[0].length - 1);
      if (!/#define\s+$/.test(text.slice(0, m.index)) && MAKERS[m[1]](call))
        literals(call).forEach(note);
    }
    if (REASONS_IN.test(where))
      for (const m of text.matchAll(REASON))
        literals(m[1]).forEach(note);
    literals(text).filter(s => s.startsWith('default')).forEach(note);
  }
  return found;
}

// The code spans of TEXT.
const spans = text => [...text.matchAll(/(`+)(.+?)\1(?!`)/g)].map(m => m[2]);

const found = messages(), text = fs.readFileSync(page, 'utf8');
const said = new Set(spans(text));
let failures = 0;
const fail = what => { failures++; console.log('FAILED: ' + what); };
for (const [s, where] of found)
  if (!said.has(s))
    fail(`${where}: the page does not say what this means: ${s}`);

const sayings = sources(runtime).map(f => plain(fs.readFileSync(f, 'utf8').replace(/"\s+"/g, '').replace(/"\s+(PRI\w+)\s+"/g, 'd')));
const explained = text.slice(text.indexOf('\n## A variable')).split('\n').filter(l => l.startsWith('| `'))
  .flatMap(l => spans(l.split(' | ')[0]));
for (const s of explained)
  if (!sayings.some(file => file.includes(s)))
    fail(`nothing says: ${s}`);
console.log(`${found.size} messages, ${explained.length} explanations, ${failures} failures`);
process.exit(failures || found.size < 100 ? 1 : 0);
