import { jobs } from '../../api/groups/batch-v1.ts';
import { pods } from '../../api/groups/core-v1.ts';
import { type DeepReadonly, splitKey } from '../../api/kinds/index.ts';
import { ApiError, isConflict, isNotFound } from '../../api/status/index.ts';
import type { Job } from '../../api/types/batch-v1.ts';
import type {
  CreateInput,
  JobIdentity,
  PodRef,
  PodsInput,
  RemoveInput,
  Written,
} from '../../machines/job/index.ts';
import { onAbort } from '../../base/async/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import { type ControllerContext, type Effects, controllerReference, slowStart } from '../../runtime/index.ts';
import { isNamespaceEnding } from '../namespace-state.ts';
import type { SyncAction } from './job-metrics.ts';
import { jobNames } from './names.ts';
import { newPod } from './new-pod.ts';
import type { JobMemory } from './observe.ts';

/** Returns the Job on which a decision was made. Throws if the name now belongs to another Job. */
export type DecidedOn = (identity: JobIdentity) => DeepReadonly<Job>;

/** Creates the effects that write pods. Each write has the uid and the version on which it was decided. */
export function createPodWrites(
  { client, events, scheme }: ControllerContext,
  { expectations, keeps }: JobMemory,
  decidedOn: DecidedOn,
  /** Called with the action that a reconcile is about to execute. */
  acts: (key: string, action: SyncAction) => void,
): Pick<Effects, 'adopt' | 'release' | 'untrack' | 'removePods' | 'createPods'> {
  const names = jobNames(scheme.vocabulary);
  const marks = (): readonly string[] =>
    keeps.get('uncountedTerminatedPods') === false ? [] : [names.tracking];
  /**
   * Returns the patch that removes the finalizer of a pod. The patch is empty for an untracked pod, because
   * the directive would create an empty list.
   */
  const untracked = ({ tracked }: PodRef): object =>
    tracked ? { '$deleteFromPrimitiveList/finalizers': [names.tracking] } : {};
  const podsOf = (key: string) => client.namespaced(pods, splitKey(key).namespace);

  const patch = (
    key: string,
    { name, uid, resourceVersion }: PodRef,
    metadata: object,
    signal: AbortSignal,
  ) => podsOf(key).patch(name, 'strategic', { metadata: { uid, resourceVersion, ...metadata } }, { signal });

  /**
   * Writes all pods, even if some of them were deleted or have changed. Returns `changed` if a write
   * conflicted.
   */
  const each = async (
    key: string,
    refs: readonly PodRef[],
    write: (pod: PodRef) => Promise<unknown>,
  ): Promise<Written> => {
    const results = await Promise.allSettled(refs.map(write));
    let changed = false;
    for (const result of results) {
      if (result.status === 'fulfilled' || isNotFound(result.reason)) continue;
      if (!isConflict(result.reason)) throw result.reason;
      changed = true;
    }
    if (!changed) return 'done';
    // With a stale cache, the next reconcile would repeat the rejected write, so it must read the API.
    expectations.doubt(key);
    return 'changed';
  };

  return {
    async adopt({ key, resourceVersion, pods: found }: PodsInput, signal): Promise<Written> {
      const { namespace, name } = splitKey(key);
      const job = await client.namespaced(jobs, namespace).get(name, { signal });
      // Pods are adopted only at the observed version: in an older state of the Job, counted and released
      // pods look like new pods.
      if (job.metadata?.resourceVersion !== resourceVersion) {
        expectations.doubt(key);
        return 'changed';
      }
      const ownerReferences = [controllerReference(scheme, jobs, job)];
      return each(key, found, (pod) => patch(key, pod, { ownerReferences, finalizers: marks() }, signal));
    },

    release: ({ key, uid, pods: strayed }: PodsInput, signal): Promise<Written> =>
      each(key, strayed, (pod) =>
        patch(key, pod, { ownerReferences: [{ $patch: 'delete', uid }], ...untracked(pod) }, signal),
      ),

    untrack: ({ key, pods: counted }: PodsInput, signal): Promise<Written> =>
      each(key, counted, (pod) => patch(key, pod, untracked(pod), signal)),

    async removePods({ counted, pods: doomed, ...identity }: RemoveInput, signal): Promise<Written> {
      const { key } = identity;
      const job = decidedOn(identity);
      acts(key, 'pods_deleted');
      return each(key, doomed, async (pod) => {
        const { name, uid } = pod;
        let { resourceVersion } = pod;
        if (!counted && pod.tracked) {
          const free = await patch(key, pod, untracked(pod), signal);
          resourceVersion = free.metadata?.resourceVersion ?? '';
        }
        try {
          await podsOf(key).delete(name, { preconditions: { uid, resourceVersion }, signal });
        } catch (thrown) {
          if (!isNotFound(thrown) && !isConflict(thrown))
            events.record(job, 'Warning', 'FailedDelete', `Error deleting: ${messageOf(thrown)}`);
          throw thrown;
        }
        expectations.ends(key, uid);
        events.record(job, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
      });
    },

    async createPods({ indexes, ...identity }: CreateInput, signal): Promise<Written> {
      const { key } = identity;
      const job = decidedOn(identity);
      const owner = controllerReference(scheme, jobs, job);
      acts(key, 'pods_created');
      // After a time limit, the next reconcile starts before the abandoned request rejects.
      const answered = onAbort(signal, () => expectations.doubt(key));
      const creations = slowStart(indexes.length, async (at) => {
        try {
          const pod = await podsOf(key).create(newPod(job, owner, names, marks(), indexes[at] ?? null), {
            signal,
          });
          expectations.appears(key, pod.metadata?.uid ?? '');
          events.record(job, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata?.name ?? ''}`);
        } catch (thrown) {
          if (isNamespaceEnding(thrown)) return;
          // Without a response, or after a server error, the pod may exist.
          if (!(thrown instanceof ApiError) || thrown.status.code >= 500) expectations.doubt(key);
          events.record(job, 'Warning', 'FailedCreate', `Error creating: ${messageOf(thrown)}`);
          throw thrown;
        }
      });
      await creations.finally(answered);
      return 'done';
    },
  };
}
