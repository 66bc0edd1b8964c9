import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { createCertificateAuthority, generateKeyPair, issueCertificate } from '../../../base/pki/index.ts';
import { createSeededRandom } from '../../../base/random/index.ts';
import { creates, inGroups, planted } from '../../explore/actions.ts';
import { HOUR, NOON } from '../../explore/instants.ts';
import type { Scenario } from '../../explore/scenario.ts';
import {
  NAMES,
  decides,
  labels,
  removes,
  requestOf,
  revokes,
} from '../../explore/scenarios/certificate-requests.ts';
import { csrRotationInvariants, csrSigningInvariants } from './invariants.ts';

/**
 * Returns a workload: requests that are approved, revoked, deleted and recreated while they are being signed.
 */
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

/** Returns a workload: requests for usages that their signer never grants. */
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
 * Returns a workload: requests that are approved after a rotation. One already has a certificate of the
 * former authority. `authorityPem` is the certificate of the current authority.
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
/** Returns a certificate of a former authority. Cached, because workloads are compared with each other. */
const formerCertificate = (): string => (former ??= issueFormer());

function issueFormer(): string {
  const random = createSeededRandom(2);
  const validity = { notBeforeMs: NOON - HOUR, notAfterMs: NOON + HOUR };
  const subject = { commonName: 'signing-ca', organizations: [] };
  const authority = createCertificateAuthority(subject, generateKeyPair('ed25519'), validity, random);
  const { publicKey } = generateKeyPair('ed25519');
  return issueCertificate({ subject, publicKey, usages: [], ...validity }, authority, random);
}
