import type { ReplicaFacts, View } from './view.ts';

/** A process that runs controllers or holds a Lease. */
export interface ReplicaDocument {
  readonly identity: string;
  /** True for the process that serves this document. */
  readonly own: boolean;
  /**
   * Start of the process in milliseconds since the epoch. Absent if the process sends no reports and only
   * holds a lease.
   */
  readonly startedMs?: number;
  /** Time since the last report of the process in milliseconds. Absent if the process sends no reports. */
  readonly silentMs?: number;
  /** Number of reconciles finished in the last minute. Absent if the process sends no reports. */
  readonly reconciles?: number;
  /**
   * Share in the reconciles of all replicas that send reports, between 0 and 1. Absent if there were no
   * reconciles.
   */
  readonly share?: number;
  /** Names of the controllers whose leases the process holds. */
  readonly leads: readonly string[];
  /** URL of the process's dashboard, if its Lease has it. */
  readonly address?: string;
}

/** Share of one replica in the reconciles of one controller. */
export interface Share {
  readonly identity: string;
  readonly own: boolean;
  /** Number of reconciles finished in the last minute. */
  readonly reconciles: number;
  /** Share between 0 and 1; 0 if there were no reconciles. */
  readonly share: number;
}

const WINDOW_MS = 60_000;

/**
 * Returns the number of reconciles finished in the last minute. It comes from the journal for this process,
 * and from the last report for another process.
 */
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
  const addressOf = (identity: string): Pick<ReplicaDocument, 'address'> => {
    const held = controllers.find(
      ({ leader }) => leader?.holder === identity && leader.address !== undefined,
    );
    return held?.leader?.address === undefined ? {} : { address: held.leader.address };
  };
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
      .map((identity) => ({ identity, own: false, leads: leads(identity), ...addressOf(identity) })),
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
