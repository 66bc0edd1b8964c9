import {
  type Infer,
  bytes,
  int32,
  listOf,
  mapOf,
  oneOf,
  optional,
  ref,
  required,
  string,
  struct,
  time,
  value,
  wordOf,
  wrappedList,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { ObjectMeta } from './meta-v1.ts';

/** Spec of a CertificateSigningRequest: the PKCS#10 request, the signer, and the user who created it. */
export const CertificateSigningRequestSpec = struct('api.certificates.v1.CertificateSigningRequestSpec', {
  request: required(1, bytes, { listType: 'atomic' }),
  signerName: required(7, string),
  expirationSeconds: optional(8, int32),
  usages: value(
    5,
    listOf(
      oneOf(
        'any',
        'cert sign',
        'client auth',
        'code signing',
        'content commitment',
        'crl sign',
        'data encipherment',
        'decipher only',
        'digital signature',
        'email protection',
        'encipher only',
        'ipsec end system',
        'ipsec tunnel',
        'ipsec user',
        'key agreement',
        'key encipherment',
        'microsoft sgc',
        'netscape sgc',
        'ocsp signing',
        's/mime',
        'server auth',
        'signing',
        'timestamping',
      ),
    ),
    { listType: 'atomic' },
  ),
  username: value(2, string),
  uid: value(3, string),
  groups: value(4, listOf(string), { listType: 'atomic' }),
  extra: value(6, mapOf(wrappedList(string))),
});
export interface CertificateSigningRequestSpec extends Infer<typeof CertificateSigningRequestSpec> {}

/** Condition of a CertificateSigningRequest: approval, denial or failure. */
export const CertificateSigningRequestCondition = struct(
  'api.certificates.v1.CertificateSigningRequestCondition',
  {
    type: required(1, string),
    status: required(6, wordOf('False', 'True', 'Unknown')),
    reason: value(2, string),
    message: value(3, string),
    lastUpdateTime: value(4, time),
    lastTransitionTime: value(5, time),
  },
);
export interface CertificateSigningRequestCondition extends Infer<
  typeof CertificateSigningRequestCondition
> {}

/** Status of a CertificateSigningRequest: its conditions and the issued certificate. */
export const CertificateSigningRequestStatus = struct('api.certificates.v1.CertificateSigningRequestStatus', {
  conditions: value(1, listOf(ref<CertificateSigningRequestCondition>(CertificateSigningRequestCondition)), {
    listType: 'map',
    listMapKeys: ['type'],
  }),
  certificate: value(2, bytes, { listType: 'atomic' }),
});
export interface CertificateSigningRequestStatus extends Infer<typeof CertificateSigningRequestStatus> {}

/** Kind CertificateSigningRequest: asks a signer for an X.509 certificate, which it issues after approval. */
export const CertificateSigningRequest = struct('api.certificates.v1.CertificateSigningRequest', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: required(2, ref<CertificateSigningRequestSpec>(CertificateSigningRequestSpec)),
  status: value(3, ref<CertificateSigningRequestStatus>(CertificateSigningRequestStatus)),
});
export interface CertificateSigningRequest extends Infer<typeof CertificateSigningRequest> {}
