import { describe, expect, it } from 'vitest';
import { configMap, listing, refusal, writing } from '../registry.fixture.ts';
import type { ListParameters } from '../registry.ts';
import { paged, patiently, type Setting, setUp, shown, TOO_LARGE } from './resource-versions.fixture.ts';

describe('get', () => {
  const get = ({ maps }: Setting, version: string) =>
    maps.get('default', version === '3' ? 'c' : 'b', version);

  it('returns the newest object if the resource version is unset', async () => {
    const { maps } = await setUp();
    expect((await maps.get('default', 'c', '')).object.metadata?.resourceVersion).toBe('3');
  });

  it('returns the cached object, however old, for resource version 0', async () => {
    const { maps } = await setUp();
    expect((await maps.get('default', 'b', '0')).object.metadata?.resourceVersion).toBe('2');
    expect((await refusal(maps.get('default', 'c', '0'))).status.code).toBe(404);
  });

  it('returns an object not older than a non-zero resource version', async () => {
    const setting = await setUp();
    expect((await get(setting, '1')).object.metadata?.name).toBe('b');
    const waiting = get(setting, '3');
    setting.release();
    expect((await waiting).object.metadata?.name).toBe('c');
  });

  it('returns 504 with Retry-After for an unknown resource version', async () => {
    const setting = await setUp();
    const { status } = await refusal(patiently(setting.clock, get(setting, '9')));
    expect(status).toMatchObject(TOO_LARGE);
  });

  it.each([
    ['x', 'invalid syntax'],
    ['-1', 'invalid syntax'],
    ['99999999999999999999', 'value out of range'],
  ])('returns 400 for the resource version %s', async (version, why) => {
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

/** The table of the page that the fixture names. A row for 'with or without limit' is two rows here. */
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
  'a list with resourceVersionMatch %o, %s',
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
