import { X509Certificate } from 'node:crypto';
import { certificateSigningRequests } from '../../api/groups/certificates-v1.ts';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import { isNotFound } from '../../api/status/api-error.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates-v1.ts';
import { fromTime } from '../../base/clock/clock.ts';
import { parsePem } from '../../base/pki/pem.ts';
import {
  type DeleteInput,
  type ObservedRequest,
  csrCleanerMachine,
} from '../../machines/csrcleaner/csr-cleaner.ts';
import { type ControllerContext, type Effects, defineController, watch } from '../../runtime/index.ts';

/** Deletes certificate requests whose time is over (specification 2, section 3.1). */
export const csrCleaner = defineController({
  name: 'csrcleaner',
  machine: csrCleanerMachine,
  watches: () => [watch(certificateSigningRequests)],
  effects: createEffects,
});

function createEffects({ client, informers, clock }: ControllerContext): Effects {
  const store = informers.of(certificateSigningRequests).store;
  return {
    observe: async ({ key }: { key: string }): Promise<ObservedRequest | null> => {
      const request = store.get(key);
      return request?.metadata?.uid === undefined || request.metadata.deletionTimestamp !== undefined
        ? null
        : observe(request, clock.now());
    },

    deleteRequest: async ({ key, uid, resourceVersion }: DeleteInput, signal: AbortSignal): Promise<void> => {
      try {
        await client
          .cluster(certificateSigningRequests)
          .delete(key, { preconditions: { uid, resourceVersion }, signal });
      } catch (thrown) {
        if (!isNotFound(thrown)) throw thrown;
      }
    },
  };
}

function observe(
  { metadata, status }: DeepReadonly<CertificateSigningRequest>,
  nowMs: number,
): ObservedRequest {
  const createdMs = fromTime(metadata?.creationTimestamp) ?? nowMs;
  const since = (type: string): number | undefined => {
    const condition = status?.conditions?.find((each) => each.type === type && each.status === 'True');
    return (
      condition && (fromTime(condition.lastUpdateTime) ?? fromTime(condition.lastTransitionTime) ?? createdMs)
    );
  };
  return {
    nowMs,
    uid: metadata?.uid ?? '',
    resourceVersion: metadata?.resourceVersion ?? '',
    createdMs,
    approvedMs: since('Approved'),
    deniedMs: since('Denied'),
    failedMs: since('Failed'),
    issued: Boolean(status?.certificate),
    certificateEndsMs: status?.certificate ? endOfCertificate(status.certificate) : undefined,
  };
}

/** One certificate that cannot be read must not keep the others from being cleaned. */
function endOfCertificate(encoded: string): number | undefined {
  const [block] = parsePem(Buffer.from(encoded, 'base64').toString('latin1'));
  if (!block) return undefined;
  try {
    const endsMs = Date.parse(new X509Certificate(block.der).validTo);
    return Number.isNaN(endsMs) ? undefined : endsMs;
  } catch {
    return undefined;
  }
}
