import type { ReplicaFacts, View } from './view.ts';

/** A process that works, or could. */
export interface ReplicaDocument {
  readonly identity: string;
  /** Whether it is the process that tells. */
  readonly own: boolean;
  /** Wall time; undefined of one that is known by its leases alone. */
  readonly startedMs?: number;
  /** How long ago it was last heard of. */
  readonly silentMs?: number;
  /** Finished in the last minute; undefined of one that is known by its leases alone. */
  readonly passes?: number;
  /** Of the passes of all replicas that tell, 0 to 1; undefined where there was none. */
  readonly share?: number;
  /** Controllers whose lease it holds. */
  readonly leads: readonly string[];
}

/** What one replica does of the work of one controller. */
export interface Share {
  readonly identity: string;
  readonly own: boolean;
  /** Finished in the last minute. */
  readonly passes: number;
  /** 0 to 1; 0 where there was no pass. */
  readonly share: number;
}

const WINDOW_MS = 60_000;

/** What the others tell is seconds old; of this process the journal knows. */
const passesOf = ({ model, nowMs }: View, { own, passes }: ReplicaFacts, controller: string): number =>
  own ? (model.controllers.get(controller)?.passes.within(nowMs, WINDOW_MS) ?? 0) : (passes[controller] ?? 0);

const sum = (counts: readonly number[]): number => counts.reduce((total, each) => total + each, 0);

/** Those that share the keys, then holders of leases that do not. */
export function replicasOf(view: View): readonly ReplicaDocument[] {
  const { controllers = [], replicas = [] } = view.facts ?? {};
  const names = [
    ...new Set([...view.model.controllers.keys(), ...replicas.flatMap(({ passes }) => Object.keys(passes))]),
  ];
  const leads = (identity: string): readonly string[] =>
    controllers.filter(({ leader }) => leader?.holder === identity).map(({ name }) => name);
  const counts = replicas.map((replica) => sum(names.map((name) => passesOf(view, replica, name))));
  const all = sum(counts);
  const known = new Set(replicas.map(({ identity }) => identity));
  const holders = new Set(controllers.flatMap(({ leader }) => (leader === undefined ? [] : [leader.holder])));
  return [
    ...replicas.map(({ identity, own, startedMs, silentMs }, at) => ({
      identity,
      own,
      startedMs,
      silentMs,
      passes: counts[at] ?? 0,
      ...(all === 0 ? {} : { share: (counts[at] ?? 0) / all }),
      leads: leads(identity),
    })),
    ...[...holders]
      .filter((identity) => !known.has(identity))
      .sort()
      .map((identity) => ({ identity, own: false, leads: leads(identity) })),
  ];
}

export function sharesOf(view: View, controller: string): readonly Share[] {
  const { replicas = [] } = view.facts ?? {};
  const counts = replicas.map((replica) => passesOf(view, replica, controller));
  const all = sum(counts);
  return replicas.map(({ identity, own }, at) => ({
    identity,
    own,
    passes: counts[at] ?? 0,
    share: all === 0 ? 0 : (counts[at] ?? 0) / all,
  }));
}
