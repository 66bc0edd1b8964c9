import type { ApiObject, DeepReadonly } from '../../../api/kinds/kind.ts';
import { ApiError, badRequest } from '../../../api/status/api-error.ts';
import type { ObjectMeta } from '../../../api/types/meta-v1.ts';
import { toTime } from '../../../base/clock/clock.ts';
import { nameSuffix } from '../../../base/random/random.ts';
import type { Resource } from '../resource.ts';
import { nextGeneration } from '../../../api/kinds/generation.ts';

/** Longest base of a generated name: with its suffix it is a DNS label. */
const GENERATE_NAME_LIMIT = 58;

/** The object's metadata, made when it has none. For writing into. */
export function metadataOf(object: ApiObject): ObjectMeta {
  object.metadata ??= {};
  return object.metadata;
}

/** Puts the namespace of the path into the object, or refuses another one. */
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

/** The body of an update must be of the object in the path; `namespace` is '' where objects lie in none. */
export function checkName(object: ApiObject, namespace: string, name: string): void {
  const meta = object.metadata ?? {};
  if (namespace !== '' && meta.namespace && meta.namespace !== namespace) throw misplaced();
  if (!meta.name) throw unnamed(name);
  if (meta.name !== name)
    throw badRequest(`the name of the object (${meta.name}) does not match the name on the URL (${name})`);
}

export const unnamed = (name: string): ApiError =>
  badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);

/** What the server alone says about a new object, and its name where one is to be generated. */
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

/** Upstream answers this with a 500 that has no reason. */
const versionOnCreate = (): ApiError =>
  new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'resourceVersion should not be set on objects to be created',
    code: 500,
  });

/** Before the kind's own `prepareForUpdate`. */
export function carryGeneration(next: ApiObject, previous: DeepReadonly<ApiObject>): void {
  assign(metadataOf(next), 'generation', previous.metadata?.generation);
}

/** Counts a change of `spec`, on the main resource of kinds that count. */
export function bumpGeneration(next: ApiObject): void {
  const meta = metadataOf(next);
  meta.generation = nextGeneration(meta.generation);
}

/** What no update changes, after the kind's own `prepareForUpdate`. */
export function prepareMetadataForUpdate(next: ApiObject, previous: DeepReadonly<ApiObject>): void {
  const meta = metadataOf(next);
  const before = previous.metadata ?? {};
  if (!meta.uid) assign(meta, 'uid', before.uid);
  assign(meta, 'creationTimestamp', before.creationTimestamp);
  // An update cannot take a deletion back; that it cannot start one either is for validation to say.
  if (before.deletionTimestamp !== undefined) meta.deletionTimestamp = before.deletionTimestamp;
  if (before.deletionGracePeriodSeconds !== undefined)
    meta.deletionGracePeriodSeconds ??= before.deletionGracePeriodSeconds;
  removeAll(meta, UNKEPT_FIELDS);
}

/** Mostly there is nothing to remove, and V8 takes long to find that out by asking for each. */
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
