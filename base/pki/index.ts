export {
  type AlternativeNames,
  alternativeNamesFault,
  noAlternativeNames,
  readAlternativeNames,
} from './alternative-names.ts';
export {
  type CertificateAuthority,
  createCertificateAuthority,
  issueCertificate,
  issueCertificateAside,
  loadCertificateAuthority,
} from './certificates.ts';
export { type PathConstraints, pathConstraintsOf } from './constraints.ts';
export { type CertificateIdentity, identityOf, readIdentity } from './identity.ts';
export { type KeyAlgorithm, type KeyPair, generateKeyPair, privateKeyPem } from './keys.ts';
export { onePem, parsePem } from './pem.ts';
export { createPkcs12 } from './pkcs12.ts';
export {
  type CertificateReading,
  basicConstraintsOf,
  extendedUsagesOf,
  keyUsageOf,
  readCertificate,
} from './read-certificate.ts';
export { type CertificateRequest, createCertificateRequest, parseCertificateRequest } from './request.ts';
export { isForgeable } from './signature.ts';
export { type Subject, readName, readSubject } from './subject.ts';
export { extendedUsages, keyUsageBits, usageNames } from './usages.ts';
