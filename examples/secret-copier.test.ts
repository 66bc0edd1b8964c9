import { expect, it } from 'vitest';
import { namespaces, secrets } from 'orch/api';
import { useControllers } from '../test/world/use-controllers.ts';
import { COPY_TO, plan, secretCopier } from './secret-copier.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

it('plans creations, updates and deletions of copies', () => {
  const copy = (namespace: string, alike: boolean) => ({
    target: { key: `${namespace}/s`, uid: namespace, resourceVersion: '1' },
    namespace,
    alike,
  });
  const copies = [copy('a', true), copy('b', false), copy('c', true)];
  const { actions } = plan({ source: 'team/s', wanted: ['a', 'b', 'd'], copies });
  expect(actions.map(({ type }) => type)).toEqual(['create', 'renew', 'remove']);
});

it('secretCopier keeps copies equal to their source even if a user changes or deletes a copy', async () => {
  const { world, running } = await useControllers(secretCopier);
  const { client } = world;
  for (const name of ['red', 'blue']) await client.cluster(namespaces).create({ metadata: { name } });
  const source = client.namespaced(secrets, 'team');
  const dataIn = async (namespace: string) => (await client.namespaced(secrets, namespace).get('key')).data;
  const metadata = { name: 'key', annotations: { [COPY_TO]: 'red,blue' } };
  await source.create({ metadata, data: { a: base64('1'), b: base64('2') } });
  await world.eventually(async () => expect(await dataIn('red')).toEqual(await dataIn('team')));
  await world.eventually(async () => expect(await dataIn('blue')).toEqual(await dataIn('team')));

  await source.patch('key', 'merge', { data: { a: null, b: base64('3') } });
  await world.eventually(async () => expect(await dataIn('red')).toEqual({ b: base64('3') }));
  await client.namespaced(secrets, 'red').delete('key');
  await world.eventually(async () => expect(await dataIn('red')).toEqual({ b: base64('3') }));
  await source.patch('key', 'merge', { metadata: { annotations: { [COPY_TO]: 'red' } } });
  await world.eventually(() => expect(dataIn('blue')).rejects.toThrow('not found'));
  await source.delete('key');
  await world.eventually(() => expect(dataIn('red')).rejects.toThrow('not found'));

  expect(JSON.stringify(running.manager.journal.read())).not.toContain(base64('3'));
});
