import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createCertificateAuthority, issueCertificate } from '../../base/pki/certificates.ts';
import { generateKeyPair } from '../../base/pki/keys.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { rejectionReason } from './rejection.ts';
import { requestWith } from './request.fixture.ts';
import {
  type IdentityHeaders,
  createCredentialRemoval,
  createRequestHeaderAuthenticator,
  readIdentity,
  standardIdentityHeaders,
} from './request-header.ts';
import type { ApiError } from '../../api/status/api-error.ts';

const START = Date.UTC(2026, 0, 1);
const random = createSeededRandom(1);
const validity = { notBeforeMs: START - 1000, notAfterMs: START + 86_400_000 };
const authority = (commonName: string) =>
  createCertificateAuthority({ commonName, organizations: [] }, generateKeyPair('ec-p256'), validity, random);
const proxies = authority('proxies');
const clients = authority('clients');
const keys = generateKeyPair('ec-p256');

const certificate = (
  commonName: string,
  issuer = proxies,
  usages = ['client auth'],
  organizations: string[] = [],
) =>
  new X509Certificate(
    issueCertificate(
      { subject: { commonName, organizations }, publicKey: keys.publicKey, usages, ...validity },
      issuer,
      random,
    ),
  );

function proxy(allowedNames: readonly string[] = [], headers: IdentityHeaders = standardIdentityHeaders) {
  const clock = createSimulatedClock(START);
  const roots = [proxies.certificate];
  const clientCa = () => roots;
  const authenticator = createRequestHeaderAuthenticator({ clientCa, allowedNames, headers, clock });
  const ask = async (given: Record<string, string[]>, shown?: X509Certificate) =>
    authenticator.authenticate(requestWith(given, shown ? { certificate: shown } : {}));
  const reason = (given: Record<string, string[]>, shown: X509Certificate) =>
    ask(given, shown).then(
      () => expect.unreachable('taken'),
      (thrown: ApiError) => rejectionReason(thrown),
    );
  return { ask, reason, clock };
}

const jane = { 'x-remote-user': ['jane'] };

describe('authenticating proxy', () => {
  it('passes the user, one group per line, and extra attributes with decoded keys', async () => {
    const { ask } = proxy();
    const given = {
      'x-remote-user': ['jane'],
      'x-remote-group': ['devs', 'a,system:masters', ''],
      'x-remote-extra-acme.com%2fscope': ['x', 'y'],
      'x-remote-extra-%zz': ['raw'],
    };
    expect(await ask(given, certificate('proxy'))).toEqual({
      user: {
        username: 'jane',
        groups: ['devs', 'a,system:masters', 'system:authenticated'],
        extra: { 'acme.com/scope': ['x', 'y'], '%zz': ['raw'] },
      },
    });
  });

  it('may use other header names, the first of which with a value determines the user', async () => {
    const headers = { username: ['X-A', 'X-B'], group: ['X-G', 'X-H'], extraPrefix: ['X-E-', 'X-F-'] };
    const { ask } = proxy([], headers);
    const given = {
      'x-a': [''],
      'x-b': ['jane'],
      'x-g': ['1'],
      'x-h': ['2'],
      'x-e-k': ['3'],
      'x-f-k': ['4'],
    };
    expect((await ask(given, certificate('proxy')))?.user).toMatchObject({
      username: 'jane',
      groups: ['1', '2', 'system:authenticated'],
      extra: { k: ['3', '4'] },
    });
    expect(await ask(jane, certificate('proxy'))).toBeUndefined();
  });

  it('may send header values in UTF-8', async () => {
    const wire = (text: string): string => Buffer.from(text).toString('latin1');
    const { ask } = proxy();
    expect((await ask({ 'x-remote-user': [wire('žofie')] }, certificate('proxy')))?.user.username).toBe(
      'žofie',
    );
  });

  it('is trusted only with a verified certificate', async () => {
    const { ask, reason, clock } = proxy();
    expect(await ask(jane)).toBeUndefined();
    expect(await reason(jane, certificate('proxy', clients))).toBe(
      'x509: certificate signed by unknown authority',
    );
    expect(await reason(jane, certificate('proxy', proxies, ['server auth']))).toContain('unknown authority');
    const shown = certificate('proxy');
    expect(await ask(jane, shown)).toBeDefined();
    clock.jump(86_400_001);
    expect(await reason(jane, shown)).toBe('x509: certificate has expired or is not yet valid');
  });

  it('must have one of the allowed names as its common name', async () => {
    const { ask, reason } = proxy(['front', 'other']);
    expect(await ask(jane, certificate('front'))).toBeDefined();
    expect(await reason(jane, certificate('frontier'))).toBe(
      'x509: subject with cn=frontier is not in the allowed list',
    );
    expect(await reason(jane, certificate('x', proxies, ['client auth'], ['front']))).toContain('cn=x');
  });

  it('authenticates no user without a user header', async () => {
    const { ask } = proxy();
    expect(await ask({ 'x-remote-group': ['system:masters'] }, certificate('proxy'))).toBeUndefined();
    expect(await ask({ 'x-remote-user': [''] }, certificate('proxy'))).toBeUndefined();
  });
});

describe('removal of identity headers', () => {
  it('ignores the letter case of names, and keeps other headers', () => {
    const remove = createCredentialRemoval({
      username: ['X-Who'],
      group: ['X-In'],
      extraPrefix: ['X-More-'],
    });
    const kept = { accept: ['*/*'], 'x-remote-users': ['kept'], 'impersonate-user': ['kept'] };
    const gone = {
      authorization: ['Bearer x'],
      'x-remote-user': ['a', 'b'],
      'x-remote-uid': ['1'],
      'x-remote-group': ['c'],
      'x-remote-extra-': ['d'],
      'x-remote-extra-k': ['d'],
      'x-who': ['e'],
      'x-in': ['f'],
      'x-more-g': ['h'],
    };
    expect(Object.entries(remove({ ...gone, ...kept }))).toEqual(Object.entries(kept));
    expect(remove(kept)).toBe(kept);
  });

  it('returns a record without a prototype', () => {
    const headers = createCredentialRemoval()({ authorization: ['x'], ['__proto__']: ['y'], accept: ['z'] });
    expect(headers['constructor']).toBeUndefined();
    expect(headers['authorization']).toBeUndefined();
  });

  it('leaves an identity only if the user header has a value', () => {
    const names = {
      username: ['x-remote-user'],
      group: ['x-remote-group'],
      extraPrefix: ['x-remote-extra-'],
    };
    const name = fc.oneof(
      fc.constantFrom('x-remote-user', 'x-remote-group'),
      fc.string().map((text) => `x-remote-extra-${text}`),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.dictionary(name, fc.array(fc.string(), { maxLength: 3 })), (headers) => {
        const found = readIdentity(headers, names);
        const given = Object.hasOwn(headers, 'x-remote-user') ? (headers['x-remote-user']?.[0] ?? '') : '';
        expect(found === undefined).toBe(given === '');
      }),
    );
  });
});
