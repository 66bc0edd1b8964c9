import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { CertificateSigningRequest } from '../../../api/types/certificates-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { type CertificateRequest, parseCertificateRequest } from '../../../base/pki/index.ts';
import { conditionOf } from '../../invariants/certificate-requests.ts';
import { type Invariant, invariant, objectOf, verdict } from '../../invariants/invariant.ts';

type Request = DeepReadonly<CertificateSigningRequest>;
type Contents = Pick<CertificateRequest, 'subject' | 'dnsNames' | 'ipAddresses' | 'emailAddresses' | 'uris'>;

const NODES = 'system:nodes';
const NODE = 'system:node:';
const SIGNING = ['digital signature', 'key encipherment'];

const isSet = (usages: readonly string[], expected: readonly string[]): boolean =>
  usages.every((usage) => expected.includes(usage)) && expected.every((usage) => usages.includes(usage));

const isOfNode = ({ subject: { commonName, organizations } }: Contents): boolean =>
  organizations.length === 1 && organizations[0] === NODES && commonName.startsWith(NODE);

/**
 * True if a signer may sign the contents of a request, as its documentation says
 * (https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers).
 */
function isPermitted(
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

/** Returns the invariant that signers and the approver keep to the documented contents of requests. */
export const permittedContents = (vocabulary: Vocabulary): Invariant =>
  invariant({
    id: 'csrsigning/contents-decide',
    says: 'a request is approved or signed only with the contents that its signer documents, and fails only without',
    controller: '*',
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const before = objectOf(commit, certificateSigningRequests, 'before');
      const after = objectOf(commit, certificateSigningRequests, 'after');
      if (commit.actor === 'user' || !before?.spec || !after) return verdict(state, false);
      const isNew = (type: string): boolean =>
        conditionOf(after, type) !== undefined && conditionOf(before, type) === undefined;
      const isSigned = after.status?.certificate !== undefined && before.status?.certificate === undefined;
      const isGranted = isSigned || isNew('Approved');
      const isFailed = isNew('Failed') && conditionOf(after, 'Failed')?.reason === 'SignerValidationFailure';
      if (!isGranted && !isFailed) return verdict(state, false);
      const contents = parseCertificateRequest(Buffer.from(before.spec.request ?? '', 'base64'));
      const may = isPermitted(before.spec, contents, vocabulary);
      const what = isFailed ? 'failed' : isSigned ? 'signed' : 'approved';
      return verdict(
        state,
        true,
        may === isGranted
          ? undefined
          : `${commit.actor} ${what} ${commit.name}, whose contents ${before.spec.signerName ?? ''} ${may ? 'permits' : 'forbids'}`,
      );
    },
  });
