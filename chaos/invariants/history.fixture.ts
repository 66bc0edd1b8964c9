import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/kind.ts';
import {
  type Commit,
  type Invariant,
  type LiveView,
  type ProcessEntry,
  entryKindOf,
  resourceOf,
} from './invariant.ts';

type Any = DeepReadonly<ApiObject>;

/** What somebody does to an object: `after` is the object from then on, undefined when it goes. */
export interface Deed {
  readonly actor: string;
  readonly kind: Kind<never>;
  readonly before?: ApiObject;
  readonly after?: ApiObject;
  readonly subresource?: string;
  readonly decidedOn?: Commit['decidedOn'];
  /** Default 0. */
  readonly atMs?: number;
  /** After the controllers were started anew at rest, or all keys brought up again; default neither. */
  readonly restarted?: boolean;
  readonly repeated?: boolean;
  /** Which process's request it was, and when it was sent; default nobody knows. */
  readonly node?: string;
  readonly sentMs?: number;
  readonly abandoned?: boolean;
}

interface Judgement {
  readonly broken: string | undefined;
  readonly reached: boolean;
}

/** A history by hand, judged by one invariant: how it is broken, and whether its premise came up. */
export function judge(...history: Parameters<typeof remember>): Judgement {
  const { broken, reached } = remember(...history);
  return { broken, reached };
}

/** The same, with what the invariant remembers at the end. */
export function remember(
  invariant: Invariant | undefined,
  deeds: readonly (Deed | ProcessEntry)[],
  restMs = 0,
): Judgement & { readonly state: unknown } {
  if (!invariant) throw new Error('there is no such invariant');
  const objects = new Map<string, { readonly resource: string; readonly object: Any }>();
  let state = invariant.initial();
  let broken: string | undefined;
  let reached = false;
  const note = (found: { state: unknown; reached?: boolean; broken?: string } | undefined): void => {
    if (!found) return;
    // What an invariant remembers is plain JSON: it is put away and taken up again.
    state = JSON.parse(JSON.stringify(found.state)) as unknown;
    reached ||= found.reached === true;
    broken ??= found.broken;
  };
  deeds.forEach((deed, step) => {
    if ('event' in deed)
      return invariant.entries?.includes(entryKindOf(deed)) === false
        ? undefined
        : note(invariant.onEntry?.(state, deed));
    const { actor, kind, before, after, subresource, decidedOn, node, sentMs, abandoned, atMs = 0 } = deed;
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
    const judged = deed.restarted
      ? invariant.onRestart
      : deed.repeated
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
