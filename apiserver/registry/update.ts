import type { ApiObject, DeepReadonly, ObjectSubresource, StrategyContext } from '../../api/kinds/kind.ts';
import { isVirtualSubresource } from '../../api/kinds/kind.ts';
import {
  type ApiError,
  MODIFIED,
  badRequest,
  conflict,
  invalid,
  isAlreadyExists,
  methodNotAllowed,
  notFound,
} from '../../api/status/api-error.ts';
import { cloneJson } from '../../api/schema/own.ts';
import type { FieldErrors } from '../../api/status/field-errors.ts';
import { validateObjectMetaUpdate } from '../../api/validation/metadata.ts';
import { validatePrivileges } from '../../api/validation/privileged.ts';
import { inSteps, part } from '../../base/budget/steps.ts';
import type { Soon } from '../../base/async/soon.ts';
import { charged } from '../../base/budget/work-budget.ts';
import { isStampOf, stampResourceVersion } from '../storage/stamp.ts';
import { StorageConflict, type Stored } from '../storage/storage.ts';
import { type AdmissionSubject, admit, mayMutate, mutate, whileAllocated } from './admission-chain.ts';
import { createDecoded, metadataRules, refuse, tellReceived, withOutcome } from './create.ts';
import { applyAllDefaults, decodeBody } from './decoding.ts';
import { converting, createFieldConversions } from './field-conversions.ts';
import { forgetApplication, rememberApplication, trackUpdate, withOldTimes } from './field-tracking.ts';
import {
  bumpGeneration,
  carryGeneration,
  checkName,
  metadataOf,
  placeInNamespace,
  prepareMetadataForUpdate,
} from './preparation.ts';
import type { WriteContext, WriteResult } from './registry.ts';
import { dropRepeatedOwners } from './repeated-owners.ts';
import { type Resource, objectKey, parseObject, strategyContext } from './resource.ts';
import { equalStored, serialised } from './serialisation.ts';
import { uidMismatch, upstreamKey } from './uid-precondition.ts';
import { changedContext } from './write-context.ts';

/** One write to an object that exists: what PUT and PATCH share. */
export interface Modification {
  readonly namespace: string;
  readonly name: string;
  /** '' for the object itself. */
  readonly subresource: string;
  /** The object as the client wants it, a fresh value on each call. */
  readonly desired: (previous: DeepReadonly<ApiObject>, context: WriteContext) => ApiObject;
  /** Makes the object when there is none; undefined: 404. */
  readonly create?: (() => Promise<WriteResult>) | undefined;
  /** The uid the client believes the object to have. */
  readonly uid?: string | undefined;
  /** `desired` has recorded who owns what. */
  readonly tracked?: boolean;
  /** The client gave a version: it would rather be refused than wait for others. */
  readonly versioned?: boolean;
}

/** PUT of an object or one of its subresources. */
export async function updateObject(
  resource: Resource,
  namespace: string,
  name: string,
  subresource: string,
  body: unknown,
  context: WriteContext,
): Promise<WriteResult> {
  objectSubresource(resource, subresource, 'update');
  const { budget } = context;
  if (budget?.isDue) await budget.pause();
  const decoding = inSteps(budget, () => decodeBody(resource, body, context));
  const decoded = decoding instanceof Promise ? await decoding : decoding;
  dropRepeatedOwners(decoded, context, '');
  charged(budget, () => tellReceived(resource, decoded, context));
  checkName(decoded, namespace, name);
  placeInNamespace(resource, decoded, namespace);
  const creates = resource.policy.createOnUpdate && subresource === '';
  return modify(
    resource,
    {
      namespace,
      name,
      subresource,
      desired: () => cloneJson(decoded),
      create: creates ? () => createInstead(resource, namespace, decoded, context) : undefined,
      uid: decoded.metadata?.uid,
      versioned: isVersion(decoded.metadata?.resourceVersion),
    },
    context,
  );
}

/** A version says nothing about an object that is not there. */
function createInstead(
  resource: Resource,
  namespace: string,
  decoded: ApiObject,
  context: WriteContext,
): Promise<WriteResult> {
  const object = cloneJson(decoded);
  delete metadataOf(object).resourceVersion;
  return createDecoded(resource, namespace, object, context);
}

/**
 * The subresource that is written, undefined for the object itself. Throws 405 for one that cannot be. Whether a client
 * may write through one with a kind of its own is decided before its handler is called.
 */
export function objectSubresource(
  { kind }: Resource,
  subresource: string,
  verb: 'update' | 'patch',
): ObjectSubresource | undefined {
  if (subresource === '') return undefined;
  const found = Object.hasOwn(kind.subresources, subresource) ? kind.subresources[subresource] : undefined;
  if (found && isVirtualSubresource(found) && found.writes) return found.writes;
  if (!found || isVirtualSubresource(found) || !found.verbs.includes(verb)) throw methodNotAllowed();
  return found;
}

/**
 * Reads, changes and writes until nothing came in between. A version that the client gave is checked on every round, so
 * only those who did not care are tried again; each round that is lost is one that another writer has won. Who has lost one
 * stands in line, so that the writers of this server lose no further ones to each other.
 */
export async function modify(
  resource: Resource,
  modification: Modification,
  context: WriteContext,
): Promise<WriteResult> {
  const { lines, storage } = resource;
  const key = objectKey(resource, modification.namespace, modification.name);
  let turn = modification.versioned || !lines.has(key) ? undefined : await lines.join(key);
  try {
    for (let stored = await storage.get(key); ;) {
      context.signal.throwIfAborted();
      if (context.budget?.isDue) await context.budget.pause();
      try {
        return await round(resource, modification, context, stored);
      } catch (thrown) {
        const isLost = thrown instanceof StorageConflict;
        // Another writer may have created it meanwhile: then there is something to update.
        if (!isLost && (stored || !isAlreadyExists(thrown))) throw thrown;
        const joins = !modification.versioned && turn?.isOn !== true;
        if (joins) turn = await lines.join(key);
        stored = isLost && !joins ? thrown.current : await storage.get(key);
      }
    }
  } finally {
    turn?.end();
  }
}

/** Throws, or rejects with, `StorageConflict` when somebody else was faster. */
function round(
  resource: Resource,
  modification: Modification,
  context: WriteContext,
  stored: Stored | undefined,
): Promise<WriteResult> {
  const previous =
    stored && (recentOf(resource, stored) ?? charged(context.budget, () => parseObject(stored.value)));
  checkUid(resource, modification, previous);
  if (stored && previous) return attempt(resource, modification, context, stored, previous);
  const { create } = modification;
  if (!create) throw notFound(resource.name, modification.name);
  return context.mayCreate ? context.mayCreate().then(create) : create();
}

/** What a round that was lost warns of is told to nobody. */
async function attempt(
  resource: Resource,
  modification: Modification,
  asked: WriteContext,
  stored: Stored,
  previous: DeepReadonly<ApiObject>,
): Promise<WriteResult> {
  const { namespace, name, subresource } = modification;
  const { kind } = resource;
  const warnings: string[] = [];
  const conversions = createFieldConversions(resource);
  const context = changedContext(asked, { warn: (text) => void warnings.push(text), conversions });
  const input = strategyContext(resource, context.user);
  const { budget } = context;
  if (budget?.isDue) await budget.pause();
  const want = (): Soon<ApiObject> =>
    inSteps(budget, () => wantedOf(resource, modification, previous, context));
  const wanted = conversions ? converting(want) : want();
  const next = wanted instanceof Promise ? await wanted : wanted;
  if (budget?.isDue) await budget.pause();
  charged(budget, () => applyAllDefaults(kind, next, input));
  if (budget?.isDue) await budget.pause();
  const track = (): void =>
    charged(budget, () => trackUpdate(resource, subresource, previous, next, context));
  if (!modification.tracked) {
    if (conversions) await converting(track);
    else track();
  }
  const subject: AdmissionSubject = {
    operation: 'UPDATE',
    namespace,
    name,
    subresource,
    object: next,
    previous,
  };
  if (budget?.isDue) await budget.pause();
  if (await charged(budget, () => mutate(resource, subject, context)))
    charged(budget, () => {
      applyAllDefaults(kind, next, input);
      forgetApplication(next);
      placeInNamespace(resource, next, namespace);
    });
  dropRepeatedOwners(next, context, ' after mutating admission happens');
  checkVersion(resource, name, next, stored);
  if (budget?.isDue) await budget.pause();
  const change: Change = { resource, subresource, next, previous, input };
  charged(budget, () => prepare(change));
  const errors = inSteps(budget, () => errorsOf(change));
  refuse(resource, previous.metadata?.name ?? '', errors instanceof Promise ? await errors : errors, context);
  charged(budget, () => warnOf(change, context));
  if (budget?.isDue) await budget.pause();
  const result = await whileAllocated(resource, subject, context, async () => {
    await charged(budget, () => admit(resource, subject, context));
    if (budget?.isDue) await budget.pause();
    return store(resource, subresource, next, previous, stored, context);
  });
  for (const text of warnings) asked.warn(text);
  return result;
}

/** The object as the client wants it, without defaults. */
function wantedOf(
  resource: Resource,
  { namespace, name, desired }: Modification,
  previous: DeepReadonly<ApiObject>,
  context: WriteContext,
): ApiObject {
  const wanted = desired(previous, context);
  const next = sharesItems(resource, previous) ? wanted : unshared(wanted);
  checkName(next, namespace, name);
  placeInNamespace(resource, next, namespace);
  return next;
}

/** Frozen, for kinds that do not write into what the next object shares with it. */
const recentOf = (resource: Resource, stored: Stored): DeepReadonly<ApiObject> | undefined =>
  resource.policy.sharesItems ? resource.recent.get(stored) : undefined;

const sharesItems = (resource: Resource, previous: DeepReadonly<ApiObject>): boolean =>
  !Object.isFrozen(previous) || !mayMutate(resource, 'UPDATE');

/** Without parts of the object before it, save the managedFields, which nobody writes into. */
function unshared(wanted: ApiObject): ApiObject {
  const { managedFields, ...meta } = metadataOf(wanted);
  const copy = cloneJson({ ...wanted, metadata: meta });
  if (managedFields !== undefined) metadataOf(copy).managedFields = managedFields;
  return copy;
}

/** Optimistic concurrency: a version that was given must be the newest; one that was not stands for the newest. */
function checkVersion(resource: Resource, name: string, next: ApiObject, stored: Stored): void {
  const meta = metadataOf(next);
  const given = meta.resourceVersion;
  if (!isVersion(given)) {
    if (!resource.policy.unconditionalUpdate) throw versionRequired(resource, name);
    meta.resourceVersion = String(stored.revision);
    return;
  }
  if (!/^\d+$/.test(given))
    throw badRequest(`strconv.ParseUint: parsing ${JSON.stringify(given)}: invalid syntax`);
  if (given !== String(stored.revision)) throw conflict(resource.name, name, MODIFIED);
}

const isVersion = (given: string | undefined): given is string =>
  given !== undefined && given !== '' && given !== '0';

/** Upstream names the resource where the kind belongs, and prints the missing number as Go does. */
const versionRequired = ({ name: { group, resource } }: Resource, name: string): ApiError =>
  invalid({ group, kind: resource }, name, [
    {
      type: 'FieldValueInvalid',
      field: 'metadata.resourceVersion',
      message: 'Invalid value: 0x0: must be specified for an update',
    },
  ]);

/** A body that names another uid is about another object, gone since or made since. */
function checkUid(
  resource: Resource,
  { namespace, name, uid }: Modification,
  previous: DeepReadonly<ApiObject> | undefined,
): void {
  const found = previous?.metadata?.uid ?? '';
  if (!uid || uid === found) return;
  throw conflict(resource.name, name, uidMismatch(upstreamKey(resource, namespace, name), uid, found));
}

/** An update whose new object has its defaults and its owners of fields. */
interface Change {
  readonly resource: Resource;
  readonly subresource: string;
  readonly next: ApiObject;
  readonly previous: DeepReadonly<ApiObject>;
  readonly input: StrategyContext;
}

/** The subresource that is written; undefined for the object itself. */
function writtenOf({ resource: { kind }, subresource }: Change): ObjectSubresource | undefined {
  const found = subresource === '' ? undefined : kind.subresources[subresource];
  return found && (isVirtualSubresource(found) ? found.writes : found);
}

function prepare(change: Change): void {
  const { next, previous, input } = change;
  const { strategy, generation } = change.resource.kind;
  const written = writtenOf(change);
  carryGeneration(next, previous);
  (written ?? strategy).prepareForUpdate?.(next, previous, input);
  if (!written && generation && specChanged(next, previous)) bumpGeneration(next);
  prepareMetadataForUpdate(next, previous);
}

/** All errors of an update. Has no effects: it may be run in steps. */
function errorsOf(change: Change): FieldErrors {
  const { resource, subresource, next, previous, input } = change;
  const { strategy } = resource.kind;
  const written = writtenOf(change);
  const settled = written !== undefined || part(() => isSettled(next, previous));
  const objectErrors = settled ? [] : part(() => strategy.validate?.(next, input) ?? []);
  const mayEscalate = resource.allowPrivileged || (written && subresource !== 'ephemeralcontainers');
  const rules = written ? resource.policy.statusRechecks : resource.policy.rechecks;
  return [
    ...part(() => validateObjectMetaUpdate(next.metadata, previous.metadata, metadataRules(resource), rules)),
    ...objectErrors,
    ...(mayEscalate ? [] : part(() => validatePrivileges(resource.kind, next))),
    ...(strategy.validatesChangeToo ? objectErrors : []),
    ...part(() => validateChange(written ?? strategy, next, previous, input)),
  ];
}

function warnOf({ resource, subresource, next, previous, input }: Change, { warn }: WriteContext): void {
  if (subresource !== '') return;
  for (const text of resource.kind.strategy.warnings?.(next, previous, input) ?? []) warn(text);
}

/** Whether nothing changes in an object that was found valid when it was written. */
const isSettled = (next: ApiObject, previous: DeepReadonly<ApiObject>): boolean =>
  Object.isFrozen(previous) && (equalStored(next, previous) || isRetimed(next, previous));

const validateChange = (
  by: Pick<ObjectSubresource, 'validateUpdate'>,
  next: ApiObject,
  previous: DeepReadonly<ApiObject>,
  input: StrategyContext,
): FieldErrors => by.validateUpdate?.(next, previous, input) ?? [];

const specOf = (object: DeepReadonly<ApiObject>): unknown => (object as { readonly spec?: unknown }).spec;

/** Compared as it would be stored: what a strategy leaves `undefined` counts as absent. */
const specChanged = (next: ApiObject, previous: DeepReadonly<ApiObject>): boolean =>
  !equalStored(specOf(next), specOf(previous));

async function store(
  resource: Resource,
  subresource: string,
  next: ApiObject,
  previous: DeepReadonly<ApiObject>,
  stored: Stored,
  context: WriteContext,
): Promise<WriteResult> {
  const finished = isFinished(resource, next, previous);
  const isNew = finished || stored.outdated === true;
  const isRecent = resource.policy.sharesItems && subresource === '';
  if (!isNew && (equalStored(next, previous) || isRetimed(next, previous))) {
    if (isRecent) resource.recent.add(stored, previous);
    rememberApplication(next, previous);
    return withOutcome(stored.value, false);
  }
  const serialising = serialised(resource, next, context.budget);
  const { bytes, object } = serialising instanceof Promise ? await serialising : serialising;
  if (!isNew && isAsStored(object, previous)) return withOutcome(stored.value, false);
  context.signal.throwIfAborted();
  if (finished) {
    await resource.storage.delete(stored.key, stored.revision);
    // Clients of an update expect the object they sent, though it is no more.
    return withOutcome(stampResourceVersion(bytes, stored.revision), false);
  }
  const { value, revision } = await resource.storage.put(stored.key, bytes, stored.revision);
  // A store that converts what it is given may keep something else.
  if (isRecent && isStampOf(value, bytes)) {
    metadataOf(object).resourceVersion = String(revision);
    resource.recent.add({ key: stored.key, value }, object);
    rememberApplication(next, object);
  }
  return withOutcome(value, false);
}

/** Most writes change what stands beside the metadata: only where they do not are those copied, to leave the version out. */
const isAsStored = (object: ApiObject, previous: DeepReadonly<ApiObject>): boolean =>
  Object.keys(object).every(
    (name) => name === 'metadata' || equalStored(memberOf(object, name), memberOf(previous, name)),
  ) && equalStored(object, withoutVersion(previous));

const memberOf = (object: DeepReadonly<ApiObject>, name: string): unknown =>
  (object as { readonly [name: string]: unknown })[name];

function withoutVersion(object: DeepReadonly<ApiObject>): DeepReadonly<ApiObject> {
  const { resourceVersion: _resourceVersion, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}

/** Whether the times of managedFields are all that would change. */
function isRetimed(next: ApiObject, previous: DeepReadonly<ApiObject>): boolean {
  const restored = withOldTimes(next, previous);
  return restored !== undefined && equalStored(restored, previous);
}

/** Whether nothing keeps the object any longer: it is being deleted, without grace left and without finalizers. */
function isFinished(resource: Resource, next: ApiObject, previous: DeepReadonly<ApiObject>): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds } = previous.metadata ?? {};
  if (deletionTimestamp === undefined || (deletionGracePeriodSeconds ?? 0) > 0) return false;
  if ((next.metadata?.finalizers ?? []).length > 0) return false;
  return resource.policy.deletion !== 'namespace' || namespaceFinalizersOf(next).length === 0;
}

const namespaceFinalizersOf = (object: DeepReadonly<ApiObject>): readonly string[] =>
  (specOf(object) as { readonly finalizers?: readonly string[] } | undefined)?.finalizers ?? [];
