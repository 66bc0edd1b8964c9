import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { certificateSigningRequests } from '../../api/groups/certificates-v1.ts';
import { clusterRoleBindings } from '../../api/groups/rbac-v1.ts';
import { ApiError } from '../../api/status/api-error.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates-v1.ts';
import { kubernetesVocabulary as vocabulary } from '../../api/vocabulary/vocabulary.ts';
import {
  createClientCertificateAuthenticator,
  userOfCertificate,
} from '../../apiserver/auth/client-certificate.ts';
import { requestWith } from '../../apiserver/auth/request.fixture.ts';
import { createMetrics } from '../../base/metrics/metrics.ts';
import { createCertificateAuthority, issueCertificate } from '../../base/pki/certificates.ts';
import { generateKeyPair } from '../../base/pki/keys.ts';
import { parseCertificateRequest } from '../../base/pki/request.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { LONG } from '../long.ts';
import { certificateRequests } from '../world/certificate-requests.ts';
import { COMMON_NAME, ORGANIZATION, rawName, rawRequest } from '../world/raw-request.ts';
import { shareWorld } from '../world/use-world.ts';

const UTF8 = 0x0c;
const NODE = 'system:node:n1';
const MASTERS = 'system:masters';
const { publicKey } = generateKeyPair('ec-p256');
const random = createSeededRandom(1);

interface Row {
  readonly what: string;
  readonly subject: Buffer;
  /** True if names may contain this string in this type. */
  readonly readable: boolean;
}

const READABLE = new Set([0x0c, 0x12, 0x13, 0x14, 0x16, 0x1e]);

/** Encodes a string in a string type, so that a parser that knows the type would read the string. */
function encoded(tag: number, text: string): Buffer {
  if (tag === 0x1e) return Buffer.from(text, 'utf16le').swap16();
  if (tag === 0x1c) return Buffer.from([...text].flatMap((sign) => [0, 0, 0, sign.charCodeAt(0)]));
  return tag === 0x03 ? Buffer.from(`\0${text}`) : Buffer.from(text);
}

/** Returns names with a value of every universal type (X.680), including the tags of structures. */
const rowsFor = (attribute: string, text: string): readonly Row[] =>
  Array.from({ length: 0x1e }, (_, at) => at + 1).map((tag) => ({
    what: `tag-${tag.toString(16).padStart(2, '0')}`,
    subject: rawName(
      [ORGANIZATION, UTF8, 'system:nodes'],
      [COMMON_NAME, UTF8, NODE],
      [attribute, tag, encoded(tag, text)],
    ),
    // NumericString cannot contain a colon.
    readable: READABLE.has(tag) && tag !== 0x12,
  }));

const tables = [
  ['organization', rowsFor(ORGANIZATION, MASTERS)],
  ['common-name', rowsFor(COMMON_NAME, 'system:kube-controller-manager')],
] as const;

const usages: NonNullable<CertificateSigningRequest['spec']['usages']> = [
  'digital signature',
  'key encipherment',
  'client auth',
];

describe.each(tables)('a second %s of any string type', (table, rows) => {
  const world = shareWorld({ vocabulary, controllers: ['csrapproving', 'csrsigning'] });
  const { nodeClient, apiserverClient } = vocabulary.signers;

  beforeAll(async () => {
    // Permits nodes to renew their client certificates without an administrator, as kubeadm does.
    await world()
      .client.cluster(clusterRoleBindings)
      .create({
        metadata: { name: 'renewal' },
        roleRef: {
          apiGroup: vocabulary.group('rbac.authorization'),
          kind: 'ClusterRole',
          name: 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
        },
        subjects: [{ kind: 'Group', name: 'system:nodes', apiGroup: vocabulary.group('rbac.authorization') }],
      });
  });

  /** Stores a request as a server without validation would. */
  async function plant(name: string, subject: Buffer, approved: boolean): Promise<void> {
    const { storage, as } = world();
    const csr = certificateRequests(world());
    const benign = rawRequest({ subject: rawName([COMMON_NAME, UTF8, 'nobody']) });
    await csr.post(name, benign, { signerName: nodeClient, usages }, as(NODE, 'system:nodes', MASTERS));
    const { items } = await storage.list('/registry/');
    const stored = items.find(({ key }) => key.endsWith(`/certificatesigningrequests/${name}`));
    if (stored === undefined) return expect.unreachable();
    const object = JSON.parse(stored.value.toString()) as CertificateSigningRequest;
    const request = Buffer.from(rawRequest({ subject })).toString('base64');
    const status: CertificateSigningRequest['status'] = approved
      ? { conditions: [{ type: 'Approved', status: 'True' }] }
      : {};
    const planted = { ...object, spec: { ...object.spec, request }, status };
    await storage.put(stored.key, Buffer.from(JSON.stringify(planted)), stored.revision);
  }

  const get = (name: string) => world().client.cluster(certificateSigningRequests).get(name);
  const conditionsOf = async (name: string) =>
    ((await get(name)).status?.conditions ?? []).map(({ type }) => type);

  it('is created only with an identity that admission can read', async () => {
    const csr = certificateRequests(world());
    const created: string[] = [];
    for (const { what, subject } of rows) {
      const answer = await csr
        .post(`${table}-${what}`, rawRequest({ subject }), { signerName: apiserverClient, usages })
        .catch((thrown: unknown) => thrown);
      if (!(answer instanceof ApiError)) created.push(what);
      else expect([403, 422], answer.message).toContain(answer.code);
    }
    expect(created).toEqual([]);
  });

  it('is never approved automatically', async () => {
    const names = rows.map(({ what }) => `approve-${table}-${what}`);
    for (const [at, { subject }] of rows.entries()) await plant(names[at] ?? '', subject, false);
    const control = `approve-${table}-control`;
    await plant(control, rawName([ORGANIZATION, UTF8, 'system:nodes'], [COMMON_NAME, UTF8, NODE]), false);
    await world().eventually(async () => (await conditionsOf(control)).includes('Approved'));
    await world().clock.advance(60_000);
    for (const name of names) expect(await conditionsOf(name), name).toEqual([]);
  });

  it('is never signed, even if it was approved', async () => {
    const names = rows.map(({ what }) => `sign-${table}-${what}`);
    for (const [at, { subject }] of rows.entries()) await plant(names[at] ?? '', subject, true);
    const control = `sign-${table}-control`;
    await plant(control, rawName([ORGANIZATION, UTF8, 'system:nodes'], [COMMON_NAME, UTF8, NODE]), true);
    await world().eventually(async () => Boolean((await get(control)).status?.certificate));
    for (const name of names) {
      await world().eventually(async () => (await conditionsOf(name)).includes('Failed'));
      expect((await get(name)).status?.certificate, name).toBeUndefined();
    }
  });

  it('authenticates only if the type is valid in a name, and then with exactly its string', async () => {
    const { signingCa, clock } = world();
    const validity = { notBeforeMs: clock.now() - 1000, notAfterMs: clock.now() + 60_000 };
    for (const { what, subject, readable } of rows) {
      const pem = issueCertificate({ subject, publicKey, usages, ...validity }, signingCa, random);
      const certificate = openssl(pem);
      // OpenSSL rejects some certificates before the identity is read.
      if (certificate === undefined) continue;
      const authenticator = createClientCertificateAuthenticator({
        clientCa: () => [signingCa.certificate],
        clock,
        metrics: createMetrics(),
      });
      const login = Promise.resolve(authenticator.authenticate(requestWith({}, { certificate })));
      if (readable) expect((await login)?.user, what).toMatchObject(asUser(certificate));
      else await expect(login, what).rejects.toMatchObject({ code: 401 });
    }
  });
});

const openssl = (pem: string): X509Certificate | undefined => {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
};

/** Reads the identity with an independent parser, OpenSSL: the string of each value. */
function opensslIdentity(certificate: X509Certificate) {
  const subject: { readonly [name: string]: string | readonly string[] | undefined } =
    certificate.toLegacyObject().subject;
  const all = (name: string): readonly string[] => [subject[name] ?? []].flat();
  return { username: all('CN').at(-1) ?? '', groups: all('O') };
}

const asUser = (certificate: X509Certificate) => {
  const { username, groups } = opensslIdentity(certificate);
  return { username, groups: [...groups, 'system:authenticated'] };
};

describe('a subject of arbitrary bytes', () => {
  const validity = { notBeforeMs: 0, notAfterMs: 86_400_000 };
  const signer = createCertificateAuthority(
    { commonName: 'ca', organizations: [] },
    generateKeyPair('ec-p256'),
    validity,
    random,
  );
  const text = fc.oneof(
    fc.constantFrom(MASTERS, 'devs', '', 'a+O=b', 'é', '日本', 'a\0b', 'a\nb', '\ud83d\ude00'),
    fc.string({ maxLength: 8 }),
  );
  const attribute = fc.record({
    type: fc.constantFrom(COMMON_NAME, ORGANIZATION, '2.5.4.11', '1.2.840.113549.1.9.1'),
    tag: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...READABLE) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 0x1e }) },
    ),
    value: fc.oneof(text, fc.uint8Array({ maxLength: 8 })),
  });
  const subjects = fc
    .tuple(
      fc.array(attribute, { maxLength: 4 }),
      fc.option(fc.tuple(fc.nat(), fc.nat(0xff)), { freq: 3, nil: undefined }),
    )
    .map(([attributes, change]) => {
      const name = rawName(
        ...attributes.map(({ type, tag, value }): [string, number, Buffer] => [
          type,
          tag,
          typeof value === 'string' ? encoded(tag, value) : Buffer.from(value),
        ]),
      );
      if (change !== undefined) name[change[0] % name.length] = change[1];
      return name;
    });

  it('is rejected, or has the same identity at admission, at login and in OpenSSL', () => {
    let [read, refused] = [0, 0];
    fc.assert(
      fc.property(subjects, (subject) => {
        let asked;
        try {
          asked = parseCertificateRequest(rawRequest({ subject })).subject;
        } catch (thrown) {
          expect(thrown).toHaveProperty('code', 'ERR_CERTIFICATE_REQUEST');
          refused++;
          return;
        }
        const certificate = openssl(
          issueCertificate({ subject, publicKey, usages, ...validity }, signer, random),
        );
        if (certificate === undefined) return;
        const { commonName: username, organizations: groups } = asked;
        expect(userOfCertificate(certificate)).toEqual(username === '' ? undefined : { username, groups });
        expect(opensslIdentity(certificate)).toEqual({ username, groups });
        read++;
      }),
      { numRuns: LONG ? 20_000 : 1_000 },
    );
    expect(read).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(100);
  });
});
