import { describe, expect, it } from 'vitest';
import { deployments } from '../../../api/groups/index.ts';
import { createRecent, thawed } from './recent.ts';
import { refusal, startFixture, writing } from '../registry.fixture.ts';

const object = { metadata: { name: 'a' }, spec: { list: [{ x: 1 }] } };

describe('recently written objects', () => {
  it('are deeply frozen', () => {
    const recent = createRecent();
    const stored = { key: 'a', value: Buffer.from('x') };
    recent.add(stored, structuredClone(object));
    const kept = recent.get(stored) as unknown as typeof object;
    expect([kept, kept.spec, kept.spec.list, kept.spec.list[0]].every(Object.isFrozen)).toBe(true);
  });

  it('are evicted by more recently written objects', () => {
    const recent = createRecent(10);
    const written = ['a', 'b', 'c'].map((key) => ({ key, value: Buffer.alloc(4) }));
    for (const stored of written) recent.add(stored, structuredClone(object));
    expect(written.map((stored) => recent.get(stored) !== undefined)).toEqual([false, true, true]);
  });

  it('replace the previous state of the same object', () => {
    const recent = createRecent(10);
    const written = ['a', 'b', 'a', 'a', 'a'].map((key) => ({ key, value: Buffer.alloc(4) }));
    for (const stored of written) recent.add(stored, structuredClone(object));
    expect(written.map((stored) => recent.get(stored) !== undefined)).toEqual([
      false,
      true,
      false,
      false,
      true,
    ]);
    // The object written least recently is evicted first.
    recent.add({ key: 'c', value: Buffer.alloc(4) }, structuredClone(object));
    expect(written.map((stored) => recent.get(stored) !== undefined).slice(1)).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it('are not stored if they are too large', () => {
    const recent = createRecent(3);
    const stored = { key: 'a', value: Buffer.alloc(4) };
    recent.add(stored, object);
    expect(recent.get(stored)).toBeUndefined();
  });

  it('can be modified after thawing, except for lists', () => {
    const recent = createRecent();
    const frozen = structuredClone(object);
    recent.add({ key: 'a', value: Buffer.from('x') }, frozen);
    const free = thawed(frozen);
    free.metadata.name = 'b';
    expect([frozen.metadata.name, free.spec.list === frozen.spec.list]).toEqual(['a', true]);
  });
});

const deployment = (image: string): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    selector: { matchLabels: { app: 'd' } },
    template: {
      metadata: { labels: { app: 'd' } },
      spec: {
        containers: [
          { name: 'a', image, env: [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }] },
          { name: 'b', image: 'b', resources: { limits: { cpu: '1000m' } } },
        ],
      },
    },
  },
});

describe('a repeated apply', () => {
  const start = async () => {
    const registry = (await startFixture()).of(deployments);
    const apply = (config: object, fieldManager = 'me', subresource = '') =>
      registry.patch('default', 'd', subresource, 'application/apply-patch+yaml', config, {
        ...writing({ fieldManager }),
        force: false,
      });
    return { registry, apply };
  };

  it('has the same result with and without the remembered configuration', async () => {
    const warm = await start();
    const cold = await start();
    for (const image of ['1', '1', '2', '2', '1']) await warm.apply(deployment(image));
    await cold.apply(deployment('1'));
    const { object: found } = await cold.apply(deployment('1'));
    const { object: made } = await warm.apply(deployment('1'));
    const spec = (of: unknown): unknown => (of as { spec: unknown }).spec;
    expect(spec(made)).toEqual(spec(found));
    const fields = (of: typeof made): unknown => of.metadata?.managedFields?.map(({ fieldsV1 }) => fieldsV1);
    expect(fields(made)).toEqual(fields(found));
  });

  it('changes nothing if the configuration is the same, even the same object in memory', async () => {
    const { apply } = await start();
    const config = deployment('1');
    const versions = [];
    for (let time = 0; time < 4; time++)
      versions.push((await apply(config)).object.metadata?.resourceVersion);
    expect(new Set(versions).size).toBe(1);
  });

  it('applies changes that the caller made in the same configuration object', async () => {
    const { apply } = await start();
    const config = deployment('1') as { spec: { template: { spec: { containers: { image: string }[] } } } };
    await apply(config);
    await apply(config);
    for (const container of config.spec.template.spec.containers) container.image = '2';
    const { object: made } = await apply(config);
    expect(made).toMatchObject({
      metadata: { generation: 2 },
      spec: { template: { spec: { containers: [{ image: '2' }, { image: '2' }] } } },
    });
  });

  it('detects the conflict with another manager', async () => {
    const { apply } = await start();
    await apply(deployment('1'));
    await apply(deployment('1'));
    expect((await refusal(apply(deployment('2'), 'other'))).code).toBe(409);
  });

  it('rejects an invalid object', async () => {
    const { apply } = await start();
    await apply(deployment('1'));
    await apply(deployment('1'));
    expect((await refusal(apply(deployment('')))).code).toBe(422);
  });

  it('preserves other writes to the same object', async () => {
    const { apply, registry } = await start();
    await apply(deployment('1'));
    await apply(deployment('1'));
    const merge = (body: object, subresource = '') =>
      registry.patch('default', 'd', subresource, 'application/merge-patch+json', body, {
        ...writing(),
        force: false,
      });
    await merge({ status: { replicas: 3 } }, 'status');
    await merge({ spec: { replicas: 3 } });
    const { object: made } = await apply(deployment('1'));
    expect(made).toMatchObject({ spec: { replicas: 3 }, status: { replicas: 3 } });
  });
});
