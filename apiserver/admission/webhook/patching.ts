import {
  type AnyKind,
  type ApiObject,
  type DeepReadonly,
  type Kind,
  type StrategyContext,
  isVirtualSubresource,
} from '../../../api/kinds/index.ts';
import { applyJsonPatch } from '../../../api/patch/index.ts';
import {
  type JsonObject,
  type StructSchema,
  applyDefaults,
  decode,
  jsonFault,
  parseJsonLoose,
  setOwn,
} from '../../../api/schema/index.ts';
import { ApiError, internalError } from '../../../api/status/index.ts';
import type { AdmissionResponse } from '../../../api/types/admission-v1.ts';
import { charged, spend } from '../../../base/budget/index.ts';
import type { Clock } from '../../../base/clock/index.ts';
import { messageOf } from '../../../base/errors/index.ts';
import { applyAllDefaults, missingType } from '../../registry/write/decoding.ts';
import { equalStored } from '../../registry/write/serialisation.ts';
import type { AdmissionRequest } from '../../request.ts';
import { CallFailure } from './call.ts';
import type { Equivalents } from './equivalents.ts';
import type { Invocation } from './invocation.ts';

/** Work units for one base64 character of a patch. */
const PATCH_CHARACTER = 0.005;

/** Result of applying a webhook's patch. */
export interface Patched {
  readonly operations: readonly unknown[];
  readonly patchType: string;
  readonly changed: boolean;
}

/**
 * Function that applies the patch in a response to the object of the request, in place. Returns undefined if
 * the response has no patch.
 */
export type Patch = (
  invocation: Invocation,
  request: AdmissionRequest,
  shown: DeepReadonly<ApiObject> | undefined,
  response: AdmissionResponse,
) => Promise<Patched | undefined>;

/** Creates the function that applies patches. */
export function createPatcher(
  { vocabulary, clock, enabled }: Pick<StrategyContext, 'vocabulary' | 'enabled'> & { readonly clock: Clock },
  equivalents: Equivalents,
): Patch {
  function typed(document: JsonObject, target: Target, context: StrategyContext): ApiObject {
    const { value } = decode<ApiObject>(target.schema, document);
    if (target.kind) applyAllDefaults(target.kind, value, context);
    else applyDefaults(target.schema, value);
    return value;
  }

  return async ({ hook, resource }, request, shown, { patch = '', patchType = '' }) => {
    const { budget } = request;
    if (budget?.isDue) await budget.pause();
    const operations = charged(budget, () => {
      spend(patch.length * PATCH_CHARACTER);
      return patch === '' ? [] : operationsOf(Buffer.from(patch, 'base64').toString('utf8'));
    });
    if (operations.length === 0) return undefined;
    const { object } = request;
    if (object === undefined || shown === undefined)
      throw internalError(
        `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`,
      );
    if (patchType !== 'JSONPatch')
      throw new CallFailure(hook.name, `unsupported patch type ${JSON.stringify(patchType)}`, 400);
    const context = { vocabulary, nowMs: clock.now(), user: request.user, enabled };
    const target = targetOf(resource, request.subresource);
    const next = charged(budget, () =>
      orInternal(() =>
        typed(ofSameKind(applyJsonPatch(shown as JsonObject, operations), shown, resource), target, context),
      ),
    );
    if (budget?.isDue) await budget.pause();
    const changed = charged(budget, () => !equalStored(next, shown));
    if (changed) become(object, target.kind ? await back(next, request, resource) : next);
    return { operations, patchType, changed };
  };

  async function back(next: ApiObject, request: AdmissionRequest, resource: AnyKind): Promise<ApiObject> {
    try {
      return await equivalents.convert(next, resource, request.kind);
    } catch (thrown) {
      throw thrown instanceof ApiError ? thrown : internalError(messageOf(thrown));
    }
  }
}

interface Target {
  readonly schema: StructSchema;
  /** Kind of the patched object; undefined for a subresource with its own kind. */
  readonly kind: Kind | undefined;
}

function targetOf(resource: AnyKind, subresource: string): Target {
  const { connections = {} } = resource;
  const connection = Object.hasOwn(connections, subresource) ? connections[subresource] : undefined;
  if (connection) return { schema: connection.schema, kind: undefined };
  const found = Object.hasOwn(resource.subresources, subresource)
    ? resource.subresources[subresource]
    : undefined;
  return found && isVirtualSubresource(found)
    ? { schema: found.schema, kind: undefined }
    : { schema: resource.schema, kind: resource as unknown as Kind };
}

function operationsOf(text: string): readonly unknown[] {
  const parsed: unknown = parseText(text);
  if (parsed === null) return [];
  if (Array.isArray(parsed)) return parsed;
  const kind = typeof parsed === 'boolean' ? 'bool' : typeof parsed;
  throw internalError(`json: cannot unmarshal ${kind} into Go value of type jsonpatch.Patch`);
}

function parseText(text: string): unknown {
  try {
    return parseJsonLoose(text);
  } catch {
    throw internalError(jsonFault(text));
  }
}

/**
 * Throws if the patch changed the kind or API version of the object, or removed them from a custom resource.
 */
function ofSameKind(
  document: JsonObject,
  { kind, apiVersion }: DeepReadonly<ApiObject>,
  { schema }: AnyKind,
): JsonObject {
  const missing = schema.root && missingType(document);
  if (missing !== undefined) throw new TypeError(missing);
  const { kind: now = kind, apiVersion: at = apiVersion } = document;
  if (now === kind && at === apiVersion) return document;
  throw new TypeError(`unable to convert ${apiVersion}, Kind=${kind} to ${at}, Kind=${now}`);
}

/**
 * Runs `work` and converts its error, such as that of an inapplicable patch, to an internal error, as
 * upstream does.
 */
function orInternal<T>(work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw internalError(messageOf(thrown));
  }
}

/** Replaces the content of `object` with that of `next`, except `kind` and `apiVersion`. */
function become(object: ApiObject, next: ApiObject): void {
  const fields = object as JsonObject;
  for (const field of Object.keys(fields)) if (!TYPE_FIELDS.has(field)) Reflect.deleteProperty(fields, field);
  for (const [field, value] of Object.entries(next))
    if (!TYPE_FIELDS.has(field)) setOwn(fields, field, value);
}

const TYPE_FIELDS: ReadonlySet<string> = new Set(['kind', 'apiVersion']);
