import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import { isObject } from '../../api/schema/index.ts';
import { ApiError } from '../../api/status/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { Random } from '../../base/random/index.ts';
import type { WebhookCaller, WebhookClientConfig } from '../outbound/webhook-caller.ts';
import type { Converter } from '../registry/versions/conversion.ts';
import type { Definition } from './conditions.ts';
import type { MeasuredConversion } from './conversion-metrics.ts';
import { restored } from './converted-object.ts';

/**
 * Function that returns the converter of a definition. It returns undefined if the definition has no
 * conversion webhook.
 */
export type ConverterOf = (definition: Definition) => Converter | undefined;

/** Components and options of `createWebhookConversion`. */
export interface WebhookConversionOptions {
  readonly vocabulary: Vocabulary;
  readonly random: Random;
  /** Caller of webhooks; if undefined, every conversion fails. */
  readonly caller: WebhookCaller | undefined;
  readonly measured: MeasuredConversion;
}

const TIMEOUT_MS = 30_000;
const REVIEW_VERSIONS = ['v1', 'v1beta1'];

/**
 * Creates converters that call conversion webhooks
 * (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion).
 * All objects are sent in one ConversionReview of version v1 or v1beta1.
 */
export function createWebhookConversion(options: WebhookConversionOptions): ConverterOf {
  return ({ metadata, spec }) => {
    const { strategy, webhook } = spec?.conversion ?? {};
    if (strategy !== 'Webhook') return undefined;
    const review = (webhook?.conversionReviewVersions ?? []).find((each) => REVIEW_VERSIONS.includes(each));
    const clientConfig = (webhook?.clientConfig ?? {}) as DeepReadonly<WebhookClientConfig>;
    return async (objects, apiVersion) => {
      const [first] = objects;
      if (first === undefined) return [];
      const [from, to] = [first.apiVersion ?? '', apiVersion].map((each) =>
        each.slice(each.indexOf('/') + 1),
      );
      const conversion = { definition: metadata?.name ?? '', from: from ?? '', to: to ?? '' };
      const call = { ...options, review, clientConfig };
      return options.measured(conversion, () => convert(call, first, objects, apiVersion));
    };
  };
}

interface Call extends WebhookConversionOptions {
  /** First review version in the definition's list that this server supports. */
  readonly review: string | undefined;
  readonly clientConfig: DeepReadonly<WebhookClientConfig>;
}

async function convert(
  call: Call,
  first: DeepReadonly<ApiObject>,
  objects: readonly DeepReadonly<ApiObject>[],
  apiVersion: string,
): Promise<readonly ApiObject[]> {
  const several = objects.length > 1;
  const hook = `conversion webhook for ${first.apiVersion ?? ''}, Kind=${first.kind ?? ''}${several ? 'List' : ''}`;
  const answered = await ask(call, objects, apiVersion).catch((thrown: unknown) => {
    throw failure(`${hook} failed: ${messageOf(thrown)}`);
  });
  if (answered.length !== objects.length)
    throw failure(`${hook} returned ${answered.length} objects, expected ${objects.length}`);
  return objects.map((object, at) => {
    const { value, problem } = restored(object, answered[at], apiVersion);
    if (value) return value;
    const [what, why] = problem;
    const place = several || what === 'object at index 0' ? what : what.replace(' in object', '');
    throw failure(
      several
        ? `${hook} returned invalid ${WHERE_IN_LIST[what]} at index ${at}: ${why}`
        : `${hook} returned invalid ${place}: ${why}`,
    );
  });
}

const WHERE_IN_LIST: { readonly [what: string]: string } = {
  'object at index 0': 'converted object',
  object: 'converted object',
  'metadata in object': 'metadata in object',
};

async function ask(
  { vocabulary, random, caller, review, clientConfig }: Call,
  objects: readonly DeepReadonly<ApiObject>[],
  desiredAPIVersion: string,
): Promise<readonly unknown[]> {
  if (review === undefined) throw new Error('no supported conversion review versions');
  if (caller === undefined) throw new Error('this server has no transport for outbound requests');
  const uid = random.uuid();
  const group = vocabulary.group('apiextensions');
  const answer = await caller.call({
    clientConfig,
    body: {
      kind: 'ConversionReview',
      apiVersion: `${group}/${review}`,
      request: { uid, desiredAPIVersion, objects },
    },
    timeoutMs: TIMEOUT_MS,
    announcesTimeout: true,
  });
  return readReview(answer, `${group}/${review}`, uid);
}

/**
 * Returns the converted objects of a successful response with the sent UID. Throws for any other response.
 */
function readReview(answer: unknown, apiVersion: string, uid: string): readonly unknown[] {
  const { kind, apiVersion: version, response } = isObject(answer) ? answer : {};
  if (kind !== 'ConversionReview' || version !== apiVersion)
    throw new Error(
      `expected webhook response of ${apiVersion}, Kind=ConversionReview, got ${String(version ?? '')}, Kind=${String(kind ?? '')}`,
    );
  if (!isObject(response)) throw new Error('no response provided');
  if (response['uid'] !== uid)
    throw new Error(
      `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(String(response['uid'] ?? ''))}`,
    );
  const { status, message } = isObject(response['result']) ? response['result'] : {};
  if (status !== 'Success')
    throw new Error(
      typeof message === 'string' && message !== ''
        ? message
        : `response.result.status was '${String(status ?? '')}', not 'Success'`,
    );
  const { convertedObjects } = response;
  return Array.isArray(convertedObjects) ? convertedObjects : [];
}

/** Creates an error with status 500 and no reason, as upstream returns. */
const failure = (message: string): ApiError =>
  new ApiError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
