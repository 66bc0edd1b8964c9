import { type ApiObject, type DeepReadonly, nextGeneration } from '../../../api/kinds/index.ts';
import { ApiError, badRequest } from '../../../api/status/index.ts';
import type { ObjectMeta } from '../../../api/types/meta-v1.ts';
import { toTime } from '../../../base/clock/index.ts';
import { nameSuffix } from '../../../base/random/index.ts';
import type { Resource } from '../resource.ts';

/**
 * Maximum length, in characters, of the base of a generated name. With its suffix the name is a valid DNS
 * label.
 */
const GENERATE_NAME_LIMIT = 58;

/** Returns the object's metadata for modification, after adding it if it is missing. */
export function metadataOf(object: ApiObject): ObjectMeta {
  object.metadata ??= {};
  return object.metadata;
}

/** Sets the namespace of the path in the object. Throws a 400 if the object states another namespace. */
export function placeInNamespace(
  { kind }: Pick<Resource, 'kind'>,
  object: ApiObject,
  namespace: string,
): void {
  const meta = metadataOf(object);
  if (!kind.namespaced) delete meta.namespace;
  else if (!meta.namespace) meta.namespace = namespace;
  else if (meta.namespace !== namespace) throw misplaced();
}

const misplaced = (): ApiError =>
  badRequest('the namespace of the provided object does not match the namespace sent on the request');

/**
 * Throws a 400 if the body of an update states another name or namespace than the path. `namespace` is '' for
 * cluster-scoped objects.
 */
export function checkName(object: ApiObject, namespace: string, name: string): void {
  const meta = object.metadata ?? {};
  if (namespace !== '' && meta.namespace && meta.namespace !== namespace) throw misplaced();
  if (!meta.name) throw unnamed(name);
  if (meta.name !== name)
    throw badRequest(`the name of the object (${meta.name}) does not match the name on the URL (${name})`);
}

/** Returns upstream's 400 for a body without a name. */
export const unnamed = (name: string): ApiError =>
  badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);

/**
 * Sets the fields of a new object that only the server determines, and generates its name if the client
 * requests that.
 */
export function prepareMetadataForCreate(resource: Resource, object: ApiObject): void {
  const { clock, random } = resource.environment;
  const meta = metadataOf(object);
  if (isVersion(meta.resourceVersion)) throw versionOnCreate();
  meta.uid = random.uuid();
  meta.creationTimestamp = toTime(clock.now());
  if (!meta.name && meta.generateName)
    meta.name = `${meta.generateName.slice(0, GENERATE_NAME_LIMIT)}${nameSuffix(random)}`;
  if (resource.kind.generation) meta.generation = 1;
  removeAll(meta, SERVER_FIELDS);
}

const SERVER_FIELDS: ReadonlySet<string> = new Set<keyof ObjectMeta>([
  'resourceVersion',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'clusterName',
]);
const UNKEPT_FIELDS: ReadonlySet<string> = new Set<keyof ObjectMeta>(['selfLink', 'clusterName']);

const isVersion = (text: string | undefined): boolean =>
  text !== undefined && /^\d+$/.test(text) && Number(text) !== 0;

/** Returns the error for a creation with a `resourceVersion`: a 500 without a reason, as upstream returns. */
const versionOnCreate = (): ApiError =>
  new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'resourceVersion should not be set on objects to be created',
    code: 500,
  });

/** Copies the generation from the stored object. Must run before the kind's own `prepareForUpdate`. */
export function carryGeneration(next: ApiObject, previous: DeepReadonly<ApiObject>): void {
  assign(metadataOf(next), 'generation', previous.metadata?.generation);
}

/** Increments the generation after a change of `spec`. */
export function bumpGeneration(next: ApiObject): void {
  const meta = metadataOf(next);
  meta.generation = nextGeneration(meta.generation);
}

/** Restores the metadata that no update may change. Must run after the kind's own `prepareForUpdate`. */
export function prepareMetadataForUpdate(next: ApiObject, previous: DeepReadonly<ApiObject>): void {
  const meta = metadataOf(next);
  const before = previous.metadata ?? {};
  if (!meta.uid) assign(meta, 'uid', before.uid);
  assign(meta, 'creationTimestamp', before.creationTimestamp);
  // An update cannot revert a deletion. Validation rejects an update that starts one.
  if (before.deletionTimestamp !== undefined) meta.deletionTimestamp = before.deletionTimestamp;
  if (before.deletionGracePeriodSeconds !== undefined)
    meta.deletionGracePeriodSeconds ??= before.deletionGracePeriodSeconds;
  removeAll(meta, UNKEPT_FIELDS);
}

/**
 * Deletes fields. Usually none of them is present; in V8, iterating over the object's keys is faster than
 * deleting each field.
 */
function removeAll(meta: ObjectMeta, fields: ReadonlySet<string>): void {
  for (const field of Object.keys(meta)) if (fields.has(field)) delete meta[field as keyof ObjectMeta];
}

function assign<K extends keyof ObjectMeta>(
  meta: ObjectMeta,
  field: K,
  value: DeepReadonly<ObjectMeta>[K] | undefined,
): void {
  if (value !== undefined) meta[field] = value as ObjectMeta[K];
  else if (meta[field] !== undefined) delete meta[field];
}
