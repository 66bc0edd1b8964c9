import type { ApiObject } from '../../../api/kinds/index.ts';
import {
  PatchError,
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  goPrint,
} from '../../../api/patch/index.ts';
import {
  type Floats,
  chargeTree,
  cloneJson,
  isObject,
  sortedKeys,
  writeJson,
} from '../../../api/schema/index.ts';
import {
  ApiError,
  badRequest,
  invalid,
  invalidField,
  tooLarge,
  unsupportedMediaType,
} from '../../../api/status/index.ts';
import { part } from '../../../base/budget/index.ts';
import { REDACTED } from '../confidential/seen-values.ts';
import { UndecodableBody, decodeExactly, faultInConversion, missingType } from './decoding.ts';
import { unnamed } from './metadata.ts';
import type { PatchMediaType, WriteContext } from '../registry.ts';
import type { Resource } from '../resource.ts';

/**
 * Applies a patch to `document` and decodes the result as an object of the kind. `document` is not modified.
 * Throws the same errors as a PATCH request.
 */
export const patchDocument = (
  target: Target,
  type: PatchMediaType,
  patch: unknown,
  document: object,
  context: WriteContext,
): ApiObject => patchedObject(target, patcherOf(target, type, patch), document, context);

type Target = Pick<Resource, 'kind' | 'scheme' | 'typeMeta'>;
type Document = Record<string, unknown>;

export interface Patcher {
  /** Applies the patch to a document, which must not be used afterwards. May throw `PatchError`. */
  readonly apply: (document: Document) => unknown;
  /**
   * Returns the two parts of upstream's error for a patched document that is not a valid object: the printed
   * value and the reason.
   */
  readonly fault: (changed: () => unknown, thrown: Error) => readonly [shown: string, why: string];
}

const KNOWN: readonly PatchMediaType[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

/** Returns a 415 that lists the supported patch types without `rejected`. */
export const unknownPatch = (rejected: readonly PatchMediaType[]): ApiError =>
  unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${KNOWN.filter((type) => !rejected.includes(type)).join(', ')}`,
  );

/** Returns the patcher of a media type. Throws a 415 for a media type that the kind does not support. */
export function patcherOf(
  { kind, typeMeta }: Target,
  type: PatchMediaType,
  patch: unknown,
  floats?: Floats,
): Patcher {
  // A custom resource accepts no strategic merge patch: its schema does not define how lists merge.
  const isCustom = kind.schema.root !== undefined;
  switch (type) {
    case 'application/json-patch+json':
      return { apply: (document) => applyJsonPatch(document, patch), fault: faultOfDocument };
    case 'application/merge-patch+json':
      // An array replaces the document, as in Go's merge patch.
      return {
        apply: (document) => (Array.isArray(patch) ? patch : applyMergePatch(document, patch)),
        fault: faultOfDocument,
      };
    case 'application/strategic-merge-patch+json':
      if (isCustom) throw unknownPatch([type]);
      // Upstream decodes the result into a struct of the known kind, so the patch's kind and apiVersion have
      // no effect.
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

const faultOfDocument: Patcher['fault'] = (changed, { message }) => [sortedText(changed()), message];

/** Returns JSON with sorted keys, as upstream's patched document is a Go map. */
function sortedText(document: unknown): string {
  chargeTree(document);
  return writeJson(document, sortedKeys) ?? 'null';
}

function applied({ kind }: Pick<Target, 'kind'>, { apply }: Patcher, document: object): unknown {
  try {
    return apply(cloneJson(document) as Document);
  } catch (thrown) {
    throw thrown instanceof PatchError ? errorFor(thrown, kind.confidential === true) : thrown;
  }
}

function errorFor({ code, message }: PatchError, confidential: boolean): ApiError {
  switch (code) {
    case 'malformed':
      return badRequest(message);
    case 'unmergeable':
      return badRequest(confidential ? `the patch cannot be merged: ${REDACTED}` : message);
    case 'too-large':
      return tooLarge(message);
    case 'unprocessable':
    case 'test-failed':
      // Upstream returns no details to the client.
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

/** Applies a patch and decodes the result as an object of the kind. */
export function patchedObject(
  target: Target,
  patcher: Patcher,
  previous: object,
  context: WriteContext,
): ApiObject {
  const document = part(() => applied(target, patcher, previous));
  if (isObject(document)) checkType(target, patcher, previous, document);
  try {
    return decodeExactly(target, document, context);
  } catch (thrown) {
    if (!(thrown instanceof UndecodableBody || thrown instanceof ApiError)) throw thrown;
    if (thrown instanceof ApiError && thrown.status.reason === 'Invalid') throw thrown;
    // Decoding has modified the document, so the patch is applied again for the message.
    const [shown, why] = patcher.fault(() => applied(target, patcher, previous), thrown);
    throw invalidPatch(target.kind.confidential ? REDACTED : shown, why);
  }
}

/** Throws for a patched document without kind or apiVersion. */
function checkType({ kind }: Target, patcher: Patcher, previous: object, document: Document): void {
  if (kind.schema.root === undefined) {
    // Upstream treats a document without apiVersion as its internal type, in which the object has no name.
    if ((document['apiVersion'] ?? '') === '') throw unnamed((previous as ApiObject).metadata?.name ?? '');
    return;
  }
  const missing = missingType(document, sortedText);
  if (missing !== undefined) throw invalidPatch(...patcher.fault(() => document, new Error(missing)));
}

/** Returns a 422 without kind and name, as upstream does. */
function invalidPatch(shown: string, why: string): ApiError {
  const error = invalid({ group: '', kind: '' }, '', [invalidField('patch', shown, why)]);
  delete error.status.details?.kind;
  return error;
}
