import { certificateSigningRequests } from '../../api/groups/certificates-v1.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates-v1.ts';
import { toTime } from '../../base/clock/index.ts';
import {
  type IssueInput,
  type RefuseInput,
  type RequestToSign,
  type SignInput,
  type Signed,
  csrSigningMachine,
} from '../../machines/csrsigning/csr-signing.ts';
import {
  type ControllerContext,
  type ControllerDefinition,
  type Effects,
  watch,
} from '../../runtime/index.ts';
import { implement } from '../implement.ts';
import { type Signer, faultOf, signRequest } from './signer.ts';
import { csrSigningManifest } from './manifest.ts';

/** Settings of the signing controller. */
export interface CsrSigningSettings {
  /** Signers by name; requests for other signers are ignored. */
  readonly signers: ReadonlyMap<string, Signer>;
}

/**
 * Signs approved certificate requests:
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers
 */
export const csrSigningController = (settings: CsrSigningSettings): ControllerDefinition =>
  implement(csrSigningManifest, {
    machine: csrSigningMachine,
    watches: () => [watch(certificateSigningRequests, { when: isToBeSigned })],
    effects: (context) => createEffects(context, settings),
  });

type Request = DeepReadonly<CertificateSigningRequest>;

function createEffects(
  { client, informers, scheme, random }: ControllerContext,
  { signers }: CsrSigningSettings,
): Effects {
  const store = informers.of(certificateSigningRequests).store;
  // Validity periods start at the API server's time, because the local clock may be wrong.
  const { serverClock } = client;
  const decidedOn = (key: string, uid: string): Request => {
    const request = store.get(key);
    if (request?.metadata?.uid !== uid) throw new Error(`certificate request ${key} has been replaced`);
    return request;
  };
  const writeStatus = async (
    request: Request,
    resourceVersion: string,
    status: DeepReadonly<NonNullable<CertificateSigningRequest['status']>>,
    signal: AbortSignal,
  ) => {
    await client
      .cluster(certificateSigningRequests)
      .subresource('status')
      // The update contains the complete object: the server ignores the spec, but webhooks receive it, and
      // servers before 1.22 record it as changed.
      .update({ ...request, metadata: { ...request.metadata, resourceVersion }, status }, { signal });
  };
  return {
    observe: async ({ key }: { key: string }): Promise<RequestToSign | null> => {
      const request = store.get(key);
      const { uid, resourceVersion } = request?.metadata ?? {};
      if (!request || uid === undefined || resourceVersion === undefined) return null;
      if (!signers.has(request.spec?.signerName ?? '') || !isToBeSigned(request)) return null;
      return { uid, resourceVersion, fault: faultOf(request, scheme.vocabulary) ?? '' };
    },

    sign: async ({ key, uid }: SignInput): Promise<Signed> => {
      const request = decidedOn(key, uid);
      const signer = signers.get(request.spec?.signerName ?? '');
      if (!signer) throw new Error(`no signer for ${request.spec?.signerName ?? ''}`);
      return signRequest(request, signer, serverClock.now(), random);
    },

    issue: async (
      { key, uid, resourceVersion, certificate }: IssueInput,
      signal: AbortSignal,
    ): Promise<void> => {
      const request = decidedOn(key, uid);
      const encoded = Buffer.from(certificate).toString('base64');
      await writeStatus(request, resourceVersion, { ...request.status, certificate: encoded }, signal);
    },

    refuse: async (
      { key, uid, resourceVersion, message }: RefuseInput,
      signal: AbortSignal,
    ): Promise<void> => {
      const request = decidedOn(key, uid);
      const time = toTime(serverClock.now());
      const condition = {
        type: 'Failed',
        status: 'True',
        reason: 'SignerValidationFailure',
        message,
        lastUpdateTime: time,
        lastTransitionTime: time,
      } as const;
      const conditions = [...(request.status?.conditions ?? []), condition];
      await writeStatus(request, resourceVersion, { ...request.status, conditions }, signal);
    },
  };
}

/** True if the request is approved, neither denied nor failed, has no certificate and is not being deleted. */
function isToBeSigned({ metadata, status }: Request): boolean {
  const has = (type: string): boolean =>
    (status?.conditions ?? []).some((each) => each.type === type && each.status === 'True');
  return (
    metadata?.deletionTimestamp === undefined &&
    !status?.certificate &&
    has('Approved') &&
    !has('Denied') &&
    !has('Failed')
  );
}
