import { namespaces } from '../../api/groups/core-v1.ts';
import { ApiError, isConflict, isNotFound } from '../../api/status/index.ts';
import type { Namespace } from '../../api/types/core-v1.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import { fromTime, toTime } from '../../base/clock/index.ts';
import {
  type EndingNamespace,
  type FinalizeInput,
  type ReportInput,
  type Sweep,
  type SweepInput,
  namespaceMachine,
} from '../../machines/namespace/namespace.ts';
import {
  type Client,
  type ControllerContext,
  type DiscoveredResource,
  type Effects,
  type ResourceClient,
  discover,
  kindOf,
  watch,
} from '../../runtime/index.ts';
import { unlessNotFound } from '../absence.ts';
import { implement } from '../implement.ts';
import { conditionsAfter, sameConditions } from './conditions.ts';
import { namespaceManifest } from './manifest.ts';

/**
 * Deletes the content of namespaces that are being deleted, then removes the finalizer of these namespaces:
 * https://github.com/kubernetes/kubernetes/tree/v1.24.0/pkg/controller/namespace
 */
export const namespaceController = implement(namespaceManifest, {
  machine: namespaceMachine,
  watches: () => [watch(namespaces)],
  effects: createEffects,
});

function createEffects({ client, informers, scheme, clock }: ControllerContext): Effects {
  const { vocabulary } = scheme;
  const store = informers.of(namespaces).store;
  const isOurs = (object: DeepReadonly<Namespace>): boolean =>
    object.metadata?.deletionTimestamp !== undefined &&
    (object.spec?.finalizers ?? []).includes(vocabulary.namespaceFinalizer);

  /**
   * Reads the namespace from the API. Returns undefined unless it has this uid, is being deleted and still
   * has this controller's finalizer.
   */
  const live = async (
    name: string,
    uid: string,
    signal: AbortSignal,
  ): Promise<DeepReadonly<Namespace> | undefined> => {
    const object = await client.cluster(namespaces).get(name, { signal }).catch(unlessNotFound);
    return object?.metadata?.uid === uid && isOurs(object) ? object : undefined;
  };

  return {
    observe: async ({ key }: { key: string }): Promise<EndingNamespace | null> => {
      const object = store.get(key);
      return object?.metadata?.uid !== undefined && isOurs(object) ? { uid: object.metadata.uid } : null;
    },

    sweep: ({ name, uid }: SweepInput, signal: AbortSignal): Promise<Sweep> => {
      const now = client.serverClock.now();
      const isOurs = async (): Promise<boolean> => (await live(name, uid, signal)) !== undefined;
      const endsForMs = now - (fromTime(store.get(name)?.metadata?.deletionTimestamp) ?? now);
      return sweep(client, { name, isOurs, endsForMs, signal });
    },

    report: async ({ name, uid, sweep: found }: ReportInput, signal: AbortSignal): Promise<void> => {
      const object = await live(name, uid, signal);
      if (!object) return;
      const known = object.status?.conditions ?? [];
      const conditions = conditionsAfter(found, known, toTime(clock.now()), vocabulary);
      if (sameConditions(conditions, known)) return;
      await client
        .cluster(namespaces)
        .subresource('status')
        .update({ ...object, status: { ...object.status, conditions } }, { signal });
    },

    finalize: async ({ name, uid }: FinalizeInput, signal: AbortSignal): Promise<void> => {
      const object = await live(name, uid, signal);
      if (!object) return;
      const finalizers = (object.spec?.finalizers ?? []).filter(
        (each) => each !== vocabulary.namespaceFinalizer,
      );
      try {
        await client
          .cluster(namespaces)
          .subresource('finalize')
          .update({ ...object, spec: { ...object.spec, finalizers } }, { signal });
      } catch (thrown) {
        if (!isNotFound(thrown) && !isConflict(thrown)) throw thrown;
        if (isConflict(thrown))
          throw new Error(`namespace ${name} changed while it was finalized`, { cause: thrown });
      }
    },
  };
}

/** Namespace whose content is being deleted. */
interface Ending {
  readonly name: string;
  readonly isOurs: () => Promise<boolean>;
  /** Milliseconds since the deletion of the namespace was requested. */
  readonly endsForMs: number;
  readonly signal: AbortSignal;
}

/**
 * Deletes all deletable objects in a namespace, then counts the remaining objects. Between the lists and the
 * deletions it reads the namespace again, so that nothing is deleted from a new namespace of the same name.
 */
async function sweep(client: Client, ending: Ending): Promise<Sweep> {
  const { name, isOurs, endsForMs, signal } = ending;
  const { resources, failures } = await discover(client, signal);
  const remaining = new Map<string, number>();
  const finalizers = new Map<string, number>();
  const failed: string[] = [];
  const orFail = async (resource: DiscoveredResource, act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      const message = messageOf(thrown);
      failed.push(thrown instanceof ApiError ? message : `${resource.plural}.${resource.group}: ${message}`);
    }
  };

  const contents: Content[] = [];
  for (const resource of resources.filter(isDeletable))
    await orFail(resource, async () => {
      const content = await contentOf(client, resource, name, signal);
      if (content.present.length > 0) contents.push(content);
    });
  for (const content of contents.length > 0 && (await isOurs()) ? contents : [])
    await orFail(content.resource, async () => {
      const { resource } = content;
      const left = await empty(content, signal);
      if (left.length > 0) remaining.set(`${resource.plural}.${resource.group}`, left.length);
      if (areStuck(left, resource, ending)) failed.push(stuckText(resource, ending));
      for (const finalizer of left.flatMap((object) => object.metadata?.finalizers ?? []))
        finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
    });
  return {
    endsForMs,
    undiscovered: failures.map(({ groupVersion, message }) => `${groupVersion}: ${message}`),
    failures: failed,
    remaining: Object.fromEntries(remaining),
    finalizers: Object.fromEntries(finalizers),
  };
}

const isDeletable = ({ namespaced, verbs }: DiscoveredResource): boolean =>
  namespaced && verbs.includes('delete') && verbs.includes('list');

const isPods = ({ plural, group }: DiscoveredResource): boolean => plural === 'pods' && group === '';

/** Objects of one resource in the namespace. */
interface Content {
  readonly resource: DiscoveredResource;
  /**
   * Lists the objects. Pods are listed in full, because their grace period is needed; other objects are
   * listed as metadata.
   */
  readonly list: () => Promise<readonly DeepReadonly<ApiObject>[]>;
  readonly objects: ResourceClient<ApiObject>;
  readonly present: readonly { readonly name: string; readonly uid: string; readonly isDeleting: boolean }[];
}

async function contentOf(
  client: Client,
  resource: DiscoveredResource,
  namespaceName: string,
  signal: AbortSignal,
): Promise<Content> {
  const objects = client.namespaced(kindOf(client, resource), namespaceName);
  const list: Content['list'] = async () =>
    (await objects.list({ metadataOnly: !isPods(resource), signal })).items;
  const present = (await list()).map(({ metadata }) => ({
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    isDeleting: metadata?.deletionTimestamp !== undefined,
  }));
  return { resource, list, objects, present };
}

/** Maximum number of concurrent deletions. */
const DELETIONS_AT_ONCE = 20;

/**
 * Deletes the objects of one resource and returns the remaining objects. Each object is deleted by its uid: a
 * deletion of the collection that arrives late could delete the content of a new namespace of the same name.
 */
async function empty({ objects, list, present }: Content, signal: AbortSignal) {
  const staying = present.filter(({ isDeleting }) => !isDeleting);
  for (let from = 0; from < staying.length; from += DELETIONS_AT_ONCE) {
    const deletions = staying
      .slice(from, from + DELETIONS_AT_ONCE)
      .map(({ name, uid }) =>
        objects
          .delete(name, { preconditions: { uid }, propagationPolicy: 'Background', signal })
          .catch(unlessNotFound),
      );
    // Each deletion is awaited, so that none is in flight when a failure has ended the effect.
    for (const result of await Promise.allSettled(deletions))
      if (result.status === 'rejected') throw result.reason;
  }
  return list();
}

/** True if objects remain although none has a finalizer and the grace periods of pods are over. */
function areStuck(
  left: readonly DeepReadonly<ApiObject>[],
  resource: DiscoveredResource,
  { endsForMs }: Ending,
): boolean {
  if (left.length === 0 || left.some(({ metadata }) => (metadata?.finalizers ?? []).length > 0)) return false;
  const seconds = isPods(resource) ? Math.max(...left.map(secondsToEnd)) : 0;
  return endsForMs >= seconds * 1_000;
}

const secondsToEnd = ({ spec, status }: DeepReadonly<Pod>): number =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed'
    ? 0
    : Number(spec?.terminationGracePeriodSeconds ?? 0);

const stuckText = ({ group, version, plural }: DiscoveredResource, { name }: Ending): string =>
  `unexpected items still remain in namespace: ${name} for gvr: ${group}/${version}, Resource=${plural}`;
