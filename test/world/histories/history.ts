import fc from 'fast-check';
import { configMaps } from '../../../api/groups/core-v1.ts';
import { isAlreadyExists, isConflict, isGone, isNotFound } from '../../../api/status/api-error.ts';
import { deleting, listing } from '../../../apiserver/registry/registry.fixture.ts';
import { silentLogger } from '../../../base/log/logger.ts';
import { createSeededRandom } from '../../../base/random/seeded.ts';
import { createInMemoryTransport } from '../../../runtime/client/in-memory-transport.ts';
import { createClient } from '../../../runtime/client/rest-client.ts';
import type { SharedInformer } from '../../../runtime/informer/informer-contract.ts';
import { createSharedInformer } from '../../../runtime/informer/shared-informer.ts';
import { type View, canonical, initialEvents } from './selected.ts';
import { type Stage, type StageOptions, createStage, scheme, writer } from './stage.ts';
import { HistoryWatcher, type WatcherOptions } from './watcher.ts';

/** One step of a history. An index is taken modulo the number of candidates. */
export type Step =
  | { readonly type: 'write'; readonly writes: readonly Write[] }
  | { readonly type: 'watch'; readonly options: WatcherOptions; readonly back: number | undefined }
  | { readonly type: 'resume' | 'stall' | 'read' | 'leave'; readonly which: number }
  | { readonly type: 'page'; readonly view: View; readonly limit: number; readonly writes: number }
  | { readonly type: 'compact'; readonly back: number }
  | { readonly type: 'advance'; readonly ms: number }
  | { readonly type: 'restart' };

type Paging = Extract<Step, { type: 'page' }>;

export interface Write {
  readonly name: string;
  readonly namespace: string;
  /** Value of the label; undefined for a deletion. */
  readonly color: 'red' | 'blue' | '' | undefined;
}

export interface History extends StageOptions {
  readonly informers: readonly View[];
  readonly steps: readonly Step[];
}

const write = fc.record<Write>({
  name: fc.constantFrom('x', 'y', 'z'),
  namespace: fc.constantFrom('a', 'b'),
  color: fc.constantFrom('red', 'blue', '', undefined),
});

const view = fc.record<View>({
  namespace: fc.constantFrom('', 'a'),
  labelSelector: fc.constantFrom('', '', 'color=red', 'color!=red', 'color'),
  fieldSelector: fc.constantFrom('', '', 'metadata.name=x', 'metadata.name!=x'),
});

const watch = fc
  .record({
    view,
    start: fc.constantFrom('', '0', 'back', 'back', 'back'),
    back: fc.integer({ min: -2, max: 12 }),
    bookmarks: fc.boolean(),
    sendInitialEvents: fc.constantFrom(undefined, undefined, true, false),
    timeoutSeconds: fc.constantFrom(0, 0, 0, 30),
  })
  .map(({ view: seen, start, back, ...rest }): Step => ({
    type: 'watch',
    options: { ...seen, ...rest, resourceVersion: start === 'back' ? '' : start },
    back: start === 'back' ? back : undefined,
  }));

const which = fc.nat(7);
const writes = (maxLength: number) =>
  fc.array(write, { minLength: 1, maxLength }).map((all): Step => ({ type: 'write', writes: all }));

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: writes(3) },
  { weight: 1, arbitrary: writes(12) },
  { weight: 5, arbitrary: watch },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constantFrom('resume', 'stall', 'read', 'leave'), which }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('page'),
      view,
      limit: fc.constantFrom(1, 2),
      writes: fc.nat(6),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('compact'), back: fc.nat(4) }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('advance'), ms: fc.constantFrom(1, 1_500, 61_000) }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'restart' }) },
);

export const histories: fc.Arbitrary<History> = fc.record({
  store: fc.oneof(
    { weight: 11, arbitrary: fc.constant('memory' as const) },
    { weight: 1, arbitrary: fc.constant('lmdb' as const) },
  ),
  windowSize: fc.constantFrom(2, 5, 1_000),
  historyLimit: fc.constantFrom(3, 8, 1_000),
  informers: fc.array(view, { minLength: 1, maxLength: 2 }),
  steps: fc.array(step, { minLength: 5, maxLength: 20 }),
});

/**
 * Number of times that each situation occurred. A suite proves nothing about a situation that never occurred.
 */
export const counts = {
  events: 0,
  bookmarks: 0,
  expired: 0,
  resumed: 0,
  restarts: 0,
  pages: 0,
  expiredPages: 0,
  relists: 0,
};

/** Plays a history and throws if a watcher or informer observed a wrong state. */
export async function play(history: History): Promise<void> {
  const stage = await createStage(history);
  const run = new Run(stage, history);
  try {
    for (const each of history.steps) await run.step(each);
    await run.finish();
  } finally {
    await run.end();
    await stage.end();
  }
}

class Run {
  readonly #stage: Stage;
  readonly #watchers: HistoryWatcher[] = [];
  readonly #informers: readonly Followed[];
  /** Acknowledged writes: the versions of puts, and the number of deletions. */
  readonly #puts: number[] = [];
  #deletions = 0;
  #written = 0;

  constructor(stage: Stage, { informers }: History) {
    this.#stage = stage;
    this.#informers = informers.map((each) => follow(stage, each));
  }

  async step(step: Step): Promise<void> {
    switch (step.type) {
      case 'write':
        await Promise.all(step.writes.map((each) => this.#write(each)));
        return;
      case 'watch':
        return this.#watch(step.options, step.back);
      case 'compact':
        return this.#stage.compact(step.back);
      case 'advance':
        return this.#stage.clock.advance(step.ms);
      case 'page':
        return this.#page(step);
      case 'restart':
        counts.restarts++;
        await this.#stage.restart();
        return this.#stage.clock.advance(0);
      default:
        return this.#toWatcher(step.type, step.which);
    }
  }

  async #write({ name, namespace, color }: Write): Promise<void> {
    const maps = this.#stage.maps();
    const labels = color === '' ? {} : { labels: { color } };
    const body = {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name, namespace, ...labels },
      data: { written: String(++this.#written) },
    };
    try {
      if (color === undefined) {
        await maps.delete(namespace, name, deleting(), writer);
        this.#deletions++;
        return;
      }
      const done = await maps
        .update(namespace, name, '', body, writer)
        .catch((thrown: unknown) =>
          isNotFound(thrown) ? maps.create(namespace, body, writer) : Promise.reject(thrown),
        );
      this.#puts.push(Number(done.object.metadata?.resourceVersion));
    } catch (thrown) {
      // Another write of the same burst was executed first.
      if (!isNotFound(thrown) && !isConflict(thrown) && !isAlreadyExists(thrown)) throw thrown;
    }
  }

  async #watch(options: WatcherOptions, back: number | undefined): Promise<void> {
    const now = this.#stage.truth.at(-1)?.revision ?? 0;
    const resourceVersion = back === undefined ? options.resourceVersion : String(Math.max(1, now - back));
    const watcher = new HistoryWatcher(this.#stage, { ...options, resourceVersion });
    this.#watchers.push(watcher);
    // A read of a future version waits. The next step may create that version.
    if (Number(resourceVersion) <= now) await watcher.settled();
  }

  #toWatcher(what: 'resume' | 'stall' | 'read' | 'leave', which: number): Promise<void> | void {
    const watcher = this.#watchers[which % Math.max(1, this.#watchers.length)];
    if (watcher === undefined) return;
    if (what === 'stall') return watcher.peer.stall();
    if (what === 'read') return watcher.peer.read();
    const last = watcher.lastVersion;
    watcher.leave();
    if (what === 'leave' || last === undefined) return;
    counts.resumed++;
    return this.#watch({ ...watcher.options, resourceVersion: String(last) }, undefined);
  }

  /** Reads a collection in pages, with writes between the pages. */
  async #page({ view: seen, limit, writes: between }: Paging): Promise<void> {
    const names: string[] = [];
    let continueToken = '';
    let version = '';
    do {
      const page = await this.#stage
        .maps()
        .list(listing({ ...seen, limit, continueToken }))
        .catch((thrown: unknown) => (isGone(thrown) ? undefined : Promise.reject(thrown)));
      if (page === undefined) {
        counts.expiredPages++;
        return;
      }
      version = version === '' ? page.resourceVersion : version;
      check(page.resourceVersion === version, `a page of ${page.resourceVersion} in a list of ${version}`);
      check(page.items.length <= limit, `a page of ${page.items.length} with limit ${limit}`);
      names.push(...page.items.map(({ object }) => canonical(object)));
      ({ continueToken } = page);
      counts.pages++;
      for (let i = 0; i < between; i++)
        await this.#write({ name: 'y', namespace: 'a', color: i % 2 === 0 ? 'red' : undefined });
    } while (continueToken !== '');
    const expected = initialEvents(this.#stage.truth, seen, Number(version)).map(({ object }) => object);
    check(canonical(names) === canonical(expected), `pages of ${version} do not show its state`);
  }

  async finish(): Promise<void> {
    const { clock, truth } = this.#stage;
    for (const { peer } of this.#watchers) peer.read();
    await clock.advance(5_000);
    const informed = (): boolean => this.#informers.every((each) => each.equals(truth));
    await clock.advanceUntil(informed, 600_000).catch(() => {});
    await Promise.all(this.#watchers.map((watcher) => watcher.settled()));
    const puts = truth.filter(({ type }) => type === 'put').map(({ revision }) => revision);
    check(
      canonical(puts) === canonical(this.#puts.toSorted((a, b) => a - b)) &&
        truth.length - puts.length === this.#deletions,
      `acknowledged ${canonical(this.#puts)} and ${this.#deletions} deletions, the store knows ${canonical(puts)} of ${truth.length}`,
    );
    for (const each of this.#informers) each.check(truth);
    for (const watcher of this.#watchers) this.#checkWatcher(watcher);
  }

  #checkWatcher(watcher: HistoryWatcher): void {
    for (const { type } of watcher.peer.frames())
      if (type === 'ERROR') counts.expired++;
      else if (type === 'BOOKMARK') counts.bookmarks++;
      else counts.events++;
    const fault = watcher.fault(this.#stage.truth, true);
    check(fault === undefined, `a watch of ${canonical(watcher.options)}: ${fault}`);
  }

  async end(): Promise<void> {
    for (const watcher of this.#watchers) watcher.leave();
    await Promise.all(this.#informers.map((each) => each.stop()));
  }
}

interface Followed {
  equals(truth: Stage['truth']): boolean;
  check(truth: Stage['truth']): void;
  stop(): Promise<void>;
}

/** Creates an informer with a handler that records its notifications. */
function follow({ clock, handler }: Stage, seen: View): Followed {
  const client = createClient({
    scheme,
    transport: createInMemoryTransport({ handler }),
    clock,
    log: silentLogger,
    userAgent: 'histories',
  });
  const { namespace, ...selectors } = seen;
  const informer: SharedInformer<object> = createSharedInformer({
    client,
    kind: configMaps,
    scope: { ...selectors, ...(namespace === '' ? {} : { namespace }) },
    clock,
    random: createSeededRandom(2),
    log: silentLogger,
    transform: (object) => object,
    metrics: {
      listed: (_name, _objects, missed) => {
        if (missed > 0) counts.relists++;
      },
    },
  });
  const told = new Map<string, number>();
  const faults: string[] = [];
  informer.subscribe({
    onApply(object) {
      const { key, version } = placeOf(object);
      if (version <= (told.get(key) ?? 0)) faults.push(`${key} at ${version} after ${told.get(key) ?? 0}`);
      told.set(key, version);
    },
    onDelete(object) {
      const { key } = placeOf(object);
      if (!told.has(key)) faults.push(`${key} deleted, of which nothing was told`);
      told.delete(key);
    },
  });
  informer.start();
  const content = (): string => canonical(informer.store.list().map(canonical).toSorted());
  const expected = (truth: Stage['truth']): string =>
    canonical(
      initialEvents(truth, seen, Infinity)
        .map(({ object }) => object)
        .toSorted(),
    );
  return {
    equals: (truth) => content() === expected(truth),
    check(truth) {
      check(faults.length === 0, `an informer of ${canonical(seen)} was told of ${faults.join(', ')}`);
      check(
        content() === expected(truth),
        `an informer of ${canonical(seen)} holds ${content()}, the store ${expected(truth)}`,
      );
      check(
        told.size === informer.store.size,
        `a handler knows ${told.size} of ${informer.store.size} objects`,
      );
    },
    async stop() {
      await informer.stop();
      await client.close();
    },
  };
}

interface Placed {
  readonly metadata?: {
    readonly namespace?: string;
    readonly name?: string;
    readonly resourceVersion?: string;
  };
}

const placeOf = ({ metadata }: Placed) => ({
  key: `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`,
  version: Number(metadata?.resourceVersion),
});

function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
