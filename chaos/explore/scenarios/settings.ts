import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { createCertificateAuthority, generateKeyPair } from '../../../base/pki/index.ts';
import { createSeededRandom } from '../../../base/random/index.ts';
import type { ControllerSettings } from '../../../controllers/index.ts';
import { credentialsOf } from '../../world/credentials.ts';
import { HOUR } from '../instants.ts';

const made = new Map<string, ControllerSettings>();

/**
 * Published certificate of the authority. It is the same in all threads, because their results are combined.
 */
const ROOT_CA = 'the certificate of the authority';

/**
 * Returns controller settings with deterministic signatures. Otherwise two stores with signatures would never
 * be equal.
 */
export function settingsOf(vocabulary: Vocabulary): ControllerSettings {
  const known = made.get(vocabulary.product);
  if (known) return known;
  const { settings } = credentialsOf(vocabulary);
  const pair = generateKeyPair('rsa-2048');
  const random = createSeededRandom(1);
  const subject = { commonName: 'signing-ca', organizations: [] };
  const signer = {
    authority: createCertificateAuthority(subject, pair, VALIDITY, random),
    durationMs: 365 * 24 * HOUR,
  };
  const created: ControllerSettings = {
    ...settings,
    signers: new Map([...settings.signers.keys()].map((each) => [each, signer])),
    serviceAccountKey: pair.privateKey,
    rootCa: ROOT_CA,
  };
  made.set(vocabulary.product, created);
  return created;
}

/** Returns the PEM of the signing authority. */
export const authorityOf = (vocabulary: Vocabulary): string =>
  settingsOf(vocabulary).signers.get(vocabulary.signers.nodeClient)?.authority.certificatePem ?? '';

const VALIDITY = { notBeforeMs: Date.UTC(2020, 0, 1), notAfterMs: Date.UTC(2060, 0, 1) };
