import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import { conflict, notFound } from '../../../api/status/index.ts';
import { cloneJson } from '../../../api/schema/index.ts';
import type { Soon } from '../../../base/async/index.ts';
import { charged, inSteps } from '../../../base/budget/index.ts';
import type { Stored } from '../../storage/storage.ts';
import { admit, mayMutate, mutate, whileAllocated } from './admission.ts';
import { applyAllDefaults } from './decoding.ts';
import { converting, createFieldConversions } from '../fields/conversions.ts';
import { forgetApplication, trackUpdate } from '../fields/tracking.ts';
import { checkName, metadataOf, placeInNamespace } from './metadata.ts';
import type { WriteContext, WriteResult } from '../registry.ts';
import { dropRepeatedOwners } from './repeated-owners.ts';
import { type Resource, objectKey, parseObject } from '../resource.ts';
import { uidMismatch, upstreamKey } from './uid-precondition.ts';
import { changedContext } from './write-context.ts';
import { inAttempts } from './attempts.ts';
import { changeOf } from './changes.ts';
import { Draft } from './draft.ts';
import type { Change, WriteIntent } from './intent.ts';
import { checkVersion, prepare } from './prepare.ts';
import { store } from './store.ts';
import { conclude, errorsOf } from './validate.ts';

/**
 * Executes a POST, PUT or PATCH: decode, read the stored object, apply the change, default, record field
 * owners, mutate, prepare, validate, admit, store. There is no other write path. A step waits only for
 * storage, webhooks, or its turn on the event loop. Rejects with `ApiError`.
 */
export async function write(
  resource: Resource,
  intent: WriteIntent,
  context: WriteContext,
): Promise<WriteResult> {
  const change = await divided(context, () => changeOf(resource, intent, context));
  if (change.accepts === 'absent') return attempt(resource, change, context, undefined);
  const key = objectKey(resource, change.namespace, change.name);
  return inAttempts(resource, key, change, context, (stored, warn) => {
    const conversions = stored && createFieldConversions(resource);
    const attempted = changedContext(context, { warn, conversions });
    return attempt(resource, change, attempted, stored);
  });
}

/** Runs one attempt. Rejects with `StorageConflict` if another writer has changed the object. */
async function attempt(
  resource: Resource,
  change: Change,
  context: WriteContext,
  stored: Stored | undefined,
): Promise<WriteResult> {
  const previous = stored && previousOf(resource, stored, context);
  const missing = checkPrevious(resource, change, previous, context);
  if (missing) await missing;
  // A patch can copy a confidential value to a field whose validation errors contain it.
  context.seen?.add(previous);
  return runSteps(resource, change, context, stored && previous && { stored, previous });
}

async function runSteps(
  resource: Resource,
  change: Change,
  context: WriteContext,
  from: { readonly stored: Stored; readonly previous: DeepReadonly<ApiObject> } | undefined,
): Promise<WriteResult> {
  const object = await divided(context, () => changed(resource, change, context, from?.previous));
  const draft = new Draft(resource, change, context, from, object);
  await step(context, () => applyAllDefaults(resource.kind, object, draft.input));
  if (!change.tracksFields)
    await step(context, () => trackUpdate(resource, change.subresource, draft.previous, object, context));
  if (await step(context, () => mutate(resource, draft, context))) await step(context, () => restore(draft));
  dropRepeatedOwners(object, context, ' after mutating admission happens');
  checkVersion(draft);
  await step(context, () => prepare(draft));
  const errors = await divided(context, () => errorsOf(draft));
  await step(context, () => conclude(draft, errors));
  return whileAllocated(resource, draft, context, async () => {
    await step(context, () => admit(resource, draft, context));
    await context.budget?.pause();
    return store(draft);
  });
}

/** Runs one step within the budget, after a pause if the time slice is used up. */
const step = <T>(context: WriteContext, work: () => Soon<T>): Soon<T> =>
  inTime(context, () => charged(context.budget, work));

/**
 * Runs a step without side effects. For a large object the step is interrupted and repeated, see `inSteps`.
 */
const divided = <T>(context: WriteContext, work: () => T): Soon<T> =>
  inTime(context, () => inSteps(context.budget, work));

/**
 * Runs a step after a due pause. If a webhook converts versions, a step that lacks a conversion is repeated
 * once the conversion is known.
 */
function inTime<T>({ budget, conversions }: WriteContext, run: () => Soon<T>): Soon<T> {
  const ready = conversions ? () => converting(run) : run;
  const pause = budget?.pause();
  return pause ? pause.then(ready) : ready();
}

/**
 * Returns the stored object, parsed. It is frozen if other writes share it, which happens only for kinds
 * whose steps do not modify the shared parts.
 */
function previousOf(resource: Resource, stored: Stored, context: WriteContext): DeepReadonly<ApiObject> {
  const recent = resource.policy.sharesItems ? resource.recent.get(stored) : undefined;
  return recent ?? charged(context.budget, () => parseObject(stored.value));
}

/**
 * Throws for a write with another uid or to a missing object. Returns a promise that resolves once the client
 * may create the missing object.
 */
function checkPrevious(
  resource: Resource,
  { namespace, name, uid, accepts }: Change,
  previous: DeepReadonly<ApiObject> | undefined,
  { mayCreate }: WriteContext,
): Promise<void> | undefined {
  if (accepts === 'absent') return undefined;
  const found = previous?.metadata?.uid ?? '';
  if (uid && uid !== found)
    throw conflict(resource.name, name, uidMismatch(upstreamKey(resource, namespace, name), uid, found));
  if (previous) return undefined;
  if (accepts === 'present') throw notFound(resource.name, name);
  return mayCreate?.();
}

/** Returns the object that the client wants, in the namespace of the path. */
function changed(
  resource: Resource,
  change: Change,
  context: WriteContext,
  previous: DeepReadonly<ApiObject> | undefined,
): ApiObject {
  const wanted = change.apply(previous, context);
  const object = previous && !sharesItems(resource, previous) ? unshared(wanted) : wanted;
  if (change.name !== '') checkName(object, change.namespace, change.name);
  placeInNamespace(resource, object, change.namespace);
  // A resource version says nothing about an object that does not exist.
  if (!previous && change.accepts === 'either') delete metadataOf(object).resourceVersion;
  return object;
}

const sharesItems = (resource: Resource, previous: DeepReadonly<ApiObject>): boolean =>
  !Object.isFrozen(previous) || !mayMutate(resource, 'UPDATE');

/** Returns a copy that shares only the managed fields with the previous object. No step modifies them. */
function unshared(wanted: ApiObject): ApiObject {
  const { managedFields, ...meta } = metadataOf(wanted);
  const copy = cloneJson({ ...wanted, metadata: meta });
  if (managedFields !== undefined) metadataOf(copy).managedFields = managedFields;
  return copy;
}

/** Sets defaults and namespace again, as plugins may have changed the object. */
function restore({ resource, object, input, namespace }: Draft): void {
  applyAllDefaults(resource.kind, object, input);
  forgetApplication(object);
  placeInNamespace(resource, object, namespace);
}
