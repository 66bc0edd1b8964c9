import type { ReplicaFacts, View } from './view.ts';

/** A process that runs controllers or holds a Lease. */
export interface ReplicaDocument {
  readonly identity: string;
  /** True for the process that serves this document. */
  readonly own: boolean;
  /** Milliseconds since the epoch; absent if it is known only by its leases. */
  readonly startedMs?: number;
  /** Milliseconds since its last report; absent if it is known only by its leases. */
  readonly silentMs?: number;
  /** Reconciles finished in the last minute; absent if it is known only by its leases. */
  readonly reconciles?: number;
  /** Share in the reconciles of all reporting replicas, 0 to 1; absent if there were none. */
  readonly share?: number;
  /** Controllers whose lease it holds. */
  readonly leads: readonly string[];
}

/** Share of one replica in the reconciles of one controller. */
export interface Share {
  readonly identity: string;
  readonly own: boolean;
  /** Reconciles finished in the last minute. */
  readonly reconciles: number;
  /** 0 to 1; 0 if there was no reconcile. */
  readonly share: number;
}

const WINDOW_MS = 60_000;

/** Counts the finished reconciles of the last minute: from the own journal, or from the last report of another. */
const countOf = ({ model, nowMs }: View, { own, reconciles }: ReplicaFacts, controller: string): number =>
  own
    ? (model.controllers.get(controller)?.reconciles.within(nowMs, WINDOW_MS) ?? 0)
    : (reconciles[controller] ?? 0);

const sum = (counts: readonly number[]): number => counts.reduce((total, each) => total + each, 0);

/** Returns the replicas that share keys, followed by other holders of leases. */
export function replicasOf(view: View): readonly ReplicaDocument[] {
  const { controllers = [], replicas = [] } = view.facts ?? {};
  const names = [
    ...new Set([
      ...view.model.controllers.keys(),
      ...replicas.flatMap(({ reconciles }) => Object.keys(reconciles)),
    ]),
  ];
  const leads = (identity: string): readonly string[] =>
    controllers.filter(({ leader }) => leader?.holder === identity).map(({ name }) => name);
  const counts = replicas.map((replica) => sum(names.map((name) => countOf(view, replica, name))));
  const all = sum(counts);
  const known = new Set(replicas.map(({ identity }) => identity));
  const holders = new Set(controllers.flatMap(({ leader }) => (leader === undefined ? [] : [leader.holder])));
  return [
    ...replicas.map(({ identity, own, startedMs, silentMs }, at) => ({
      identity,
      own,
      startedMs,
      silentMs,
      reconciles: counts[at] ?? 0,
      ...(all === 0 ? {} : { share: (counts[at] ?? 0) / all }),
      leads: leads(identity),
    })),
    ...[...holders]
      .filter((identity) => !known.has(identity))
      .sort()
      .map((identity) => ({ identity, own: false, leads: leads(identity) })),
  ];
}

/** Returns each replica's share in the reconciles of a controller. */
export function sharesOf(view: View, controller: string): readonly Share[] {
  const { replicas = [] } = view.facts ?? {};
  const counts = replicas.map((replica) => countOf(view, replica, controller));
  const all = sum(counts);
  return replicas.map(({ identity, own }, at) => ({
    identity,
    own,
    reconciles: counts[at] ?? 0,
    share: all === 0 ? 0 : (counts[at] ?? 0) / all,
  }));
}
