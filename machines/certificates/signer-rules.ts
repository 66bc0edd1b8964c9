import type { CertificateRequest } from '../../base/pki/index.ts';

/**
 * Organization, user prefix and usages of the kubelet signers:
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers
 */
const NODE_ORGANIZATION = 'system:nodes';
const NODE_USER_PREFIX = 'system:node:';
const CLIENT_USAGES = ['client auth', 'digital signature', 'key encipherment'];
const SERVING_USAGES = ['digital signature', 'key encipherment', 'server auth'];

type Requested = Pick<CertificateRequest, 'subject' | 'dnsNames' | 'ipAddresses' | 'emailAddresses' | 'uris'>;

const sameSet = (usages: readonly string[], wanted: readonly string[]): boolean =>
  [...new Set(usages)].sort().join() === wanted.join();

const subjectFault = ({ subject }: Requested): string | undefined => {
  if (subject.organizations.length !== 1 || subject.organizations[0] !== NODE_ORGANIZATION)
    return 'subject organization is not system:nodes';
  return undefined;
};

/**
 * Returns the reason why a request is not a valid kubelet client certificate, in the wording of
 * kube-controller-manager. Returns undefined if the request is valid.
 */
export function nodeClientFault(request: Requested, usages: readonly string[]): string | undefined {
  return (
    subjectFault(request) ??
    (request.dnsNames.length > 0 ? 'DNS subjectAltNames are not allowed' : undefined) ??
    (request.emailAddresses.length > 0 ? 'Email subjectAltNames are not allowed' : undefined) ??
    (request.ipAddresses.length > 0 ? 'IP subjectAltNames are not allowed' : undefined) ??
    (request.uris.length > 0 ? 'URI subjectAltNames are not allowed' : undefined) ??
    nameFault(request) ??
    usageFault(usages, CLIENT_USAGES)
  );
}

/**
 * Returns the reason why a request is not a valid kubelet serving certificate, or undefined if it is valid.
 */
export function nodeServingFault(request: Requested, usages: readonly string[]): string | undefined {
  return (
    subjectFault(request) ??
    (request.dnsNames.length === 0 && request.ipAddresses.length === 0
      ? 'DNS or IP subjectAltName is required'
      : undefined) ??
    (request.emailAddresses.length > 0 ? 'Email subjectAltNames are not allowed' : undefined) ??
    (request.uris.length > 0 ? 'URI subjectAltNames are not allowed' : undefined) ??
    nameFault(request) ??
    usageFault(usages, SERVING_USAGES)
  );
}

const nameFault = ({ subject }: Requested): string | undefined =>
  subject.commonName.startsWith(NODE_USER_PREFIX)
    ? undefined
    : 'subject common name does not begin with system:node:';

const usageFault = (usages: readonly string[], wanted: readonly string[]): string | undefined =>
  sameSet(usages, wanted) ? undefined : `usages did not match [${wanted.join(' ')}]`;

/**
 * Returns the reason why the usages are invalid for a client certificate of the API server, in the wording of
 * kube-controller-manager. Returns undefined if they are valid.
 */
export function apiserverClientFault(usages: readonly string[]): string | undefined {
  const foreign = usages.find((usage) => !CLIENT_USAGES.includes(usage));
  if (foreign !== undefined) return `invalid usage for client certificate: ${foreign}`;
  return usages.includes('client auth')
    ? undefined
    : 'missing required usage for client certificate: client auth';
}
