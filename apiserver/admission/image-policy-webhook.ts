import type { DeepReadonly } from '../../api/kinds/index.ts';
import { isObject } from '../../api/schema/index.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { boundedKey, createLruMap } from '../../base/cache/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import type { Outbound } from '../../base/http/index.ts';
import type { Random } from '../../base/random/index.ts';
import { type Remote, RemoteReviewError, createRemoteReview } from '../outbound/remote-review.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../request.ts';
import { type ImagePolicyConfiguration, parseImagePolicy } from './image-policy-configuration.ts';
import { coreKind, rejection } from './rejection.ts';

/** Maximum number of cached reviews; the least recently used review is evicted. */
const CACHE_SIZE = 1_024;

/** Components of the plugin, including access to its review service. */
export interface ImagePolicyOptions {
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly random: Random;
  readonly configuredOutbound: Outbound | undefined;
  /** Returns the review service that a kubeconfig file names. Throws if the file names none. */
  readonly remoteOf: (path: string) => Remote;
}

/** Spec of an ImageReview. */
interface ImageReviewSpec {
  readonly containers: readonly { readonly image?: string }[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly namespace?: string;
}

/** Status of an ImageReview. */
interface ImageVerdict {
  readonly allowed: boolean;
  readonly reason: string;
  readonly auditAnnotations: readonly (readonly [key: string, value: string])[];
}

interface CachedReview {
  readonly verdict: ImageVerdict;
  readonly untilMs: number;
}

/**
 * Function that returns the review of images. It returns undefined if the review service failed and images
 * are allowed in this case.
 */
type Ask = (
  request: DeepReadonly<AdmissionRequest>,
  spec: ImageReviewSpec,
) => Promise<ImageVerdict | undefined>;

/**
 * Returns the review spec for the images that a request can change. Ephemeral containers change only through
 * their own subresource.
 */
function specOf(
  { namespace, subresource }: DeepReadonly<AdmissionRequest>,
  pod: DeepReadonly<Pod>,
  isForReview: (annotation: string) => boolean,
): ImageReviewSpec {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? {};
  const reviewed = subresource === '' ? [...containers, ...initContainers] : ephemeralContainers;
  const annotations = Object.entries(pod.metadata?.annotations ?? {}).filter(([key]) => isForReview(key));
  return {
    containers: reviewed.map(({ image = '' }) => (image === '' ? {} : { image })),
    ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations.toSorted()) }),
    ...(namespace === '' ? {} : { namespace }),
  };
}

/** Reads the response of the review service. Throws if it is not a valid ImageReview. */
function verdictOf(response: unknown, apiVersion: string): ImageVerdict {
  const unusable = (): RemoteReviewError =>
    new RemoteReviewError(
      'ERR_REVIEW_ANSWER',
      `received something other than an ImageReview of ${apiVersion}`,
      {
        transient: false,
      },
    );
  if (!isObject(response)) throw unusable();
  const { kind = 'ImageReview', apiVersion: version = apiVersion, status = {} } = response;
  if (kind !== 'ImageReview' || version !== apiVersion || !isObject(status)) throw unusable();
  const { allowed = false, reason = '', auditAnnotations = {} } = status;
  if (typeof allowed !== 'boolean' || typeof reason !== 'string' || !isObject(auditAnnotations))
    throw unusable();
  const annotations = Object.entries(auditAnnotations).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return { allowed, reason, auditAnnotations: annotations };
}

/**
 * Creates the plugin that lets a service review the images of pods, and caches the reviews
 * (https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#imagepolicywebhook).
 */
export function createImagePolicyWebhook(
  options: ImagePolicyOptions,
  configuration: unknown,
): AdmissionPlugin {
  const { vocabulary } = options;
  const ask = createAsk(options, parseImagePolicy(configuration));
  const marker = `.${vocabulary.groupKey('image-policy', '')}`;
  const isPods = coreKind('pods');
  return {
    name: 'ImagePolicyWebhook',
    operations: ['CREATE', 'UPDATE'],
    concerns: isPods,
    async validate(request) {
      const pod = request.object as DeepReadonly<Pod> | undefined;
      const { kind, subresource } = request;
      if (!isPods(kind) || pod === undefined) return;
      if (subresource !== '' && subresource !== 'ephemeralcontainers') return;
      const verdict = await ask(
        request,
        specOf(request, pod, (key) => key.includes(marker)),
      );
      for (const [key, value] of verdict?.auditAnnotations ?? [])
        request.annotate(auditKey(vocabulary, key), value);
      if (verdict === undefined || verdict.allowed) return;
      throw rejection(
        request,
        vocabulary,
        verdict.reason === ''
          ? 'one or more images rejected by webhook backend'
          : `image policy webhook backend denied one or more images: ${verdict.reason}`,
      );
    },
  };
}

const auditKey = (vocabulary: Vocabulary, name: string): string =>
  vocabulary.groupKey('imagepolicywebhook.image-policy', name);

function createAsk(
  { vocabulary, clock, random, configuredOutbound: outbound, remoteOf }: ImagePolicyOptions,
  { kubeConfigFile, allowTtlMs, denyTtlMs, retryBackoffMs, defaultAllow }: ImagePolicyConfiguration,
): Ask {
  if (outbound === undefined) throw new Error('outbound requests are disabled');
  const remote = remoteOf(kubeConfigFile);
  const post = createRemoteReview({ outbound, remote, clock, random, retryAfterMs: retryBackoffMs });
  const known = createLruMap<CachedReview>(CACHE_SIZE);
  const apiVersion = vocabulary.apiVersion('imagepolicy', 'v1alpha1');

  async function review(spec: ImageReviewSpec): Promise<ImageVerdict> {
    const body = { kind: 'ImageReview', apiVersion, metadata: { creationTimestamp: null }, spec };
    return verdictOf(await post({ ...body, status: { allowed: false } }), apiVersion);
  }

  return async (request, spec) => {
    const key = boundedKey(JSON.stringify(spec));
    const found = known.get(key);
    if (found !== undefined && found.untilMs > clock.monotonic()) return found.verdict;
    try {
      const verdict = await review(spec);
      known.set(key, {
        verdict,
        untilMs: clock.monotonic() + (verdict.allowed ? allowTtlMs : denyTtlMs),
      });
      return verdict;
    } catch (thrown) {
      if (!(thrown instanceof RemoteReviewError)) throw thrown;
      if (!defaultAllow) throw rejection(request, vocabulary, thrown.message);
      request.annotate(auditKey(vocabulary, 'failed-open'), 'true');
      return undefined;
    }
  };
}
