import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leastProcessorMs } from '../../test/processor-time.ts';
import { WorkBudget, WorkBudgetError, charged } from '../../base/budget/work-budget.ts';
import { tagOf } from '../groups/core/image-reference.ts';
import { formatCheckOf } from '../structural/formats.ts';
import { validateDomainPrefixedPath } from './network/ingress.ts';
import * as names from './names.ts';
import { validateSysctlPatterns } from './policy/sysctl-patterns.ts';
import { validateStorageIdentity } from './volume/identity.ts';
import { validateClientConfig } from './control-plane/webhook-client.ts';

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
  ['sysctl', (text) => validateSysctlPatterns([text], ['f'])],
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
const STARTS = ['', 'a', 'iqn.2000-01.', 'https://', '*.', 'a.b/'];
const ENDS = ['', '!', '\n'];
const LENGTH = 8_000;
/**
 * Processor time in milliseconds above which a check counts as slow. A check in quadratic time takes tens of
 * millions of steps, which is more than 50 ms.
 */
const SLOW_MS = 25;

const timeOf = (check: (text: string) => unknown, text: string): number =>
  leastProcessorMs(SLOW_MS, () => {
    try {
      charged(new WorkBudget(), () => check(text));
    } catch (thrown) {
      if (!(thrown instanceof WorkBudgetError)) throw thrown;
    }
  });

describe('name and format checks', () => {
  it.each(checks)('%s takes linear time for repetitive strings', (_, check) => {
    const slow = STARTS.flatMap((start) =>
      PIECES.flatMap((piece) => ENDS.map((end) => ({ start, piece, end }))),
    ).filter(
      ({ start, piece, end }) =>
        timeOf(check, `${start}${piece.repeat(LENGTH / piece.length)}${end}`) > SLOW_MS,
    );
    expect(slow).toEqual([]);
  });
});

describe('validateStorageIdentity', () => {
  it("accepts the same iSCSI names as upstream's pattern", () => {
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
