import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { layers, root, sourceFiles } from './sources.js';

/** Codes of Node.js with which the sources compare errors. */
const FOREIGN: readonly string[] = [
  'ERR_HTTP_REQUEST_TIMEOUT',
  'ERR_SSL_HTTP_REQUEST',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_TLS_HANDSHAKE_TIMEOUT',
];

/** Complete error codes in the sources; a prefix such as `ERR_TLS_` does not count. */
const declared: readonly string[] = [
  ...new Set(
    Object.keys(layers)
      .flatMap((layer) => sourceFiles(layer))
      .flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(/'(ERR_[A-Z0-9_]*[A-Z0-9])'/g)])
      .map(([, code = '']) => code),
  ),
];

const page = readFileSync(join(root, 'docs/reference/errors.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

it('the page of error codes has exactly one row for each code in the sources', () => {
  const own = declared.filter((code) => !FOREIGN.includes(code));
  expect(own.length).toBeGreaterThan(50);
  expect(rows.map(([, code = '']) => code.replaceAll('`', '')).sort()).toEqual(own.sort());
});

it('each row of the page of error codes has a sentence for the cause and one for the remedy', () => {
  for (const [, code, cause, remedy, ...rest] of rows) {
    expect(rest, code).toEqual(['']);
    for (const text of [cause, remedy]) expect(text, code).toMatch(/^[A-Z`].{3,}\.$/);
  }
});

it('every error code of Node.js in the list of exceptions occurs in the sources', () => {
  expect(FOREIGN.filter((code) => !declared.includes(code))).toEqual([]);
});
