import {
  type AnyKind,
  type ApiObject,
  type DeepReadonly,
  type Scheme,
  keyOf,
} from '../../api/kinds/index.ts';
import { ApiError } from '../../api/status/index.ts';
import { toTime } from '../../base/clock/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import { type Client, isClientError } from '../../runtime/index.ts';
import { type Commit, type LiveView, resourceOf } from '../invariants/invariant.ts';
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
  readonly propagation?: 'Orphan' | 'Background' | 'Foreground';
}

export interface Owner {
  readonly resource: string;
  readonly name: string;
  /** True if foreground deletion of the owner waits for the dependent. */
  readonly block?: boolean;
}

/** Result of an action; a refusal counts as an answer. */
export interface Done {
  readonly action: Action;
  readonly error?: string;
}

export interface User {
  /** Plans every action at its time. */
  plan(actions: readonly Action[]): void;
  /** Sends the action now; resolves with its result. */
  act(action: Action): Promise<Done>;
  /** Simulates the node agent: ends each pod after a while, and each Job if no Job controller runs. */
  onCommit(commit: Commit): void;
  readonly done: readonly Done[];
}

const TRIES = 60;
const AGAIN_MS = 1_000;

/** Annotations for a pod's running time in milliseconds and for its failure; default 20 seconds, success. */
const RUNS = 'chaos/runs';
const FAILS = 'chaos/fails';
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
  /** Upper bound of pod and Job running times in milliseconds; default none. */
  readonly longestRunMs?: number;
}

export function createUser(options: UserOptions): User {
  const { client, scheme, timeline, live, nowMs, endsJobs, longestRunMs = Infinity } = options;
  const done: Done[] = [];
  const request = (action: Action) => requestOf(withOwners(action, scheme, live), scheme);
  const act = async (action: Action): Promise<Done> => {
    let result: Done = { action };
    for (let tries = 0; tries < TRIES; tries++)
      try {
        await client.request({ timeoutMs: 30_000, ...request(action) });
        break;
      } catch (thrown) {
        result = { action, error: messageOf(thrown) };
        // Retries without an answer or on server errors; a refusal is final.
        if (!isClientError(thrown) && !(thrown instanceof ApiError && (thrown.status.code ?? 0) >= 500))
          break;
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
      const { [RUNS]: runMs = DEFAULT_RUN_MS, [FAILS]: fails } = annotationsOf(after);
      const end = resource === PODS ? endOfPod : endOfJob;
      timeline.plan(
        Math.min(Number(runMs), longestRunMs),
        `user ends ${resource}`,
        () => void act(end(commit, fails === undefined, toTime(nowMs()))),
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

const endOfPod = (commit: Commit, succeeds: boolean): Action =>
  statusPatch(commit, { phase: succeeds ? 'Succeeded' : 'Failed' });

const endOfJob = (commit: Commit, succeeds: boolean, time: string): Action =>
  statusPatch(commit, {
    startTime: time,
    ...(succeeds ? { completionTime: time, succeeded: 1 } : { failed: 1 }),
    conditions: [
      {
        type: succeeds ? 'Complete' : 'Failed',
        status: 'True',
        lastProbeTime: time,
        lastTransitionTime: time,
      },
    ],
  });

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
