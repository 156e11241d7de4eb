// SPDX-License-Identifier: Apache-2.0
// grammar.js LANGUAGE.md TABLE.c AUTOTUNE: `autotune check` accepts sentences of the page's grammar,
// and the grammar has each clause of the table for the same directives, and for no others.
'use strict';
const fs = require('fs'), child = require('child_process'), os = require('os');
const [page, table, autotune] = process.argv.slice(2);
const folder = fs.mkdtempSync(`${os.tmpdir()}/grammar-`);
const ROUNDS = 3; // sentences for each clause of each directive, and as many with several clauses

let failures = 0;
const fail = text => { failures++; console.log('FAILED: ' + text); };

let state = 4711;
const random = n => { // a linear congruential generator: the same sentences everywhere
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor(state / 4294967296 * n);
};
const pick = list => list[random(list.length)];
const shuffled = list => list.map(x => [random(1 << 20), x]).sort((a, b) => a[0] - b[0]).map(x => x[1]);

// ---- the grammar, read from the page ----

function parse(text) {
  const tokens = text.match(/"[^"]*"|\.\.\.|[\w-]+|\S/g);
  let at = 0;
  const next = t => tokens[at] === t && ++at > 0;
  const expect = t => { if (!next(t)) throw Error(`grammar: ${t} expected, not ${tokens[at]}`); };
  function item() {
    let it;
    if (next('(')) { it = either(); expect(')'); }
    else if (next('[')) { it = { kind: 'maybe', of: either() }; expect(']'); }
    else if (next('{')) { it = { kind: 'clauses', of: either() }; expect('}'); }
    else if (tokens[at][0] === '"') it = { kind: 'word', text: tokens[at++].slice(1, -1) };
    else it = { kind: 'name', name: tokens[at++] };
    if (tokens[at] === ',' && tokens[at + 1] === '...') { at += 2; it = { kind: 'list', of: it, between: ',' }; }
    else if (next('...')) it = { kind: 'list', of: it, between: '' };
    return it;
  }
  function sequence() {
    const s = { kind: 'sequence', of: [], many: false, must: false };
    while (at < tokens.length && !['|', ')', ']', '}'].includes(tokens[at]) && tokens[at + 1] !== '=')
      if (next('*')) s.many = true;
      else if (next('!')) s.must = true;
      else s.of.push(item());
    return s;
  }
  function either() {
    const e = { kind: 'either', of: [sequence()] };
    while (next('|'))
      e.of.push(sequence());
    return e;
  }
  const rules = {};
  while (at < tokens.length) {
    const name = tokens[at++];
    expect('=');
    if (rules[name])
      fail(`grammar: ${name} is defined twice`);
    rules[name] = either();
  }
  return rules;
}

const markdown = fs.readFileSync(page, 'utf8');
const rules = parse(markdown.match(/```ebnf\n([\s\S]*?)```/)[1]);

// The sequences of a `{ … }`, each of which begins with the word that names its clause.
function clauses_of(node) {
  return node.of.flatMap(s => s.of.length === 1 && s.of[0].kind === 'name' ? clauses_of(rules[s.of[0].name]) : [s]);
}

function check_names() {
  const used = new Set(['pragma']);
  const walk = n => n.kind === 'name' ? used.add(n.name) : n.of && [].concat(n.of).forEach(walk);
  Object.values(rules).forEach(walk);
  for (const name of used)
    if (name === name.toUpperCase() ? !markdown.includes('`' + name + '`') : !rules[name])
      fail(`grammar: nothing says what ${name} is`);
  for (const name of Object.keys(rules))
    if (!used.has(name))
      fail(`grammar: ${name} is used nowhere`);
}

// ---- sentences ----

const WORDS = { schedule: ['static', 'dynamic', 'guided'], proc_bind: ['close', 'spread'], order: ['concurrent'],
                default: ['shared'], bind: ['thread', 'parallel'] };
const TERMINALS = {
  NAME: ['gemm', 'sum'], PARAM: ['U'], KERNEL: ['chosen'], ARGUMENT: ['n'], VARIABLE: ['x', 'y', 'z'],
  NUMBER: ['16', '0x20', '0.5', '1e-3', '100'], INTEGER: ['1', '2', '3'], LOW: ['1', '2'], HIGH: ['2', '3'],
  FLAGS: ['""', '"-O2"', '"-O3 -ffast-math"'], PROGRAM: ['clang', 'gcc'],
  EXPRESSION: ['n', 'n * 2', '(n + 7) / 8'], CONDITION: ['n > 2', 'n * 64 <= AUTOTUNE_L2'],
  TIME: ['5s', '500ms', '2min', '1h', '9m', '100us'],
  COUNT: ['200'], SHARE: ['5%', '2.5%'], SIZE: ['128', '16x8', '8x8x4'], OPERATOR: ['+', '*', 'max'],
};
const CUDA = { FLAGS: ['""', '"--use_fast_math"', '"-maxrregcount=64"'] };
const KINDS = ['NUMBER', 'NAME', 'STRING', 'tuple'];

let fresh = 0; // candidates, and sections of a kernel, must differ

function terminal(name, c) {
  if (name === 'NEW')
    return c.news[c.news.push(`P${c.news.length}`) - 1];
  if (name === 'ARRAY' || name === 'OBJECT')
    return name === 'ARRAY' ? `s[${fresh++}].rows` : `*(b + ${fresh++})`;
  if (name === 'STRING')
    return `"a ${fresh++}"`;
  if (c.clause === 'param' && name === 'NAME')
    return `name${fresh++}`;
  if (c.clause === 'param' && name === 'NUMBER')
    return pick([`${100 + fresh++}`, `0x${(200 + fresh++).toString(16)}f`, `${fresh++}.5`, `${fresh++}.1e-3`]);
  if (c.clause === 'safelen' && ['PARAM', 'INTEGER', 'LOW', 'HIGH'].includes(name)) // simdlen is no more
    return name === 'HIGH' ? '9' : '8';
  if (c.clause === 'prepare' && name === 'ARGUMENT') // each once
    return (c.unprepared = c.unprepared || ['n', 's', 'm', 'b']).shift();
  if (c.clause === 'looprange')
    return pick(['2', '3']);
  if (name === 'WORD')
    return pick(WORDS[c.clause] || ['conditional']);
  const list = (c.cuda && CUDA[name]) || TERMINALS[name];
  if (!list)
    throw Error(`no examples of ${name}`);
  return pick(list);
}

// A value of the kind of its list.
function value(node, c) {
  c.kind = c.kind || pick(KINDS);
  const of = node.of.filter(s => s.of[0].kind === 'name' ? s.of[0].name === c.kind : c.kind === 'tuple');
  return c.kind === 'tuple' ? `(${fresh++}, ${pick(['4', '0.5', 'x'])})` : sentence(of[0], c);
}

function list(node, c) {
  if (node.of.name === 'ORDER')
    return shuffled([1, 2, 3]).join(', ');
  const seen = {}, n = 1 + random(2);
  for (let i = 0; i < n; i++) {
    const text = sentence(node.of, c), same = isNaN(text) ? text : Number(text);
    seen[same] = text;
  }
  const all = Object.values(seen), ranges = all.filter(t => t.includes('..'));
  // A value within a range must not be listed too.
  return (ranges.length && c.clause !== 'param' ? ranges : all).join(node.between ? ', ' : '');
}

function sentence(node, c) {
  switch (node.kind) {
  case 'word': return node.text;
  case 'name':
    if (node.name === 'value' && c.first === '')
      return '\0'; // the default: one of the candidates, which follow
    if (node.name === 'range' && !c.kind)
      c.kind = 'NUMBER';
    const text = !rules[node.name] ? terminal(node.name, c)
               : node.name === 'value' ? value(rules.value, c) : sentence(rules[node.name], c);
    if (['value', 'LOW'].includes(node.name) && c.first === null)
      c.first = text;
    return text;
  case 'maybe': {
    if (random(2))
      return '';
    const before = c.first;
    c.first = c.clause === 'param' ? '' : before;
    const text = sentence(node.of, c);
    c.first = before;
    return text;
  }
  case 'list': return list(node, c);
  case 'sequence': return node.of.map(n => sentence(n, c)).filter(t => t).join(' ');
  case 'either': {
    // Only lists of numbers have ranges.
    const of = node.of.filter(s => !(s.of[0].name === 'range' && c.kind && c.kind !== 'NUMBER'));
    return sentence(pick(of), c);
  }
  case 'clauses': throw Error('clauses within clauses');
  }
}

function clause(s, c) {
  Object.assign(c, { clause: s.of[0].text, kind: undefined, first: null });
  return sentence(s, c).replace('\0', c.first);
}

// The words before the clauses of each sequence of RULE, and the clauses.
function heads(rule) {
  return rule.of.map(s => ({ words: s.of.slice(0, -1).map(w => w.text).join(' '),
                             clauses: clauses_of(s.of[s.of.length - 1].of) }));
}

// HEAD with the required clauses and those of ONES, in any order.
function pragma(head, ones, c) {
  const of = [...new Set([...head.clauses.filter(s => s.must), ...ones])];
  const twice = of.filter(s => s.many && random(3) === 0);
  const text = shuffled([...of, ...twice]).map(s => clause(s, c));
  return '#pragma autotune ' + [head.words, text.join(pick([' ', ', ', ' , ']))].join(' ').trim();
}

// ---- programs ----

const PROLOGUE = 'struct s { double (*rows)[8]; };\n';
let functions = 0;
const kernel = (line, body, before = '') =>
  `${line}\n${before}void k${functions++}(int n, struct s *s, double m[8][8], double *b)\n{\n${body}}\n`;
const nest = 'for (int i = 0; i < 64; i++)\nfor (int j = 0; j < 64; j++)\nfor (int l = 0; l < 64; l++)\nb[i] += b[j] + b[l];\n';
const parts = 'for (int i = 0; i < 64; i++) {\nb[i] += 1;\nfor (int j = 0; j < 64; j++)\nm[i % 8][j % 8] += b[j];\n}\n';
const block = '{\n' + 'for (int i = 0; i < 64; i++)\nb[i] += 1;\n'.repeat(6) + '}\n';
const product = 'for (int i = 0; i < 8; i++)\nfor (int j = 0; j < 8; j++)\nfor (int l = 0; l < 8; l++)\nm[i][j] += b[l] * b[j];\n';

const cube = text => `for (int i = 0; i < 8; i++)\nfor (int j = 0; j < 8; j++)\nfor (int l = 0; l < 8; l++)\n${text};\n`;
const chain = `{\n${['x', 'y', 'z'].map(v => cube(`${v}[i][j][l] = b[l]`)).join('')}` +
  `${cube('c[i][j][l] = x[i][j][l] + y[i][j][l] + z[i][j][l]')}}\n`;

const bodies = { fuse: block, fission: parts, reschedule: product };

function kernel_text(head, ones, cuda) {
  const c = { news: [], cuda };
  const line = pragma(head, ones, c);
  return kernel(line, c.news.map(p => `b[0] += ${p};\n`).join('') + 'b[0] += n;\n', cuda ? '__global__ ' : '');
}

function loop_text(head, ones) {
  const line = pragma(head, ones, { news: [] });
  if (head.words === 'chain')
    return kernel('#pragma autotune kernel param(U: 1, 2)',
                  `double x[8][8][8], y[8][8][8], z[8][8][8], c[8][8][8];\n${line}\n${chain}b[0] += U + c[n][n][n];\n`);
  return kernel('#pragma autotune kernel param(U: 1, 2)',
                `double x = U, y = 1, z = 2;\n${line}\n${bodies[head.words] || nest}b[0] += x + y + z;\n`);
}

function sentences(head, make) {
  const texts = [];
  for (let i = 0; i < ROUNDS; i++) {
    for (const one of head.clauses)
      texts.push(make(head, [one]));
    texts.push(make(head, shuffled(head.clauses).slice(0, 1 + random(4))));
  }
  return texts;
}

function check(name, texts) {
  const file = `${folder}/${name}`;
  fs.writeFileSync(file, texts.join('\n'));
  return child.spawnSync(autotune, ['check', file], { encoding: 'utf8', maxBuffer: 1 << 28 });
}

function accepted(name, texts) {
  const ran = check(name, texts);
  if (ran.status !== 0)
    fail(`${name}: \`autotune check\` refuses sentences of the grammar\n` +
         (ran.stderr.match(/.* error: .*\n.*/g) || [ran.stderr]).join('\n').slice(0, 4000));
  return texts.length;
}

const directives = rules.loop.of.flatMap(s => heads(rules[s.of[0].name]));
const [kernel_head] = heads(rules.kernel);
const only_cuda = clauses_of(rules['cuda-clause']);
const but = (head, names) => ({ ...head, clauses: head.clauses.filter(s => !names.includes(s.of[0].text)) });
const cuda_names = only_cuda.map(s => s.of[0].text);

function check_sentences() {
  let n = accepted('kernels.c', [PROLOGUE, ...sentences(but(kernel_head, cuda_names), kernel_text)]);
  n += accepted('kernels.cu', [PROLOGUE, ...sentences(but(kernel_head, ['compiler', 'constant', 'if']), (h, o) => kernel_text(h, o, true))]);
  n += accepted('loops.c', [PROLOGUE, ...directives.flatMap(head => sentences(head, loop_text))]);
  n += accepted('alternative.c', ['#pragma autotune kernel\nvoid chosen(int n, double *b)\n{ b[0] = n; }\n' +
    `#pragma autotune ${sentence(rules.alternative, {})}\nvoid other(int n, double *b)\n{ b[0] = n; }\n`]);
  console.log(`${n} sentences`);
}

// ---- the table ----

const source = fs.readFileSync(table, 'utf8');
function rows(name) {
  const body = source.match(new RegExp(`${name}\\[\\] = \\{([\\s\\S]*?)\\n\\};`))[1];
  return [...body.matchAll(/\{ "(\w+)",([^{}]*)\}/g)].map(m => ({ name: m[1], rest: m[2] }));
}

function compare_clauses(where, clauses, table_rows) {
  for (const s of clauses) {
    const name = s.of[0].text, found = table_rows.filter(r => r.name === name);
    if (found.length === 0)
      fail(`${where}: the table has no '${name}'`);
    else if (found.every(r => r.rest.includes('CLAUSE_REPEATS') !== s.many))
      fail(`${where}: may '${name}' stand more than once?`);
    else if (s.must && !found.some(r => r.rest.includes('CLAUSE_NEEDED')))
      fail(`${where}: '${name}' need not be there`);
  }
}

function check_table() {
  const of_loops = rows('loop_rules'), of_kernels = rows('kernel_rules');
  const names = list => list.map(s => s.of[0].text);
  compare_clauses('kernel', kernel_head.clauses, of_kernels);
  for (const r of of_kernels)
    if (!names(kernel_head.clauses).includes(r.name))
      fail(`kernel: the grammar has no '${r.name}'`);
  const lines = fs.readFileSync(require('path').join(table, '../directives.def'), 'utf8');
  const words = [...lines.matchAll(/^DIRECTIVE\(\w+, "([^"]+)"/gm)].map(m => m[1]);
  if (words.length !== new Set(directives.map(d => d.words)).size)
    fail(`directives.def has ${words.length} directives`);
  for (const w of words)
    if (!directives.some(d => d.words === w))
      fail(`the grammar has no directive '${w}'`);
  // The table must not have clauses that the grammar lacks.
  const wrong = [];
  for (const w of words) {
    const heads = directives.filter(d => d.words === w), known = heads.flatMap(d => names(d.clauses));
    heads.forEach(d => compare_clauses(w, d.clauses, of_loops));
    for (const name of new Set(of_loops.map(r => r.name)))
      if (!known.includes(name)) {
        const rule = of_loops.find(r => r.name === name);
        wrong.push(kernel('#pragma autotune kernel param(U: 1, 2)', `b[0] += U;\n#pragma autotune ${w} ${name}` +
                          `${rule.rest.includes('ARGS_NONE') ? '' : '(2)'}\n${bodies[w] || nest}`));
      }
  }
  let refused = 0;
  for (let i = 0; i < wrong.length; i += 50) // the number of errors printed for a file is limited
    refused += (check('refused.c', [PROLOGUE, ...wrong.slice(i, i + 50)]).stderr.match(/ is not a clause of /g) || []).length;
  if (refused !== wrong.length)
    fail(`${wrong.length} clauses stand where the grammar has none, and ${refused} of them are refused`);
  console.log(`${words.length} directives, ${of_loops.length + of_kernels.length} clauses, ${wrong.length} refused`);
}

check_names();
check_table();
check_sentences();
fs.rmSync(folder, { recursive: true });
process.exit(failures ? 1 : 0);
