import { certificateSigningRequests } from '../../api/groups/certificates-v1.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates-v1.ts';
import { fromTime } from '../../base/clock/index.ts';
import { parsePem, readCertificate } from '../../base/pki/index.ts';
import { type RequestTimes, csrCleanerMachine, endOfLife } from '../../machines/csrcleaner/csr-cleaner.ts';
import { watch } from '../../runtime/index.ts';
import { implement } from '../implement.ts';
import { createExpiryEffects } from '../expiry.ts';
import { csrCleanerManifest } from './manifest.ts';

/** Deletes certificate requests whose time is over (specification 2, section 3.1). */
export const csrCleanerController = implement(csrCleanerManifest, {
  machine: csrCleanerMachine,
  watches: () => [watch(certificateSigningRequests)],
  effects: (context) =>
    createExpiryEffects(context, {
      kind: certificateSigningRequests,
      store: context.informers.of(certificateSigningRequests).store,
      leftMs: (request, nowMs) => endOfLife(timesOf(request, nowMs)) - nowMs,
    }),
});

function timesOf({ metadata, status }: DeepReadonly<CertificateSigningRequest>, nowMs: number): RequestTimes {
  const createdMs = fromTime(metadata?.creationTimestamp) ?? nowMs;
  const since = (type: string): number | undefined => {
    const condition = status?.conditions?.find((each) => each.type === type && each.status === 'True');
    return (
      condition && (fromTime(condition.lastUpdateTime) ?? fromTime(condition.lastTransitionTime) ?? createdMs)
    );
  };
  return {
    createdMs,
    approvedMs: since('Approved'),
    deniedMs: since('Denied'),
    failedMs: since('Failed'),
    issued: Boolean(status?.certificate),
    certificateEndsMs: status?.certificate ? endOf(status.certificate) : undefined,
  };
}

/** One certificate that cannot be read must not keep the others from being cleaned. */
function endOf(encoded: string): number | undefined {
  const [block] = parsePem(Buffer.from(encoded, 'base64').toString('latin1'));
  if (!block) return undefined;
  try {
    return readCertificate(block.der).notAfterMs;
  } catch {
    return undefined;
  }
}
