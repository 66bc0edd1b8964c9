import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Program, createWorkbench } from '../e2e/process.ts';
import { freePort } from '../free-port.ts';
import { type ClientNode, type KubeConfig, type KubeObject, findClientNode } from './client-node.ts';

const found = await findClientNode('@kubernetes/client-node against the kubernetes vocabulary');
const WITHIN = { timeout: 60_000, interval: 50 };
const namespace = 'default';

describe.skipIf(found === undefined)('client-node', () => {
  const library = found as ClientNode;
  const bench = createWorkbench();
  let folder: string;
  let port: number;
  let program: Program;
  let config: KubeConfig;

  const start = async (): Promise<void> => {
    const argv = ['up', '--data-dir', folder, '--secure-port', String(port), '--vocabulary', 'kubernetes'];
    program = bench.orch(argv);
    await program.output(/^ready https/m);
  };
  const core = () => config.makeApiClient(library.CoreV1Api);
  const create = (name: string, data: object = {}, labels: object = {}) =>
    core().createNamespacedConfigMap({ namespace, body: { metadata: { name, labels }, data } });
  const nameOf = (object: KubeObject): string => object.metadata?.name ?? '';

  beforeAll(async () => {
    folder = join(bench.folder(), 'data');
    port = await freePort();
    await start();
    config = new library.KubeConfig();
    config.loadFromFile(join(folder, 'admin.conf'));
  });
  afterAll(() => bench.close());

  it('creates, reads, replaces, patches in three ways and deletes', async () => {
    const made = await create('one', { a: '1' });
    expect(made.metadata?.creationTimestamp).toBeInstanceOf(Date);
    await expect(create('one')).rejects.toMatchObject({ code: 409 });
    const body = { ...made, data: { a: '2' } };
    const replaced = await core().replaceNamespacedConfigMap({ namespace, name: 'one', body });
    expect(replaced.data).toEqual({ a: '2' });
    await expect(core().replaceNamespacedConfigMap({ namespace, name: 'one', body })).rejects.toMatchObject({
      code: 409,
    });
    const patch = (strategy: string, change: object) =>
      core().patchNamespacedConfigMap(
        { namespace, name: 'one', body: change },
        library.setHeaderOptions('Content-Type', strategy),
      );
    const { MergePatch, JsonPatch, StrategicMergePatch } = library.PatchStrategy;
    await patch(MergePatch, { data: { b: '3' } });
    await patch(JsonPatch, [{ op: 'remove', path: '/data/a' }]);
    expect((await patch(StrategicMergePatch, { data: { c: '4' } })).data).toEqual({ b: '3', c: '4' });
    await core().deleteNamespacedConfigMap({ namespace, name: 'one' });
    await expect(core().readNamespacedConfigMap({ namespace, name: 'one' })).rejects.toMatchObject({
      code: 404,
    });
  });

  it('lists by label, in pages, and deletes a collection', async () => {
    for (let i = 0; i < 5; i++) await create(`page-${i}`, {}, { set: 'pages' });
    const labelSelector = 'set=pages';
    const names: string[] = [];
    let _continue: string | undefined;
    do {
      const page = await core().listNamespacedConfigMap({
        namespace,
        labelSelector,
        limit: 2,
        ...(_continue ? { _continue } : {}),
      });
      expect(page.items.length).toBeLessThanOrEqual(2);
      names.push(...page.items.map(nameOf));
      _continue = page.metadata?._continue;
    } while (_continue);
    expect(names).toEqual(['page-0', 'page-1', 'page-2', 'page-3', 'page-4']);
    await core().deleteCollectionNamespacedConfigMap({ namespace, labelSelector });
    expect((await core().listNamespacedConfigMap({ namespace, labelSelector })).items).toEqual([]);
  });

  it('watches from a resource version', async () => {
    const { metadata } = await core().listNamespacedConfigMap({ namespace });
    const seen: string[] = [];
    const ended: unknown[] = [];
    const watch = await new library.Watch(config).watch(
      `/api/v1/namespaces/${namespace}/configmaps`,
      { resourceVersion: metadata?.resourceVersion },
      (type, object) => void seen.push(`${type} ${nameOf(object)}`),
      (error) => void ended.push(error),
    );
    await create('seen');
    await core().deleteNamespacedConfigMap({ namespace, name: 'seen' });
    await expect.poll(() => seen, WITHIN).toEqual(['ADDED seen', 'DELETED seen']);
    expect(ended).toEqual([]);
    watch.abort();
  });

  it('reads a CronJob with its defaults', async () => {
    const batch = config.makeApiClient(library.BatchV1Api);
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    await batch.createNamespacedCronJob({
      namespace,
      body: {
        metadata: { name: 'yearly' },
        spec: { schedule: '@yearly', jobTemplate: { spec: { template } } },
      },
    });
    const { items } = await batch.listNamespacedCronJob({ namespace });
    expect(items).toMatchObject([
      { spec: { concurrencyPolicy: 'Allow', suspend: false, failedJobsHistoryLimit: 1 } },
    ]);
  });

  it('updates an informer, even across a restart of the server', async () => {
    await create('before', { a: '1' });
    const informer = library.makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
      core().listNamespacedConfigMap({ namespace }),
    );
    const gone: string[] = [];
    informer.on('delete', (object) => void gone.push(nameOf(object)));
    let failures = 0;
    // By design an error ends the informer, and its owner restarts it.
    informer.on('error', () => {
      failures += 1;
      setTimeout(() => void informer.start().catch(() => {}), 200);
    });
    await informer.start();
    await expect.poll(() => informer.get('before', namespace)?.data, WITHIN).toEqual({ a: '1' });
    await create('during');
    await expect.poll(() => informer.get('during', namespace)?.metadata?.uid, WITHIN).toBeTypeOf('string');

    await program.end('SIGKILL');
    await start();
    await expect
      .poll(
        () =>
          create('after').then(
            () => 201,
            (error: { code?: number }) => error.code,
          ),
        WITHIN,
      )
      .toBe(409);
    await core().deleteNamespacedConfigMap({ namespace, name: 'during' });
    await expect
      .poll(() => informer.list(namespace).map(nameOf), WITHIN)
      .toEqual(expect.arrayContaining(['after', 'before']));
    await expect.poll(() => gone, WITHIN).toContain('during');
    expect(failures).toBeLessThan(50);
    await informer.stop();
  });
});
