import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';

type Request = DeepReadonly<CertificateSigningRequest>;

/** Returns a condition of a certificate request that is not `False`. */
export const conditionOf = ({ status }: Request, type: 'Approved' | 'Denied' | 'Failed') =>
  status?.conditions?.find((each) => each.type === type && each.status !== 'False');

/** True if a request is complete in the cache, has no certificate and was neither denied nor failed. */
export const isOpen = (request: Request): boolean =>
  request.spec !== undefined &&
  !request.status?.certificate &&
  !conditionOf(request, 'Denied') &&
  !conditionOf(request, 'Failed');

/** True if the controllers of this program sign for the signer of a request. */
export const hasOwnSigner = ({ spec }: Request, { signers }: Vocabulary): boolean =>
  Object.values(signers).includes(spec?.signerName ?? '');

/** Returns the reason and the message of a condition, for the end of a sentence. */
export const said = ({
  reason,
  message,
}: {
  readonly reason?: string;
  readonly message?: string;
}): string => {
  const text = [reason, message].filter((each) => each !== undefined && each !== '').join(', ');
  return text === '' ? '' : `: ${text.replace(/\.$/, '')}`;
};
