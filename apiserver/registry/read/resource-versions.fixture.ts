import { expect } from 'vitest';
import { configMaps } from '../../../api/groups/core-v1.ts';
import type { Soon } from '../../../base/async/soon.ts';
import type { SimulatedClock } from '../../../base/clock/simulated.ts';
import type { Change, Storage } from '../../storage/storage.ts';
import { configMap, listing, startFixture, writing } from '../registry.fixture.ts';
import type { EncodedList, ListParameters, ResourceRegistry } from '../registry.ts';

/**
 * Registry for the table of https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions.
 * The store has `a`, `b` and `c` at revisions 1 to 3, the watch cache only `a` and `b`. The result of a read
 * therefore differs between store and cache.
 */
export interface Setting {
  readonly maps: ResourceRegistry;
  readonly clock: SimulatedClock;
  readonly storage: Storage;
  /** Delivers all changes to the cache. */
  release(): void;
}

export async function setUp(): Promise<Setting> {
  const stream = holdable();
  const { clock, storage, of } = await startFixture({ wrap: stream.wrap });
  const maps = of(configMaps);
  const create = (name: string) => maps.create('default', configMap(name), writing());
  await create('a');
  await create('b');
  stream.hold(2);
  await create('c');
  return { maps, clock, storage, release: stream.release };
}

/** Creates a store whose changes can be withheld from watchers. */
function holdable() {
  let heldAt: number | undefined;
  const waiting: (() => void)[] = [];
  return {
    hold: (revision: number) => void (heldAt = revision),
    release() {
      heldAt = undefined;
      for (const run of waiting.splice(0)) run();
    },
    wrap: (storage: Storage): Storage => ({
      ...storage,
      async watch(prefix, after, observer) {
        const onChange = (change: Change): void => {
          if (heldAt === undefined) observer.onChange(change);
          else waiting.push(() => observer.onChange(change));
        };
        const base = await storage.watch(prefix, after, { ...observer, onChange });
        return {
          get revision() {
            return heldAt ?? base.revision;
          },
          progress: () => base.progress(),
          cancel: () => base.cancel(),
        };
      },
    }),
  };
}

/** Returns the names of a list's items. */
export const namesOf = ({ items }: EncodedList) => items.map(({ object }) => object.metadata?.name ?? '');

/** Returns a list formatted as `a b @2`: names and resource version. */
export const shown = async (list: Promise<EncodedList>): Promise<string> => {
  const found = await list;
  return [...namesOf(found), `@${found.resourceVersion}`].join(' ');
};

/** Reads all pages of a list and returns them formatted as by `shown`. */
export async function paged(maps: ResourceRegistry, parameters: Partial<ListParameters>): Promise<string> {
  const names: string[] = [];
  let page = await maps.list(listing(parameters));
  for (;;) {
    expect(page.items.length).toBeLessThanOrEqual(parameters.limit || Infinity);
    names.push(...namesOf(page));
    if (page.continueToken === '') return [...names, `@${page.resourceVersion}`].join(' ');
    const { limit = 0 } = parameters;
    page = await maps.list(listing({ limit, continueToken: page.continueToken }));
  }
}

/** Advances the clock until a read that waits for the cache times out. */
export async function patiently<T>(clock: SimulatedClock, work: Soon<T>): Promise<T> {
  Promise.resolve(work).catch(() => {});
  await clock.advance(3_000);
  return work;
}

export const TOO_LARGE = {
  code: 504,
  reason: 'Timeout',
  message: 'Timeout: Too large resource version: 9, current: 2',
  details: {
    retryAfterSeconds: 1,
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
  },
};
