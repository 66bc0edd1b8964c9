import type { KeyObject } from 'node:crypto';
import { X509Certificate } from 'node:crypto';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { HttpPeer } from '../../base/http/index.ts';
import {
  type CertificateAuthority,
  type KeyPair,
  createCertificateAuthority,
  generateKeyPair,
  issueCertificate,
} from '../../base/pki/index.ts';
import { createSeededRandom } from '../../base/random/index.ts';
import type { ControllerSettings } from '../../controllers/index.ts';

const YEAR_MS = 365 * 86_400_000;
/**
 * Discovery interval in milliseconds. It is longer than in production, because otherwise most requests of a
 * virtual hour would return unchanged discovery documents.
 */
const DISCOVERY_MS = 20 * 60_000;

/**
 * Certificates and keys of a world. They are created once per process, because no behaviour depends on their
 * values.
 */
export interface Credentials {
  readonly caPem: string;
  readonly settings: ControllerSettings & { readonly serviceAccountKey: KeyObject };
  /** Connection of a user with all permissions. */
  readonly administrator: HttpPeer;
  readonly controllerManager: HttpPeer;
  /** Returns the connection of a user who is a member of `groups`. */
  peerOf(user: string, ...groups: readonly string[]): HttpPeer;
}

const made = new Map<string, Credentials>();

/** Validity from 2020 to 2060, because worlds may start at any time in that period. */
const validity = { notBeforeMs: Date.UTC(2020, 0, 1), notAfterMs: Date.UTC(2060, 0, 1) };

/**
 * Returns the keys and certificates of simulated clusters. They are created once for each product, because
 * generating keys is slow.
 */
export function credentialsOf(vocabulary: Vocabulary): Credentials {
  const known = made.get(vocabulary.product);
  if (known !== undefined) return known;
  const created = createCredentials(vocabulary);
  made.set(vocabulary.product, created);
  return created;
}

function createCredentials(vocabulary: Vocabulary): Credentials {
  const random = createSeededRandom(1);
  const authority = (commonName: string, pair: KeyPair): CertificateAuthority =>
    createCertificateAuthority({ commonName, organizations: [] }, pair, validity, random);
  const ca = authority('ca', generateKeyPair('ec-p256'));
  const signingCa = authority('signing-ca', generateKeyPair('ec-p256'));
  const client = generateKeyPair('ec-p256');
  const peers = new Map<string, HttpPeer>();
  const peerOf = (commonName: string, ...organizations: readonly string[]): HttpPeer => {
    const key = [commonName, ...organizations].join('\n');
    const known = peers.get(key);
    if (known !== undefined) return known;
    const pem = issueCertificate(
      {
        subject: { commonName, organizations: [...organizations] },
        publicKey: client.publicKey,
        usages: ['digital signature', 'client auth'],
        ...validity,
      },
      ca,
      random,
    );
    const peer = { address: '127.0.0.1', certificate: new X509Certificate(pem) };
    peers.set(key, peer);
    return peer;
  };
  const signer = { authority: signingCa, durationMs: YEAR_MS };
  return {
    caPem: ca.certificatePem,
    settings: {
      signers: new Map(Object.values(vocabulary.signers).map((name) => [name, signer])),
      serviceAccountKey: generateKeyPair('ec-p256').privateKey,
      rootCa: ca.certificatePem,
      discoveryMs: DISCOVERY_MS,
    },
    administrator: peerOf('admin', 'system:masters'),
    controllerManager: peerOf(vocabulary.component('controller-manager')),
    peerOf,
  };
}
