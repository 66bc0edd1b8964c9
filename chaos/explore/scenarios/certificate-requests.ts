import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/kind.ts';
import type { CertificateSigningRequest } from '../../../api/types/certificates-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { toTime } from '../../../base/clock/clock.ts';
import { createCertificateAuthority, issueCertificate } from '../../../base/pki/certificates.ts';
import { generateKeyPair } from '../../../base/pki/keys.ts';
import { createSeededRandom } from '../../../base/random/seeded.ts';
import { createCertificateRequest } from '../../../base/pki/request.ts';
import { csrApprovingInvariants } from '../../invariants/csrapproving.ts';
import { conditionOf, csrCleanerInvariants } from '../../invariants/csrcleaner.ts';
import { csrRotationInvariants, csrSigningInvariants } from '../../invariants/csrsigning.ts';
import { creates, deletes, inGroups, oneByOne, planted, updates } from '../actions.ts';
import { HOUR, MINUTE, NOON } from '../instants.ts';
import type { Action, Scenario } from '../world.ts';

type Request = DeepReadonly<CertificateSigningRequest>;

const NAMES = ['a', 'b', 'c'];
/** Gets the right to a certificate at the second instant; nobody else does. */
const LATE_RIGHT = 'system:bootstrap:late';

let pem: string | undefined;
/** Of a node agent; which key it is for decides nothing. */
const requestPem = (): string =>
  (pem ??= createCertificateRequest(generateKeyPair('ed25519'), {
    commonName: 'system:node:n',
    organizations: ['system:nodes'],
  }));

function requestOf(
  vocabulary: Vocabulary,
  name: string,
  createdMs: number,
  spec: Partial<NonNullable<CertificateSigningRequest['spec']>> = {},
): CertificateSigningRequest {
  return {
    kind: 'CertificateSigningRequest',
    apiVersion: vocabulary.apiVersion('certificates', 'v1'),
    metadata: { name, creationTimestamp: toTime(createdMs) },
    spec: {
      request: Buffer.from(requestPem()).toString('base64'),
      signerName: vocabulary.signers.nodeClient,
      username: LATE_RIGHT,
      usages: ['digital signature', 'key encipherment', 'client auth'],
      expirationSeconds: 3600,
      ...spec,
    },
    status: {},
  };
}

const decides = (text: string, name: string, type: 'Approved' | 'Denied'): Action =>
  updates(
    text,
    certificateSigningRequests,
    '',
    name,
    (request: Request, nowMs) =>
      conditionOf(request, 'Approved') || conditionOf(request, 'Denied')
        ? undefined
        : {
            status: {
              ...request.status,
              conditions: [
                ...(request.status?.conditions ?? []),
                { type, status: 'True' as const, lastUpdateTime: toTime(nowMs) },
              ],
            },
          },
    { subresource: 'approval' },
  );
/** As whoever may approve can do it, against all custom: the server keeps both conditions from coming together. */
const revokes = (name: string): Action =>
  updates(
    'the user takes the approval back',
    certificateSigningRequests,
    '',
    name,
    ({ status }: Request) =>
      conditionOf({ status } as Request, 'Approved') && !status?.certificate ? { status: {} } : undefined,
    { subresource: 'approval' },
  );
/** Which brings it up again, be it signed or not. */
const labels = (name: string): Action =>
  updates('the user labels the request', certificateSigningRequests, '', name, ({ metadata }: Request) => ({
    metadata: { ...metadata, labels: { team: 'blue' } },
  }));
const removes = (name: string): Action =>
  deletes('the user deletes the request', certificateSigningRequests, '', name);

/** Requests whose requester gets the right later; the user decides first, deletes, and asks for another signer's. */
export function csrApprovingScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const mayHave = ({ spec }: Request, nowMs: number): boolean =>
    spec?.username === LATE_RIGHT && nowMs > NOON;
  const names = NAMES.slice(0, objects);
  return {
    controller: 'csrapproving',
    instants: [NOON, NOON + 2 * MINUTE],
    ...oneByOne(
      names.map((name) => planted(certificateSigningRequests, requestOf(vocabulary, name, NOON))),
      [
        decides('the user denies the request', 'a', 'Denied'),
        removes('a'),
        creates(
          'somebody without the right asks under the same name',
          certificateSigningRequests,
          requestOf(vocabulary, 'a', NOON, { username: 'mallory' }),
        ),
      ],
    ),
    review: (_resource, body, nowMs) => ({
      ...(body as object),
      status: {
        allowed:
          (body as { readonly spec?: { readonly user?: string } }).spec?.user === LATE_RIGHT && nowMs > NOON,
      },
    }),
    invariants: csrApprovingInvariants(vocabulary, mayHave),
  };
}

/** Requests that are approved and denied while they are signed, deleted and made anew. */
export function csrSigningScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const names = NAMES.slice(0, objects);
  const changesOfMind = [
    revokes('a'),
    removes('a'),
    creates(
      'the user asks for a certificate of another signer under the same name',
      certificateSigningRequests,
      requestOf(vocabulary, 'a', NOON, { signerName: 'example.com/other' }),
    ),
  ];
  return {
    controller: 'csrsigning',
    instants: [NOON],
    ...inGroups(
      names.map((name, at) => ({
        objects: [planted(certificateSigningRequests, requestOf(vocabulary, name, NOON))],
        actions: [
          decides(`the user approves ${name}`, name, 'Approved'),
          ...(at === 0 ? [...changesOfMind, labels('a')] : []),
        ],
      })),
    ),
    invariants: csrSigningInvariants(Object.values(vocabulary.signers)),
  };
}

/** Requests for usages that their signer gives to nobody. */
export function refusedRequestsScenario(vocabulary: Vocabulary, objects: number): Scenario {
  return {
    controller: 'csrsigning',
    instants: [NOON],
    ...inGroups(
      NAMES.slice(0, objects).map((name) => ({
        objects: [
          planted(
            certificateSigningRequests,
            requestOf(vocabulary, name, NOON, { usages: ['code signing'] }),
          ),
        ],
        actions: [decides(`the user approves ${name}`, name, 'Approved'), removes(name)],
      })),
    ),
    invariants: csrSigningInvariants(Object.values(vocabulary.signers)),
  };
}

/**
 * Requests that are approved when another authority has come into force since: one has its certificate of before.
 * `authorityPem`: the certificate of the present one.
 */
export const rotatedSignerScenario =
  (authorityPem: string) =>
  (vocabulary: Vocabulary, objects: number): Scenario => {
    const certificate = Buffer.from(formerCertificate()).toString('base64');
    const old = requestOf(vocabulary, 'old', NOON);
    const names = NAMES.slice(0, objects);
    return {
      controller: 'csrsigning',
      instants: [NOON],
      objects: [
        planted(certificateSigningRequests, { ...old, status: { certificate } }),
        ...names.map((name) => planted(certificateSigningRequests, requestOf(vocabulary, name, NOON))),
      ],
      actions: [
        labels('old'),
        ...names.map((name) => decides(`the user approves ${name}`, name, 'Approved')),
      ],
      invariants: [
        ...csrSigningInvariants(Object.values(vocabulary.signers)),
        ...csrRotationInvariants(authorityPem),
      ],
    };
  };

let former: string | undefined;
/** One that an authority has given which is in force no more; the same in every workload, which are compared. */
const formerCertificate = (): string => (former ??= issueFormer());

function issueFormer(): string {
  const random = createSeededRandom(2);
  const validity = { notBeforeMs: NOON - HOUR, notAfterMs: NOON + HOUR };
  const subject = { commonName: 'signing-ca', organizations: [] };
  const authority = createCertificateAuthority(subject, generateKeyPair('ed25519'), validity, random);
  const { publicKey } = generateKeyPair('ed25519');
  return issueCertificate({ subject, publicKey, usages: [], ...validity }, authority, random);
}

/** Requests near the end of their life, decided, deleted and made anew at the last moment. */
export function csrCleanerScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const names = NAMES.slice(0, objects);
  return {
    controller: 'csrcleaner',
    instants: [NOON, NOON + MINUTE, NOON + HOUR + MINUTE],
    ...oneByOne(
      names.map((name) =>
        planted(certificateSigningRequests, requestOf(vocabulary, name, NOON - 24 * HOUR + MINUTE)),
      ),
      [
        decides('the user denies the request', 'a', 'Denied'),
        removes('a'),
        creates('the user asks anew', certificateSigningRequests, requestOf(vocabulary, 'a', NOON)),
      ],
    ),
    invariants: csrCleanerInvariants,
  };
}
