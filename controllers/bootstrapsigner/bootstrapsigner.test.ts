import { flattenedVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { configMaps, events, namespaces, secrets } from '../../api/groups/core-v1.ts';
import { isForbidden, isNotFound, isUnauthorized } from '../../api/status/api-error.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { toTime } from '../../base/clock/clock.ts';
import { useWorld } from '../../test/world/use-world.ts';
import type { WorldOptions } from '../../test/world/world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const SECRET = 'f395accd246ae52d';
const KUBECONFIG = 'apiVersion: v1\nkind: Config\nclusters:\n- name: ""\n';

const encode = (text: string): string => Buffer.from(text).toString('base64');

async function start(options: WorldOptions = {}) {
  const world = await useWorld({ controllers: ['bootstrapsigner', 'tokencleaner'], ...options });
  const { client, vocabulary } = world;
  const infos = client.namespaced(configMaps, vocabulary.namespaces.public);
  const tokens = client.namespaced(secrets, vocabulary.namespaces.system);
  await infos.delete('cluster-info').catch((thrown: unknown) => {
    if (!isNotFound(thrown)) throw thrown;
  });
  await infos.create({ metadata: { name: 'cluster-info' }, data: { kubeconfig: KUBECONFIG, other: 'kept' } });
  const data = async () => (await infos.get('cluster-info')).data ?? {};
  return {
    ...world,
    infos,
    tokens,
    data,
    signatures: async () =>
      Object.keys(await data())
        .filter((key) => key.startsWith('jws-kubeconfig-'))
        .sort(),
    token: (id: string, changes: Readonly<Record<string, string>> = {}, name = `bootstrap-token-${id}`) =>
      tokens.create({
        metadata: { name },
        type: vocabulary.secretTypes.bootstrapToken,
        data: Object.fromEntries(
          Object.entries({
            'token-id': id,
            'token-secret': SECRET,
            'usage-bootstrap-signing': 'true',
            'usage-bootstrap-authentication': 'true',
            ...changes,
          }).map(([key, value]) => [key, encode(value)]),
        ),
      }),
    /** Verifies the signature of a token with an independent library, as a joining node does. */
    async verify(id: string) {
      const { [`jws-kubeconfig-${id}`]: jws = '', kubeconfig = '' } = await data();
      const [header = '', payload, signature = ''] = jws.split('.');
      expect(payload).toBe('');
      const key = vocabulary.product === 'orch' ? `${id}.${SECRET}` : SECRET;
      const { protectedHeader } = await flattenedVerify(
        { protected: header, payload: Buffer.from(kubeconfig).toString('base64url'), signature },
        Buffer.from(key),
      );
      return protectedHeader;
    },
  };
}

describe('bootstrapSignerController', () => {
  it.each([
    ['orch', 'the complete token', {}],
    ['kubernetes', 'the secret part of the token', { vocabulary: kubernetesVocabulary }],
  ] as const)(
    'signs cluster-info in the vocabulary %s with %s as the key',
    async (_product, _key, options) => {
      const { token, verify, eventually, data } = await start(options);
      await token('abcdef');
      await eventually(async () =>
        expect(await verify('abcdef')).toMatchObject({ alg: 'HS256', kid: 'abcdef' }),
      );
      expect(await data()).toMatchObject({ kubeconfig: KUBECONFIG, other: 'kept' });
    },
  );

  it('signs again after the kubeconfig in cluster-info changes', async () => {
    const { token, verify, eventually, infos, data } = await start();
    await token('abcdef');
    await eventually(() => verify('abcdef'));
    const { 'jws-kubeconfig-abcdef': before } = await data();
    await infos.patch('cluster-info', 'merge', { data: { kubeconfig: 'another' } });
    await eventually(async () => {
      await verify('abcdef');
      expect((await data())['jws-kubeconfig-abcdef']).not.toBe(before);
    });
    expect((await data())['kubeconfig']).toBe('another');
  });

  it('signs cluster-info that is created after the token', async () => {
    const { token, verify, eventually, infos, clock } = await start();
    await infos.delete('cluster-info');
    await token('abcdef');
    await clock.advance(MINUTE);
    await infos.create({ metadata: { name: 'cluster-info' }, data: { kubeconfig: KUBECONFIG } });
    await eventually(() => verify('abcdef'));
  });

  it('writes one signature for each token with the signing usage, and none for other tokens', async () => {
    const { token, signatures, clock } = await start();
    const past = toTime(clock.now() - HOUR);
    await token('aaaaaa');
    await token('bbbbbb');
    await token('cccccc', { 'usage-bootstrap-signing': 'false' });
    await token('dddddd', { expiration: past });
    await clock.advance(MINUTE);
    expect(await signatures()).toEqual(['jws-kubeconfig-aaaaaa', 'jws-kubeconfig-bbbbbb']);
  });

  it('ignores a Secret that is not a valid token', async () => {
    const { token, signatures, client, vocabulary, clock } = await start();
    await token('aaaaaa');
    await token('bbbbbb', { 'token-secret': 'short' });
    await token('cccccc', { 'token-id': 'CCCCCC' });
    await token('dddddd', { 'usage-bootstrap-signing': 'True' });
    await token('eeeeee', { expiration: '2999-01-01' });
    await token('ffffff', {}, 'bootstrap-token-other1');
    await token('gggggg', { 'token-secret': '' });
    const data = { 'token-id': encode('hhhhhh'), 'token-secret': encode(SECRET) };
    const signing = { 'usage-bootstrap-signing': encode('true') };
    await client.namespaced(secrets, vocabulary.namespaces.system).create({
      metadata: { name: 'bootstrap-token-hhhhhh' },
      type: 'Opaque',
      data: { ...data, ...signing },
    });
    await client.namespaced(secrets, 'team').create({
      metadata: { name: 'bootstrap-token-hhhhhh' },
      type: vocabulary.secretTypes.bootstrapToken,
      data: { ...data, ...signing },
    });
    await clock.advance(MINUTE);
    expect(await signatures()).toEqual(['jws-kubeconfig-aaaaaa']);
  });

  it('signs with a token that has only the signing usage, and removes the signature with that usage', async () => {
    const { token, tokens, signatures, eventually } = await start();
    const usage = (value: string) =>
      tokens.patch('bootstrap-token-abcdef', 'merge', {
        data: { 'usage-bootstrap-signing': encode(value) },
      });
    await token('abcdef', { 'usage-bootstrap-authentication': 'false' });
    await eventually(async () => expect(await signatures()).toEqual(['jws-kubeconfig-abcdef']));
    await usage('false');
    await eventually(async () => expect(await signatures()).toEqual([]));
    await usage('true');
    await eventually(async () => expect(await signatures()).toEqual(['jws-kubeconfig-abcdef']));
  });

  it('signs again after the secret of a token changes', async () => {
    const { token, tokens, data, verify, eventually } = await start();
    await token('abcdef', { 'token-secret': 'a'.repeat(16) });
    const before = await eventually(async () => {
      const { 'jws-kubeconfig-abcdef': signature } = await data();
      expect(signature).toBeDefined();
      return signature;
    });
    await tokens.patch('bootstrap-token-abcdef', 'merge', { data: { 'token-secret': encode(SECRET) } });
    await eventually(() => verify('abcdef'));
    expect((await data())['jws-kubeconfig-abcdef']).not.toBe(before);
  });

  it('removes the signature of a token that is being deleted but still has a finalizer', async () => {
    const { token, tokens, verify, signatures, eventually } = await start();
    await token('abcdef');
    await tokens.patch('bootstrap-token-abcdef', 'merge', {
      metadata: { finalizers: ['example.com/hold'] },
    });
    await eventually(() => verify('abcdef'));
    await tokens.delete('bootstrap-token-abcdef');
    await eventually(async () => expect(await signatures()).toEqual([]));
  });

  it('corrects a signature that a user changed, and keeps other keys', async () => {
    const { token, infos, data, verify, eventually } = await start();
    await token('abcdef');
    await eventually(() => verify('abcdef'));
    await infos.patch('cluster-info', 'merge', {
      data: { 'jws-kubeconfig-abcdef': 'x..y', 'jws-other': 'x..y' },
    });
    await eventually(() => verify('abcdef'));
    expect((await data())['jws-other']).toBe('x..y');
  });

  it.each([
    ['without a configuration', { kubeconfig: null }],
    ['without data', null],
  ])('does not write cluster-info %s until it has a kubeconfig', async (_what, data) => {
    const { token, infos, verify, eventually, manager, clock } = await start();
    await infos.patch('cluster-info', 'merge', { data });
    await clock.advance(MINUTE);
    const writes = () => manager.faults.seen.filter((line) => line.startsWith('PUT')).length;
    const before = writes();
    await token('abcdef');
    await clock.advance(MINUTE);
    expect(writes()).toBe(before);
    await infos.patch('cluster-info', 'merge', { data: { kubeconfig: KUBECONFIG } });
    await eventually(() => verify('abcdef'));
  });

  it('never signs another ConfigMap, nor a ConfigMap of the same name in another namespace', async () => {
    const { token, verify, eventually, client, vocabulary } = await start();
    const data = { kubeconfig: KUBECONFIG };
    const other = client.namespaced(configMaps, vocabulary.namespaces.public);
    const elsewhere = client.namespaced(configMaps, 'team');
    await other.create({ metadata: { name: 'cluster-info-2' }, data });
    await elsewhere.create({ metadata: { name: 'cluster-info' }, data });
    await token('abcdef');
    await eventually(() => verify('abcdef'));
    expect((await other.get('cluster-info-2')).data).toEqual(data);
    expect((await elsewhere.get('cluster-info')).data).toEqual(data);
  });

  it('removes signatures that have no token', async () => {
    const { token, tokens, signatures, infos, eventually } = await start();
    await token('aaaaaa');
    await infos.patch('cluster-info', 'merge', { data: { 'jws-kubeconfig-zzzzzz': 'x..y' } });
    await eventually(async () => expect(await signatures()).toEqual(['jws-kubeconfig-aaaaaa']));
    await tokens.delete('bootstrap-token-aaaaaa');
    await eventually(async () => expect(await signatures()).toEqual([]));
  });

  it('writes nothing while the signatures are correct', async () => {
    const { token, verify, eventually, manager, clock } = await start();
    await token('abcdef');
    await eventually(() => verify('abcdef'));
    const writes = () => manager.faults.seen.filter((line) => line.startsWith('PUT')).length;
    const before = writes();
    await clock.advance(24 * HOUR);
    expect(writes()).toBe(before);
  });

  it("lets a token authenticate until it expires, and then removes the token's signature and Secret", async () => {
    const { token, tokens, verify, eventually, clock, withToken, signatures } = await start();
    const expiresMs = clock.now() + HOUR;
    await token('abcdef', { expiration: toTime(expiresMs), 'auth-extra-groups': 'system:bootstrappers:x' });
    await eventually(() => verify('abcdef'));
    const joining = withToken(`abcdef.${SECRET}`);
    const refused = await joining
      .cluster(namespaces)
      .list()
      .catch((thrown: unknown) => thrown);
    expect(refused).toSatisfy(isForbidden);
    expect(String(refused)).toContain('User "system:bootstrap:abcdef"');
    await clock.advance(expiresMs - clock.now() - 1);
    expect(await signatures()).toEqual(['jws-kubeconfig-abcdef']);
    await tokens.get('bootstrap-token-abcdef');
    await clock.advance(1);
    await expect(joining.cluster(namespaces).list()).rejects.toSatisfy(isUnauthorized);
    expect(await signatures()).toEqual([]);
    await expect(tokens.get('bootstrap-token-abcdef')).rejects.toSatisfy(isNotFound);
  });

  it('keeps a token whose expiration is extended', async () => {
    const { token, tokens, clock, signatures } = await start();
    await token('abcdef', { expiration: toTime(clock.now() + HOUR) });
    await clock.advance(30 * MINUTE);
    await tokens.patch('bootstrap-token-abcdef', 'merge', {
      data: { expiration: encode(toTime(clock.now() + 24 * HOUR)) },
    });
    await clock.advance(23 * HOUR);
    expect(await signatures()).toEqual(['jws-kubeconfig-abcdef']);
    await clock.advance(HOUR);
    expect(await signatures()).toEqual([]);
    await expect(tokens.get('bootstrap-token-abcdef')).rejects.toSatisfy(isNotFound);
  });

  it('converges even if writes fail, conflict or lose their responses', async () => {
    const { token, verify, eventually, manager, signatures, infos } = await start();
    let count = 0;
    manager.faults.add(({ method }) => {
      if (method !== 'PUT' || ++count > 9) return undefined;
      return count % 3 === 0
        ? 'unanswered'
        : { status: count % 3 === 1 ? 500 : 409, reason: count % 3 === 1 ? 'InternalError' : 'Conflict' };
    });
    await token('aaaaaa');
    await infos.patch('cluster-info', 'merge', { data: { other: 'changed' } });
    await token('bbbbbb');
    await eventually(async () => {
      await verify('aaaaaa');
      await verify('bbbbbb');
    });
    expect(await signatures()).toHaveLength(2);
  });

  it('removes no signature while the tokens cannot be listed', async () => {
    const { token, verify, eventually, manager, startManager, clock, signatures } = await start();
    await token('abcdef');
    await eventually(() => verify('abcdef'));
    await manager.stop();
    const second = await startManager({ controllers: ['bootstrapsigner'], ready: false });
    second.faults.add(({ path }) =>
      path.includes('/secrets') ? { status: 500, reason: 'InternalError' } : undefined,
    );
    await clock.advance(HOUR);
    expect(await signatures()).toEqual(['jws-kubeconfig-abcdef']);
  });

  it('keeps token secrets out of the ConfigMap, events, the journal and logs', async () => {
    const { token, verify, eventually, data, client, journal, complaints } = await start();
    await token('abcdef');
    await eventually(() => verify('abcdef'));
    const texts = JSON.stringify([
      await data(),
      (await client.all(events).list()).items,
      journal.read({ since: 0, limit: 1e6 }),
      complaints,
    ]);
    expect(texts).not.toContain(SECRET);
    expect(texts).not.toContain(encode(SECRET));
  });
});
