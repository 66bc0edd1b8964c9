import {
  type AnyKind,
  type ApiObject,
  type DeepReadonly,
  type Scheme,
  keyOf,
} from '../../api/kinds/index.ts';
import { ApiError, isConflict } from '../../api/status/index.ts';
import { toTime } from '../../base/clock/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import { type Client, isClientError } from '../../runtime/index.ts';
import { type Commit, type LiveView, resourceOf } from '../invariants/invariant.ts';
import { type PodEnd, createPodEnds, endedPodStatus } from './pod-ends.ts';
import type { Timeline } from './timeline.ts';

/** One request of a user. */
export interface Action {
  /**
   * Virtual milliseconds since the start. Actions with a negative time happen before the controllers start.
   */
  readonly atMs: number;
  readonly verb: 'create' | 'patch' | 'delete';
  /** Group and plural: `batch/cronjobs`, `/secrets`. */
  readonly resource: string;
  readonly subresource?: string;
  /** Namespace; '' or undefined for a cluster-scoped object. */
  readonly namespace?: string;
  readonly name: string;
  /** Object to create, without kind and apiVersion; `name` becomes its metadata.name. */
  readonly object?: Readonly<Record<string, unknown>>;
  /**
   * Owners of the created or patched object, resolved when the action runs. A missing owner gets an unknown
   * uid.
   */
  readonly owners?: readonly Owner[];
  /** Merge patch. */
  readonly patch?: unknown;
  /** Finalizer that the patch removes; other finalizers remain. */
  readonly withoutFinalizer?: string;
  readonly propagation?: 'Orphan' | 'Background' | 'Foreground';
}

export interface Owner {
  readonly resource: string;
  readonly name: string;
  /** True if foreground deletion of the owner waits for the dependent. */
  readonly block?: boolean;
}

/** Result of an action. An error response also counts as a result. */
export interface Done {
  readonly action: Action;
  readonly error?: string;
}

export interface User {
  /** Plans every action at its time. */
  plan(actions: readonly Action[]): void;
  /** Sends the action now. Resolves with the result of the action. */
  act(action: Action): Promise<Done>;
  /**
   * Simulates the node agent, which ends each pod after its running time. Also ends each Job if no Job
   * controller runs.
   */
  onCommit(commit: Commit): void;
  readonly done: readonly Done[];
}

const TRIES = 60;
const AGAIN_MS = 1_000;

/** Name of the annotation with a pod's running time in milliseconds; default `DEFAULT_RUN_MS`. */
const RUNS = 'chaos/runs';
const DEFAULT_RUN_MS = 20_000;

export interface UserOptions {
  readonly client: Client;
  readonly scheme: Scheme;
  readonly timeline: Pick<Timeline, 'nowMs'> & {
    plan(delayMs: number, label: string, run: () => void): unknown;
  };
  readonly live: LiveView;
  /** Returns the user's wall time. */
  readonly nowMs: () => number;
  readonly endsJobs: boolean;
  /** Maximum running time of pods and Jobs in milliseconds; default none. */
  readonly longestRunMs?: number;
}

export function createUser(options: UserOptions): User {
  const { client, scheme, timeline, live, nowMs, endsJobs, longestRunMs = Infinity } = options;
  const done: Done[] = [];
  const ends = createPodEnds();
  const request = (action: Action) =>
    requestOf(withOwners(withoutFinalizer(action, live), scheme, live), scheme);
  const act = async (action: Action): Promise<Done> => {
    let result: Done = { action };
    for (let tries = 0; tries < TRIES; tries++)
      try {
        await client.request({ timeoutMs: 30_000, ...request(action) });
        break;
      } catch (thrown) {
        result = { action, error: messageOf(thrown) };
        // Retries if no response arrived, on server errors, and if the finalizers have changed since they
        // were read. Other error responses are final.
        const isChanged = action.withoutFinalizer !== undefined && isConflict(thrown);
        if (!isClientError(thrown) && !isChanged && !isServerError(thrown)) break;
        await new Promise<void>((resolve) => timeline.plan(AGAIN_MS, 'user again', resolve));
      }
    done.push(result);
    return result;
  };
  return {
    done,
    act,
    plan(actions) {
      for (const action of actions)
        timeline.plan(
          action.atMs - timeline.nowMs,
          `user ${action.verb} ${action.resource}`,
          () => void act(action),
        );
    },
    onCommit(commit) {
      const { resource, after } = commit;
      if (commit.verb !== 'create' || after === undefined) return;
      if (resource !== PODS && !(endsJobs && resource === JOBS)) return;
      const annotations = annotationsOf(after);
      const { [RUNS]: runMs = DEFAULT_RUN_MS } = annotations;
      const podEnd = ends.next(after, annotations);
      const end = resource === PODS ? endOfPod : endOfJob;
      timeline.plan(
        Math.min(Number(runMs), longestRunMs),
        `user ends ${resource}`,
        () => void act(end(commit, podEnd, toTime(nowMs()))),
      );
    },
  };
}

const PODS = '/pods';
const JOBS = 'batch/jobs';

/** Returns the annotations of a pod, or of a Job's pod template. */
function annotationsOf(object: DeepReadonly<ApiObject>): Readonly<Record<string, string>> {
  const { spec } = object as { readonly spec?: { readonly template?: Pick<ApiObject, 'metadata'> } };
  return { ...spec?.template?.metadata?.annotations, ...object.metadata?.annotations };
}

const statusPatch = ({ resource, namespace, name, uid }: Commit, status: unknown): Action => ({
  atMs: 0,
  verb: 'patch',
  resource,
  subresource: 'status',
  namespace,
  name,
  patch: { metadata: { uid }, status },
});

/**
 * Returns the action that ends a pod: a status patch, or a deletion (as by an eviction) if the pod vanishes.
 */
const endOfPod = (commit: Commit, end: PodEnd, time: string): Action =>
  end.how === 'vanishes'
    ? { atMs: 0, verb: 'delete', resource: PODS, namespace: commit.namespace, name: commit.name }
    : statusPatch(commit, endedPodStatus(end, time));

const endOfJob = (commit: Commit, { how }: PodEnd, time: string): Action =>
  statusPatch(commit, {
    startTime: time,
    ...(how === 'fails' ? { failed: 1 } : { completionTime: time, succeeded: 1 }),
    conditions: [
      {
        type: how === 'fails' ? 'Failed' : 'Complete',
        status: 'True',
        lastProbeTime: time,
        lastTransitionTime: time,
      },
    ],
  });

const isServerError = (thrown: unknown): boolean =>
  thrown instanceof ApiError && (thrown.status.code ?? 0) >= 500;

/**
 * Adds the remaining finalizers to a patch that removes one. The patch is conditional on the version from
 * which they were read.
 */
function withoutFinalizer(action: Action, live: LiveView): Action {
  const { withoutFinalizer: removed, resource, namespace = '', name, patch } = action;
  const { finalizers = [], resourceVersion } = live.get(resource, namespace, name)?.metadata ?? {};
  if (removed === undefined || !finalizers.includes(removed)) return action;
  const others = finalizers.filter((each) => each !== removed);
  return {
    ...action,
    patch: { ...(patch as object | undefined), metadata: { resourceVersion, finalizers: others } },
  };
}

const UNKNOWN_UID = '00000000-0000-4000-8000-000000000000';

function withOwners(action: Action, scheme: Scheme, live: LiveView): Action {
  const { owners = [], namespace = '', object, patch } = action;
  if (owners.length === 0) return action;
  const ownerReferences = owners.map(({ resource, name, block }) => {
    const owner = live.get(resource, namespace, name) ?? live.get(resource, '', name);
    return {
      ...scheme.typeMetaOf(kindOf(resource, scheme)),
      name,
      uid: owner?.metadata?.uid ?? UNKNOWN_UID,
      ...(block === undefined ? {} : { blockOwnerDeletion: block }),
    };
  });
  const owned = (given: unknown) => {
    const { metadata } = (given ?? {}) as { readonly metadata?: object };
    return { ...(given as object | undefined), metadata: { ...metadata, ownerReferences } };
  };
  return action.verb === 'patch' ? { ...action, patch: owned(patch) } : { ...action, object: owned(object) };
}

function kindOf(resource: string, scheme: Scheme): AnyKind {
  const kind = scheme.kinds.find((each) => resourceOf(each) === resource);
  if (kind === undefined)
    throw new CodedError(
      'ERR_WORKLOAD',
      `the workload names ${JSON.stringify(resource)}, which is not a known resource`,
    );
  return kind;
}

function requestOf(action: Action, scheme: Scheme) {
  const { verb, resource, subresource, namespace = '', name } = action;
  const kind = kindOf(resource, scheme);
  const apiVersion = scheme.apiVersionOf(kind);
  const root = `${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion}`;
  const collection = `${root}${namespace === '' ? '' : `/namespaces/${namespace}`}/${kind.plural}`;
  const path = `${collection}/${encodeURIComponent(name)}${subresource === undefined ? '' : `/${subresource}`}`;
  switch (verb) {
    case 'create': {
      const metadata = { ...(action.object?.['metadata'] as object | undefined), name };
      return {
        method: 'POST',
        path: collection,
        body: { ...scheme.typeMetaOf(kind), ...action.object, metadata },
      };
    }
    case 'patch':
      return {
        method: 'PATCH',
        path,
        body: action.patch,
        headers: { 'content-type': 'application/merge-patch+json' },
      };
    case 'delete':
      return {
        method: 'DELETE',
        path,
        ...(action.propagation && { body: { propagationPolicy: action.propagation } }),
      };
  }
}

/** Formats an action, such as `create batch/cronjobs team/tick`. */
export const describeAction = ({ verb, resource, subresource, namespace, name }: Action): string =>
  `${verb} ${resource.replace(/^\//, '')}${subresource === undefined ? '' : `/${subresource}`} ${keyOf({ metadata: { name, ...(namespace ? { namespace } : {}) } })}`;
