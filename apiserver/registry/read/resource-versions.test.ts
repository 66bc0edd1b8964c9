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
 * Specification 1, section 4.5, cell for cell. In each test the store holds `a` of version 1, `b` of version 2 and `c` of
 * version 3, while the watch cache has heard of the first two alone: what is shown tells where it was read.
 */
interface Setting {
  readonly maps: ResourceRegistry;
  readonly clock: SimulatedClock;
  readonly storage: Storage;
  /** The cache hears of everything. */
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

/** A store whose changes can be kept from those who watch it. */
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

/** What is shown: `a b @2`. */
const shown = async (list: Promise<EncodedList>): Promise<string> => {
  const found = await list;
  return [...namesOf(found), `@${found.resourceVersion}`].join(' ');
};

/** All pages of a list, one after the other. */
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

/** Lets a read that waits for the cache give up. */
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

  it('unset: Most Recent', async () => {
    const { maps } = await setUp();
    expect((await maps.get('default', 'c', '')).object.metadata?.resourceVersion).toBe('3');
  });

  it('0: Any', async () => {
    const { maps } = await setUp();
    expect((await maps.get('default', 'b', '0')).object.metadata?.resourceVersion).toBe('2');
    expect((await refusal(maps.get('default', 'c', '0'))).status.code).toBe(404);
  });

  it('non-zero: Not older than', async () => {
    const setting = await setUp();
    expect((await get(setting, '1')).object.metadata?.name).toBe('b');
    const waiting = get(setting, '3');
    setting.release();
    expect((await waiting).object.metadata?.name).toBe('c');
  });

  it('unrecognized: 504 with Retry-After', async () => {
    const setting = await setUp();
    const { status } = await refusal(patiently(setting.clock, get(setting, '9')));
    expect(status).toMatchObject(TOO_LARGE);
  });

  it.each([
    ['x', 'invalid syntax'],
    ['-1', 'invalid syntax'],
    ['99999999999999999999', 'value out of range'],
  ])('%s: 400', async (version, why) => {
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
  const gone = await refusal(maps.list(listing({ ...parameters, resourceVersion: '1' })));
  expect(gone.status).toMatchObject({
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

/** The table as it stands in the specification; rows that say 'with or without limit' are two. */
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
  'list, resourceVersionMatch %o, %s',
  (resourceVersionMatch, _pagination, limit, unset, zero, nonZero) => {
    it('resourceVersion unset', async () => {
      await unset(await setUp(), { resourceVersionMatch, limit });
    });
    it('resourceVersion 0', async () => {
      await zero(await setUp(), { resourceVersionMatch, limit, resourceVersion: '0' });
    });
    it('resourceVersion non-zero', async () => {
      await nonZero(await setUp(), { resourceVersionMatch, limit });
    });
  },
);

describe('list', () => {
  const message = async (parameters: Partial<ListParameters>): Promise<string> => {
    const { maps } = await setUp();
    return (await refusal(maps.list(listing(parameters)))).status.message ?? '';
  };

  it('refuses resourceVersionMatch beside a continue token, and values it does not know', async () => {
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

  it('refuses a version that is no number', async () => {
    expect(await message({ resourceVersion: 'x' })).toBe(
      'invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    );
  });

  it('answers a page whose version has been compacted with 410 and a token that goes on from the present', async () => {
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

  it('never lead out of the collection they are used on', async () => {
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

  it('unset: state, then changes, from the most recent', async () => {
    const setting = await setUp();
    const opening = open(setting, {});
    setting.release();
    const seen = await opening;
    await setting.maps.create('default', configMap('d'), writing());
    expect(seen()).toEqual(['ADDED a@1', 'ADDED b@2', 'ADDED c@3', 'ADDED d@4']);
  });

  it('0: state, then changes, from any', async () => {
    const setting = await setUp();
    const seen = await open(setting, { resourceVersion: '0' });
    expect(seen()).toEqual(['ADDED a@1', 'ADDED b@2']);
    setting.release();
    expect(seen()).toEqual(['ADDED a@1', 'ADDED b@2', 'ADDED c@3']);
  });

  it('non-zero: changes alone, from that version', async () => {
    const setting = await setUp();
    const seen = await open(setting, { resourceVersion: '1' });
    expect(seen()).toEqual(['ADDED b@2']);
    setting.release();
    expect(seen()).toEqual(['ADDED b@2', 'ADDED c@3']);
  });

  it('unrecognized: waits, then 410 so that the client lists anew', async () => {
    const setting = await setUp();
    const early = open(setting, { resourceVersion: '3' });
    setting.release();
    expect((await early)()).toEqual([]);
    const never = await patiently(setting.clock, open(setting, { resourceVersion: '9' }));
    expect(never()).toEqual(['ERROR 410: too large resource version: 9 (3)']);
  });

  it('unrecognized: never waits longer than it was to last', async () => {
    const setting = await setUp();
    const never = open(setting, { resourceVersion: '9', timeoutSeconds: 1 });
    await setting.clock.advance(1_000);
    expect((await never)()).toEqual([]);
  });

  it('x: 400', async () => {
    const { maps } = await setUp();
    expect((await refusal(maps.watch(watching({ resourceVersion: 'x' })))).status).toMatchObject({
      code: 400,
    });
  });

  it('below 0 seconds ends at once', async () => {
    const setting = await setUp();
    const peer = createPeer();
    (await setting.maps.watch(watching({ resourceVersion: '2', timeoutSeconds: -1 })))(peer);
    await setting.clock.advance(0);
    expect(peer.closed).toBe(true);
  });

  const NOT_OLDER = 'NotOlderThan';
  /** sendInitialEvents, resourceVersion, allowWatchBookmarks, and what is seen once everything has been heard. */
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
    'sendInitialEvents %o, resourceVersion %o, bookmarks %o',
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
  ])('%j is refused', async (parameters, why) => {
    const { maps } = await setUp();
    const { status } = await refusal(maps.watch(watching(parameters)));
    expect(status).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: `ListOptions.meta.k8s.io "" is invalid: ${why}`,
    });
  });
});
