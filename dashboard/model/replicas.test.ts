import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../runtime/journal/entry.ts';
import { type ControllerDocument, type Overview, documentAt } from './documents.ts';
import { JournalModel } from './journal-model.ts';
import type { LeaderFacts, ReplicaFacts, View } from './view.ts';

const NOW = 1_700_000_000_000;

const replica = (identity: string, reconciles: Record<string, number>, own = false): ReplicaFacts => ({
  identity,
  own,
  startedMs: NOW - 600_000,
  silentMs: own ? 0 : 2_000,
  reconciles,
});

/** Returns the view of a process that has finished a number of reconciles of the controller `job`. */
function view(
  reconciles: number,
  replicas: readonly ReplicaFacts[],
  leaders: Readonly<Record<string, LeaderFacts>> = {},
): View {
  const model = new JournalModel();
  for (let seq = 1; seq <= reconciles; seq++) {
    const entry: JournalEntry = {
      seq,
      atMs: NOW - 1_000,
      kind: 'reconcile.finished',
      controller: 'job',
      key: 'a',
      reconcileId: `job-${seq}`,
      outcome: 'settled',
    };
    model.apply(entry);
  }
  const controllers = ['job', 'namespace'].map((name) => ({
    name,
    problems: [],
    watches: [],
    keyed: false,
    ...(leaders[name] === undefined ? {} : { leader: leaders[name] }),
  }));
  return {
    model,
    nowMs: NOW,
    entries: () => [],
    finished: () => {},
    facts: { controllers, informers: [], shared: replicas.length > 1, replicas },
  };
}

const overview = (of: View): Overview => documentAt(of, 'controllers', new URLSearchParams()) as Overview;
const controller = (of: View, name: string): ControllerDocument =>
  documentAt(of, `controllers/${name}`, new URLSearchParams()) as ControllerDocument;

describe('replicasOf', () => {
  it('returns the dashboard address of a holder that advertises one', () => {
    const term = { own: false, transitions: 1 };
    const { replicas } = overview(
      view(0, [replica('a', {}, true)], {
        job: { ...term, holder: 'b', address: 'https://b.example/dashboard/' },
        namespace: { ...term, holder: 'c' },
      }),
    );
    expect(replicas).toMatchObject([
      { identity: 'a', leads: [] },
      { identity: 'b', leads: ['job'], address: 'https://b.example/dashboard/' },
      { identity: 'c', leads: ['namespace'] },
    ]);
    expect(replicas[2]).not.toHaveProperty('address');
  });

  it('returns the shares in the last minute, from the journal for this process and from reports for other processes', () => {
    const { replicas } = overview(
      view(30, [replica('a', {}, true), replica('b', { job: 60, namespace: 10 })]),
    );
    expect(replicas).toMatchObject([
      { identity: 'a', own: true, reconciles: 30, share: 0.3, silentMs: 0 },
      { identity: 'b', own: false, reconciles: 70, share: 0.7, silentMs: 2_000 },
    ]);
  });

  it('returns no shares if no replica has reconciled in the last minute', () => {
    const [only] = overview(view(0, [replica('a', {}, true)])).replicas;
    expect(only).toMatchObject({ reconciles: 0 });
    expect(only).not.toHaveProperty('share');
  });

  it('returns the controllers that each replica leads, and includes holders of leases that share no keys', () => {
    const job: LeaderFacts = { holder: 'a', own: true, transitions: 0 };
    const namespace: LeaderFacts = { holder: 'elsewhere', own: false, transitions: 3, sinceMs: NOW };
    const of = view(1, [replica('a', {}, true)], { job, namespace });
    expect(overview(of).replicas).toMatchObject([
      { identity: 'a', leads: ['job'] },
      { identity: 'elsewhere', own: false, leads: ['namespace'] },
    ]);
    expect(controller(of, 'namespace').leader).toEqual(namespace);
  });
});

describe('sharesOf', () => {
  it('returns the shares of replicas in the reconciles of a controller', () => {
    const of = view(10, [replica('a', {}, true), replica('b', { job: 30 })]);
    expect(controller(of, 'job').shares).toMatchObject([
      { identity: 'a', reconciles: 10, share: 0.25 },
      { identity: 'b', reconciles: 30, share: 0.75 },
    ]);
    expect(controller(of, 'namespace').shares).toMatchObject([{ share: 0 }, { share: 0 }]);
  });

  it('returns no shares with a single replica', () => {
    expect(controller(view(1, [replica('a', {}, true)]), 'job')).not.toHaveProperty('shares');
  });
});
