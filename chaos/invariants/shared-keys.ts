import { type Invariant, invariant, verdict } from './invariant.ts';

/** Process that started the latest reconcile of a key, by controller and key. */
type Latest = Record<string, string>;

/** Invariants of processes that share keys in one queue. */
export const sharedKeyInvariants: readonly Invariant[] = [
  invariant<Latest>({
    id: 'queue/no-effect-of-taken-key',
    says: 'no process starts an effect of a key that another process has taken since',
    controller: '*',
    kind: 'never',
    ofSharedKeys: true,
    // If Redis loses data, it also loses the locks of keys. A holder notices that only at its next lock
    // extension and may start effects until then.
    unless: ['redis-flush', 'redis-failover'],
    entries: ['reconcile.started', 'effect.started'],
    initial: () => ({}),
    onEntry(latest, { process, event }) {
      if (event === 'started') return undefined;
      const name = `${event.controller} ${event.key}`;
      const before = latest[name];
      if (event.kind === 'reconcile.started') {
        latest[name] = process;
        return verdict(latest, before !== undefined && before !== process);
      }
      if (before === undefined || before === process) return undefined;
      return verdict(latest, true, `${process} continues with ${name}, which ${before} has taken since`);
    },
  }),
];
