import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CodedError } from '../../base/errors/coded.ts';
import { createTokenFileAuthenticator, parseTokenFile } from './token-file.ts';

describe('token file', () => {
  it('contains a user, a uid and quoted groups on each line', async () => {
    const entries = parseTokenFile('t1,alice,1,"devs,testers"\n\nt2,bob,2\r\n');
    expect(entries).toEqual([
      { token: 't1', user: { username: 'alice', uid: '1', groups: ['devs', 'testers'] } },
      { token: 't2', user: { username: 'bob', uid: '2', groups: [] } },
    ]);
    const authenticator = createTokenFileAuthenticator(entries);
    expect((await authenticator.authenticateToken('t2', []))?.user.username).toBe('bob');
    expect(await authenticator.authenticateToken('t3', [])).toBeUndefined();
  });

  it('is rejected with the line of the error, never with the token', () => {
    for (const [text, line] of [
      ['a,b,c\nsecret,bob', 2],
      ['secret,"bob,c', 1],
      ['a,"x\ny",c\nsecret,b"ob,c', 3],
      ['secret,"bob"x,c', 1],
      ['secret,b,c\nsecret,d,e', 2],
      [',b,c', 1],
      ['secret,,c', 1],
    ] as const) {
      expect(() => parseTokenFile(text)).toThrow(`token file line ${line}: `);
      expect(() => parseTokenFile(text)).not.toThrow(/secret/);
    }
  });

  it('is read back unchanged, whatever text its cells contain', () => {
    const word = fc.string().filter((text) => text !== '');
    fc.assert(
      fc.property(word, word, fc.string(), (token, username, uid) => {
        const quoted = [token, username, uid].map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');
        const [entry] = parseTokenFile(quoted);
        expect(entry).toEqual({ token, user: { username, ...(uid === '' ? {} : { uid }), groups: [] } });
      }),
    );
  });

  it('is parsed to entries or rejected with ERR_TOKEN_FILE, whatever its text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ') }), (text) => {
        try {
          for (const entry of parseTokenFile(text)) expect(entry.token).not.toBe('');
        } catch (thrown) {
          expect((thrown as CodedError).code).toBe('ERR_TOKEN_FILE');
        }
      }),
    );
  });
});
