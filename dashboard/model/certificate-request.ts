/** Content of a certificate request, as `/journal/v1/certificate-request` returns it. */
export interface CertificateRequestDocument {
  readonly kind: 'CertificateRequest';
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
  /** Kinds of alternative names that no signer issues, such as `directoryName`. */
  readonly otherKinds: readonly string[];
  /** Type and size of the public key, such as `RSA, 2048 bits`. */
  readonly key: string;
  /** True if the request is signed with its own key. */
  readonly isSigned: boolean;
}
