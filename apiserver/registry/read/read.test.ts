import type { ApiObject } from '../../../api/kinds/kind.ts';
import { describe, expect, it } from 'vitest';
import { configMaps, jobs, nodes, pods, replicaSets } from '../../../api/groups/index.ts';
import type { AnyKind } from '../../../api/kinds/scheme.ts';
import { configMap, listing, pod, refusal, startFixture, writing } from '../registry.fixture.ts';
import type { EncodedList, ListParameters } from '../registry.ts';

/** Writes five ConfigMaps at revisions 1 to 5, changes the first at 6, and deletes the last at 7. */
async function withHistory() {
  const fixture = await startFixture();
  const registry = fixture.of(configMaps);
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    await registry.create('default', configMap(name, {}, { labels: { name } }), writing());
  await registry.update(
    'default',
    'a',
    '',
    configMap('a', { k: 'new' }, { labels: { name: 'a' } }),
    writing(),
  );
  await registry.delete(
    'default',
    'e',
    { preconditions: {}, gracePeriodSeconds: undefined, propagationPolicy: undefined },
    writing(),
  );
  const list = (changes: Partial<ListParameters>) => registry.list(listing(changes));
  return { ...fixture, registry, list };
}

const namesOf = (list: EncodedList): string => list.items.map(({ object }) => object.metadata?.name).join('');
const documentOf = (list: EncodedList): unknown => JSON.parse(Buffer.concat([...list.chunks]).toString());
const TOO_LARGE = {
  causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
  retryAfterSeconds: 1,
};

describe('get', () => {
  it.each(['', '0', '1', '7'])('returns the stored bytes at resourceVersion %j', async (resourceVersion) => {
    const { registry, storage } = await withHistory();
    const { bytes, object } = await registry.get('default', 'a', resourceVersion);
    expect(bytes).toEqual((await storage.get('/registry/core/configmaps/default/a'))?.value);
    expect(object.metadata?.resourceVersion).toBe('6');
  });

  it.each(['', '0'])('returns 404 for a missing object at resourceVersion %j', async (resourceVersion) => {
    const { registry } = await withHistory();
    const error = await refusal(registry.get('default', 'e', resourceVersion));
    expect([error.code, error.message]).toEqual([404, 'configmaps "e" not found']);
  });

  it('waits for a future resource version', async () => {
    const { registry } = await withHistory();
    const answer = registry.get('default', 'a', '8');
    await registry.create('default', configMap('f'), writing());
    expect((await answer).object.metadata?.name).toBe('a');
  });

  it('times out on a resource version that is not reached', async () => {
    const { registry, clock } = await withHistory();
    const answer = refusal(registry.get('default', 'a', '99'));
    await clock.advance(3_000);
    const error = await answer;
    expect([error.code, error.reason, error.message, error.status.details]).toEqual([
      504,
      'Timeout',
      'Timeout: Too large resource version: 99, current: 7',
      TOO_LARGE,
    ]);
  });

  it.each(['x', '-1', '1.5', '1e3', ' 1'])(
    'rejects the malformed resource version %j',
    async (resourceVersion) => {
      const { registry } = await withHistory();
      const error = await refusal(registry.get('default', 'a', resourceVersion));
      expect([error.code, error.reason]).toEqual([400, 'BadRequest']);
      expect(error.message).toContain(`strconv.ParseUint: parsing "${resourceVersion}": invalid syntax`);
    },
  );
});

describe('list', () => {
  it('returns the stored bytes and states the type of the items once', async () => {
    const { list, storage } = await withHistory();
    const answer = await list({});
    const stored = await storage.list('/registry/core/configmaps/default/');
    expect(documentOf(answer)).toEqual({
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '7' },
      items: stored.items.map(({ value }) => {
        const { kind: _, apiVersion: __, ...item } = JSON.parse(value.toString()) as ApiObject;
        return item;
      }),
    });
    expect(documentOf(await list({ namespace: 'empty' }))).toMatchObject({
      metadata: { resourceVersion: '7' },
      items: [],
    });
  });

  it.each(['', '0'])(
    'returns the state at the time of the request at resourceVersion %j',
    async (resourceVersion) => {
      const { list, registry } = await withHistory();
      const answer = await list({ resourceVersion });
      const expected = documentOf(await list({ resourceVersion }));
      await registry.create('default', configMap('late'), writing());
      expect(documentOf(answer)).toEqual(expected);
      expect(namesOf(answer)).toBe('abcd');
    },
  );

  it('finds objects by name in all namespaces', async () => {
    const { list, registry } = await withHistory();
    await registry.create('other', configMap('a'), writing());
    await registry.create('other', configMap('aa'), writing());
    const found = await list({ namespace: '', resourceVersion: '0', fieldSelector: 'metadata.name=a' });
    expect(found.items.map(({ object }) => object.metadata?.namespace)).toEqual(['default', 'other']);
  });

  // Columns: match, limit, requested version; expected names and version. See
  // https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions.
  it.each([
    ['', 0, '', 'abcd', '7'],
    ['', 0, '0', 'abcd', '7'],
    ['', 0, '5', 'abcd', '7'],
    ['', 2, '', 'ab', '7'],
    ['', 2, '0', 'ab', '7'],
    ['', 2, '5', 'ab', '5'],
    ['Exact', 0, '5', 'abcde', '5'],
    ['Exact', 2, '5', 'ab', '5'],
    ['NotOlderThan', 0, '0', 'abcd', '7'],
    ['NotOlderThan', 0, '5', 'abcd', '7'],
    ['NotOlderThan', 2, '5', 'ab', '7'],
  ])(
    'with match %j, limit %d and version %j returns %s at version %s',
    async (resourceVersionMatch, limit, resourceVersion, names, shown) => {
      const { list } = await withHistory();
      const answer = await list({ resourceVersionMatch, limit, resourceVersion });
      expect([namesOf(answer), answer.resourceVersion, answer.continueToken !== '']).toEqual([
        names,
        shown,
        limit > 0,
      ]);
    },
  );

  it.each([
    ['Exact', '', '', 'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided'],
    [
      'NotOlderThan',
      '',
      '',
      'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    ],
    ['Exact', '0', '', 'Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"'],
    ['Exact', '5', 'token', 'Forbidden: resourceVersionMatch is forbidden when continue is provided'],
    ['Newest', '5', '', 'Unsupported value: "Newest": supported values: "Exact", "NotOlderThan", ""'],
  ])(
    'rejects match %j at version %j with continue token %j',
    async (resourceVersionMatch, resourceVersion, continueToken, why) => {
      const { list } = await withHistory();
      const error = await refusal(list({ resourceVersionMatch, resourceVersion, continueToken }));
      expect([error.code, error.message]).toEqual([
        422,
        `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: ${why}`,
      ]);
    },
  );

  it.each(['', 'NotOlderThan'])(
    'times out on a resource version that is not reached, with match %j',
    async (resourceVersionMatch) => {
      const { list, clock } = await withHistory();
      const answer = refusal(list({ resourceVersion: '99', resourceVersionMatch }));
      await clock.advance(3_000);
      expect((await answer).message).toBe('Timeout: Too large resource version: 99, current: 7');
    },
  );

  it('rejects an exact future version', async () => {
    const { list } = await withHistory();
    expect((await refusal(list({ resourceVersion: '99', resourceVersionMatch: 'Exact' }))).code).toBe(504);
  });

  it('rejects an exact version that was compacted', async () => {
    const { list, storage } = await withHistory();
    await storage.compact(6);
    const error = await refusal(list({ resourceVersion: '5', resourceVersionMatch: 'Exact' }));
    expect([error.code, error.reason, error.message]).toEqual([
      410,
      'Expired',
      'The resourceVersion for the provided list is too old.',
    ]);
  });
});

describe('list without a resource version', () => {
  it('reads the store if the cache cannot catch up with the store', async () => {
    const stalled = { cancel: () => {}, revision: 0, progress: async () => {} };
    const { of, clock } = await startFixture({
      wrap: (storage) => ({ ...storage, watch: async () => stalled }),
    });
    await of(configMaps).create('default', configMap('a'), writing());
    const answer = of(configMaps).list(listing());
    await clock.advance(3_000);
    expect([namesOf(await answer), (await answer).resourceVersion]).toEqual(['a', '1']);
    expect(namesOf(await of(configMaps).list(listing({ resourceVersion: '0' })))).toBe('');
  });
});

describe('pages of a list', () => {
  it('return one revision while other clients write', async () => {
    const { list, registry } = await withHistory();
    const first = await list({ limit: 2 });
    expect([namesOf(first), first.remainingItemCount]).toEqual(['ab', 2]);
    await registry.create('default', configMap('bb'), writing());
    await registry.update('default', 'd', '', configMap('d', { k: 'later' }), writing());
    const second = await list({ limit: 1, continueToken: first.continueToken });
    expect([namesOf(second), second.resourceVersion, second.remainingItemCount]).toEqual(['c', '7', 1]);
    const third = await list({ limit: 5, continueToken: second.continueToken, resourceVersion: '0' });
    expect([namesOf(third), third.continueToken, third.remainingItemCount]).toEqual(['d', '', undefined]);
    expect(third.items[0]?.object).not.toHaveProperty('data.k');
  });

  it('omit the remaining count if the list has a selector', async () => {
    const { list } = await withHistory();
    const page = await list({ limit: 1, labelSelector: 'name in (a,c)' });
    expect([namesOf(page), page.remainingItemCount, page.continueToken !== '']).toEqual([
      'a',
      undefined,
      true,
    ]);
    const rest = await list({ limit: 5, labelSelector: 'name in (a,c)', continueToken: page.continueToken });
    expect([namesOf(rest), rest.continueToken]).toEqual(['c', '']);
  });

  it('reject a resource version together with a continue token', async () => {
    const { list } = await withHistory();
    const { continueToken } = await list({ limit: 2 });
    const error = await refusal(list({ limit: 2, continueToken, resourceVersion: '5' }));
    expect([error.code, error.message]).toEqual([
      400,
      'specifying resource version is not allowed when using continue',
    ]);
  });

  it.each([
    ['!', 'illegal base64 data at input byte 0'],
    [Buffer.from('no json').toString('base64url'), "invalid character 'o' in literal null (expecting 'u')"],
    [
      Buffer.from('{"v":"x","rv":1,"start":"a"}').toString('base64url'),
      'server does not recognize this encoded version "x"',
    ],
    [
      Buffer.from('{"v":"meta.k8s.io/v1","start":"a"}').toString('base64url'),
      'incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    ],
    [
      Buffer.from('{"v":"meta.k8s.io/v1","rv":1}').toString('base64url'),
      'encoded start key empty (version meta.k8s.io/v1)',
    ],
    [
      Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"../../secrets/a"}').toString('base64url'),
      '../../secrets/a',
    ],
  ])('reject the continue token %s', async (continueToken, why) => {
    const { list } = await withHistory();
    const error = await refusal(list({ limit: 2, continueToken }));
    expect([error.code, error.message]).toEqual([
      400,
      `invalid continue token: continue key is not valid: ${why}`,
    ]);
  });

  it('continue at the current revision with the token of a 410 response', async () => {
    const { list, storage, registry } = await withHistory();
    const first = await list({ limit: 2 });
    await registry.create('default', configMap('f'), writing());
    await storage.compact(8);
    const error = await refusal(list({ limit: 2, continueToken: first.continueToken }));
    expect([error.code, error.reason]).toEqual([410, 'Expired']);
    expect(error.message).toContain('use the continue token in this response to retrieve the remainder');
    const rest = await list({ limit: 5, continueToken: error.status.metadata.continue ?? '' });
    expect([namesOf(rest), rest.resourceVersion]).toEqual(['cdf', '8']);
  });
});

describe('list with selectors', () => {
  it.each([
    ['name=a', '', 'a'],
    ['name!=a', '', 'bcd'],
    ['name in (a,b),name notin (b)', '', 'a'],
    ['', 'metadata.name=c', 'c'],
    ['', 'metadata.name!=c', 'abd'],
    ['', 'metadata.namespace=default,metadata.name=d', 'd'],
    ['', 'metadata.namespace=other', ''],
    ['name=a', 'metadata.name=b', ''],
  ])('returns for labels %j and fields %j the objects %j', async (labelSelector, fieldSelector, names) => {
    const { list } = await withHistory();
    for (const namespace of ['default', ''])
      expect(namesOf(await list({ namespace, labelSelector, fieldSelector }))).toBe(names);
    expect(
      namesOf(
        await list({ labelSelector, fieldSelector, resourceVersion: '7', resourceVersionMatch: 'Exact' }),
      ),
    ).toBe(names);
  });

  it.each([
    ['a==', '=b', "unable to parse requirement: found '=', expected: identifier"],
    ['', 'data.x=1', '"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"'],
    [
      '',
      'constructor=1',
      '"constructor" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
  ])('rejects labels %j and fields %j', async (labels, fields, message) => {
    const { list } = await withHistory();
    const error = await refusal(
      list(labels === '' ? { fieldSelector: fields } : { labelSelector: labels + fields }),
    );
    expect([error.code, error.message]).toEqual([400, message]);
  });

  it('selects by the fields of a kind', async () => {
    const { of } = await startFixture();
    await of(pods).create('default', pod('p', { nodeName: 'n1' }), writing());
    await of(pods).create('default', pod('q', { nodeName: 'n2' }), writing());
    expect(namesOf(await of(pods).list(listing({ namespace: '', fieldSelector: 'spec.nodeName=n2' })))).toBe(
      'q',
    );
    const error = await refusal(of(pods).list(listing({ fieldSelector: 'spec.nope=1' })));
    expect(error.message).toBe('field label not supported: spec.nope');
  });

  it.each([
    [jobs, 'spec.nope=1', 'field label "spec.nope" not supported for batchv1.Job'],
    [nodes, 'metadata.namespace=a', 'field label not supported: metadata.namespace'],
    [
      replicaSets,
      'status.replicas=1',
      '"status.replicas" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
  ])('rejects unknown fields of kind %#', async (kind: AnyKind, fieldSelector, message) => {
    const { of } = await startFixture();
    const error = await refusal(of(kind).list(listing({ namespace: '', fieldSelector })));
    expect([error.code, error.message]).toEqual([400, message]);
  });

  it('finds a cluster-scoped object by its name', async () => {
    const { of } = await startFixture();
    for (const name of ['n1', 'n2']) await of(nodes).create('', { metadata: { name } }, writing());
    expect(namesOf(await of(nodes).list(listing({ namespace: '', fieldSelector: 'metadata.name=n2' })))).toBe(
      'n2',
    );
  });
});

describe('an object reader', () => {
  it('returns decoded objects and reports each change', async () => {
    const { registry: all, of } = await startFixture();
    const reader = all.reader(configMaps);
    const seen: unknown[] = [];
    await of(configMaps).create('default', configMap('a', { k: '1' }), writing());
    const stop = reader.subscribe((object, previous) =>
      seen.push([object?.data?.['k'], previous?.data?.['k']]),
    );
    await of(configMaps).update('default', 'a', '', configMap('a', { k: '2' }), writing());
    expect(reader.get('default', 'a')?.data).toEqual({ k: '2' });
    expect((await reader.live('default', 'a'))?.data).toEqual({ k: '2' });
    expect([reader.list('default').length, reader.list('other').length, reader.list().length]).toEqual([
      1, 0, 1,
    ]);
    await of(configMaps).delete(
      'default',
      'a',
      { preconditions: {}, gracePeriodSeconds: undefined, propagationPolicy: undefined },
      writing(),
    );
    stop();
    await of(configMaps).create('default', configMap('b'), writing());
    expect(seen).toEqual([
      ['1', undefined],
      ['2', '1'],
      [undefined, '2'],
    ]);
  });
});
