import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sourceAddresses } from './source-addresses.ts';

describe('source addresses of a request', () => {
  it.each([
    ['', '', '10.0.0.1', ['10.0.0.1']],
    ['1.1.1.1, 2.2.2.2', '', '10.0.0.1', ['1.1.1.1', '2.2.2.2', '10.0.0.1']],
    ['1.1.1.1', '3.3.3.3', '10.0.0.1', ['1.1.1.1', '3.3.3.3', '10.0.0.1']],
    ['1.1.1.1', '1.1.1.1', '10.0.0.1', ['1.1.1.1', '10.0.0.1']],
    ['1.1.1.1,10.0.0.1', '', '10.0.0.1', ['1.1.1.1', '10.0.0.1']],
    ['<script>, 1.1.1', 'x', '::ffff:10.0.0.1', ['10.0.0.1']],
    ['2001:DB8::0:1', '', '::1', ['2001:db8::1', '::1']],
    ['', '', '', []],
  ])('for X-Forwarded-For %j, X-Real-Ip %j and peer %j are %j', (forwarded, real, peer, expected) => {
    const headers = { 'x-forwarded-for': [forwarded], 'x-real-ip': [real] };
    expect(sourceAddresses(headers, peer)).toEqual(expected);
  });

  it('contain only valid addresses, whatever a client sends', () => {
    const part = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.stringMatching(/^[0-9a-f:.%[\]]{0,40}$/));
    const header = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(','));
    fc.assert(
      fc.property(header, part, part, (forwarded, real, peer) => {
        const found = sourceAddresses({ 'x-forwarded-for': [forwarded], 'x-real-ip': [real] }, peer);
        expect(found.filter((address) => isIP(address) === 0)).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });
});
