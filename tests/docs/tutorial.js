// SPDX-License-Identifier: Apache-2.0
// tutorial.js PAGE FOLDER [THERE]: runs the page's commands in FOLDER, and compares. A fenced block `c FILE` is that file;
// `c FILE TEXT` goes before the first line of FILE that begins with TEXT. In a `console`, the text after `$ ` is run,
// and the following lines are its output, except for differences from run to run: numbers, units of time, line
// breaks, which parameter comes first and how many values it has, and whether there were enough runs for an
// interval. `…` stands for anything. With AUTOTUNE_UPDATE=1 an output that differs is written anew. In place of `bash`,
// the command WITHIN may begin a shell in another system, where FOLDER has the name THERE.
'use strict';
const fs = require('fs'), child = require('child_process');
const [page, folder, there = folder] = process.argv.slice(2);
const shell = (process.env.WITHIN || 'bash').split(' ');
const update = process.env.AUTOTUNE_UPDATE === '1';

let failures = 0, commands = 0;

function write(words, text) {
  const [file, ...rest] = words.split(' '), path = `${folder}/${file}`, before = rest.join(' ');
  if (!before)
    return fs.writeFileSync(path, text);
  const lines = fs.readFileSync(path, 'utf8').split('\n'), at = lines.findIndex(l => l.startsWith(before));
  if (at < 0) {
    failures++;
    console.log(`FAILED: no line of ${file} begins with '${before}'`);
  }
  lines.splice(at, 0, text.replace(/\n$/, ''));
  fs.writeFileSync(path, lines.join('\n'));
}

const plain = s => s.replace(/none: \d+ runs?/g, '0 … 0 s').replace(/\w+@\d+\.\d+/g, 'P')
  .replace(/(^ {8}\(?\d[\d,]*\)?: .*\n)+/gm, 'VALUES\n')
  .replace(/\d+(\.\d+)?(e[-+]?\d+)?/g, '0').replace(/\b0 (ns|us|µs|ms|s)(?![a-z])/g, '0 s')
  .replace(/budget of 0( variants|, 0 variants| s) spent/g, 'budget spent')
  .replace(/\s+/g, ' ').trim();

function fits(expected, got) {
  const quoted = plain(expected).replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/ ?… ?/g, '.*');
  return new RegExp(`^${quoted}$`).test(plain(got));
}

// Returns where GOT begins to differ: what is expected there, and what GOT has instead.
function difference(expected, got) {
  const text = plain(got);
  let at = 0;
  for (const piece of plain(expected).split(/ ?… ?/)) {
    let n = piece.length;
    while (n > 0 && text.indexOf(piece.slice(0, n), at) < 0)
      n--;
    const found = text.indexOf(piece.slice(0, n), at);
    if (n < piece.length)
      return `'${piece.slice(n, n + 60)}' after '${piece.slice(Math.max(0, n - 60), n)}', not '${text.slice(found + n, found + n + 60)}'`;
    at = found + n;
  }
  return `nothing more, not '${text.slice(at, at + 60)}'`;
}

// On a busy machine too few variants fit into a time: they are counted instead.
const patient = command => update ? command :
  command.replace(/(BUDGET=|--budget )\d+s/, (all, what) => `${what}100s,12`);

// The shell lives on from one command to the next; so do its variables, which a file carries.
function run(command) {
  const script = `cd '${there}'\n[ ! -f .env ] || . ./.env\n{ ${patient(command)}\n} 2>&1\nstatus=$?\nexport -p > .env\nexit $status`;
  const ran = child.spawnSync(shell[0], [...shell.slice(1), '-c', script], { encoding: 'utf8', timeout: 120000 });
  commands++;
  if (ran.status !== 0) {
    failures++;
    console.log(`FAILED: exit status ${ran.status}: ${command}\n${ran.stdout}`);
  }
  return ran.stdout;
}

function console_block(text) {
  let out = '';
  for (const part of text.split(/^(?=\$ )/m)) {
    const [line, ...expected] = part.split('\n'), said = expected.join('\n');
    const got = run(line.slice(2));
    if (fits(said, got)) {
      out += part;
      continue;
    }
    if (!update) {
      failures++;
      console.log(`FAILED: ${line}: expected ${difference(said, got)}\nexpected, up to numbers:\n${said}got:\n${got}`);
    }
    out += `${line}\n${got}`;
  }
  return out;
}

const text = fs.readFileSync(page, 'utf8').replace(/^```(c|console)( .+)?\n([\s\S]*?)^```$/gm,
  (block, kind, words, inside) => {
    if (kind === 'c')
      return write(words.slice(1), inside), block;
    return '```console\n' + console_block(inside) + '```';
  });
if (update)
  fs.writeFileSync(page, text);
console.log(`${commands} commands, ${failures} failures`);
process.exit(failures || commands < 10 ? 1 : 0);
