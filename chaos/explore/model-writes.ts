import {
  type ApiObject,
  type ObjectSubresource,
  isVirtualSubresource,
  nextGeneration,
} from '../../api/kinds/index.ts';
import {
  PatchError,
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
} from '../../api/patch/index.ts';
import { type JsonObject, cloneJson } from '../../api/schema/index.ts';
import {
  ApiError,
  MODIFIED,
  alreadyExists,
  badRequest,
  conflict,
  invalid,
  invalidField,
  methodNotAllowed,
  notFound,
} from '../../api/status/index.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../api/validation/index.ts';
import { toTime } from '../../base/clock/index.ts';
import type { Any } from './api-request.ts';
import { admitToNamespace } from './model-conditions.ts';
import {
  type ModelStore,
  type Handling,
  type Outcome,
  canonical,
  committed,
  contextOf,
  decoded,
  keyOfRequest,
  same,
  setDefaults,
  storeKey,
  stored,
  succeeding,
  typeMetaOf,
  unchanged,
} from './model-handling.ts';
import { UnsupportedRequestError } from './unsupported-request.ts';
import { firstVersion } from './versions.ts';

/** Returns the uid of the nth object that was created under a name. */
export const uidOf = (resource: string, name: string, nth: number): string =>
  `${resource.slice(resource.indexOf('/') + 1)}.${name}~${nth}`;

type Meta = NonNullable<ApiObject['metadata']>;
const metadataOf = (object: ApiObject): Meta => (object.metadata ??= {});

/** True if a body states a version. '0' means any version. */
const statesVersion = (version: string | undefined): version is string =>
  version !== undefined && version !== '' && version !== '0';

function placeInNamespace({ kind, request: { namespace } }: Handling, object: ApiObject): void {
  const meta = metadataOf(object);
  if (!kind.namespaced) delete meta.namespace;
  else if ((meta.namespace || namespace) !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace of the request');
  else meta.namespace = namespace;
}

function withoutRepeatedOwners(object: ApiObject): void {
  const meta = metadataOf(object);
  const { ownerReferences } = meta;
  if (ownerReferences === undefined) return;
  meta.ownerReferences = ownerReferences.filter(
    (each, at) => ownerReferences.findIndex((other) => same(each, other)) === at,
  );
}

const metadataRules = ({ kind, options }: Handling) => ({
  namespaced: kind.namespaced,
  nameRule: kind.nameRule,
  ...(kind.anyFinalizer ? {} : { namespaceFinalizer: options.scheme.vocabulary.namespaceFinalizer }),
});

const kindNameOf = ({ options, kind }: Handling) => ({
  group: options.scheme.vocabulary.group(kind.errorGroup ?? kind.group),
  kind: kind.kind,
});

/**
 * Returns the first free generated name. Numbering keeps objects distinct that nothing else distinguishes.
 */
function generatedName({ store, request: { resource, namespace } }: Handling, generateName: string): string {
  let nth = 0;
  while (store.births[storeKey(resource, namespace, `${generateName}${nth}`)] !== undefined) nth += 1;
  return `${generateName}${nth}`;
}

/** Returns how often an object of this name was created in any namespace, because uids do not name the namespace. */
const birthsOf = ({ births }: ModelStore, resource: string, name: string): number =>
  Object.entries(births).reduce(
    (most, [key, count]) =>
      key.startsWith(`${resource} `) && key.endsWith(`/${name}`) ? Math.max(most, count) : most,
    0,
  );

/** Creates the object of the request. Throws a 400, 403, 404, 409, 422 or, for a stated version, a 500. */
export function create(handling: Handling): Outcome {
  const { request } = handling;
  if (request.subresource !== '')
    throw new UnsupportedRequestError(`the model has no subresource ${request.subresource} to create`);
  const object = decoded(handling, request.body);
  placeInNamespace(handling, object);
  return created(handling, object);
}

function created(given: Handling, object: ApiObject): Outcome {
  const { kind, resourceName, store, request, nowMs } = given;
  withoutRepeatedOwners(object);
  setDefaults(given, object);
  admitToNamespace(given, true);
  const meta = metadataOf(object);
  if (statesVersion(meta.resourceVersion)) throw versionOnCreate();
  const name = meta.name || (meta.generateName ? generatedName(given, meta.generateName) : '');
  const handling: Handling = { ...given, request: { ...request, name } };
  const key = keyOfRequest(handling);
  const births = birthsOf(store, request.resource, name) + 1;
  const uid = uidOf(request.resource, name, births);
  const { resourceVersion: _, deletionTimestamp: __, deletionGracePeriodSeconds: ___, ...rest } = meta;
  object.metadata = {
    ...rest,
    name,
    uid,
    creationTimestamp: toTime(nowMs),
    ...(kind.generation ? { generation: 1 } : {}),
  };
  const context = contextOf(given);
  kind.strategy.prepareForCreate?.(object, context);
  const valid = readable(object);
  const errors = [
    ...validateObjectMeta(valid.metadata, metadataRules(given)),
    ...(kind.strategy.validate?.(valid, context) ?? []),
    ...(kind.strategy.validateCreate?.(valid, context) ?? []),
  ];
  if (errors.length > 0) throw invalid(kindNameOf(given), name, errors);
  if (store.objects[key]) throw alreadyExists(resourceName, name);
  object.metadata = { ...object.metadata, resourceVersion: firstVersion(uid) };
  const next = stored(typeMetaOf(given), object);
  const done = committed(handling, next as Any, 'create');
  return { ...done, store: { ...done.store, births: { ...store.births, [key]: births } } };
}

const versionOnCreate = (): ApiError =>
  new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'resourceVersion should not be set on objects to be created',
    code: 500,
  });

/** Applies a patch to `before`. */
function patched(handling: Handling, before: Any): ApiObject {
  const { kind, request } = handling;
  try {
    return decoded(handling, patchedDocument(handling, cloneJson(before) as JsonObject));
  } catch (thrown) {
    if (thrown instanceof PatchError) throw patchRefusal(thrown);
    if (!(thrown instanceof ApiError)) throw thrown;
    throw invalid({ group: '', kind: '' }, '', [
      invalidField('patch', `${kind.plural} ${request.name}`, thrown.message),
    ]);
  }
}

function patchedDocument({ kind, request: { patchType, body } }: Handling, document: JsonObject): unknown {
  switch (patchType) {
    case 'strategic':
      return applyStrategicMergePatch(document, body, kind.schema);
    case 'json':
      return applyJsonPatch(document, body);
    default:
      return Array.isArray(body) ? body : applyMergePatch(document, body);
  }
}

function patchRefusal({ code, message }: PatchError): ApiError {
  if (code === 'malformed' || code === 'unmergeable') return badRequest(message);
  if (code === 'too-large') throw new UnsupportedRequestError('the patch is too large for the model');
  const { status } = invalid({ group: '', kind: '' }, '', []);
  return new ApiError({ ...status, details: {} });
}

/** Decodes the body of an update and checks that it names the object of the request. */
function updateOf(handling: Handling): ApiObject {
  const { name, body } = handling.request;
  const object = decoded(handling, body);
  withoutRepeatedOwners(object);
  if (metadataOf(object).name !== name)
    throw badRequest(`the name of the object does not match the name on the URL (${name})`);
  placeInNamespace(handling, object);
  return object;
}

/** Returns the subresource that the request writes; undefined for the object itself. Throws a 405. */
function writtenPart({ kind, request: { subresource, verb } }: Handling): ObjectSubresource | undefined {
  if (subresource === '') return undefined;
  const found = Object.hasOwn(kind.subresources, subresource) ? kind.subresources[subresource] : undefined;
  if (!found) throw methodNotAllowed();
  if (isVirtualSubresource(found))
    throw new UnsupportedRequestError(`the model has no subresource ${subresource} of ${kind.plural}`);
  if (!(found.verbs as readonly string[]).includes(verb)) throw methodNotAllowed();
  return found;
}

/** Updates or patches the object of the request. */
export function write(handling: Handling, verb: 'update' | 'patch'): Outcome {
  const { kind, resourceName, store, request } = handling;
  if (request.patchType === 'apply') throw new UnsupportedRequestError('the model has no server-side apply');
  const part = writtenPart(handling);
  const given = verb === 'update' ? updateOf(handling) : undefined;
  const found = store.objects[keyOfRequest(handling)];
  const before = found && canonical(handling, found);
  const meant = given?.metadata?.uid;
  // A body with a uid means one particular object: a deleted or replaced object is a conflict, not a 404.
  if (meant && meant !== before?.metadata?.uid)
    throw conflict(resourceName, request.name, `Precondition failed: UID in precondition: ${meant}`);
  if (!found || !before) {
    if (!given || !kind.policy.createOnUpdate || part) throw notFound(resourceName, request.name);
    delete metadataOf(given).resourceVersion;
    return created(handling, given);
  }
  const object = given ?? patched(handling, before);
  if (!given) {
    withoutRepeatedOwners(object);
    if (metadataOf(object).name !== request.name)
      throw badRequest('the name of the object does not match the name on the URL');
    placeInNamespace(handling, object);
  }
  setDefaults(handling, object);
  admitToNamespace(handling, false);
  checkVersion(handling, object, before);
  const next = stored(before, prepared(handling, part, object, before));
  checkValid(handling, part, next, before);
  if (isFinished(handling, next, before)) return committed(handling, undefined, verb, next as Any);
  if (same(next, before)) return unchanged(handling, found);
  return committed(handling, succeeding(next, before), verb);
}

/** Rejects another version than the stored one, or none if the kind requires one. */
function checkVersion(handling: Handling, object: ApiObject, before: Any): void {
  const meta = metadataOf(object);
  const { kind, resourceName, request } = handling;
  const { resourceVersion = '' } = before.metadata ?? {};
  if (!statesVersion(meta.resourceVersion)) {
    if (!kind.policy.unconditionalUpdate)
      throw invalid({ group: resourceName.group, kind: resourceName.resource }, request.name, [
        {
          type: 'FieldValueInvalid',
          field: 'metadata.resourceVersion',
          message: 'Invalid value: 0x0: must be specified for an update',
        },
      ]);
    meta.resourceVersion = resourceVersion;
  }
  if (meta.resourceVersion !== resourceVersion) throw conflict(resourceName, request.name, MODIFIED);
}

/** Restores and sets the fields that the server determines. */
function prepared(
  handling: Handling,
  part: ObjectSubresource | undefined,
  object: ApiObject,
  before: Any,
): ApiObject {
  const { kind } = handling;
  const known = before.metadata ?? {};
  assign(metadataOf(object), 'generation', known.generation);
  (part ?? kind.strategy).prepareForUpdate?.(object, before, contextOf(handling));
  const meta = metadataOf(object);
  if (!part && kind.generation && !same(specOf(object), specOf(before)))
    meta.generation = nextGeneration(meta.generation);
  if (!meta.uid) assign(meta, 'uid', known.uid);
  assign(meta, 'creationTimestamp', known.creationTimestamp);
  if (known.deletionTimestamp !== undefined) meta.deletionTimestamp = known.deletionTimestamp;
  if (known.deletionGracePeriodSeconds !== undefined)
    meta.deletionGracePeriodSeconds ??= known.deletionGracePeriodSeconds;
  return decoded(handling, object);
}

function assign<K extends keyof Meta>(meta: Meta, field: K, value: Meta[K] | undefined): void {
  if (value === undefined) delete meta[field];
  else meta[field] = value;
}

const specOf = (object: Any | ApiObject): unknown => (object as { readonly spec?: unknown }).spec;

/**
 * Returns the object with uids that validation accepts in labels, which the model's own uids are not.
 */
const readable = <T extends Any>(object: T): T =>
  JSON.parse(JSON.stringify(object).replaceAll(/~(?=\d)/g, '.')) as T;

/** Throws a 422 if the object is invalid or the change is not allowed. */
function checkValid(
  handling: Handling,
  part: ObjectSubresource | undefined,
  object: ApiObject,
  previous: Any,
): void {
  const [next, before] = [readable(object), readable(previous)];
  const { kind, request } = handling;
  const { strategy, policy } = kind;
  const context = contextOf(handling);
  // Objects that a workload starts with may be incomplete: a write need not mend what it does not touch.
  const known = part ? [] : (strategy.validate?.(before, context) ?? []);
  const errors = [
    ...validateObjectMetaUpdate(
      next.metadata,
      before.metadata,
      metadataRules(handling),
      part ? policy.statusRechecks : policy.rechecks,
    ),
    ...(part ? [] : (strategy.validate?.(next, context) ?? [])),
    ...((part ?? strategy).validateUpdate?.(next, before, context) ?? []),
  ].filter(
    (error) => !known.some(({ field, message }) => field === error.field && message === error.message),
  );
  if (errors.length > 0) throw invalid(kindNameOf(handling), request.name, errors);
}

/** True if the object is being deleted and neither a finalizer nor a grace period is left. */
function isFinished({ kind }: Handling, next: ApiObject, { metadata }: Any): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata ?? {};
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds > 0) return false;
  if ((next.metadata?.finalizers ?? []).length > 0) return false;
  if (kind.policy.deletion !== 'namespace') return true;
  return ((next as { spec?: { finalizers?: readonly string[] } }).spec?.finalizers ?? []).length === 0;
}
