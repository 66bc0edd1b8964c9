import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { configMaps, leases, namespaces } from '../../api/groups/index.ts';
import type { Clock, Timer } from '../../base/clock/clock.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { type ReconcileInput, requeue, unprovided } from '../../machines/reconcile/reconcile.ts';
import {
  createClient,
  createControllerManager,
  createInMemoryTransport,
  createInformers,
  createMemoryQueues,
  defineController,
  type Leadership,
  type Transport,
  watch,
  noEvents,
} from '../../runtime/index.ts';
import { fenceWrites, leaseHeld } from '../../runtime/leaderelection/lease-fence.ts';
import { useWorld } from '../world/use-world.ts';
import type { World } from '../world/world.ts';

const TICK_MS = 500;
const LEASE_MS = 15_000;
const RETRY_MS = 2_000;

/** Controller that writes an object every half second without end. Each effect shows its author and time. */
const ticker = defineController({
  name: 'ticker',
  single: true,
  machine: setup({
    types: { input: {} as ReconcileInput },
    actors: { tick: unprovided('tick') },
  }).createMachine({
    id: 'ticker',
    initial: 'ticking',
    output: requeue(TICK_MS, 'next tick'),
    states: {
      ticking: { invoke: { id: 'tick', src: 'tick', onDone: 'done', onError: 'done' } },
      done: { type: 'final' },
    },
  }),
  watches: () => [watch(namespaces, { keys: () => ['tick'] })],
  effects: ({ client }) => ({
    tick: () => client.namespaced(configMaps, 'team').create({ metadata: { generateName: 'tick-' } }),
  }),
});

/**
 * Creates a clock and a connection that freeze together, as in a suspended process. If `timeless` is true,
 * the wall and monotonic clocks freeze too, as in a suspended virtual machine.
 */
function createFreezer(clock: Clock, timeless = false) {
  let thawed: Promise<void> = Promise.resolve();
  let thaw: (() => void) | undefined;
  let frozenMs = 0;
  let lostMs = 0;
  const late = new Set<() => void>();
  const behindMs = (): number =>
    timeless ? lostMs + (thaw === undefined ? 0 : clock.monotonic() - frozenMs) : 0;
  const gated: Clock = {
    now: () => clock.now() - behindMs(),
    monotonic: () => clock.monotonic() - behindMs(),
    setTimeout: (run, delayMs): Timer => {
      const timer: Timer = { dueMs: gated.monotonic() + delayMs };
      const fire = (): void => {
        if (thaw !== undefined) late.add(fire);
        else if (timer.dueMs > gated.monotonic()) arm();
        else run();
      };
      const arm = (): void => {
        runs.set(timer, { fire, live: clock.setTimeout(fire, timer.dueMs - gated.monotonic()) });
      };
      arm();
      return timer;
    },
    clearTimeout: (timer) => {
      const found = timer && runs.get(timer);
      if (found === undefined) return;
      clock.clearTimeout(found.live);
      late.delete(found.fire);
    },
  };
  const runs = new WeakMap<Timer, { readonly fire: () => void; readonly live: Timer }>();
  const gate = (transport: Transport): Transport => ({
    async send(request) {
      await thawed;
      const answer = await transport.send(request);
      await thawed;
      const body = (async function* () {
        for await (const chunk of answer.body) {
          await thawed;
          yield chunk;
        }
      })();
      return { ...answer, body };
    },
    close: () => transport.close(),
  });
  return {
    clock: gated,
    gate,
    freeze: () => {
      frozenMs = clock.monotonic();
      thawed = new Promise((resolve) => (thaw = resolve));
    },
    /** Fires overdue timers first, in order, as the event loop does. */
    async thaw() {
      const open = thaw;
      lostMs = behindMs();
      thaw = undefined;
      for (const fire of late) {
        fire();
        await new Promise((resolve) => setImmediate(resolve));
      }
      late.clear();
      open?.();
    },
  };
}

interface Effect {
  readonly by: string;
  readonly atMs: number;
  readonly term: number;
}

interface Replica {
  readonly freeze: () => void;
  readonly thaw: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly healthy: () => boolean;
  readonly leader: () => Leadership | undefined;
  readonly metrics: () => Promise<string>;
}

/** Advances virtual time until the promise resolves. */
async function passing(world: World, promise: Promise<void>): Promise<void> {
  let done = false;
  void promise.then(() => (done = true));
  await world.eventually(() => done);
}

/**
 * Creates candidates for the ticker's lease in one world. Returns their effects that reached the server, in
 * order.
 */
async function setUp(definition = ticker) {
  const world = await useWorld({ controllers: [] });
  const effects: Effect[] = [];
  const refused: Effect[] = [];
  const start = async (identity: string, timeless = false): Promise<Replica> => {
    const freezer = createFreezer(world.clock, timeless);
    const replica = assemble(world, identity, freezer, { definition, effects, refused });
    await passing(world, replica.start());
    return {
      freeze: freezer.freeze,
      thaw: freezer.thaw,
      healthy: () => replica.healthy().healthy,
      leader: () => replica.state()[0]?.leader,
      metrics: async () => (await replica.metrics()).text,
      stop: () => passing(world, replica.stop()),
    };
  };
  const by = (identity: string): readonly Effect[] => effects.filter((effect) => effect.by === identity);
  return { world, effects, refused, start, by };
}

function assemble(
  { clock: worldClock, scheme, server, peerOf }: World,
  identity: string,
  { clock, gate }: ReturnType<typeof createFreezer>,
  {
    definition,
    effects,
    refused,
  }: {
    readonly definition: typeof ticker;
    readonly effects: Effect[];
    readonly refused: Effect[];
  },
) {
  const environment = { clock, random: createSeededRandom(7), log: silentLogger };
  const inner = createInMemoryTransport({ handler: server.handler, peer: peerOf('admin', 'system:masters') });
  const noted: Transport = {
    async send(request) {
      const answer = await inner.send(request);
      const term = Number(request.headers['x-term'] ?? 0);
      if (request.method === 'POST' && request.path.includes('/configmaps'))
        (answer.status === 201 ? effects : refused).push({
          by: identity,
          atMs: worldClock.monotonic(),
          term,
        });
      return answer;
    },
    close: () => inner.close(),
  };
  const transport = gate(noted);
  const clientOn = (through: Transport) =>
    createClient({ scheme, transport: through, clock, log: silentLogger, userAgent: identity });
  const client = clientOn(transport);
  const informers = createInformers({ ...environment, client });
  return createControllerManager({
    controllers: [definition],
    client,
    scheme,
    informers,
    queues: createMemoryQueues(environment),
    events: noEvents,
    environment,
    before: [informers],
    leaderElection: {
      identity,
      advertised: {
        annotation: 'example.com/dashboard-address',
        address: identity === 'silent' ? '' : `https://${identity}.example/dashboard/`,
      },
      namespace: 'default',
      resourceName: 'manager',
      all: false,
      clientFor: (fence) =>
        clientOn(
          fenceWrites(transport, fence, (term) => ({
            'x-term': String(term.transitions),
            ...leaseHeld(scheme)(term),
          })),
        ),
    },
  });
}

/** Expects that the effects form one block for each term of a leader. */
function expectNoOverlap(effects: readonly Effect[]): void {
  for (const [i, { term, by }] of effects.entries()) {
    const before = effects[i - 1];
    if (before === undefined || before.by === by) continue;
    expect(term).toBeGreaterThan(before.term);
  }
}

describe('leader election', () => {
  it('runs the controller on one of three candidates, while the others wait and are healthy', async () => {
    const { world, effects, start } = await setUp();
    const replicas = [await start('a'), await start('b'), await start('c')];
    await world.clock.advance(60_000);
    expect(new Set(effects.map(({ by }) => by))).toEqual(new Set(['a']));
    expect(effects.length).toBeGreaterThan(100);
    expect(replicas.map(({ healthy }) => healthy())).toEqual([true, true, true]);
    expect(replicas.map(({ leader }) => leader())).toMatchObject(
      [true, false, false].map((own) => ({ holder: 'a', own, transitions: 0 })),
    );
    for (const [i, leads] of [1, 0, 0].entries())
      expect(await replicas[i]?.metrics()).toContain(
        `leader_election_master_status{name="manager-ticker"} ${leads}\n`,
      );
    const lease = await world.client.namespaced(leases, 'default').get('manager-ticker');
    expect(lease.spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 });
  });

  it('keeps trying to run the controller as long as it leads', async () => {
    let failures = 6;
    const { world, start, by } = await setUp({
      ...ticker,
      watches: async (context) => {
        if (failures-- > 0) throw new Error('what is watched cannot be found out now');
        return ticker.watches(context);
      },
    });
    const leader = await start('a');
    await world.clock.advance(10_000);
    expect(by('a').length).toBeGreaterThan(5);
    expect(leader.healthy()).toBe(true);
  });

  it.each([0, 400, 1_000, 1_999])(
    'takes over within lease duration plus retry period from a leader that dies %i ms after a renewal',
    async (offsetMs) => {
      const { world, effects, start, by } = await setUp();
      const leader = await start('a');
      await start('b');
      await world.clock.advance(20_000 + offsetMs);
      leader.freeze();
      const diedMs = world.clock.monotonic();
      await world.clock.advance(LEASE_MS + RETRY_MS + TICK_MS);
      expect(by('b').length).toBeGreaterThan(0);
      expect((by('b')[0]?.atMs ?? Infinity) - diedMs).toBeLessThanOrEqual(LEASE_MS + RETRY_MS);
      expectNoOverlap(effects);
    },
  );

  it('has no effect after a thaw before it re-reads the lease', async () => {
    const { world, effects, start, by } = await setUp();
    const first = await start('a');
    const second = await start('b');
    await world.clock.advance(20_300);
    first.freeze();
    await world.clock.advance(30_000);
    const before = by('a').length;
    await first.thaw();
    await world.clock.advance(30_000);
    expect(by('a').length).toBe(before);
    second.freeze();
    await world.clock.advance(30_000);
    await second.thaw();
    await world.clock.advance(10_000);
    expect(by('a').length).toBeGreaterThan(before);
    expect(effects.at(-1)?.by).toBe('a');
    expectNoOverlap(effects);
  });

  it('has no effect after a thaw with frozen clocks, because the server rejects its writes', async () => {
    const { world, effects, refused, start, by } = await setUp();
    const first = await start('a', true);
    await start('b');
    await world.clock.advance(20_300);
    first.freeze();
    await world.clock.advance(30_000);
    const before = by('a').length;
    expect(refused).toEqual([]);
    await first.thaw();
    await world.clock.advance(30_000);
    expect(refused.length).toBeGreaterThan(0);
    expect(new Set(refused.map(({ by }) => by))).toEqual(new Set(['a']));
    expect(by('a').length).toBe(before);
    expect(first.leader()).toMatchObject({ holder: 'b', own: false });
    expectNoOverlap(effects);
  });

  it('continues after a freeze in which no other candidate took the lease, as soon as it has renewed the lease', async () => {
    const { world, effects, start } = await setUp();
    const only = await start('a');
    await world.clock.advance(5_000);
    only.freeze();
    await world.clock.advance(60_000);
    const before = effects.length;
    await only.thaw();
    await world.clock.advance(10_000);
    expect(effects.length).toBeGreaterThan(before);
    expectNoOverlap(effects);
  });

  it('releases the lease immediately when the leader is stopped', async () => {
    const { world, start, by } = await setUp();
    const first = await start('a');
    await start('b');
    await world.clock.advance(5_000);
    await first.stop();
    expect(await first.metrics()).toContain('leader_election_master_status{name="manager-ticker"} 0\n');
    const stoppedMs = world.clock.monotonic();
    await world.clock.advance(RETRY_MS + TICK_MS);
    expect((by('b')[0]?.atMs ?? Infinity) - stoppedMs).toBeLessThanOrEqual(RETRY_MS + TICK_MS);
  });

  it('reports the address of the leader to each candidate, and none if the leader has none', async () => {
    const { world, start } = await setUp();
    const first = await start('a');
    const standby = await start('silent');
    await world.clock.advance(5_000);
    for (const { leader } of [first, standby])
      expect(leader()).toMatchObject({ holder: 'a', address: 'https://a.example/dashboard/' });
    await first.stop();
    await world.clock.advance(RETRY_MS + TICK_MS);
    expect(standby.leader()).toMatchObject({ holder: 'silent', own: true });
    expect(standby.leader()).not.toHaveProperty('address');
    const lease = await world.client.namespaced(leases, 'default').get('manager-ticker');
    expect(lease.metadata?.annotations ?? {}).toEqual({});
  });

  it.each([3_600_000, -3_600_000, 12_000])(
    'keeps its leader when the wall clock jumps by %i ms',
    async (ms) => {
      const { world, effects, start } = await setUp();
      await start('a');
      await start('b');
      await world.clock.advance(20_100);
      world.clock.jump(ms);
      const jumpedMs = world.clock.monotonic();
      const before = effects.length;
      await world.clock.advance(30_000);
      const after = effects.slice(before);
      expect(new Set(after.map(({ by }) => by))).toEqual(new Set(['a']));
      expect((after[0]?.atMs ?? Infinity) - jumpedMs).toBeLessThanOrEqual(RETRY_MS + 2 * TICK_MS);
    },
  );
});
