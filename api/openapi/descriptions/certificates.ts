import { CONDITION } from './shared.ts';
import type { Descriptions } from './texts.ts';

/** Descriptions of the group `certificates`. */
export const certificates = (): Descriptions => ({
  CertificateSigningRequest: {
    '': 'Asks a signer for an X.509 certificate; it is approved or denied first, then signed.',
    spec: 'Requested certificate, and its requester; immutable.',
    status: 'State of the request, and the certificate once signed.',
  },
  CertificateSigningRequestCondition: {
    '': 'A decision on a request, or its failure.',
    ...CONDITION,
    lastUpdateTime: 'When the condition was last written; the server fills it in.',
    type: '`Approved`, `Denied` or `Failed`; the first two exclude each other and are final.',
  },
  CertificateSigningRequestSpec: {
    '': 'Requested certificate, and its requester.',
    expirationSeconds: 'Requested lifetime in seconds, 600 at least; the signer may issue a shorter one.',
    extra: 'Further attributes of the requester; set by the server.',
    groups: 'Groups of the requester; set by the server.',
    request: 'Certificate request of PKCS #10 in PEM, encoded as base64.',
    signerName: 'Name of the signer, such as `example.com/signer`; each signer has separate rules.',
    uid: 'Identity of the requester; set by the server.',
    usages: 'Uses of the key, such as `digital signature` or `client auth`.',
    username: 'Name of the requester; set by the server.',
  },
  CertificateSigningRequestStatus: {
    '': 'State of a request.',
    certificate:
      'Certificate chain in PEM, the issued certificate first; set by the signer, immutable once set.',
    conditions: 'Decisions on the request; they cannot be removed.',
  },
});
