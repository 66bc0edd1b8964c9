import { describe, expect, it } from 'vitest';
import { HistoryBuilder, configMap } from './histories.fixture.ts';
import { judgeHistory, wireRules } from './judge.ts';
import type { WireHistory } from './wire-history.ts';

/** Returns the rules that a history breaks. */
const broken = (history: WireHistory, calm?: WireHistory): readonly string[] => [
  ...new Set(judgeHistory(history, calm).findings.map(({ rule }) => rule)),
];

const built = (build: (history: HistoryBuilder) => void): HistoryBuilder => {
  const history = new HistoryBuilder();
  build(history);
  return history;
};

const preconditions = (uid: string) => ({ body: { preconditions: { uid } } });
const owner = (uid: string) => ({ ownerReferences: [{ kind: 'ConfigMap', name: 'site', uid }] });

/** Lets the client read `a` with uid 1, and then replaces the object by one with uid 2. */
const replaced = (history: HistoryBuilder): void => {
  const first = history.store(configMap('a', '1'));
  history.list(first);
  history.remove(first);
  history.store(configMap('a', '2'));
};

const calmPage = built((history) => {
  const page = history.write('create', configMap('page', '1'));
  history.list(page);
});

/** A history that breaks the rule, a similar history that does not, and the run without faults for both. */
interface RuleCase {
  readonly rule: string;
  readonly breaks: (history: HistoryBuilder) => void;
  readonly holds: (history: HistoryBuilder) => void;
  readonly calm?: WireHistory;
}

const cases: readonly (RuleCase & { readonly about: string })[] = [
  {
    rule: 'unread-incarnation',
    about: 'a delete that meets a successor',
    breaks: (history) => {
      replaced(history);
      history.delete(configMap('a', '2'));
    },
    holds: (history) => {
      replaced(history);
      history.deliver('ADDED', configMap('a', '2'));
      history.delete(configMap('a', '2'));
    },
  },
  {
    rule: 'unread-incarnation',
    about: 'a delete without a precondition on the uid',
    breaks: (history) => {
      replaced(history);
      history.delete(configMap('a', '2'));
    },
    holds: (history) => {
      replaced(history);
      history.delete(configMap('a', '2'), preconditions('2'));
    },
  },
  {
    rule: 'unread-incarnation',
    about: 'a merge patch of a successor',
    breaks: (history) => {
      replaced(history);
      history.write('patch', configMap('a', '2', { x: '1' }), { body: { data: { x: '1' } } });
    },
    holds: (history) => {
      replaced(history);
      history.write('patch', configMap('a', '2', { x: '1' }), {
        body: { data: { x: '1' } },
        contentType: 'application/apply-patch+yaml',
      });
    },
  },
  {
    rule: 'stale-decision',
    about: 'a delete that the client undoes',
    calm: calmPage,
    breaks: (history) => {
      const page = history.write('create', configMap('page', '1'));
      history.list();
      history.delete(page);
      history.write('create', configMap('page', '2'));
    },
    holds: (history) => {
      history.list(history.write('create', configMap('page', '1')));
      history.delete(history.write('create', configMap('twin', '2')));
    },
  },
  {
    rule: 'known-gone-owner',
    about: 'a create for an owner whose removal was delivered',
    breaks: (history) => {
      const site = history.store(configMap('site', 's'));
      history.deliver('ADDED', site).deliver('DELETED', history.remove(site));
      history.write('create', configMap('page', '1', {}, owner('s')));
    },
    holds: (history) => {
      const site = history.store(configMap('site', 's'));
      history.deliver('ADDED', site);
      history.remove(site);
      const page = history.write('create', configMap('page', '1', {}, owner('s')));
      history.remove(page);
    },
  },
  {
    rule: 'twin-creates',
    about: 'a create repeated under another name after its response was lost',
    breaks: (history) => {
      history.write('create', configMap('a', '1', {}), { fault: 'lost-response', body: configMap('', '') });
      history.write('create', configMap('b', '2', {}), { body: configMap('', '') });
    },
    holds: (history) => {
      const first = history.write('create', configMap('a', '1', {}), {
        fault: 'lost-response',
        body: configMap('', ''),
      });
      history.deliver('ADDED', first);
      history.write('create', configMap('b', '2', {}), { body: configMap('', '') });
    },
  },
  {
    rule: 'lost-update',
    about: 'an update that drops a change it never read',
    breaks: (history) => {
      history.list(history.store(configMap('a', '1', { x: '1' })));
      history.store(configMap('a', '1', { x: '1', user: 'yes' }));
      history.write('update', configMap('a', '1', { x: '2' }));
    },
    holds: (history) => {
      history.list(history.store(configMap('a', '1', { x: '1' })));
      history.store(configMap('a', '1', { x: '1', user: 'yes' }));
      history.write('patch', configMap('a', '1', { x: '2', user: 'yes' }));
    },
  },
  {
    rule: 'lost-update',
    about: 'a merge patch that drops a finalizer of another writer',
    breaks: (history) => {
      history.list(history.store(configMap('a', '1', {}, { finalizers: ['own'] })));
      history.store(configMap('a', '1', {}, { finalizers: ['own', 'other'] }));
      history.write('patch', configMap('a', '1', {}, { finalizers: [] }));
    },
    holds: (history) => {
      history.list(history.store(configMap('a', '1', {}, { finalizers: ['own'] })));
      history.deliver('MODIFIED', history.store(configMap('a', '1', {}, { finalizers: ['own', 'other'] })));
      history.write('patch', configMap('a', '1', {}, { finalizers: [] }));
    },
  },
  {
    rule: 'write-fight',
    about: 'two writers that alternate',
    breaks: (history) => {
      for (let i = 0; i < 4; i++) {
        history.deliver('MODIFIED', history.store(configMap('a', '1', { x: 'theirs' })));
        history.write('update', configMap('a', '1', { x: 'ours' }));
      }
    },
    holds: (history) => {
      for (let i = 0; i < 8; i++) history.write('update', configMap('a', '1', { x: String(i) }));
    },
  },
  {
    rule: 'hot-loop',
    about: 'a failing write repeated at once',
    breaks: (history) => {
      for (let i = 0; i < 30; i++) history.wait(50).send({ verb: 'update', name: 'a' }, 409);
    },
    holds: (history) => {
      for (let i = 0; i < 30; i++) history.wait(200 * i).send({ verb: 'update', name: 'a' }, 409);
    },
  },
  {
    rule: 'hot-loop',
    about: 'a write repeated before Retry-After has passed',
    breaks: (history) => {
      for (let i = 0; i < 4; i++) history.wait(500).send({ verb: 'update', name: 'a' }, 429, 2);
    },
    holds: (history) => {
      for (let i = 0; i < 4; i++) history.wait(2_500).send({ verb: 'update', name: 'a' }, 429, 2);
    },
  },
  {
    rule: 'left-over',
    about: 'an object that outlives its owner',
    breaks: (history) => {
      const site = history.store(configMap('site', 's'));
      history.write('create', configMap('page', '1', {}, owner('s')));
      history.remove(site);
    },
    holds: (history) => {
      const site = history.store(configMap('site', 's'));
      const page = history.write('create', configMap('page', '1', {}, owner('s')));
      history.remove(site);
      history.remove(page);
    },
  },
  {
    rule: 'left-over',
    about: 'a finalizer of the client on a deleted object',
    breaks: (history) => {
      history.list(history.store(configMap('a', '1')));
      history.write('update', configMap('a', '1', {}, { finalizers: ['own'] }));
      history.store(configMap('a', '1', {}, { finalizers: ['own'], deletionTimestamp: 'now' }));
    },
    holds: (history) => {
      history.list(history.store(configMap('a', '1', {}, { finalizers: ['other'] })));
      history.store(configMap('a', '1', {}, { finalizers: ['other'], deletionTimestamp: 'now' }));
    },
  },
  {
    rule: 'end-state',
    about: 'an object that exists only with faults',
    calm: calmPage,
    breaks: (history) => {
      history.list(history.write('create', configMap('page', '1')));
      history.write('create', configMap('second', '2'));
    },
    holds: (history) => {
      history.list(history.write('create', configMap('page', 'x')));
    },
  },
  {
    rule: 'end-state',
    about: 'an object that exists only without faults',
    calm: calmPage,
    breaks: (history) => {
      history.list();
    },
    holds: (history) => {
      history.list(history.write('create', configMap('page', '1')));
    },
  },
];

describe('a rule about wire histories', () => {
  it.each(cases)('$rule reports $about', ({ rule, breaks, calm }) => {
    expect(broken(built(breaks), calm)).toContain(rule);
  });

  it.each(cases)('$rule accepts the correct counterpart of $about', ({ rule, holds, calm }) => {
    expect(broken(built(holds), calm)).not.toContain(rule);
  });

  it('has a history that breaks it and one that does not', () => {
    expect(new Set(cases.map(({ rule }) => rule))).toEqual(new Set(wireRules.map(({ id }) => id)));
  });
});
