import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import { orchVocabulary } from '../../../api/vocabulary/index.ts';
import { createCertificateAuthority, issueCertificate } from '../../../base/pki/certificates.ts';
import { generateKeyPair } from '../../../base/pki/keys.ts';
import { createCertificateRequest } from '../../../base/pki/request.ts';
import { createSeededRandom } from '../../../base/random/seeded.ts';
import type { JournalEvent } from '../../../runtime/index.ts';
import type { ProcessEntry } from '../../invariants/invariant.ts';
import {
  base64,
  condition,
  request,
  makes,
  turns,
  type History,
} from '../../invariants/histories/objects.fixture.ts';

const noted = (event: Omit<JournalEvent, 'controller' | 'key'> | 'started'): ProcessEntry => ({
  process: 'one',
  atMs: 0,
  wallMs: 0,
  event: event === 'started' ? event : { controller: 'csrsigning', key: 'csr', ...event },
});
const signs = noted({ kind: 'effect.done', state: 'sign' });
const recorded = turns(
  'csrsigning',
  certificateSigningRequests,
  request({ conditions: [condition('Approved')] }),
  request({ conditions: [condition('Approved')], certificate: 'c' }),
);

const random = createSeededRandom(1);
const validity = { notBeforeMs: 0, notAfterMs: Date.UTC(2060, 0, 1) };
const pair = generateKeyPair('ed25519');
const authorityOf = (commonName: string) =>
  createCertificateAuthority({ commonName, organizations: [] }, generateKeyPair('ed25519'), validity, random);
const [former, present] = [authorityOf('signing-ca'), authorityOf('signing-ca')];
const signedBy = (authority: typeof former, commonName = 'n'): string =>
  base64(
    issueCertificate(
      { subject: { commonName, organizations: [] }, publicKey: pair.publicKey, usages: [], ...validity },
      authority,
      random,
    ),
  );
const certificateFor = (commonName: string): string => signedBy(present, commonName);
/** Returns a request for the subject `n`, with or without a certificate. */
const requested = (certificate?: string) =>
  request(certificate === undefined ? {} : { certificate }, {
    signerName: orchVocabulary.signers.nodeClient,
    request: base64(createCertificateRequest(pair, { commonName: 'n', organizations: [] })),
  });
const old = makes('user', certificateSigningRequests, {
  ...request({ certificate: signedBy(former) }),
  metadata: { name: 'old', uid: 'old' },
});
const issuedBy = (authority: typeof former) =>
  turns('csrsigning', certificateSigningRequests, request(), request({ certificate: signedBy(authority) }));

/** Settings and histories after the authority was rotated to `present`. */
export const rotatedSigner = {
  authorityPem: present.certificatePem,
  histories: [
    ['csrsigning/current-authority-signs', [old, issuedBy(former)], [old, issuedBy(present)]],
  ] satisfies readonly History[],
};

const NO_NAMES = { dnsNames: [], ipAddresses: [], emailAddresses: [], uris: [] };
/** Returns a request of a node that is then signed, or fails. */
const decided = (names: object, isSigned: boolean, usage = 'client auth') => {
  const spec = {
    signerName: orchVocabulary.signers.nodeClient,
    usages: ['digital signature', 'key encipherment', usage],
    request: base64(
      createCertificateRequest(
        pair,
        { commonName: 'system:node:n', organizations: ['system:nodes'] },
        { ...NO_NAMES, ...names },
      ),
    ),
  };
  const failed = { ...condition('Failed'), reason: 'SignerValidationFailure' };
  const status = isSigned ? { certificate: 'c' } : { conditions: [failed] };
  return turns('csrsigning', certificateSigningRequests, request({}, spec), request(status, spec));
};

/** Histories of the invariants of `csrsigning`. */
export const histories: readonly History[] = [
  [
    'csrsigning/no-second-certificate',
    [signs, signs],
    [
      signs,
      recorded,
      signs,
      noted({ kind: 'effect.failed', state: 'issue' }),
      signs,
      noted('started'),
      signs,
      noted({ kind: 'reconcile.finished', outcome: 'failed' }),
      signs,
    ],
  ],
  [
    'csrsigning/contents-decide',
    [decided({ uris: ['spiffe://a/b'] }, true)],
    [decided({ uris: ['spiffe://a/b'] }, false), decided({}, true)],
  ],
  ['csrsigning/contents-decide', [decided({}, true, 'server auth')], [decided({}, false, 'server auth')]],
  ['csrsigning/contents-decide', [decided({}, false)], [decided({}, true)]],
  [
    'csrsigning/no-unapproved-certificate',
    [turns('csrsigning', certificateSigningRequests, request(), request({ certificate: 'c' }))],
    [
      turns(
        'csrsigning',
        certificateSigningRequests,
        request({ conditions: [condition('Approved')] }),
        request({ certificate: 'c' }),
      ),
    ],
  ],
  [
    'csrsigning/no-foreign-signer',
    [
      turns(
        'csrsigning',
        certificateSigningRequests,
        request({}, { signerName: 'other/signer' }),
        request({ certificate: 'c' }),
      ),
    ],
    [turns('csrsigning', certificateSigningRequests, request(), request({ certificate: 'c' }))],
  ],
  [
    'csrsigning/no-certificate-and-failure',
    [
      makes(
        'x',
        certificateSigningRequests,
        request({ certificate: 'c', conditions: [condition('Failed')] }),
      ),
    ],
    [makes('x', certificateSigningRequests, request({ conditions: [condition('Failed')] }))],
  ],
  [
    'csrsigning/certificate-as-requested',
    [
      turns(
        'csrsigning',
        certificateSigningRequests,
        request(),
        request({ certificate: base64('no certificate') }),
      ),
    ],
    [turns('csrsigning', certificateSigningRequests, requested(), requested(certificateFor('n')))],
  ],
  [
    // The certificate has the requested key, but another subject.
    'csrsigning/certificate-as-requested',
    [turns('csrsigning', certificateSigningRequests, requested(), requested(certificateFor('m')))],
    [turns('csrsigning', certificateSigningRequests, requested(), requested(certificateFor('n')))],
  ],
  [
    'csrsigning/no-changed-certificate',
    [
      turns(
        'csrsigning',
        certificateSigningRequests,
        request({ certificate: 'c' }),
        request({ certificate: 'd' }),
      ),
    ],
    [
      turns(
        'csrsigning',
        certificateSigningRequests,
        request({ certificate: 'c' }),
        request({ certificate: 'c' }),
      ),
    ],
  ],
  [
    'csrsigning/approved-is-signed',
    [makes('user', certificateSigningRequests, request({ conditions: [condition('Approved')] }))],
    [
      turns(
        'csrsigning',
        certificateSigningRequests,
        request({ conditions: [condition('Approved')] }),
        request({ conditions: [condition('Approved'), condition('Failed')] }),
      ),
    ],
  ],
];
