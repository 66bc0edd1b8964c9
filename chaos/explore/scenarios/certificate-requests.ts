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
import type { Action, Scenario } from '../scenario.ts';

type Request = DeepReadonly<CertificateSigningRequest>;

const NAMES = ['a', 'b', 'c'];
/** The only user with the permission to get a certificate, from the second instant on. */
const LATE_RIGHT = 'system:bootstrap:late';

let pem: string | undefined;
/** Returns the request of a node agent; no decision depends on its key. */
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
/** Action that withdraws an approval. The API allows it to approvers, although no regular client does it. */
const revokes = (name: string): Action =>
  updates(
    'the user withdraws the approval',
    certificateSigningRequests,
    '',
    name,
    ({ status }: Request) =>
      conditionOf({ status } as Request, 'Approved') && !status?.certificate ? { status: {} } : undefined,
    { subresource: 'approval' },
  );
/** Action that labels a request, which enqueues it, whether signed or not. */
const labels = (name: string): Action =>
  updates('the user labels the request', certificateSigningRequests, '', name, ({ metadata }: Request) => ({
    metadata: { ...metadata, labels: { team: 'blue' } },
  }));
const removes = (name: string): Action =>
  deletes('the user deletes the request', certificateSigningRequests, '', name);

/** Workload: requests whose user gets the permission later; the user denies, deletes and recreates one. */
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
          'a user without permission recreates the request',
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

/** Workload: requests that are approved, revoked, deleted and recreated while they are signed. */
export function csrSigningScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const names = NAMES.slice(0, objects);
  const changesOfMind = [
    revokes('a'),
    removes('a'),
    creates(
      'the user recreates the request for another signer',
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

/** Workload: requests for usages that their signer never grants. */
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
 * Workload: requests that are approved after a rotation; one already has a certificate of the former
 * authority. `authorityPem` is the current authority's certificate.
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
/** Returns a certificate of a former authority; cached, because workloads are compared with each other. */
const formerCertificate = (): string => (former ??= issueFormer());

function issueFormer(): string {
  const random = createSeededRandom(2);
  const validity = { notBeforeMs: NOON - HOUR, notAfterMs: NOON + HOUR };
  const subject = { commonName: 'signing-ca', organizations: [] };
  const authority = createCertificateAuthority(subject, generateKeyPair('ed25519'), validity, random);
  const { publicKey } = generateKeyPair('ed25519');
  return issueCertificate({ subject, publicKey, usages: [], ...validity }, authority, random);
}

/** Workload: requests that are about to expire and are denied, deleted and recreated at the last moment. */
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
        creates(
          'the user recreates the request',
          certificateSigningRequests,
          requestOf(vocabulary, 'a', NOON),
        ),
      ],
    ),
    invariants: csrCleanerInvariants,
  };
}
