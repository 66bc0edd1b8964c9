import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type NameCheck,
  isCidr,
  isConfigKey,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isEnvironmentName,
  isIpAddress,
  isLabelValue,
  isPathSegment,
  isPortName,
  isQualifiedName,
} from './names.ts';

describe.each<[string, NameCheck, readonly string[], readonly string[]]>([
  [
    'an RFC 1123 label',
    isDns1123Label,
    ['a', '1-a', 'a'.repeat(63)],
    ['', 'A', '-a', 'a.b', 'a\n', 'a'.repeat(64)],
  ],
  ['an RFC 1123 subdomain', isDns1123Subdomain, ['a.b', '1'], ['', 'a..b', 'a.', 'a_b', 'a'.repeat(254)]],
  ['an RFC 1035 label', isDns1035Label, ['a1'], ['1a', '']],
  ['a qualified name', isQualifiedName, ['a', 'a.b/C_d'], ['', '/a', 'a/', 'a/b/c', 'A/b', 'a'.repeat(64)]],
  ['a label value', isLabelValue, ['', 'A.b_c-1'], ['-', 'a b', 'a'.repeat(64)]],
  ['a path segment', isPathSegment, ['a:b', 'A_b', 'system:node'], ['.', '..', 'a/b', 'a%b']],
  ['a ConfigMap key', isConfigKey, ['.a', 'A_b.c', 'x.y'], ['', '.', '..', '..a', 'a b']],
  ['an environment variable name', isEnvironmentName, ['A', '_x', 'a.b-c'], ['', '1a', 'a b', '..']],
  ['a port name', isPortName, ['http', 'a1-b'], ['', '1', 'a--b', '-a', 'HTTP', 'a'.repeat(16)]],
  ['an IP address', isIpAddress, ['10.0.0.1', '::1'], ['', '10.0.0', '01.2.3.4', 'fe80::1%eth0']],
  ['a CIDR', isCidr, ['10.0.0.0/8', '::/0'], ['10.0.0.0', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/08']],
])('the check of %s', (_what, check, good, bad) => {
  it.each(good.map((text) => [text]))('accepts %j', (text) => {
    expect(check(text)).toEqual([]);
  });

  it.each(bad.map((text) => [text]))('rejects %j', (text) => {
    expect(check(text)).not.toEqual([]);
  });

  it('checks any string in bounded time', () => {
    fc.assert(fc.property(fc.string({ maxLength: 2_000 }), (text) => Array.isArray(check(text))));
    expect(check(`${'a'.repeat(50_000)}/%`)).not.toEqual([]);
  });
});

describe('the message of isDns1123Label', () => {
  it('states the rule, examples and the expression', () => {
    expect(isDns1123Label('A')).toEqual([
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ]);
  });
});
