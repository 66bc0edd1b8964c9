import { describe, expect, it } from 'vitest';
import { configMaps } from '../../../api/groups/core-v1.ts';
import type { Soon } from '../../../base/async/soon.ts';
import type { SimulatedClock } from '../../../base/clock/simulated.ts';
import type { Change, Storage } from '../../storage/storage.ts';
import {
  configMap,
  createPeer,
  listing,
  refusal,
  startFixture,
  watching,
  writing,
} from '../registry.fixture.ts';
import type { EncodedList, ListParameters, ResourceRegistry, WatchParameters } from '../registry.ts';

/**
 * The table of https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions, cell by cell.
 * In each test the store has `a`, `b` and `c` at versions 1 to 3, and the watch cache only the first two. The
 * result shows where it was read.
 */
interface Setting {
  readonly maps: ResourceRegistry;
  readonly clock: SimulatedClock;
  readonly storage: Storage;
  /** Delivers all changes to the cache. */
  release(): void;
}

async function setUp(): Promise<Setting> {
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

/** A store whose changes can be withheld from watchers. */
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

const namesOf = ({ items }: EncodedList) => items.map(({ object }) => object.metadata?.name ?? '');

/** Formats a list as `a b @2`. */
const shown = async (list: Promise<EncodedList>): Promise<string> => {
  const found = await list;
  return [...namesOf(found), `@${found.resourceVersion}`].join(' ');
};

/** Reads all pages of a list and formats them. */
async function paged(maps: ResourceRegistry, parameters: Partial<ListParameters>): Promise<string> {
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
async function patiently<T>(clock: SimulatedClock, work: Soon<T>): Promise<T> {
  Promise.resolve(work).catch(() => {});
  await clock.advance(3_000);
  return work;
}

const TOO_LARGE = {
  code: 504,
  reason: 'Timeout',
  message: 'Timeout: Too large resource version: 9, current: 2',
  details: {
    retryAfterSeconds: 1,
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
  },
};

describe('get', () => {
  const get = ({ maps }: Setting, version: string) =>
    maps.get('default', version === '3' ? 'c' : 'b', version);

  it('returns the newest object if the version is unset', async () => {
    const { maps } = await setUp();
    expect((await maps.get('default', 'c', '')).object.metadata?.resourceVersion).toBe('3');
  });

  it('returns any version for 0', async () => {
    const { maps } = await setUp();
    expect((await maps.get('default', 'b', '0')).object.metadata?.resourceVersion).toBe('2');
    expect((await refusal(maps.get('default', 'c', '0'))).status.code).toBe(404);
  });

  it('returns an object not older than a non-zero version', async () => {
    const setting = await setUp();
    expect((await get(setting, '1')).object.metadata?.name).toBe('b');
    const waiting = get(setting, '3');
    setting.release();
    expect((await waiting).object.metadata?.name).toBe('c');
  });

  it('returns 504 with Retry-After for an unknown version', async () => {
    const setting = await setUp();
    const { status } = await refusal(patiently(setting.clock, get(setting, '9')));
    expect(status).toMatchObject(TOO_LARGE);
  });

  it.each([
    ['x', 'invalid syntax'],
    ['-1', 'invalid syntax'],
    ['99999999999999999999', 'value out of range'],
  ])('returns 400 for the version %s', async (version, why) => {
    const { maps } = await setUp();
    const { status } = await refusal(maps.get('default', 'a', version));
    expect(status).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: `invalid resource version: resourceVersion: Invalid value: "${version}": strconv.ParseUint: parsing "${version}": ${why}`,
    });
  });
});

type Meaning = (setting: Setting, parameters: Partial<ListParameters>) => Promise<void>;

const mostRecent: Meaning = async ({ maps, clock }, parameters) => {
  expect(await patiently(clock, paged(maps, parameters))).toBe('a b c @3');
};

const any: Meaning = async ({ maps }, parameters) => {
  expect(await paged(maps, parameters)).toBe('a b @2');
};

const notOlderThan: Meaning = async ({ maps, clock, release }, parameters) => {
  expect(await paged(maps, { ...parameters, resourceVersion: '1' })).toBe('a b @2');
  const future = maps.list(listing({ ...parameters, resourceVersion: '9' }));
  expect((await refusal(patiently(clock, future))).status).toMatchObject(TOO_LARGE);
  const waiting = paged(maps, { ...parameters, resourceVersion: '3' });
  release();
  expect(await waiting).toBe('a b c @3');
};

const exact: Meaning = async ({ maps, storage }, parameters) => {
  expect(await paged(maps, { ...parameters, resourceVersion: '1' })).toBe('a @1');
  expect(await paged(maps, { ...parameters, resourceVersion: '2' })).toBe('a b @2');
  const future = await refusal(maps.list(listing({ ...parameters, resourceVersion: '9' })));
  expect(future.status).toMatchObject({ ...TOO_LARGE, message: expect.stringContaining('9, current: 3') });
  await storage.compact(2);
  const expired = await refusal(maps.list(listing({ ...parameters, resourceVersion: '1' })));
  expect(expired.status).toMatchObject({
    code: 410,
    reason: 'Expired',
    message: 'The resourceVersion for the provided list is too old.',
  });
};

const exactFromToken: Meaning = async ({ maps, release }, parameters) => {
  release();
  const { continueToken } = await maps.list(listing({ limit: 1 }));
  await maps.create('default', configMap('bb'), writing());
  await maps.update('default', 'c', '', configMap('c', { k: 'v' }), writing());
  expect(await shown(maps.list(listing({ ...parameters, limit: 5, continueToken })))).toBe('b c @3');
};

const badRequest: Meaning = async ({ maps }, parameters) => {
  const { continueToken } = await maps.list(listing({ limit: 1, resourceVersion: '0' }));
  const { status } = await refusal(
    maps.list(listing({ ...parameters, resourceVersion: '2', continueToken })),
  );
  expect(status).toMatchObject({
    code: 400,
    reason: 'BadRequest',
    message: 'specifying resource version is not allowed when using continue',
  });
};

const invalidFor =
  (why: string): Meaning =>
  async ({ maps }, parameters) => {
    const { status } = await refusal(maps.list(listing(parameters)));
    expect(status).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: ${why}`,
    });
  };
const invalidUnset = invalidFor('resourceVersionMatch is forbidden unless resourceVersion is provided');
const invalidZero = invalidFor('resourceVersionMatch "exact" is forbidden for resourceVersion "0"');

const NO_LIMIT = 0;
const LIMIT = 1;

/** The table of the page above; rows for 'with or without limit' are split in two. */
const TABLE: readonly (readonly [
  match: string,
  pagination: string,
  limit: number,
  unset: Meaning,
  zero: Meaning,
  nonZero: Meaning,
])[] = [
  ['', 'no limit', NO_LIMIT, mostRecent, any, notOlderThan],
  ['', 'limit only', LIMIT, mostRecent, any, exact],
  ['', 'limit with continue', LIMIT, exactFromToken, exactFromToken, badRequest],
  ['Exact', 'without limit', NO_LIMIT, invalidUnset, invalidZero, exact],
  ['Exact', 'with limit', LIMIT, invalidUnset, invalidZero, exact],
  ['NotOlderThan', 'without limit', NO_LIMIT, invalidUnset, any, notOlderThan],
  ['NotOlderThan', 'with limit', LIMIT, invalidUnset, any, notOlderThan],
];

describe.each(TABLE)(
  'list with resourceVersionMatch %o, %s',
  (resourceVersionMatch, _pagination, limit, unset, zero, nonZero) => {
    it('behaves as documented if resourceVersion is unset', async () => {
      await unset(await setUp(), { resourceVersionMatch, limit });
    });
    it('behaves as documented for resourceVersion 0', async () => {
      await zero(await setUp(), { resourceVersionMatch, limit, resourceVersion: '0' });
    });
    it('behaves as documented for a non-zero resourceVersion', async () => {
      await nonZero(await setUp(), { resourceVersionMatch, limit });
    });
  },
);

describe('list', () => {
  const message = async (parameters: Partial<ListParameters>): Promise<string> => {
    const { maps } = await setUp();
    return (await refusal(maps.list(listing(parameters)))).status.message ?? '';
  };

  it('refuses resourceVersionMatch together with a continue token, and unknown values', async () => {
    expect(
      await message({ resourceVersion: '2', resourceVersionMatch: 'Exact', continueToken: 'x' }),
    ).toContain(
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
    );
    expect(await message({ resourceVersion: '2', resourceVersionMatch: 'Newest' })).toContain(
      'resourceVersionMatch: Unsupported value: "Newest": supported values: "Exact", "NotOlderThan", ""',
    );
  });

  it('refuses sendInitialEvents', async () => {
    expect(await message({ sendInitialEvents: true })).toBe(
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    );
  });

  it('refuses a version that is not a number', async () => {
    expect(await message({ resourceVersion: 'x' })).toBe(
      'invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    );
  });

  it('returns 410 for a page whose version was compacted, with a token that continues at the current version', async () => {
    const { maps, storage, release } = await setUp();
    release();
    const { continueToken } = await maps.list(listing({ limit: 1 }));
    await maps.create('default', configMap('bb'), writing());
    await storage.compact(4);
    const { status } = await refusal(maps.list(listing({ limit: 1, continueToken })));
    expect(status).toMatchObject({ code: 410, reason: 'Expired' });
    expect(status.message).toMatch(
      /^The provided continue parameter is too old to display a consistent list result\. You can start a new list without/,
    );
    const token = (status.metadata as { continue?: string } | undefined)?.continue ?? '';
    expect(await shown(maps.list(listing({ continueToken: token })))).toBe('b bb c @4');
  });
});

describe('continue tokens', () => {
  const token = (content: unknown): string => Buffer.from(JSON.stringify(content)).toString('base64url');
  const v = 'meta.k8s.io/v1';

  it.each([
    ['a!b', 'illegal base64 data at input byte 1'],
    ['abcde', 'illegal base64 data at input byte 4'],
    ['eyJ2', 'unexpected end of JSON input'],
    [token(null), 'server does not recognize this encoded version ""'],
    [token(['a']), 'json: cannot unmarshal array into Go value of type etcd3.continueToken'],
    [
      token({ v, rv: '1', start: 'a' }),
      'json: cannot unmarshal string into Go struct field continueToken.rv of type int64',
    ],
    [
      token({ v, rv: 1, start: 5 }),
      'json: cannot unmarshal number into Go struct field continueToken.start of type string',
    ],
    [token({ v: 'v2', rv: 1, start: 'a' }), 'server does not recognize this encoded version "v2"'],
    [token({ v, rv: 0, start: 'a' }), `incorrect encoded start resourceVersion (version ${v})`],
    [token({ v, rv: 1, start: '' }), `encoded start key empty (version ${v})`],
    [token({ v, rv: 1, start: '../../secrets/a' }), '../../secrets/a'],
    [token({ v, rv: 1, start: 'a/../../b' }), 'a/../../b'],
    [token({ v, rv: 1, start: 'a//b' }), 'a//b'],
  ])('%s is refused', async (continueToken, why) => {
    const { maps } = await setUp();
    const { status } = await refusal(maps.list(listing({ limit: 1, continueToken })));
    expect(status).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: `invalid continue token: continue key is not valid: ${why}`,
    });
  });

  it('never leave the collection on which they are used', async () => {
    const { maps, release } = await setUp();
    release();
    await maps.create('other', configMap('z'), writing());
    const all = await maps.list(listing({ namespace: '', limit: 1 }));
    const there = await maps.list(listing({ namespace: 'default', continueToken: all.continueToken }));
    expect(namesOf(there).every((name) => name !== 'z')).toBe(true);
    const here = token({ v, rv: 4, start: '/' });
    expect((await refusal(maps.list(listing({ continueToken: here })))).status.code).toBe(400);
    const before = token({ v, rv: 4, start: '\u0001' });
    expect(await shown(maps.list(listing({ namespace: 'other', continueToken: before })))).toBe('z @4');
  });
});

describe('watch', () => {
  const open = async ({ maps }: Setting, parameters: Partial<WatchParameters>) => {
    const peer = createPeer();
    (await maps.watch(watching(parameters)))(peer);
    return () =>
      peer.frames().map(({ type, object }) => {
        const { name, resourceVersion, annotations } = object.metadata;
        if (type === 'ERROR') return `ERROR ${object.code}: ${object.message}`;
        const end = annotations && 'k8s.io/initial-events-end' in annotations ? ' end' : '';
        return `${type} ${name ?? ''}@${resourceVersion}${end}`;
      });
  };

  it('sends the newest state, then changes, if the version is unset', async () => {
    const setting = await setUp();
    const opening = open(setting, {});
    setting.release();
    const seen = await opening;
    await setting.maps.create('default', configMap('d'), writing());
    expect(seen()).toEqual(['ADDED a@1', 'ADDED b@2', 'ADDED c@3', 'ADDED d@4']);
  });

  it('sends any state, then changes, for version 0', async () => {
    const setting = await setUp();
    const seen = await open(setting, { resourceVersion: '0' });
    expect(seen()).toEqual(['ADDED a@1', 'ADDED b@2']);
    setting.release();
    expect(seen()).toEqual(['ADDED a@1', 'ADDED b@2', 'ADDED c@3']);
  });

  it('sends only changes after a non-zero version', async () => {
    const setting = await setUp();
    const seen = await open(setting, { resourceVersion: '1' });
    expect(seen()).toEqual(['ADDED b@2']);
    setting.release();
    expect(seen()).toEqual(['ADDED b@2', 'ADDED c@3']);
  });

  it('waits for an unknown version, then sends 410 so that the client re-lists', async () => {
    const setting = await setUp();
    const early = open(setting, { resourceVersion: '3' });
    setting.release();
    expect((await early)()).toEqual([]);
    const never = await patiently(setting.clock, open(setting, { resourceVersion: '9' }));
    expect(never()).toEqual(['ERROR 410: too large resource version: 9 (3)']);
  });

  it('does not wait for an unknown version longer than its timeout', async () => {
    const setting = await setUp();
    const never = open(setting, { resourceVersion: '9', timeoutSeconds: 1 });
    await setting.clock.advance(1_000);
    expect((await never)()).toEqual([]);
  });

  it('returns 400 for the version x', async () => {
    const { maps } = await setUp();
    expect((await refusal(maps.watch(watching({ resourceVersion: 'x' })))).status).toMatchObject({
      code: 400,
    });
  });

  it('ends at once with a negative timeout', async () => {
    const setting = await setUp();
    const peer = createPeer();
    (await setting.maps.watch(watching({ resourceVersion: '2', timeoutSeconds: -1 })))(peer);
    await setting.clock.advance(0);
    expect(peer.closed).toBe(true);
  });

  const NOT_OLDER = 'NotOlderThan';
  /**
   * sendInitialEvents, resourceVersion, allowWatchBookmarks, and the events once all changes were delivered.
   */
  it.each([
    [true, '', true, ['ADDED a@1', 'ADDED b@2', 'ADDED c@3', 'BOOKMARK @3 end']],
    [true, '0', true, ['ADDED a@1', 'ADDED b@2', 'BOOKMARK @2 end', 'ADDED c@3']],
    [true, '1', true, ['ADDED a@1', 'ADDED b@2', 'BOOKMARK @2 end', 'ADDED c@3']],
    [true, '3', true, ['ADDED a@1', 'ADDED b@2', 'ADDED c@3', 'BOOKMARK @3 end']],
    [true, '3', false, ['ADDED a@1', 'ADDED b@2', 'ADDED c@3']],
    [false, '', true, []],
    [false, '0', true, ['ADDED c@3']],
    [false, '1', true, ['ADDED b@2', 'ADDED c@3']],
  ])(
    'sends the expected events for sendInitialEvents %o, resourceVersion %o, bookmarks %o',
    async (initial, version, bookmarks, expected) => {
      const setting = await setUp();
      const opening = open(setting, {
        resourceVersion: version,
        resourceVersionMatch: NOT_OLDER,
        sendInitialEvents: initial,
        allowBookmarks: bookmarks,
      });
      if (version === '' || version === '3') setting.release();
      const seen = await opening;
      setting.release();
      expect(seen()).toEqual(expected);
    },
  );

  const FORBIDDEN = 'resourceVersionMatch: Forbidden: ';
  const UNSET = `${FORBIDDEN}resourceVersionMatch is forbidden unless resourceVersion is provided`;
  const REQUIRES = `${FORBIDDEN}sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`;
  it.each<[Partial<WatchParameters>, string]>([
    [
      { resourceVersionMatch: 'NotOlderThan', resourceVersion: '1' },
      `${FORBIDDEN}resourceVersionMatch is forbidden for watch`,
    ],
    [
      { resourceVersionMatch: 'NotOlderThan' },
      `[${FORBIDDEN}resourceVersionMatch is forbidden for watch, ${UNSET}]`,
    ],
    [{ sendInitialEvents: true }, REQUIRES],
    [{ sendInitialEvents: false }, REQUIRES],
    [
      { sendInitialEvents: true, resourceVersionMatch: 'Exact', resourceVersion: '1' },
      `[${REQUIRES}, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]`,
    ],
    [
      { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', continueToken: 'x' },
      `${FORBIDDEN}resourceVersionMatch is forbidden when continue is provided`,
    ],
  ])('refuses %j', async (parameters, why) => {
    const { maps } = await setUp();
    const { status } = await refusal(maps.watch(watching(parameters)));
    expect(status).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: `ListOptions.meta.k8s.io "" is invalid: ${why}`,
    });
  });
});
