// SPDX-License-Identifier: Apache-2.0
// node schema.js SCHEMA FILE [whole]: checks that the JSON in FILE follows SCHEMA; `whole`: also that SCHEMA has all of
// its members. Knows as much of JSON Schema as our schemas need; an unknown keyword is an error of the schema. The
// schemas of FAIR T1 and T4 in this folder have the published rules for the members that autotune writes; that of the
// report is in docs/.
const fs = require('fs');

const types = {
  object: (v) => v !== null && typeof v === 'object' && !Array.isArray(v),
  array: Array.isArray,
  string: (v) => typeof v === 'string',
  number: (v) => typeof v === 'number',
  integer: Number.isInteger,
  boolean: (v) => typeof v === 'boolean',
};

const notes = ['$schema', '$defs', 'title', 'description'];

const keywords = {
  type: (want, v) => [].concat(want).some((t) => types[t](v)) || `is no ${want}`,
  required: (names, v) => names.every((n) => n in v) || `lacks one of ${names}`,
  enum: (values, v) => values.includes(v) || `is none of ${values}`,
  const: (value, v) => v === value || `is not ${value}`,
  minimum: (least, v) => v >= least || `is less than ${least}`,
  pattern: (text, v) => new RegExp(text).test(v) || `does not match ${text}`,
  properties: (all, v, path, schema) =>
    Object.keys(v).every((n) => n in all ? check(all[n], v[n], `${path}.${n}`)
      : !whole || 'additionalProperties' in schema || console.log(`${path}.${n} is not in the schema`)) || '',
  additionalProperties: (one, v, path, schema) =>
    Object.keys(v).every((n) => n in (schema.properties || {}) || check(one, v[n], `${path}.${n}`)) || '',
  items: (one, v, path) => v.every((x, i) => check(one, x, `${path}[${i}]`)) || '',
  $ref: (name, v, path) =>
    check(name.split('/').slice(1).reduce((s, part) => s[part], root), v, path) || '',
};

function check(schema, value, path) {
  for (const [name, want] of Object.entries(schema)) {
    const answer = notes.includes(name) || keywords[name](want, value, path, schema);
    if (answer === true) continue;
    if (answer) console.log(`${path} ${answer}: ${JSON.stringify(value)}`);
    return false;
  }
  return true;
}

const [root, file] = process.argv.slice(2, 4).map((name) => JSON.parse(fs.readFileSync(name)));
const whole = process.argv[4] === 'whole';
process.exit(check(root, file, '$') ? 0 : 1);
