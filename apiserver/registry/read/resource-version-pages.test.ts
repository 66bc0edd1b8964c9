import { describe, expect, it } from 'vitest';
import { configMap, listing, refusal, writing } from '../registry.fixture.ts';
import type { ListParameters } from '../registry.ts';
import { namesOf, setUp, shown } from './resource-versions.fixture.ts';

describe('list', () => {
  const message = async (parameters: Partial<ListParameters>): Promise<string> => {
    const { maps } = await setUp();
    return (await refusal(maps.list(listing(parameters)))).status.message ?? '';
  };

  it('rejects resourceVersionMatch together with a continue token, and rejects unknown values', async () => {
    expect(
      await message({ resourceVersion: '2', resourceVersionMatch: 'Exact', continueToken: 'x' }),
    ).toContain(
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
    );
    expect(await message({ resourceVersion: '2', resourceVersionMatch: 'Newest' })).toContain(
      'resourceVersionMatch: Unsupported value: "Newest": supported values: "Exact", "NotOlderThan", ""',
    );
  });

  it('rejects sendInitialEvents', async () => {
    expect(await message({ sendInitialEvents: true })).toBe(
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    );
  });

  it('rejects a resource version that is not a number', async () => {
    expect(await message({ resourceVersion: 'x' })).toBe(
      'invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    );
  });

  it('returns 410 for a page of a compacted revision, with a token that continues at the current revision', async () => {
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
  ])('reject %s', async (continueToken, why) => {
    const { maps } = await setUp();
    const { status } = await refusal(maps.list(listing({ limit: 1, continueToken })));
    expect(status).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: `invalid continue token: continue key is not valid: ${why}`,
    });
  });

  it('return no object outside the collection of the request', async () => {
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
