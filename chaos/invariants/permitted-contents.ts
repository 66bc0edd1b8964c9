import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { type CertificateRequest, parseCertificateRequest } from '../../base/pki/index.ts';

type Request = DeepReadonly<CertificateSigningRequest>;
type Contents = Pick<CertificateRequest, 'subject' | 'dnsNames' | 'ipAddresses' | 'emailAddresses' | 'uris'>;

const NODES = 'system:nodes';
const NODE = 'system:node:';
const SIGNING = ['digital signature', 'key encipherment'];

const isSet = (usages: readonly string[], expected: readonly string[]): boolean =>
  usages.every((usage) => expected.includes(usage)) && expected.every((usage) => usages.includes(usage));

const isOfNode = ({ subject: { commonName, organizations } }: Contents): boolean =>
  organizations.length === 1 && organizations[0] === NODES && commonName.startsWith(NODE);

function areContentsOf(
  { signerName = '', usages = [] }: NonNullable<Request['spec']>,
  contents: Contents,
  { signers }: Vocabulary,
): boolean {
  const { dnsNames, ipAddresses, emailAddresses, uris } = contents;
  const isBare = emailAddresses.length + uris.length === 0;
  const hosts = dnsNames.length + ipAddresses.length;
  if (signerName === signers.nodeClient)
    return isOfNode(contents) && isBare && hosts === 0 && isSet(usages, [...SIGNING, 'client auth']);
  if (signerName === signers.nodeServing)
    return isOfNode(contents) && isBare && hosts > 0 && isSet(usages, [...SIGNING, 'server auth']);
  if (signerName === signers.apiserverClient)
    return (
      usages.includes('client auth') && usages.every((usage) => [...SIGNING, 'client auth'].includes(usage))
    );
  return true;
}

/**
 * True if a signer may sign the contents of a request, as its documentation says
 * (https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers).
 */
export function isPermitted({ spec }: Request, vocabulary: Vocabulary): boolean {
  if (spec?.request === undefined) return true;
  return areContentsOf(spec, parseCertificateRequest(Buffer.from(spec.request, 'base64')), vocabulary);
}
