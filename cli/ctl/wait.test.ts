import { describe, expect, it } from 'vitest';
import { notFound } from '../../api/status/index.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { parseFlags } from '../flags/flags.ts';
import { deleteFlags, remove } from './delete.ts';
import { createDiscovery } from './discovery.ts';
import type { Resource } from './resources.ts';
import type { Terminal } from './terminal.ts';
import { createTestTerminal } from './terminal.fixture.ts';
import { wait, waitFlags } from './wait.ts';

const gears: Resource = {
  group: 'example.com',
  version: 'v1',
  plural: 'gears',
  singular: 'gear',
  shortNames: [],
  kind: 'Gear',
  namespaced: true,
  verbs: ['get'],
  categories: [],
};
const missing = notFound({ group: 'example.com', resource: 'gears' }, 'a');
const gear = (more: object = {}): object => ({
  kind: 'Gear',
  apiVersion: 'example.com/v1',
  metadata: { name: 'a', uid: 'u1', resourceVersion: '5', generation: 2 },
  ...more,
});
const ready = (value: string, more: object = {}): object =>
  gear({ status: { conditions: [{ type: 'Ready', status: value, ...more }] } });

/** Creates a terminal that serves one object, then the events of a watch. `undefined` is a missing object. */
function serving(first: object | undefined, events: readonly object[] = []) {
  const asked: string[] = [];
  const ask: Terminal['ask'] = async ({ method, path, body }) => {
    asked.push(`${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`);
    if (first === undefined) throw missing;
    return first;
  };
  const notices: string[] = [];
  const clock = createSimulatedClock();
  const made = createTestTerminal(ask, {
    clock,
    discovery: createDiscovery([gears], async () => [gears]),
    notice: (line) => void notices.push(line),
    async *follow(path, _accept, signal) {
      asked.push(`WATCH ${path}`);
      for (const event of events) yield JSON.stringify(event);
      await new Promise((_, reject) => {
        if (signal?.aborted) reject(signal.reason);
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
    },
  });
  return { ...made, asked, notices, clock };
}

const waitFor = (terminal: Terminal, goal: string, ...more: readonly string[]) =>
  wait(terminal, ['gear', 'a'], parseFlags(waitFlags, ['--for', goal, ...more]));

describe('wait', () => {
  it.each<[string, object | undefined, string]>([
    ['delete', undefined, ''],
    ['create', gear(), 'gear.example.com/a created\n'],
    ['condition=Ready', ready('True'), 'gear.example.com/a condition met\n'],
    ['condition=ready=false', ready('False'), 'gear.example.com/a condition met\n'],
    ["jsonpath='{.metadata.uid}'=u1", gear(), 'gear.example.com/a condition met\n'],
    ['jsonpath={.metadata.generation}=2', gear(), 'gear.example.com/a condition met\n'],
    ['jsonpath={.metadata.uid}', gear(), 'gear.example.com/a condition met\n'],
  ])('--for %s ends at once if the object meets it', async (goal, object, output) => {
    const { terminal, printed, asked } = serving(object);
    expect([await waitFor(terminal, goal), printed()]).toEqual([0, output]);
    expect(asked.some((line) => line.startsWith('WATCH'))).toBe(false);
  });

  it('follows the changes of the object', async () => {
    const { terminal, printed, asked } = serving(ready('False'), [
      { type: 'MODIFIED', object: ready('Unknown') },
      { type: 'MODIFIED', object: ready('True') },
    ]);
    expect([await waitFor(terminal, 'condition=Ready'), printed()]).toEqual([
      0,
      'gear.example.com/a condition met\n',
    ]);
    expect(asked.at(-1)).toBe(
      'WATCH /apis/example.com/v1/namespaces/team/gears?watch=true&fieldSelector=metadata.name%3Da&resourceVersion=5&timeoutSeconds=300',
    );
  });

  it('reads the object again, after a pause, if the server ends its watch', async () => {
    const { terminal, clock, asked } = serving(ready('False'), [{ type: 'ERROR', object: {} }]);
    const result = waitFor(terminal, 'condition=Ready', '--timeout', '5s');
    await clock.advance(5_000);
    expect(await result).toBe(1);
    expect(asked.filter((line) => line.startsWith('GET'))).toHaveLength(5);
  });

  it('does not accept a condition of an earlier generation', async () => {
    const { terminal, notices } = serving(ready('True', { observedGeneration: 1 }));
    expect(await waitFor(terminal, 'condition=Ready', '--timeout', '0s')).toBe(1);
    expect(notices).toEqual(['error: timed out waiting for the condition on gears/a']);
  });

  it('returns 1 after the time limit, and for an object that does not exist', async () => {
    const late = serving(ready('False'));
    const result = waitFor(late.terminal, 'condition=Ready', '--timeout', '10s');
    await late.clock.advance(10_000);
    expect(await result).toBe(1);
    expect(late.notices).toEqual(['error: timed out waiting for the condition on gears/a']);
    const absent = serving(undefined);
    expect(await waitFor(absent.terminal, 'condition=Ready')).toBe(1);
    expect(absent.notices).toEqual(['Error from server (NotFound): gears.example.com "a" not found']);
  });

  it.each(['', 'ready', 'condition=', 'jsonpath='])('rejects --for %j', async (goal) => {
    await expect(waitFor(serving(gear()).terminal, goal)).rejects.toThrow(
      'expected delete, create, condition=NAME',
    );
  });
});

describe('delete', () => {
  const run = (terminal: Terminal, words: readonly string[], ...flags: readonly string[]) =>
    remove(terminal, words, parseFlags(deleteFlags, flags));

  it('sends its options, and returns when the object with that uid no longer exists', async () => {
    const { terminal, printed, asked } = serving(gear(), [{ type: 'DELETED', object: gear() }]);
    expect(await run(terminal, ['gear', 'a'], '--cascade', 'foreground', '--now')).toBe(0);
    expect(printed()).toBe('gear.example.com "a" deleted\n');
    expect(asked[0]).toBe(
      'DELETE /apis/example.com/v1/namespaces/team/gears/a {"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Foreground","gracePeriodSeconds":1}',
    );
    expect(asked.at(-1)).toContain('WATCH');
  });

  it('does not wait with --wait=false', async () => {
    const { terminal, asked } = serving(gear());
    expect(await run(terminal, ['gear/a'], '--wait=false')).toBe(0);
    expect(asked).toHaveLength(1);
  });

  it('fails after --timeout with the name of the object that remains', async () => {
    const { terminal, clock } = serving(gear());
    const result = run(terminal, ['gear/a'], '--timeout', '10s');
    const failed = expect(result).rejects.toThrow(
      'timed out waiting for gear.example.com/a, which has been marked for deletion',
    );
    await clock.advance(10_000);
    await failed;
  });

  it('prints the refusals of missing objects at the end, unless they are ignored', async () => {
    const { terminal, notices } = serving(undefined);
    expect(await run(terminal, ['gear', 'a', 'b'])).toBe(1);
    expect(notices).toHaveLength(2);
    expect(await run(serving(undefined).terminal, ['gear', 'a'], '--ignore-not-found')).toBe(0);
  });

  it.each([
    [['gear'], [], 'expected TYPE NAME, TYPE/NAME, --selector'],
    [['gear', 'a'], ['--selector=app=web'], 'names cannot be combined'],
    [['gear', 'a'], ['--now', '--grace-period', '5'], 'cannot be specified together'],
    [['gear', 'a'], ['--grace-period', '0'], 'needs --force'],
    [['gear'], ['--filename', 'x'], '--filename accepts no names'],
  ])('rejects %j with %j', async (words, flags, message) => {
    await expect(run(serving(gear()).terminal, words, ...flags)).rejects.toThrow(message);
  });
});
