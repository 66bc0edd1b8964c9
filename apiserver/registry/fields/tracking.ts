import {
  type AnyKind,
  type ApiObject,
  type DeepReadonly,
  type Kind,
  isVirtualSubresource,
  storedKindOf,
} from '../../../api/kinds/index.ts';
import {
  ApplyConflicts,
  type FieldWrite,
  type Typed,
  UnappliableError,
  applyConflict,
  applyManaged,
  compareConfigurations,
  resetFields,
  typedObject,
  updateManaged,
} from '../../../api/managed/index.ts';
import { type JsonObject, cloneJson, decode, isObject, recode } from '../../../api/schema/index.ts';
import { type ApiError, badRequest, unexplained } from '../../../api/status/index.ts';
import type { ManagedFieldsEntry } from '../../../api/types/meta-v1.ts';
import { part } from '../../../base/budget/index.ts';
import { toTime } from '../../../base/clock/index.ts';
import { withoutShownValues } from '../confidential/seen-values.ts';
import { UndecodableBody, decodeExactly, faultInConversion } from '../write/decoding.ts';
import { metadataOf } from '../write/metadata.ts';
import { thawed } from '../write/recent.ts';
import type { WriteContext } from '../registry.ts';
import type { Resource } from '../resource.ts';

/**
 * Records field owners in `next` after a create, update or patch. Must be called before admission: fields
 * that admission sets have no owner. `previous` is undefined for a new object.
 */
export function trackUpdate(
  resource: Resource,
  subresource: string,
  previous: DeepReadonly<ApiObject> | undefined,
  next: ApiObject,
  context: WriteContext,
): void {
  const { schema, apiVersion, manager, time, reset, convert } = fieldWrite(resource, subresource, context);
  const managedFields = updateManaged({
    schema,
    apiVersion,
    manager,
    subresource,
    time,
    reset,
    convert,
    live: previous,
    next: withEmptyLists(next, context),
    given: next.metadata?.managedFields,
  });
  recordManagers(next, managedFields);
}

/**
 * Returns the object with empty lists where the request body has them and the stored form has null. Upstream
 * compares the object before it is stored, and the writer of an empty list owns it. Only the parents of such
 * a list are copied.
 */
function withEmptyLists(next: ApiObject, { emptied }: Pick<WriteContext, 'emptied'>): object {
  let result: object = next;
  for (const path of emptied ?? []) result = withEmptyList(result, segmentsOf(path), 0) as object;
  return result;
}

/** Splits a path in the form that decoding reports: `spec.volumes[0].projected.sources`. */
const segmentsOf = (path: string): readonly string[] => path.match(/[^.[\]]+/g) ?? [];

/**
 * Returns `value` with an empty list in place of the null at the path, or `value` itself if no null is there.
 */
function withEmptyList(value: unknown, path: readonly string[], at: number): unknown {
  if (at === path.length) return value === null ? [] : value;
  const name = path[at] ?? '';
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return value;
  const held = (value as JsonObject)[name];
  const result = withEmptyList(held, path, at + 1);
  if (result === held) return value;
  return Array.isArray(value) ? value.with(Number(name), result) : { ...value, [name]: result };
}

function recordManagers(object: ApiObject, entries: readonly ManagedFieldsEntry[] | undefined): void {
  const meta = metadataOf(object);
  if (entries === undefined) delete meta.managedFields;
  else meta.managedFields = [...entries];
}

/**
 * Returns the object that results from applying a configuration, with owners recorded. `previous` is
 * undefined for a new object. The result shares lists with a frozen `previous`. Throws `ApiError`: 409 for
 * conflicts, 400 or 500 as upstream for a configuration that cannot be applied.
 */
export function appliedObject(
  resource: Resource,
  subresource: string,
  previous: DeepReadonly<ApiObject> | undefined,
  config: unknown,
  context: WriteContext,
): ApiObject {
  const applied = checkConfiguration(resource, config);
  const client = `${resource.scheme.vocabulary.short}ctl`;
  const applier = JSON.stringify([context.fieldManager, subresource, context.force]);
  const { same, copy } = part(() =>
    compareConfigurations(applied as JsonObject, earlierOf(previous, applier)),
  );
  try {
    const { schema, apiVersion, manager, time, reset, convert } = fieldWrite(resource, subresource, context);
    const { object, managedFields, pruned } = part(() =>
      applyManaged({
        schema,
        apiVersion,
        manager,
        subresource,
        time,
        reset,
        convert,
        live: previous,
        config: applied,
        same,
        force: context.force === true,
        clientSide: {
          manager: client,
          annotation: resource.scheme.vocabulary.key(client, 'last-applied-configuration'),
        },
      }),
    );
    const decoded = thawed(decodeExactly(resource, object, context, recode));
    recordManagers(decoded, managedFields);
    if (!pruned) applications.set(decoded, { applier, config: copy });
    return decoded;
  } catch (thrown) {
    if (thrown instanceof ApplyConflicts) throw applyConflict(thrown, versionShown(resource, subresource));
    if (thrown instanceof UnappliableError)
      throw unexplained(
        resource.kind.confidential === true ? withoutShownValues(thrown.message) : thrown.message,
      );
    if (thrown instanceof UndecodableBody)
      throw unexplained(
        `failed to convert new object to proper version: unable to convert unstructured object to ${printedKind(resource.typeMeta)}: ${faultInConversion(thrown)}`,
      );
    throw thrown;
  }
}

/**
 * Returns the API version for conflict messages. Upstream records owners of the replicas at the version of
 * `Scale`, not at that of the scaled kind.
 */
function versionShown({ kind, scheme }: Resource, subresource: string): string | undefined {
  const found = Object.hasOwn(kind.subresources, subresource) ? kind.subresources[subresource] : undefined;
  return found && isVirtualSubresource(found)
    ? scheme.vocabulary.apiVersion(found.group, found.version)
    : undefined;
}

/**
 * Configuration that resulted in an object, and its applier. A repeated apply of the same configuration skips
 * the comparison.
 */
interface Application {
  readonly applier: string;
  readonly config: JsonObject;
}

const applications = new WeakMap<object, Application>();

function earlierOf(object: object | undefined, applier: string): JsonObject | undefined {
  const earlier = object && Object.isFrozen(object) ? applications.get(object) : undefined;
  return earlier?.applier === applier ? earlier.config : undefined;
}

/** Records the applied configuration of `next` for `stored`, the object's stored form. */
export function rememberApplication(next: object, stored: object): void {
  const application = applications.get(next);
  if (application) applications.set(stored, application);
}

/** Deletes the recorded configuration of an object that plugins may have changed. */
export const forgetApplication = (next: object): void => void applications.delete(next);

/**
 * Checks that a configuration is an object of the expected kind and version, and returns it. Throws
 * upstream's `ApiError` otherwise.
 */
export function checkConfiguration(resource: Pick<Resource, 'scheme' | 'typeMeta'>, config: unknown): object {
  // An empty body and `null` are treated as an object without members.
  const given = config ?? {};
  if (!isObject(given)) throw badRequest(`error decoding YAML: ${notAMap(given)}`);
  const { kind, apiVersion, metadata } = given;
  const expected = resource.typeMeta;
  const version = typeof apiVersion === 'string' ? apiVersion : '';
  if (version !== expected.apiVersion)
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${version}, expected: ${expected.apiVersion}`,
    );
  if (isObject(metadata) && Array.isArray(metadata['managedFields']))
    throw badRequest('metadata.managedFields must be nil');
  if (kind !== expected.kind) throw otherKind(resource, version, typeof kind === 'string' ? kind : '');
  return given;
}

const notAMap = (config: unknown): string =>
  `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${Array.isArray(config) ? 'array' : typeof config} into Go value of type map[string]interface {}`;

/**
 * Returns upstream's error for a configuration of another kind. Upstream detects the difference while
 * merging, and its message contains two pointers.
 */
function otherKind({ scheme }: Pick<Resource, 'scheme'>, apiVersion: string, kind: string): ApiError {
  const type = '{0xc000000000 {<nil> <nil> <nil>}}';
  return unexplained(
    scheme.byApiVersion(apiVersion, kind)
      ? `failed to merge config: expected objects of the same type, but got ${type} and ${type}`
      : `failed to create typed patch object: no corresponding type for ${printedKind({ apiVersion, kind })}`,
  );
}

/** Returns a kind as Go prints it: `apps/v1, Kind=Deployment`. */
const printedKind = ({ apiVersion, kind }: Resource['typeMeta']): string =>
  `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;

function fieldWrite(resource: Resource, subresource: string, context: WriteContext): Required<FieldWrite> {
  const { kind, typeMeta, environment } = resource;
  return {
    schema: kind.schema,
    apiVersion: typeMeta.apiVersion,
    manager: context.fieldManager,
    subresource,
    time: toTime(environment.clock.now()),
    reset: resetFields(
      subresource,
      Object.hasOwn(kind.subresources, 'status'),
      preservedMetadata(kind, subresource),
    ),
    convert:
      context.conversions?.convert ?? ((object, apiVersion) => converted(resource, object, apiVersion)),
  };
}

function preservedMetadata(kind: Kind, subresource: string): readonly string[] | undefined {
  const found = Object.hasOwn(kind.subresources, subresource) ? kind.subresources[subresource] : undefined;
  return found && !isVirtualSubresource(found) ? found.preservedMetadata : undefined;
}

/** Converts an object to another version of its kind. Returns undefined if the scheme lacks that version. */
function converted({ scheme, kind }: Resource, object: Typed, apiVersion: string): Typed | undefined {
  const source = scheme.byApiVersion(object.apiVersion, kind.kind);
  const target = scheme.byApiVersion(apiVersion, kind.kind);
  if (!source || !target || storedKindOf(source) !== storedKindOf(target)) return undefined;
  const decoded = (at: AnyKind, value: unknown): object => decode<object>(at.schema, cloneJson(value)).value;
  const context = { vocabulary: scheme.vocabulary };
  const given = decoded(source, object.value) as DeepReadonly<never>;
  const stored: object = source.storage ? source.storage.toStorage(given, context) : given;
  const wanted = target.storage ? target.storage.fromStorage(stored as DeepReadonly<never>, context) : stored;
  return typedObject(target.schema, apiVersion, decoded(target, { ...wanted, ...scheme.typeMetaOf(target) }));
}

/**
 * Returns `next` with the previous times of its managedFields entries, so that a write that changes nothing
 * else is not stored. Returns undefined if the entries differ in number or no time differs.
 */
export function withOldTimes(next: ApiObject, previous: DeepReadonly<ApiObject>): ApiObject | undefined {
  const entries = next.metadata?.managedFields ?? [];
  const before = previous.metadata?.managedFields ?? [];
  if (entries.length !== before.length) return undefined;
  let retimed = false;
  const restored = entries.map((entry, index) => {
    const time = before[index]?.time;
    if (entry.time === time) return entry;
    retimed = true;
    if (time !== undefined) return { ...entry, time };
    const { time: _time, ...rest } = entry;
    return rest;
  });
  return retimed ? { ...next, metadata: { ...next.metadata, managedFields: restored } } : undefined;
}
