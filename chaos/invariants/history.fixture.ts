import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/kind.ts';
import type { Observation } from '../oracles/runtime/observation.ts';
import {
  type Commit,
  type Invariant,
  type LiveView,
  type ProcessEntry,
  entryKindOf,
  resourceOf,
} from './invariant.ts';

/** A change, journal entry or observation of a test history. */
export type Step = Change | ProcessEntry | Observation;

type Any = DeepReadonly<ApiObject>;

/** A change of one object in a test history; `after` is undefined for a deletion. */
export interface Change {
  readonly actor: string;
  readonly kind: Kind<never>;
  readonly before?: ApiObject;
  readonly after?: ApiObject;
  readonly subresource?: string;
  readonly decidedOn?: Commit['decidedOn'];
  /** Time of the change; default 0. */
  readonly atMs?: number;
  /** True after a restart of the controllers, or after all keys were enqueued again; default false. */
  readonly restarted?: boolean;
  readonly repeated?: boolean;
  /** Process that sent the request, and time of sending; default undefined. */
  readonly node?: string;
  readonly sentMs?: number;
  readonly abandoned?: boolean;
}

interface Judgement {
  readonly broken: string | undefined;
  readonly reached: boolean;
}

/** Evaluates one invariant on a history. Returns the violation, and whether the premise was reached. */
export function judge(...history: Parameters<typeof remember>): Judgement {
  const { broken, reached } = remember(...history);
  return { broken, reached };
}

/** Evaluates like `judge` and also returns the invariant's final state. */
export function remember(
  invariant: Invariant | undefined,
  changes: readonly Step[],
  restMs = 0,
): Judgement & { readonly state: unknown } {
  if (!invariant) throw new Error('there is no such invariant');
  const objects = new Map<string, { readonly resource: string; readonly object: Any }>();
  let state = invariant.initial();
  let broken: string | undefined;
  let reached = false;
  const note = (found: { state: unknown; reached?: boolean; broken?: string } | undefined): void => {
    if (!found) return;
    // The state must survive serialization, because it is stored as plain JSON.
    state = JSON.parse(JSON.stringify(found.state)) as unknown;
    reached ||= found.reached === true;
    broken ??= found.broken;
  };
  changes.forEach((change, step) => {
    if ('type' in change)
      return invariant.observations?.includes(change.type) === false
        ? undefined
        : note(invariant.onObservation?.(state, change));
    if ('event' in change)
      return invariant.entries?.includes(entryKindOf(change)) === false
        ? undefined
        : note(invariant.onEntry?.(state, change));
    const { actor, kind, before, after, subresource, decidedOn, node, sentMs, abandoned, atMs = 0 } = change;
    const { namespace = '', name = '', uid = name } = (after ?? before)?.metadata ?? {};
    const resource = resourceOf(kind);
    const key = `${resource} ${namespace}/${name}`;
    if (after) objects.set(key, { resource, object: after as Any });
    else objects.delete(key);
    const commit: Commit = {
      step,
      atMs,
      actor,
      verb: before === undefined ? 'create' : after === undefined ? 'delete' : 'update',
      resource,
      ...(subresource === undefined ? {} : { subresource }),
      ...(decidedOn === undefined ? {} : { decidedOn }),
      ...(node === undefined ? {} : { node }),
      ...(sentMs === undefined ? {} : { sentMs }),
      ...(abandoned === undefined ? {} : { abandoned }),
      namespace,
      name,
      uid,
      ...(before === undefined ? {} : { before: before as Any }),
      ...(after === undefined ? {} : { after: after as Any }),
    };
    const judged = change.restarted
      ? invariant.onRestart
      : change.repeated
        ? invariant.onRepeat
        : invariant.onCommit;
    note(judged?.(state, commit, viewOf(objects, atMs)));
  });
  note(invariant.atRest?.(state, viewOf(objects, restMs)));
  return { broken, reached, state };
}

const viewOf = (
  objects: ReadonlyMap<string, { readonly resource: string; readonly object: Any }>,
  nowMs: number,
): LiveView => ({
  nowMs,
  get: (resource, namespace, name) => objects.get(`${resource} ${namespace}/${name}`)?.object,
  list: (resource, namespace) =>
    [...objects.values()]
      .filter(
        (each) =>
          each.resource === resource &&
          (namespace === undefined || each.object.metadata?.namespace === namespace),
      )
      .map(({ object }) => object),
});
