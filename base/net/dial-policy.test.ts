import { describe, expect, it } from 'vitest';
import { createDialPolicy, urlRefusal } from './dial-policy.ts';

const own = (port: number): string[] => (port === 6443 ? ['0.0.0.0', '10.1.0.7', 'fd00::7'] : []);

/** Decides on the host of a URL. The URL parser accepts more spellings than the address parser. */
const refusal = (host: string, port: number, allowLoopback = false): string | undefined =>
  urlRefusal(createDialPolicy({ allowLoopback, own }), new URL(`https://${host}:${port}`));

const LOOPBACK = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
];

describe('dial policy', () => {
  it.each(LOOPBACK)('rejects %s with the name of the flag that permits it', (host) => {
    expect(refusal(host, 10_250)).toMatch(
      /^address not allowed: .* is loopback; --allow-loopback-proxy permits it$/,
    );
    expect(refusal(host, 10_250, true)).toBeUndefined();
  });

  it.each(['169.254.169.254', '[fe80::1]', '0.0.0.0', '[::]', '224.0.0.1', '255.255.255.255', '[ff02::1]'])(
    'rejects %s regardless of the flag',
    (host) => {
      for (const allowed of [false, true])
        expect(refusal(host, 10_250, allowed)).toMatch(/^address not allowed: .* is [a-z-]+$/);
    },
  );

  it.each([
    ...LOOPBACK,
    '10.1.0.7',
    '[fd00::7]',
    '[::ffff:10.1.0.7]',
    '[64:ff9b::10.1.0.7]',
    '[2002:a01:7::1]',
  ])('rejects %s on the port of the server regardless of the flag', (host) => {
    for (const allowed of [false, true])
      expect(refusal(host, 6443, allowed)).toMatch(/ is this server itself$/);
  });

  it.each([
    ['10.1.0.7', 10_250],
    ['10.1.0.8', 6443],
    ['[fd00::8]', 6443],
  ])('permits %s on port %i', (host, port) => {
    expect(refusal(host, port)).toBeUndefined();
  });

  it('permits host names, whose addresses the resolver must check', () => {
    expect(refusal('localhost', 6443)).toBeUndefined();
  });

  it('uses the default port of a URL', () => {
    const policy = createDialPolicy({ own: (port) => (port === 443 ? ['10.0.0.1'] : []) });
    expect(urlRefusal(policy, new URL('https://10.0.0.1'))).toContain('port 443 is this server itself');
    expect(urlRefusal(policy, new URL('http://10.0.0.1'))).toBeUndefined();
  });
});
