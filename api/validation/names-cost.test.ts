import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tagOf } from '../groups/core/image-reference.ts';
import { formatCheckOf } from '../structural/formats.ts';
import { validateDomainPrefixedPath } from './domain-prefixed-path.ts';
import * as names from './names.ts';
import { validateSysctlPatterns } from './sysctl-patterns.ts';
import { validateStorageIdentity } from './volume-identity.ts';
import { validateClientConfig } from './webhook-client.ts';

const FORMATS = [
  'bsonobjectid',
  'uri',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'cidr',
  'mac',
  'uuid',
  'isbn',
  'creditcard',
  'ssn',
  'hexcolor',
  'rgbcolor',
  'byte',
  'date',
  'duration',
  'datetime',
  'quantity',
];
const identity = (name: string): boolean => validateStorageIdentity(name, 'iqn', 'wrong start').length === 0;
const checks: readonly (readonly [string, (text: string) => unknown])[] = [
  ...Object.entries(names).flatMap(([name, check]): [string, (text: string) => unknown][] =>
    name === 'portMessages' ? [] : [[name, check as (text: string) => unknown]],
  ),
  ...FORMATS.map((format): [string, (text: string) => unknown] => [
    format,
    (text) => formatCheckOf(format)?.(text),
  ]),
  ['tagOf', tagOf],
  ['identity', identity],
  ['url', (text) => validateClientConfig({ url: text }, 'c')],
  [
    'service path',
    (text) => validateClientConfig({ service: { name: 'a', namespace: 'b', path: text } }, 'c'),
  ],
  ['path with a domain', (text) => validateDomainPrefixedPath(text, 'f')],
  ['sysctl', (text) => validateSysctlPatterns([text], 'f')],
];

const PIECES = [
  'a',
  '-',
  '.',
  'a.',
  'a-',
  '/',
  'a/',
  '1',
  '1:',
  ':',
  ' ',
  '%',
  '_',
  '*',
  '0',
  '//a',
  '@',
  'a@',
  '<',
  '?',
  '#',
  'iqn.2000-01.a',
  ':iqn.2000-01.a',
  '\\',
  '=',
];
const STARTS = ['', 'a', 'iqn.2000-01.', 'eui.', 'https://', '//', '/', '*.', 'a.b/'];
const ENDS = ['', '!', '\n', ',', ' '];

describe('what checks the form of a text', () => {
  it.each(checks)('%s takes time that grows with the text, whatever repeats in it', (_, check) => {
    const slow: string[] = [];
    for (const start of STARTS)
      for (const piece of PIECES)
        for (const end of ENDS) {
          const text = `${start}${piece.repeat(Math.ceil(20_000 / piece.length))}${end}`;
          // Quadratic: 200 million steps, a second. The least of three, as other programs run on the machine.
          let least = Infinity;
          for (let run = 0; run < 3 && least > 25; run += 1) {
            const from = process.cpuUsage();
            check(text);
            const { user, system } = process.cpuUsage(from);
            least = (user + system) / 1_000;
          }
          if (least > 25) slow.push(`${start}(${piece})*${JSON.stringify(end)}: ${least} ms`);
        }
    expect(slow).toEqual([]);
  });
});

describe('an iSCSI name', () => {
  it('has the form that upstream looks for', () => {
    const form = /iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/;
    const part = fc.constantFrom('iqn.', '2000-01', '.', 'a', ':', '-', ' ', ',', '12-34.', 'iqn.2000-01.a');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
        const name = `iqn${parts.join('')}`;
        expect(identity(name)).toBe(form.test(name));
      }),
      { numRuns: 2_000 },
    );
    expect(identity('iqn.2015-02.example.com:test')).toBe(true);
    expect(identity('iqn.2015-02.example.com:te st')).toBe(false);
  });
});
