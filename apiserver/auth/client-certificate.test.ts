import { execFileSync } from 'node:child_process';
import { X509Certificate, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AsnConvert } from '@peculiar/asn1-schema';
import { AlgorithmIdentifier, Certificate } from '@peculiar/asn1-x509';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  issueCertificate,
} from '../../base/pki/certificates.ts';
import { generateKeyPair } from '../../base/pki/keys.ts';
import { createMetrics } from '../../base/metrics/metrics.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { service } from '../../test/services.ts';
import {
  createClientCertificateAuthenticator,
  parseCertificates,
  userOfCertificate,
} from './client-certificate.ts';
import { requestWith } from './request.fixture.ts';

const START = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;
const random = createSeededRandom(1);
const keys = generateKeyPair('ec-p256');
const validity = { notBeforeMs: START - DAY, notAfterMs: START + 10 * DAY };
const authority = (commonName: string): CertificateAuthority =>
  createCertificateAuthority({ commonName, organizations: [] }, generateKeyPair('ec-p256'), validity, random);
const ca = authority('ca');

function issue(
  over: Partial<Parameters<typeof issueCertificate>[0]> = {},
  issuer: CertificateAuthority = ca,
): X509Certificate {
  const template = {
    subject: { commonName: 'alice', organizations: ['devs', 'testers'] },
    publicKey: keys.publicKey,
    usages: ['client auth'],
    notBeforeMs: START - 1000,
    notAfterMs: START + DAY,
    ...over,
  };
  return new X509Certificate(issueCertificate(template, issuer, random));
}

function authenticate(
  certificate: X509Certificate,
  clock = createSimulatedClock(START),
  intermediates: readonly X509Certificate[] = [],
  roots: readonly X509Certificate[] = [ca.certificate],
) {
  const authenticator = createClientCertificateAuthenticator({
    clientCa: () => roots,
    clock,
    metrics: createMetrics(),
  });
  return authenticator.authenticate(requestWith({}, { certificate, intermediates }));
}

describe('client certificate authenticator', () => {
  it('reads the user from the common name and the groups from the organizations', async () => {
    expect(await authenticate(issue())).toEqual({
      user: { username: 'alice', groups: ['devs', 'testers', 'system:authenticated'] },
    });
  });

  it('keeps duplicate organizations, and separators within a value', async () => {
    const organizations = ['a + O=system:masters', 'a,b', '#x', 'a + O=system:masters'];
    const certificate = issue({ subject: { commonName: 'x\\ + O=y=ü', organizations } });
    expect(userOfCertificate(certificate)).toEqual({ username: 'x\\ + O=y=ü', groups: organizations });
  });

  it('returns no user without a certificate or a common name', async () => {
    const authenticator = createClientCertificateAuthenticator({
      metrics: createMetrics(),
      clientCa: () => [],
      clock: createSimulatedClock(),
    });
    expect(await authenticator.authenticate(requestWith())).toBeUndefined();
    expect(await authenticate(issue({ subject: { commonName: '', organizations: ['g'] } }))).toBeUndefined();
  });

  it('rejects a certificate of another CA, even one of equal name with another key', async () => {
    await expect(authenticate(issue({}, authority('other')))).rejects.toMatchObject({ code: 401 });
    await expect(authenticate(issue({}, authority('ca')))).rejects.toMatchObject({ code: 401 });
  });

  it('rejects a signature with a forgeable digest, however strong the key', async () => {
    const { privateKey } = ca;
    const resigned = (digest: 'sha1' | 'sha256', oid: string): X509Certificate => {
      const parsed = AsnConvert.parse(issue().raw, Certificate);
      const algorithm = new AlgorithmIdentifier({ algorithm: oid });
      parsed.tbsCertificate.signature = algorithm;
      parsed.tbsCertificateRaw = AsnConvert.serialize(parsed.tbsCertificate);
      const signature = sign(digest, Buffer.from(parsed.tbsCertificateRaw), privateKey);
      parsed.signatureAlgorithm = algorithm;
      parsed.signatureValue = new Uint8Array(signature).buffer;
      return new X509Certificate(Buffer.from(AsnConvert.serialize(parsed)));
    };
    const [weak, strong] = [resigned('sha1', '1.2.840.10045.4.1'), resigned('sha256', '1.2.840.10045.4.3.2')];
    expect(weak.verify(ca.certificate.publicKey)).toBe(true);
    await expect(authenticate(weak)).rejects.toMatchObject({ code: 401 });
    expect((await authenticate(strong))?.user.username).toBe('alice');
  });

  it('verifies against new CAs once they change, even on open connections', async () => {
    let roots = [ca.certificate];
    const { authenticate: ask } = createClientCertificateAuthenticator({
      clientCa: () => roots,
      clock: createSimulatedClock(START),
      metrics: createMetrics(),
    });
    const request = requestWith({}, { certificate: issue() });
    expect((await ask(request))?.user.username).toBe('alice');
    roots = [authority('other').certificate];
    await expect(ask(request)).rejects.toMatchObject({ code: 401 });
    roots = [ca.certificate];
    expect((await ask(request))?.user.username).toBe('alice');
  });

  it('rejects a certificate without the client auth usage', async () => {
    await expect(authenticate(issue({ usages: ['server auth'] }))).rejects.toMatchObject({ code: 401 });
  });

  it('accepts a certificate only within its validity period, even on an open connection', async () => {
    const clock = createSimulatedClock(START);
    const roots = [ca.certificate];
    const authenticator = createClientCertificateAuthenticator({
      clientCa: () => roots,
      clock,
      metrics: createMetrics(),
    });
    const request = requestWith({}, { certificate: issue() });
    expect((await authenticator.authenticate(request))?.user.username).toBe('alice');
    clock.jump(DAY + 1000);
    await expect(authenticator.authenticate(request)).rejects.toMatchObject({ code: 401 });
    clock.jump(-DAY - 3000);
    await expect(authenticator.authenticate(request)).rejects.toMatchObject({ code: 401 });
  });

  it('rejects a chain through a certificate that is not a CA', async () => {
    const leafKeys = generateKeyPair('ec-p256');
    const notCa = issue({ publicKey: leafKeys.publicKey });
    const issuer = { ...ca, certificate: notCa, privateKey: leafKeys.privateKey, keyIdentifier: undefined };
    const forged = issue({ subject: { commonName: 'root', organizations: ['system:masters'] } }, issuer);
    await expect(authenticate(forged, createSimulatedClock(START), [notCa])).rejects.toMatchObject({
      code: 401,
    });
  });
});

const suite = 'client certificates made by openssl';
const program = service('openssl', suite);

describe.skipIf(program.missing)(suite, () => {
  const directory = mkdtempSync(join(tmpdir(), 'client-certificate-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const at = (name: string): string => join(directory, name);
  const openssl = (...args: string[]) =>
    execFileSync(program.path ?? '', args, { cwd: directory, stdio: 'pipe' });
  const certificate = (name: string): X509Certificate => new X509Certificate(readFileSync(at(name)));

  function make(name: string, subject: string, issuer: string | undefined, extensions: string): void {
    openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', `${name}.key`);
    openssl(
      'req',
      '-new',
      '-multivalue-rdn',
      '-utf8',
      '-key',
      `${name}.key`,
      '-subj',
      subject,
      '-out',
      `${name}.csr`,
    );
    writeFileSync(at(`${name}.ext`), extensions);
    const signer =
      issuer === undefined
        ? ['-signkey', `${name}.key`]
        : ['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`, '-CAcreateserial'];
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      '-days',
      '100',
      ...signer,
      '-extfile',
      `${name}.ext`,
      '-out',
      `${name}.pem`,
    );
  }

  it('verifies over an intermediate certificate that the client sends, with multi-valued names', async () => {
    make('root', '/CN=root', undefined, 'basicConstraints=critical,CA:TRUE\n');
    make('middle', '/CN=middle', 'root', 'basicConstraints=critical,CA:TRUE\n');
    make('leaf', '/O=a+O=b/CN=first/O=a/CN=last', 'middle', 'extendedKeyUsage=clientAuth\n');
    const clock = createSimulatedClock(Date.parse(certificate('leaf.pem').validFrom) + 1000);
    const roots = parseCertificates(`text\n${readFileSync(at('root.pem'), 'utf8')}`);
    const found = await authenticate(certificate('leaf.pem'), clock, [certificate('middle.pem')], roots);
    expect(found?.user).toEqual({ username: 'last', groups: ['a', 'b', 'a', 'system:authenticated'] });
    await expect(authenticate(certificate('leaf.pem'), clock, [], roots)).rejects.toMatchObject({
      code: 401,
    });
  });

  it('recognizes a whole chain on a later connection, within its validity period only', async () => {
    const start = Date.parse(certificate('leaf.pem').validFrom) + 1000;
    const clock = createSimulatedClock(start);
    const roots = [certificate('root.pem')];
    const { authenticate: ask } = createClientCertificateAuthenticator({
      clientCa: () => roots,
      clock,
      metrics: createMetrics(),
    });
    const connect = (...sent: readonly string[]) =>
      ask(requestWith({}, { certificate: certificate('leaf.pem'), intermediates: sent.map(certificate) }));
    const refused = { code: 401 };
    await expect(connect()).rejects.toMatchObject(refused);
    for (let connection = 0; connection < 2; connection++)
      expect(await connect('middle.pem')).toMatchObject({ user: { username: 'last' } });
    await expect(connect()).rejects.toMatchObject(refused);
    clock.jump(101 * DAY);
    await expect(connect('middle.pem')).rejects.toMatchObject(refused);
  });

  it("rejects a path beyond a CA's path length, or with an unknown critical extension", async () => {
    const authorityOf = (more = ''): string => `basicConstraints=critical,CA:TRUE${more}\n`;
    make('strict', '/CN=strict', undefined, authorityOf(',pathlen:0'));
    make('below', '/CN=below', 'strict', authorityOf());
    make('under-below', '/CN=alice', 'below', 'extendedKeyUsage=clientAuth\n');
    make('under-strict', '/CN=alice', 'strict', 'extendedKeyUsage=clientAuth\n');
    make('odd', '/CN=odd', 'strict', '1.2.3.4=critical,ASN1:UTF8String:x\n');
    make(
      'naming',
      '/CN=naming',
      undefined,
      `${authorityOf()}nameConstraints=critical,permitted;DNS:example.com\n`,
    );
    make('unnamed', '/CN=alice', 'naming', 'extendedKeyUsage=clientAuth\n');
    make('named', '/CN=alice', 'naming', 'subjectAltName=DNS:evil.test\n');
    const clock = createSimulatedClock(Date.parse(certificate('named.pem').validFrom) + 1000);
    const ask = (leaf: string, root: string, ...sent: string[]) =>
      authenticate(
        certificate(`${leaf}.pem`),
        clock,
        sent.map((name) => certificate(`${name}.pem`)),
        [certificate(`${root}.pem`)],
      );
    expect(await ask('under-strict', 'strict')).toBeDefined();
    expect(await ask('under-below', 'below')).toBeDefined();
    expect(await ask('unnamed', 'naming')).toBeDefined();
    for (const refused of [
      ask('under-below', 'strict', 'below'),
      ask('odd', 'strict'),
      ask('named', 'naming'),
    ])
      await expect(refused).rejects.toMatchObject({ code: 401 });
  });
});

describe('certificate subject', () => {
  it('is read back unchanged, whatever text its values contain', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', '+', ' ', 'O', '=', '\\', '#', ',', '"', 'é'),
          minLength: 1,
          maxLength: 12,
        }),
        (text) => {
          const certificate = issue({ subject: { commonName: text, organizations: [] } });
          expect(userOfCertificate(certificate)).toEqual({ username: text, groups: [] });
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each(['\0', '\n', '\x7f', '\u0085'])(
    'is rejected with the control character %j, even from a trusted CA',
    (sign) => {
      const certificate = issue({ subject: { commonName: 'alice', organizations: [`devs${sign}`] } });
      expect(() => userOfCertificate(certificate)).toThrow(expect.objectContaining({ code: 401 }));
    },
  );
});
