import { X509Certificate } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { selfSubjectAccessReviews } from '../../api/groups/authorization-v1.ts';
import { certificateSigningRequests } from '../../api/groups/certificates-v1.ts';
import { namespaces } from '../../api/groups/core-v1.ts';
import { clusterRoleBindings } from '../../api/groups/rbac-v1.ts';
import { isForbidden, isUnauthorized } from '../../api/status/api-error.ts';
import { noAlternativeNames } from '../../base/pki/alternative-names.ts';
import { type CertificateTemplate, issueCertificate } from '../../base/pki/certificates.ts';
import { generateKeyPair } from '../../base/pki/keys.ts';
import { certificateRequests } from '../../test/world/certificate-requests.ts';
import { createOpenssl } from '../../test/world/openssl.ts';
import { requestPem } from '../../test/world/request-pem.ts';
import { useWorld } from '../../test/world/use-world.ts';
import type { WorldOptions } from '../../test/world/world.ts';
import { withWrongClock } from '../fast-clock.fixture.ts';
import type { ControllerSettings } from '../index.ts';
import { csrSigningController } from './csrsigning.ts';
import type { Signer } from './signer.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const openssl = createOpenssl('certificate signing');
afterAll(() => openssl.close());

async function start(options: WorldOptions = {}) {
  const world = await useWorld({ controllers: ['csrsigning'], ...options });
  const csr = certificateRequests(world);
  const { signers } = world.vocabulary;
  return {
    ...world,
    ...csr,
    signers,
    /** Creates and approves a request, and returns its certificate. */
    async sign(pem: string, spec: Partial<Parameters<typeof csr.post>[2]> = {}, name = 'r'): Promise<string> {
      await csr.post(name, pem, { signerName: signers.apiserverClient, ...spec });
      await csr.decide(name, 'Approved');
      return world.eventually(async () => (await csr.certificate(name)) ?? expect.unreachable());
    },
  };
}

const lifetime = (pem: string) => {
  const { validFrom, validTo } = new X509Certificate(pem);
  return { fromMs: Date.parse(validFrom), toMs: Date.parse(validTo) };
};

describe('csrSigningController', () => {
  it.skipIf(openssl.missing).each([
    ['ec', 'ec-p256'],
    ['ec', 'rsa-2048'],
    ['ec-p384', 'rsa-2048'],
    ['rsa', 'rsa-2048'],
    ['rsa', 'ec-p256'],
    ['ed25519', 'ec-p384'],
  ] as const)(
    'issues a certificate for an openssl request with an %s key by an %s CA that openssl accepts',
    async (key, authority) => {
      const { sign, signingCa, clock } = await start({ signingCaKey: generateKeyPair(authority) });
      const pem = openssl.request(key, '/O=dev/O=ops/CN=jane');
      const certificate = await sign(pem);
      expect(openssl.verify(certificate, signingCa.certificatePem, clock.now(), 'sslclient')).toMatch(/: OK/);
      expect(openssl.publicKey('x509', certificate)).toBe(openssl.publicKey('req', pem));
      const { subject, ca } = new X509Certificate(certificate);
      expect(subject.split('\n')).toEqual(['O=dev', 'O=ops', 'CN=jane']);
      expect(ca).toBe(false);
    },
  );

  // Webhooks receive the sent object, and servers before 1.22 record its fields as changed by the sender, so
  // the object must be complete.
  it('sends the complete unchanged request with its certificate', async () => {
    const { sign, manager } = await start();
    const pem = requestPem('/CN=jane');
    const sent: unknown[] = [];
    manager.faults.add(({ method, path, body }) => {
      if (method === 'PUT' && path.endsWith('/r/status')) sent.push(JSON.parse(String(body)));
      return undefined;
    });
    await sign(pem);
    expect(sent).toMatchObject([{ spec: { request: Buffer.from(pem).toString('base64') } }]);
  });

  it.skipIf(openssl.missing)(
    'issues a serving certificate with exactly the requested usages and names',
    async () => {
      const { sign, signers, signingCa, clock } = await start();
      const certificate = await sign(
        openssl.request('ec', '/O=system:nodes/CN=system:node:n1', 'DNS:n1.local,IP:10.0.0.7'),
        { signerName: signers.nodeServing, usages: ['digital signature', 'key encipherment', 'server auth'] },
      );
      openssl.verify(certificate, signingCa.certificatePem, clock.now(), 'sslserver');
      expect(() => openssl.verify(certificate, signingCa.certificatePem, clock.now(), 'sslclient')).toThrow();
      expect(new X509Certificate(certificate).subjectAltName).toBe('DNS:n1.local, IP Address:10.0.0.7');
      const text = openssl.text(certificate);
      expect(text).toMatch(/Key Usage: critical\s+Digital Signature, Key Encipherment\n/);
      expect(text).toMatch(/Extended Key Usage: *\s+TLS Web Server Authentication\n/);
      expect(text).toMatch(/CA:FALSE/);
    },
  );

  it('issues a certificate that authenticates its subject until it expires', async () => {
    const { sign, withCertificate, client, clock, vocabulary } = await start({
      controllers: ['csrsigning', 'clusterrole-aggregation'],
    });
    await client.cluster(clusterRoleBindings).create({
      metadata: { name: 'ops' },
      roleRef: { apiGroup: vocabulary.group('rbac.authorization'), kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'Group', name: 'ops', apiGroup: vocabulary.group('rbac.authorization') }],
    });
    const jane = withCertificate(await sign(requestPem('/O=ops/CN=jane'), { expirationSeconds: 3_600 }));
    await expect(jane.cluster(namespaces).get('team')).resolves.toBeDefined();
    const refused = await jane
      .cluster(namespaces)
      .delete('team')
      .catch((thrown: unknown) => thrown);
    expect(refused).toSatisfy(isForbidden);
    expect(String(refused)).toContain('User "jane" cannot delete');
    await expect(
      jane.cluster(selfSubjectAccessReviews).create({
        spec: { resourceAttributes: { verb: 'list', resource: 'pods', namespace: 'team' } },
      }),
    ).resolves.toMatchObject({ status: { allowed: true } });
    await clock.advance(HOUR + MINUTE);
    await expect(jane.cluster(namespaces).get('team')).rejects.toSatisfy(isUnauthorized);
  });

  describe('lifetime of a certificate', () => {
    const pem = requestPem('/CN=a');
    it.each([
      ['is ten minutes from now if ten minutes, the minimum, are requested', 600, 10 * MINUTE],
      ['is counted from now if one hour is requested', 3_600, HOUR],
      ['is counted from now if a second less than eight hours is requested', 8 * 3_600 - 1, 8 * HOUR - 1_000],
      ['is counted from the backdated start if eight hours are requested', 8 * 3_600, 8 * HOUR - 5 * MINUTE],
      ["is the signer's maximum if a longer one is requested", 3_000 * 86_400, 365 * DAY - 5 * MINUTE],
      ["is the signer's maximum if none is requested", undefined, 365 * DAY - 5 * MINUTE],
    ])('%s', async (_what, expirationSeconds, leftMs) => {
      const { sign, clock } = await start();
      const nowMs = clock.now();
      const { fromMs, toMs } = lifetime(
        await sign(pem, expirationSeconds === undefined ? {} : { expirationSeconds }),
      );
      expect(fromMs).toBe(nowMs - 5 * MINUTE);
      expect(toMs).toBe(nowMs + leftMs);
    });

    it("is computed with the server's time if the local clock is wrong", async () => {
      const { sign, clock } = await start({
        definitions: (settings) => [withWrongClock(csrSigningController(settings), 22 * MINUTE)],
      });
      const nowMs = clock.now();
      expect(lifetime(await sign(pem, { expirationSeconds: 600 })).toMs).toBe(nowMs + 10 * MINUTE);
    });

    it('never exceeds the lifetime of the CA', async () => {
      const endsMs = Date.UTC(2026, 0, 1, 2);
      const { sign } = await start({ signingCaEndsMs: endsMs });
      expect(lifetime(await sign(pem)).toMs).toBe(endsMs);
    });

    it('is not assigned once the CA has expired, because the CA then signs nothing', async () => {
      const { post, decide, clock, certificate, signers, journal } = await start({
        signingCaEndsMs: Date.UTC(2026, 0, 1, 1),
      });
      await clock.advance(HOUR);
      await post('late', pem, { signerName: signers.apiserverClient });
      await decide('late', 'Approved');
      await clock.advance(10_000);
      expect(await certificate('late')).toBeUndefined();
      expect(journal.read({ key: 'late' }).map(({ error }) => error)).toContain(
        'the signer has expired: NotAfter=2026-01-01T01:00:00.000Z',
      );
    });
  });

  it('signs neither an undecided nor a denied request', async () => {
    const { post, decide, clock, certificate, conditions, signers } = await start();
    const pem = requestPem('/CN=a');
    await post('pending', pem, { signerName: signers.apiserverClient });
    await post('denied', pem, { signerName: signers.apiserverClient });
    await decide('denied', 'Denied');
    await clock.advance(HOUR);
    expect(await certificate('pending')).toBeUndefined();
    expect(await certificate('denied')).toBeUndefined();
    expect(await conditions('denied')).toEqual(['Denied']);
  });

  it('leaves the spec unchanged', async () => {
    const { sign, client, signers } = await start();
    const pem = requestPem('/CN=a');
    await sign(pem, { expirationSeconds: 3_600 });
    const { spec } = await client.cluster(certificateSigningRequests).get('r');
    expect(spec).toMatchObject({
      request: Buffer.from(pem).toString('base64'),
      signerName: signers.apiserverClient,
      expirationSeconds: 3_600,
      usages: ['digital signature', 'key encipherment', 'client auth'],
    });
  });

  it('ignores requests for other signers', async () => {
    const { post, decide, clock, certificate, conditions } = await start();
    await post('foreign', requestPem('/CN=a'), { signerName: 'example.com/own' });
    await decide('foreign', 'Approved');
    await clock.advance(HOUR);
    expect(await certificate('foreign')).toBeUndefined();
    expect(await conditions('foreign')).toEqual(['Approved']);
  });

  it.each([
    [
      'apiserverClient',
      '/CN=a',
      undefined,
      ['server auth'],
      'invalid usage for client certificate: server auth',
    ],
    [
      'nodeClient',
      '/O=dev/CN=system:node:n',
      undefined,
      ['client auth', 'digital signature', 'key encipherment'],
      'subject organization is not system:nodes',
    ],
    [
      'nodeClient',
      '/O=system:nodes/CN=system:node:n',
      'DNS:x',
      ['client auth', 'digital signature', 'key encipherment'],
      'DNS subjectAltNames are not allowed',
    ],
    [
      'nodeServing',
      '/O=system:nodes/CN=system:node:n',
      undefined,
      ['server auth', 'digital signature', 'key encipherment'],
      'DNS or IP subjectAltName is required',
    ],
    [
      'nodeServing',
      '/O=system:nodes/CN=other',
      'DNS:x',
      ['server auth', 'digital signature', 'key encipherment'],
      'subject common name does not begin with system:node:',
    ],
  ] as const)(
    "fails a request to %s once and never signs it if %s breaks the signer's rules",
    async (signer, subject, names, usages, message) => {
      const { as, post, decide, clock, certificate, get, eventually, signers, manager } = await start();
      await post(
        'bad',
        requestPem(subject, names),
        { signerName: signers[signer], usages: [...usages] },
        as('n', 'system:masters'),
      );
      await decide('bad', 'Approved');
      const failed = await eventually(async () => {
        const { status } = await get('bad');
        const found = status?.conditions?.filter(({ type }) => type === 'Failed') ?? [];
        expect(found).toHaveLength(1);
        return found[0];
      });
      expect(failed).toMatchObject({ status: 'True', reason: 'SignerValidationFailure', message });
      const writes = () => manager.faults.seen.filter((line) => line.startsWith('PUT')).length;
      expect(writes()).toBe(1);
      await clock.advance(12 * HOUR);
      expect(writes()).toBe(1);
      expect(await certificate('bad')).toBeUndefined();
    },
  );

  describe('a certificate that differs from the approved request', () => {
    /** Returns controllers whose signers issue certificates from a changed template. */
    const issuing =
      (change: Partial<CertificateTemplate>) =>
      ({ signers, ...settings }: ControllerSettings) => {
        const changed = ([name, signer]: [string, Signer]): [string, Signer] => [
          name,
          { ...signer, issue: (template, ...rest) => issueCertificate({ ...template, ...change }, ...rest) },
        ];
        return [csrSigningController({ ...settings, signers: new Map([...signers].map(changed)) })];
      };

    it.each<[string, Partial<CertificateTemplate>]>([
      ['user', { subject: { commonName: 'eve', organizations: ['ops'] } }],
      ['groups', { subject: { commonName: 'jane', organizations: ['ops', 'system:masters'] } }],
      ['groups', { subject: { commonName: 'jane', organizations: [] } }],
      ['subject alternative names', { names: { ...noAlternativeNames, dnsNames: ['b.example'] } }],
      ['subject alternative names', { names: noAlternativeNames }],
      ['key usage', { usages: ['digital signature', 'key encipherment', 'cert sign', 'client auth'] }],
      [
        'extended key usage',
        { usages: ['digital signature', 'key encipherment', 'client auth', 'server auth'] },
      ],
      ['extended key usage', { usages: ['digital signature', 'key encipherment'] }],
      ['public key', { publicKey: generateKeyPair('ec-p256').publicKey }],
      ['start time', { notBeforeMs: 0 }],
      ['end time', { notAfterMs: Date.UTC(2040, 0, 1) }],
    ])('is not published if the %s is %j', async (part, change) => {
      const { post, decide, get, clock, eventually, signers } = await start({
        definitions: issuing(change),
      });
      await post('r', requestPem('/O=ops/CN=jane', 'DNS:a.example'), { signerName: signers.apiserverClient });
      await decide('r', 'Approved');
      const failed = await eventually(async () => {
        const found = (await get('r')).status?.conditions?.find(({ type }) => type === 'Failed');
        return found ?? expect.unreachable();
      });
      const message = `the issued certificate does not have the approved ${part}`;
      expect(failed).toMatchObject({ status: 'True', reason: 'SignerValidationFailure', message });
      await clock.advance(HOUR);
      expect((await get('r')).status?.certificate).toBeUndefined();
    });

    it('is not published if it cannot be parsed', async () => {
      const unreadable = { definitions: issuing({ subject: Buffer.from('3000310031', 'hex') }) };
      const { post, decide, get, conditions, eventually, signers } = await start(unreadable);
      await post('r', requestPem('/CN=jane'), { signerName: signers.apiserverClient });
      await decide('r', 'Approved');
      await eventually(async () => (await conditions('r')).includes('Failed'));
      const { certificate, conditions: all } = (await get('r')).status ?? {};
      expect(certificate).toBeUndefined();
      expect(all?.at(-1)?.message).toMatch(/^the issued certificate cannot be read: /);
    });
  });

  it('never changes an issued certificate and signs nothing again', async () => {
    const { sign, clock, certificate, manager } = await start();
    const first = await sign(requestPem('/CN=a'));
    const writes = manager.faults.seen.filter((line) => line.startsWith('PUT')).length;
    await clock.advance(DAY);
    expect(await certificate('r')).toBe(first);
    expect(manager.faults.seen.filter((line) => line.startsWith('PUT'))).toHaveLength(writes);
  });

  it('records one certificate even if requests are lost, rejected or interrupted', async () => {
    const { post, decide, certificate, eventually, manager, signers, clock } = await start();
    let countdown = 4;
    manager.faults.add(({ method }) => {
      if (method !== 'PUT' || countdown-- <= 0) return undefined;
      return countdown % 2 === 0 ? 'refused' : { status: 500, reason: 'InternalError' };
    });
    await post('r', requestPem('/CN=a'), { signerName: signers.apiserverClient });
    await decide('r', 'Approved');
    const first = await eventually(async () => (await certificate('r')) ?? expect.unreachable());
    await clock.advance(HOUR);
    expect(await certificate('r')).toBe(first);
  });

  it('signs a new request of the same name by its own content', async () => {
    const { post, decide, clock, certificate, requests, signers } = await start();
    await post('same', requestPem('/CN=first'), { signerName: signers.apiserverClient });
    await decide('same', 'Approved');
    await requests.delete('same');
    await post('same', requestPem('/CN=second'), { signerName: signers.apiserverClient });
    await clock.advance(HOUR);
    expect(await certificate('same')).toBeUndefined();
  });
});
