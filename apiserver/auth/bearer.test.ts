import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBearerAuthenticator, createTokenChain } from './bearer.ts';
import { requestWith } from './request.fixture.ts';
import { rejected } from './rejection.ts';
import { AUDIENCES, refused } from './service-account.fixture.ts';

describe('bearer token', () => {
  it('is tried with every authenticator, and rejected with all reasons', async () => {
    const rejecting = (name: string) => ({
      name,
      authenticateToken: async (token: string) => {
        if (token === 'good' && name === 'b') return { user: { username: 'alice', groups: [] } };
        throw rejected(`${name} says no`);
      },
    });
    const chain = createTokenChain({
      apiAudiences: AUDIENCES,
      authenticators: [rejecting('a'), rejecting('b')],
    });
    const bearer = createBearerAuthenticator(chain);
    const ask = async (header: string) => bearer.authenticate(requestWith({ authorization: [header] }));
    expect(await ask('bearer good')).toEqual({
      user: { username: 'alice', groups: ['system:authenticated'] },
      audiences: ['api'],
    });
    expect(await refused(ask('Bearer bad'))).toBe('[a says no, b says no]');
  });

  it('is read from any header without any error other than a rejection', async () => {
    const chain = createTokenChain({ apiAudiences: [], authenticators: [] });
    const bearer = createBearerAuthenticator(chain);
    for (const none of ['', 'Bearer', 'Bearer ', 'Basic abc', 'Bearertoken'])
      expect(await bearer.authenticate(requestWith({ authorization: [none] }))).toBeUndefined();
    await fc.assert(
      fc.asyncProperty(fc.string(), async (header) => {
        const result = bearer.authenticate(requestWith({ authorization: [header] }));
        await Promise.resolve(result).then(
          (found) => expect(found).toBeUndefined(),
          (thrown: unknown) => expect(thrown).toMatchObject({ code: 401 }),
        );
      }),
    );
  });
});
