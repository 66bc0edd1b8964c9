import { type Invariant, invariant, verdict } from './invariant.ts';

/** By controller and key: which process has begun the latest pass. */
type Latest = Record<string, string>;

/** What holds where processes share their keys over one queue. */
export const sharedKeyInvariants: readonly Invariant[] = [
  invariant<Latest>({
    id: 'queue/Q5',
    says: 'of processes that share their keys none begins an effect of a key that another has taken since',
    controller: '*',
    kind: 'never',
    ofSharedKeys: true,
    // What holds a key goes with what Redis has: who had it learns that when he asks for more time, and has begun till then.
    unless: ['redis-flush', 'redis-failover'],
    entries: ['pass.started', 'effect.started'],
    initial: () => ({}),
    onEntry(latest, { process, event }) {
      if (event === 'started') return undefined;
      const name = `${event.controller} ${event.key}`;
      const before = latest[name];
      if (event.kind === 'pass.started') {
        latest[name] = process;
        return verdict(latest, before !== undefined && before !== process);
      }
      if (before === undefined || before === process) return undefined;
      return verdict(latest, true, `${process} goes on with ${name}, which ${before} has taken since`);
    },
  }),
];
