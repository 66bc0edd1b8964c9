import { afterEach, expect, it } from 'vitest';
import type { ReconcileInfo, WorkQueue, WorkQueueOptions } from './work-queue.ts';

/** Queue implementation under test, with its clock. */
export interface QueueWorld {
  create(options?: WorkQueueOptions): WorkQueue;
  /** Creates the queue of a second process with the same keys; undefined if keys are not shared. */
  createReplica?(options?: WorkQueueOptions): WorkQueue;
  /** Waits for `ms` milliseconds of virtual or real time. */
  wait(ms: number): Promise<void>;
  /** Waits until `done` returns true. */
  until(done: () => boolean): Promise<void>;
  nowMs(): number;
  /** Maximum lateness of a processed key, in milliseconds. */
  readonly slackMs: number;
  /** Unit of the suite's delays in milliseconds, larger than the latency of a real server. */
  readonly unitMs: number;
  /** Number of keys of the load test. */
  readonly manyKeys: number;
  close(): Promise<void>;
}

interface Run {
  readonly key: string;
  readonly startMs: number;
  endMs: number;
}

/** Creates a worker that records its runs and needs `busyMs` milliseconds for each key. */
function recorder(world: QueueWorld, busyMs = 0) {
  const runs: Run[] = [];
  const process = async (key: string, _info: ReconcileInfo): Promise<void> => {
    const run = { key, startMs: world.nowMs(), endMs: Number.NaN };
    runs.push(run);
    if (busyMs > 0) await world.wait(busyMs);
    run.endMs = world.nowMs();
  };
  return {
    runs,
    process,
    keys: () => runs.map(({ key }) => key),
    ended: () => runs.filter((run) => run.endMs > 0),
  };
}

/** Runs the contract tests of `WorkQueue` on one implementation. */
export function workQueueConformance(createWorld: () => Promise<QueueWorld>): void {
  let opened: QueueWorld | undefined;
  const open = async (): Promise<QueueWorld> => {
    opened = await createWorld();
    return opened;
  };
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });

  it('processes a key once, however often it was added while it waited', async () => {
    const world = await open();
    const queue = world.create();
    const worker = recorder(world);
    for (let i = 0; i < 5; i++) queue.add('a');
    queue.add('b');
    await queue.run(worker.process);
    await world.until(() => worker.runs.length >= 2);
    await world.wait(world.unitMs);
    expect(worker.keys()).toEqual(['a', 'b']);
  });

  it('processes keys in the order of their adds', async () => {
    const world = await open();
    const queue = world.create();
    const worker = recorder(world);
    const keys = Array.from({ length: 20 }, (_, i) => `ns/${i}`);
    for (const key of keys) queue.add(key);
    await queue.run(worker.process);
    await world.until(() => worker.runs.length >= keys.length);
    expect(worker.keys()).toEqual(keys);
  });

  it('processes a key exactly once more after several adds during its run', async () => {
    const world = await open();
    const queue = world.create({ concurrency: 4 });
    const gates: (() => void)[] = [];
    let overlap = 0;
    let inWork = 0;
    await queue.run(async () => {
      inWork++;
      overlap = Math.max(overlap, inWork);
      await new Promise<void>((resolve) => gates.push(resolve));
      inWork--;
    });
    queue.add('a');
    await world.until(() => gates.length === 1);
    for (let i = 0; i < 3; i++) {
      queue.add('a');
      await world.wait(world.unitMs / 4);
    }
    expect(gates).toHaveLength(1);
    gates[0]?.();
    await world.until(() => gates.length === 2);
    gates[1]?.();
    await world.wait(world.unitMs);
    expect(gates).toHaveLength(2);
    expect(overlap).toBe(1);
  });

  it('uses its concurrency and never exceeds it', async () => {
    const world = await open();
    const queue = world.create({ concurrency: 3 });
    const gates: (() => void)[] = [];
    await queue.run(() => new Promise<void>((resolve) => gates.push(resolve)));
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
    await world.until(() => gates.length === 3);
    await world.wait(world.unitMs);
    expect(gates).toHaveLength(3);
    expect(queue.stats().active).toBe(3);
    gates[0]?.();
    await world.until(() => gates.length === 4);
    for (const gate of gates) gate();
  });

  it('retains the earliest of several delayed adds in either order', async () => {
    const world = await open();
    const queue = world.create();
    const worker = recorder(world);
    await queue.run(worker.process);
    const startMs = world.nowMs();
    queue.addAfter('early-first', 2 * world.unitMs);
    queue.addAfter('early-first', 20 * world.unitMs);
    queue.addAfter('late-first', 20 * world.unitMs);
    queue.addAfter('late-first', 2 * world.unitMs);
    await world.until(() => worker.runs.length >= 2);
    for (const run of worker.runs) {
      expect(run.startMs - startMs).toBeGreaterThanOrEqual(2 * world.unitMs - 1);
      expect(run.startMs - startMs).toBeLessThan(2 * world.unitMs + world.slackMs);
    }
  });

  it('processes a delayed key at once after an immediate add', async () => {
    const world = await open();
    const queue = world.create();
    const worker = recorder(world);
    await queue.run(worker.process);
    queue.addAfter('a', 20 * world.unitMs);
    await world.wait(world.unitMs / 2);
    const startMs = world.nowMs();
    queue.add('a');
    await world.until(() => worker.runs.length >= 1);
    expect((worker.runs[0]?.startMs ?? 0) - startMs).toBeLessThanOrEqual(world.slackMs);
  });

  it('retains a delayed add from the run of its key', async () => {
    const world = await open();
    const queue = world.create();
    const worker = recorder(world);
    await queue.run(async (key, info) => {
      if (worker.runs.length === 0) queue.addAfter(key, 2 * world.unitMs);
      await worker.process(key, info);
    });
    queue.add('a');
    await world.until(() => worker.runs.length >= 2);
    expect((worker.runs[1]?.startMs ?? 0) - (worker.runs[0]?.startMs ?? 0)).toBeGreaterThanOrEqual(
      2 * world.unitMs - 1,
    );
  });

  it('backs off the retries of each key until it is forgotten', async () => {
    const world = await open();
    const queue = world.create({ baseDelayMs: 10, maxDelayMs: 50 });
    const delays = Array.from({ length: 5 }, () => queue.addRateLimited('a'));
    const least = [10, 20, 40, 50, 50];
    delays.forEach((delay, i) => {
      expect(delay).toBeGreaterThanOrEqual(least[i] ?? 0);
      expect(delay).toBeLessThanOrEqual((least[i] ?? 0) * 1.1);
    });
    expect(queue.retries('a')).toBe(5);
    expect(queue.retries('b')).toBe(0);
    queue.forget('a');
    expect(queue.retries('a')).toBe(0);
    expect(queue.addRateLimited('a')).toBeLessThanOrEqual(11);
  });

  it('accepts any string as a key', async () => {
    const world = await open();
    const queue = world.create({ concurrency: 5 });
    const worker = recorder(world);
    const keys = ['system:node', 'a:b:c', '42', '0:x', '__proto__', 'ns/näme ☃', 'x'.repeat(500), ''];
    for (const key of keys) queue.add(key);
    for (const key of keys) queue.addAfter(key, world.unitMs);
    await queue.run(worker.process);
    await world.until(() => worker.runs.length >= 2 * keys.length);
    expect([...new Set(worker.keys())].sort()).toEqual([...keys].sort());
  });

  it('retains a key whose reconcile violates the contract by rejecting', async () => {
    const world = await open();
    const queue = world.create({ baseDelayMs: 1 });
    let tries = 0;
    await queue.run(async () => {
      tries++;
      if (tries < 3) throw new Error('broken pass');
    });
    queue.add('a');
    await world.until(() => tries === 3);
  });

  it('processes each of many thousand keys once', { timeout: 60_000 }, async () => {
    const world = await open();
    const keys = world.manyKeys;
    const queue = world.create({ concurrency: 50 });
    const seen = new Map<string, number>();
    await queue.run(async (key) => void seen.set(key, (seen.get(key) ?? 0) + 1));
    for (let i = 0; i < keys; i++) queue.add(`default/object-${i}`);
    await world.until(() => seen.size === keys);
    await world.wait(2 * world.unitMs);
    expect([...seen].filter(([, count]) => count !== 1)).toEqual([]);
    expect(queue.stats()).toMatchObject({ active: 0 });
  });

  it('takes no more keys once it stops, and waits for active keys', async () => {
    const world = await open();
    const queue = world.create();
    const gates: (() => void)[] = [];
    await queue.run(() => new Promise<void>((resolve) => gates.push(resolve)));
    queue.add('a');
    queue.add('b');
    await world.until(() => gates.length === 1);
    let stopped = false;
    const stop = queue.stop().then(() => (stopped = true));
    await world.wait(world.unitMs);
    expect(stopped).toBe(false);
    gates[0]?.();
    await world.until(() => stopped);
    await stop;
    expect(gates).toHaveLength(1);
  });

  it('aborts a reconcile that outlives the grace period of a stop', async () => {
    const world = await open();
    const queue = world.create();
    let signal: AbortSignal | undefined;
    await queue.run((_key, info) => {
      signal = info.signal;
      return new Promise<void>((resolve) => info.signal.addEventListener('abort', () => resolve()));
    });
    queue.add('a');
    await world.until(() => signal !== undefined);
    let stopped = false;
    void queue.stop().then(() => (stopped = true));
    await world.until(() => stopped);
    expect(signal?.aborted).toBe(true);
  });

  it('can be stopped before it runs, and twice', async () => {
    const world = await open();
    const queue = world.create();
    queue.add('a');
    let stopped = false;
    void queue
      .stop()
      .then(() => queue.stop())
      .then(() => (stopped = true));
    await world.until(() => stopped);
  });
}
