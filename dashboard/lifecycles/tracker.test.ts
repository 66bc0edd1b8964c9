import { describe, expect, it, onTestFinished } from 'vitest';
import { cronJobs, jobs } from '../../api/groups/batch-v1.ts';
import { secrets } from '../../api/groups/core-v1.ts';
import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/index.ts';
import { orchVocabulary } from '../../api/vocabulary/index.ts';
import { toTime } from '../../base/clock/index.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createHandFedInformers } from '../../test/hand-fed-informers.ts';
import type { LifecycleDocument } from './documents.ts';
import { lastChangeMs } from './last-change.ts';
import { HourCount } from './hour.ts';
import { createLifecycleTracker } from './tracker.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 0, 1, 12);

const job = (name: string, status: object = {}, createdMs = START - HOUR) => ({
  metadata: { name, namespace: 'team', creationTimestamp: toTime(createdMs) },
  spec: {},
  status,
});
const ended = { conditions: [{ type: 'Complete', status: 'True' as const }] };

function setUp() {
  const clock = createSimulatedClock(START);
  const fed = createHandFedInformers();
  const tracker = createLifecycleTracker({
    clock,
    scheme: createScheme(orchVocabulary, builtinKinds),
    informers: () => fed.informers,
  });
  onTestFinished(() => tracker.stop());
  const read = async (id: string): Promise<LifecycleDocument> => {
    const found = (await tracker.read()).items.find((each) => each.id === id);
    if (found === undefined) throw new Error(`no lifecycle ${id}`);
    return found;
  };
  const counts = async (id: string) =>
    Object.fromEntries(
      (await read(id)).states
        .filter(({ objects }) => objects > 0)
        .map(({ state, objects }) => [state, objects]),
    );
  return { clock, fed, tracker, read, counts };
}

describe('a lifecycle tracker', () => {
  it('counts the objects of the first list by state, and no transition of them', async () => {
    const { fed, read, counts } = setUp();
    fed.apply(jobs, job('a') as never);
    fed.apply(jobs, job('b', ended) as never);
    expect((await read('job')).synced).toBe(false);
    fed.fill();
    fed.apply(jobs, job('c', ended) as never);
    expect(await counts('job')).toEqual({ Pending: 1, Complete: 2 });
    expect(await counts('deletion')).toEqual({ Live: 3 });
    expect(await read('job')).toMatchObject({ synced: true, objects: 3, transitions: [] });
  });

  it('counts transitions, creations and deletions of the last hour', async () => {
    const { clock, fed, read } = setUp();
    await read('job');
    fed.fill();
    fed.apply(jobs, job('a', {}, START) as never);
    fed.apply(jobs, job('a', ended, START) as never);
    fed.apply(jobs, job('a', { ...ended, succeeded: 1 }) as never);
    expect((await read('job')).transitions).toEqual([
      { from: 'absent', to: 'Pending', taken: 1 },
      { from: 'Pending', to: 'Complete', taken: 1 },
    ]);
    await clock.advance(HOUR);
    fed.remove(jobs, job('a', ended) as never);
    expect(await read('job')).toMatchObject({
      objects: 0,
      transitions: [{ from: 'Complete', to: 'deleted', taken: 1 }],
    });
  });

  it('lists the objects of a state, those that have been in it longest first, page by page', async () => {
    const { clock, fed, tracker, read } = setUp();
    fed.apply(jobs, job('old') as never);
    await read('job');
    fed.fill();
    await clock.advance(MINUTE);
    fed.apply(jobs, job('new', {}, START + MINUTE) as never);
    const page = await tracker.objects('job', { state: 'Pending', offset: 0, limit: 10 });
    expect(page).toMatchObject({
      total: 2,
      items: [
        { object: 'team/old', isObserved: false, sinceMs: START - HOUR, resource: { plural: 'jobs' } },
        { object: 'team/new', isObserved: true, sinceMs: START + MINUTE },
      ],
    });
    expect((await tracker.objects('job', { state: undefined, offset: 1, limit: 1 }))?.items).toHaveLength(1);
    expect((await tracker.objects('job', { state: 'Failed', offset: 0, limit: 9 }))?.total).toBe(0);
    expect(await tracker.objects('nothing', { state: undefined, offset: 0, limit: 9 })).toBeUndefined();
  });

  it('follows states that change with time alone', async () => {
    const { clock, fed, counts, read } = setUp();
    const spec = { schedule: '30 * * * *', jobTemplate: { spec: { template: {} } } };
    const metadata = { name: 'tick', namespace: 'team', creationTimestamp: toTime(START - MINUTE) };
    fed.apply(cronJobs, { metadata, spec } as never);
    await read('cron-job');
    fed.fill();
    expect(await counts('cron-job')).toEqual({ Waiting: 1 });
    await clock.advance(31 * MINUTE);
    expect(await counts('cron-job')).toEqual({ Due: 1 });
    expect((await read('cron-job')).transitions).toEqual([{ from: 'Waiting', to: 'Due', taken: 1 }]);
  });

  it('counts a Secret only in the lifecycle of its type', async () => {
    const { fed, counts, read } = setUp();
    const { secretTypes } = orchVocabulary;
    const metadata = { name: 's', namespace: 'team' };
    fed.apply(secrets, { metadata, type: secretTypes.serviceAccountToken });
    await read('token-secret');
    fed.fill();
    expect([await counts('token-secret'), await counts('bootstrap-token')]).toEqual([{ Unfilled: 1 }, {}]);
  });
});

describe('the count of an hour', () => {
  it('forgets what is older, also after a long pause or a clock set back', () => {
    const hour = new HourCount();
    hour.add(START);
    hour.add(START + 30 * MINUTE);
    expect(hour.total(START + 59 * MINUTE)).toBe(2);
    expect(hour.total(START + 60 * MINUTE)).toBe(1);
    hour.add(START);
    expect(hour.total(START + 61 * MINUTE)).toBe(2);
    expect(hour.total(START + 100 * HOUR)).toBe(0);
  });
});

describe('lastChangeMs', () => {
  it('returns the newest time in the past that the fields show', () => {
    const at = (minutes: number): string => toTime(START + minutes * MINUTE);
    const object = {
      metadata: { creationTimestamp: at(-60), deletionTimestamp: at(30) },
      status: {
        startTime: at(-50),
        conditions: [{ lastTransitionTime: at(-5) }, null, { lastUpdateTime: 'x' }],
      },
    };
    expect(lastChangeMs(object as never, START)).toBe(START - 5 * MINUTE);
    expect(lastChangeMs({ metadata: { creationTimestamp: at(-60) } }, START)).toBe(START - HOUR);
    expect(lastChangeMs({}, START)).toBe(START);
  });
});
