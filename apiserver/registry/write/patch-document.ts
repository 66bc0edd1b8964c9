import type { ApiObject } from '../../../api/kinds/kind.ts';
import { applyJsonPatch } from '../../../api/patch/json-patch.ts';
import { applyMergePatch } from '../../../api/patch/merge-patch.ts';
import { PatchError } from '../../../api/patch/patch-error.ts';
import { goPrint } from '../../../api/patch/strategic-errors.ts';
import { applyStrategicMergePatch } from '../../../api/patch/strategic-merge.ts';
import { writeJson } from '../../../api/schema/exact-json.ts';
import { sortedKeys } from '../../../api/schema/go-text.ts';
import {
  ApiError,
  badRequest,
  invalid,
  tooLarge,
  unsupportedMediaType,
} from '../../../api/status/api-error.ts';
import { invalidField } from '../../../api/status/field-errors.ts';
import type { Floats } from '../../../api/schema/json.ts';
import { cloneJson, isObject } from '../../../api/schema/own.ts';
import { part } from '../../../base/budget/steps.ts';
import { chargeTree } from '../../../api/schema/tree-work.ts';
import { REDACTED } from '../confidential/seen-values.ts';
import { UndecodableBody, decodeExactly, faultInConversion, missingType } from './decoding.ts';
import { unnamed } from './metadata.ts';
import type { PatchMediaType, WriteContext } from '../registry.ts';
import type { Resource } from '../resource.ts';

/** A document changed by a patch, as an object of the kind; the document is left as it is. Throws as PATCH does. */
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

export function patcherOf(
  { kind, typeMeta }: Target,
  type: PatchMediaType,
  patch: unknown,
  floats?: Floats,
): Patcher {
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

const faultOfDocument: Patcher['fault'] = (changed, { message }) => [sortedText(changed()), message];

/** Upstream's patched document has been through a Go map, whose keys come out in order. */
function sortedText(document: unknown): string {
  chargeTree(document);
  return writeJson(document, sortedKeys) ?? 'null';
}

function applied({ kind }: Pick<Target, 'kind'>, { apply }: Patcher, document: object): unknown {
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
    // Decoding has taken the document over: to be shown it is made again.
    const [shown, why] = patcher.fault(() => applied(target, patcher, previous), thrown);
    throw spoilt(target.kind.confidential ? REDACTED : shown, why);
  }
}

/** Throws for a document that no longer says what it is. */
function checkType({ kind }: Target, patcher: Patcher, previous: object, document: Document): void {
  if (kind.schema.root === undefined) {
    // Upstream takes what has no version for its own form of the kind, in which there is no name.
    if ((document['apiVersion'] ?? '') === '') throw unnamed((previous as ApiObject).metadata?.name ?? '');
    return;
  }
  const missing = missingType(document, sortedText);
  if (missing !== undefined) throw spoilt(...patcher.fault(() => document, new Error(missing)));
}

/** Upstream names neither kind nor name here. */
function spoilt(shown: string, why: string): ApiError {
  const error = invalid({ group: '', kind: '' }, '', [invalidField('patch', shown, why)]);
  delete error.status.details?.kind;
  return error;
}
