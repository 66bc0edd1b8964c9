import { describe, expect, it } from 'vitest';
import { configMaps } from '../../../api/groups/index.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import type { AdmissionPlugin } from '../../request.ts';
import { configMap, refusal, startFixture, writing } from '../registry.fixture.ts';
import { type Turn, createWriteLines } from './write-lines.ts';

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};

function createLine() {
  const clock = createSimulatedClock();
  const lines = createWriteLines(clock);
  const order: string[] = [];
  const turns = new Map<string, Turn>();
  const join = (who: string, key = 'key'): void =>
    void lines.join(key).then((turn) => {
      order.push(who);
      turns.set(who, turn);
    });
  const end = async (who: string): Promise<void> => {
    turns.get(who)?.end();
    await settled();
  };
  return { clock, lines, order, turns, join, end };
}

describe('a queue of writers', () => {
  it('admits writers one at a time in order of arrival, and is removed after the last', async () => {
    const { lines, order, join, end } = createLine();
    for (const who of ['first', 'second', 'third']) join(who);
    await settled();
    expect([order, lines.has('key')]).toEqual([['first'], true]);
    await end('first');
    expect(order).toEqual(['first', 'second']);
    await end('second');
    await end('third');
    expect([order, lines.has('key')]).toEqual([['first', 'second', 'third'], false]);
  });

  it('does not block writers of another object', async () => {
    const { order, join } = createLine();
    join('first', 'one');
    join('second', 'other');
    await settled();
    expect(order).toEqual(['first', 'second']);
  });

  it('admits the next writer after one second if a slow writer blocks others', async () => {
    const { clock, order, turns, join, end } = createLine();
    for (const who of ['slow', 'second', 'third']) join(who);
    await clock.advance(999);
    expect(order).toEqual(['slow']);
    await clock.advance(1);
    expect([order, turns.get('slow')?.isOn]).toEqual([['slow', 'second'], false]);
    await end('slow');
    expect(order).toEqual(['slow', 'second']);
    await end('second');
    expect([order, turns.get('third')?.isOn]).toEqual([['slow', 'second', 'third'], true]);
  });

  it('does not limit the turn of a writer if no other writer waits', async () => {
    const { clock, turns, join } = createLine();
    join('alone');
    await clock.advance(60_000);
    expect(turns.get('alone')?.isOn).toBe(true);
  });
});

const MERGE = 'application/merge-patch+json';

/** Creates a ConfigMap in a registry whose admission counts attempts and can be blocked. */
async function withConfigMap(validate: AdmissionPlugin['validate'] = () => {}) {
  let attempts = 0;
  const counting: AdmissionPlugin = {
    name: 'Counting',
    operations: ['UPDATE'],
    validate(request, signal) {
      attempts += 1;
      return validate(request, signal);
    },
  };
  const fixture = await startFixture({ admission: [counting] });
  const registry = fixture.of(configMaps);
  await registry.create('default', configMap('c'), writing());
  const patch = (body: object, changes = {}) =>
    registry.patch('default', 'c', '', MERGE, body, writing(changes));
  const dataOf = async () => (await registry.get('default', 'c', '')).object as { data?: object };
  return { ...fixture, registry, patch, dataOf, attempts: () => attempts };
}

const WRITERS = 60;

describe('many concurrent writes of one object', () => {
  it.each([
    ['patches', MERGE],
    ['applies', 'application/apply-patch+yaml'],
  ] as const)('succeed as %s, with at most two attempts each', async (_what, type) => {
    const { registry, dataOf, attempts } = await withConfigMap();
    const bodies = Array.from({ length: WRITERS }, (_, at) => configMap('c', { [`k${at}`]: 'v' }));
    await Promise.all(
      bodies.map((body, at) =>
        registry.patch('default', 'c', '', type, body, writing({ fieldManager: `m${at}` })),
      ),
    );
    expect(Object.keys((await dataOf()).data ?? {})).toHaveLength(WRITERS);
    expect(attempts()).toBeLessThanOrEqual(2 * WRITERS);
  });

  it('with a resource version are rejected at once, except for one', async () => {
    const { registry, attempts } = await withConfigMap();
    const update = (at: number) =>
      registry.update(
        'default',
        'c',
        '',
        configMap('c', { k: String(at) }, { resourceVersion: '1' }),
        writing(),
      );
    const outcomes = await Promise.allSettled(Array.from({ length: WRITERS }, (_, at) => update(at)));
    const done = outcomes.filter(({ status }) => status === 'fulfilled');
    expect([done.length, attempts()]).toEqual([1, WRITERS]);
  });

  it('skip a write whose request was aborted while it waited', async () => {
    const { patch, dataOf } = await withConfigMap();
    const leaving = new AbortController();
    const writes = ['a', 'b', 'c'].map((key) =>
      patch({ data: { [key]: 'v' } }, key === 'b' ? { signal: leaving.signal } : {}),
    );
    leaving.abort(new Error('the peer has disconnected'));
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await dataOf()).data).toEqual({ a: 'v', c: 'v' });
  });

  it('continue when one of the writes is rejected', async () => {
    const { patch, dataOf } = await withConfigMap();
    const writes = [{ a: 'v' }, { 'not a key!': 'v' }, { c: 'v' }].map((data) => patch({ data }));
    const refused = await refusal(writes[1]);
    await Promise.all([writes[0], writes[2]]);
    expect([refused.code, (await dataOf()).data]).toEqual([422, { a: 'v', c: 'v' }]);
  });

  it('continue while one of them waits for a webhook that writes the same object', async () => {
    let inner: Promise<unknown> | undefined;
    const { clock, patch, dataOf } = await withConfigMap(({ object }) => {
      const { data } = object as { data?: Record<string, string> };
      // Starts the inner write only after the outer one has conflicted and waits in the queue.
      if (data?.['outer'] === undefined || data['a'] === undefined || inner) return undefined;
      inner = patch({ data: { inner: 'v' } });
      return inner.then(() => {});
    });
    const writes = [patch({ data: { a: 'v' } }), patch({ data: { outer: 'v' } })];
    await clock.advance(999);
    expect((await dataOf()).data).toEqual({ a: 'v' });
    await clock.advance(1);
    await Promise.all(writes);
    expect((await dataOf()).data).toEqual({ a: 'v', outer: 'v', inner: 'v' });
  });
});
