import type { ApiObject } from '../../api/kinds/kind.ts';
import { applyJsonPatch } from '../../api/patch/json-patch.ts';
import { applyMergePatch } from '../../api/patch/merge-patch.ts';
import { PatchError } from '../../api/patch/patch-error.ts';
import { goPrint } from '../../api/patch/strategic-errors.ts';
import { applyStrategicMergePatch } from '../../api/patch/strategic-merge.ts';
import { writeJson } from '../../api/schema/exact-json.ts';
import { sortedKeys } from '../../api/schema/go-text.ts';
import {
  ApiError,
  badRequest,
  conflict,
  invalid,
  tooLarge,
  unsupportedMediaType,
} from '../../api/status/api-error.ts';
import { invalidField } from '../../api/status/field-errors.ts';
import { type Floats, overflowIn } from '../../api/schema/json.ts';
import { cloneJson, isObject } from '../../api/schema/own.ts';
import { inSteps, part } from '../../base/budget/steps.ts';
import { chargeTree } from '../../api/schema/tree-work.ts';
import { createDecoded } from './create.ts';
import { REDACTED, withoutValuesOf } from './confidential.ts';
import { UndecodableBody, decodeExactly, faultInConversion, missingType, repetition } from './decoding.ts';
import { appliedObject } from './field-tracking.ts';
import { checkName, metadataOf, placeInNamespace, unnamed } from './preparation.ts';
import type { PatchMediaType, WriteContext, WriteResult } from './registry.ts';
import type { Resource } from './resource.ts';
import { modify, objectSubresource } from './update.ts';
import { changedContext } from './write-context.ts';

/** PATCH of an object or one of its subresources, by any of the four kinds of patch. */
export async function patchObject(
  resource: Resource,
  namespace: string,
  name: string,
  subresource: string,
  type: PatchMediaType,
  patch: unknown,
  context: WriteContext,
): Promise<WriteResult> {
  objectSubresource(resource, subresource, 'patch');
  if (type === 'application/apply-patch+yaml')
    return applyConfiguration(resource, namespace, name, subresource, patch, context);
  const { floats } = context;
  const overflow = overflowIn(floats);
  const applier = applierOf(resource, type, patch, floats);
  // Upstream decodes what a merge patch makes as it is written, and takes a float for an integer elsewhere.
  const written =
    type === 'application/merge-patch+json' ? context : changedContext(context, { floats: undefined });
  let before: object | undefined;
  const desired = (previous: object, round: WriteContext): ApiObject => {
    if (overflow !== undefined) throw badRequest(overflow);
    before = previous;
    return patched(resource, applier, previous, round);
  };
  const work = modify(resource, { namespace, name, subresource, desired }, written);
  if (resource.kind.confidential !== true) return work;
  return work.catch((thrown: unknown) => {
    throw withoutValuesOf(before, thrown);
  });
}

/** Server-side apply, which makes the object when there is none. */
async function applyConfiguration(
  resource: Resource,
  namespace: string,
  name: string,
  subresource: string,
  config: unknown,
  context: WriteContext,
): Promise<WriteResult> {
  const { repeatedKeys = [] } = context;
  const lenient = changedContext(context, { repeatedKeys: undefined, floats: undefined });
  const applyTo = (previous: Parameters<typeof appliedObject>[2], round: WriteContext): ApiObject => {
    const object = appliedObject(resource, subresource, previous, config, round);
    checkRepeatedKeys(repeatedKeys, context);
    return object;
  };
  const create = async (): Promise<WriteResult> => {
    const object = await inSteps(context.budget, () => applyTo(undefined, lenient));
    const { uid } = metadataOf(object);
    if (uid)
      throw conflict(
        resource.name,
        name,
        `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
      );
    checkName(object, namespace, name);
    placeInNamespace(resource, object, namespace);
    delete metadataOf(object).resourceVersion;
    return createDecoded(resource, namespace, object, lenient, { tracked: true });
  };
  return modify(
    resource,
    {
      namespace,
      name,
      subresource,
      desired: applyTo,
      create: subresource === '' ? create : undefined,
      tracked: true,
    },
    lenient,
  );
}

/** Of a configuration, which is looked at in this way only once it has been applied. Throws 400. */
function checkRepeatedKeys(
  repeatedKeys: readonly string[],
  { fieldValidation, warn }: Pick<WriteContext, 'fieldValidation' | 'warn'>,
): void {
  if (repeatedKeys.length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict')
    throw badRequest(
      `error strict decoding YAML: error converting YAML to JSON: ${repetition(repeatedKeys)}`,
    );
  for (const text of repeatedKeys) warn(text);
}

/** A document changed by a patch, as an object of the kind; the document is left as it is. Throws as PATCH does. */
export const patchDocument = (
  target: Target,
  type: PatchMediaType,
  patch: unknown,
  document: object,
  context: WriteContext,
): ApiObject => patched(target, applierOf(target, type, patch), document, context);

type Target = Pick<Resource, 'kind' | 'scheme' | 'typeMeta'>;
type Document = Record<string, unknown>;

interface Applier {
  /** Changes a document, which is taken over; may throw `PatchError`. */
  readonly apply: (document: Document) => unknown;
  /** What upstream shows where the changed document is no object any more, and why it says that is. */
  readonly fault: (changed: () => unknown, thrown: Error) => readonly [shown: string, why: string];
}

const KNOWN: readonly PatchMediaType[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

/** 415: a patch of a kind that is not taken, where all but the refused ones are. */
export const unknownPatch = (refused: readonly PatchMediaType[]): ApiError =>
  unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${KNOWN.filter((type) => !refused.includes(type)).join(', ')}`,
  );

function applierOf(
  { kind, typeMeta }: Target,
  type: PatchMediaType,
  patch: unknown,
  floats?: Floats,
): Applier {
  // The schema of a custom resource does not say how its lists merge.
  const isCustom = kind.schema.root !== undefined;
  switch (type) {
    case 'application/json-patch+json':
      return { apply: (document) => applyJsonPatch(document, patch), fault: faultOfDocument };
    case 'application/merge-patch+json':
      // A list takes the place of the document.
      return {
        apply: (document) => (Array.isArray(patch) ? patch : applyMergePatch(document, patch)),
        fault: faultOfDocument,
      };
    case 'application/strategic-merge-patch+json':
      if (isCustom) throw unknownPatch([type]);
      // Upstream fills a struct it has chosen before, so that what such a patch says of the kind counts for nothing.
      return {
        apply: (document) => ({
          ...applyStrategicMergePatch(document, patch, kind.schema, floats),
          ...typeMeta,
        }),
        fault: (_changed, thrown) => [goPrint(patch), faultInConversion(thrown)],
      };
    default:
      throw unknownPatch([]);
  }
}

const faultOfDocument: Applier['fault'] = (changed, { message }) => [sortedText(changed()), message];

/** Upstream's patched document has been through a Go map, whose keys come out in order. */
function sortedText(document: unknown): string {
  chargeTree(document);
  return writeJson(document, sortedKeys) ?? 'null';
}

function applied({ kind }: Pick<Target, 'kind'>, { apply }: Applier, document: object): unknown {
  try {
    return apply(cloneJson(document) as Document);
  } catch (thrown) {
    throw thrown instanceof PatchError ? refusal(thrown, kind.confidential === true) : thrown;
  }
}

function refusal({ code, message }: PatchError, confidential: boolean): ApiError {
  switch (code) {
    case 'malformed':
      return badRequest(message);
    case 'unmergeable':
      return badRequest(confidential ? `the patch cannot be merged: ${REDACTED}` : message);
    case 'too-large':
      return tooLarge(message);
    case 'unprocessable':
    case 'test-failed':
      // Upstream says no more to the client than this.
      return new ApiError({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'the server rejected our request due to an error in our request',
        reason: 'Invalid',
        details: {},
        code: 422,
      });
  }
}

/** The document a patch made, as the object it must still be. */
function patched(target: Target, applier: Applier, previous: object, context: WriteContext): ApiObject {
  const document = part(() => applied(target, applier, previous));
  if (isObject(document)) checkType(target, applier, previous, document);
  try {
    return decodeExactly(target, document, context);
  } catch (thrown) {
    if (!(thrown instanceof UndecodableBody || thrown instanceof ApiError)) throw thrown;
    if (thrown instanceof ApiError && thrown.status.reason === 'Invalid') throw thrown;
    // Decoding has taken the document over: to be shown it is made again.
    const [shown, why] = applier.fault(() => applied(target, applier, previous), thrown);
    throw spoilt(target.kind.confidential ? REDACTED : shown, why);
  }
}

/** Throws for a document that no longer says what it is. */
function checkType({ kind }: Target, applier: Applier, previous: object, document: Document): void {
  if (kind.schema.root === undefined) {
    // Upstream takes what has no version for its own form of the kind, in which there is no name.
    if ((document['apiVersion'] ?? '') === '') throw unnamed((previous as ApiObject).metadata?.name ?? '');
    return;
  }
  const missing = missingType(document, sortedText);
  if (missing !== undefined) throw spoilt(...applier.fault(() => document, new Error(missing)));
}

/** Upstream names neither kind nor name here. */
function spoilt(shown: string, why: string): ApiError {
  const error = invalid({ group: '', kind: '' }, '', [invalidField('patch', shown, why)]);
  delete error.status.details?.kind;
  return error;
}
