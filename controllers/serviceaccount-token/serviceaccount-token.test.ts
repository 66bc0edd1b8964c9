import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { createTokenIssuer } from '../../base/tokens/issuer.ts';
import { namespaces, secrets, serviceAccounts } from '../../api/groups/core-v1.ts';
import { isForbidden, isNotFound, isUnauthorized } from '../../api/status/api-error.ts';
import { useWorld } from '../../test/world/use-world.ts';
import { createControllers } from '../index.ts';
import { generatedName } from './generated-name.ts';

const HOUR = 3_600_000;
const decode = (text = ''): string => Buffer.from(text, 'base64').toString();

async function start(controllers = ['serviceaccount-token']) {
  const world = await useWorld({ controllers });
  const { client, vocabulary, eventually } = world;
  const accounts = client.namespaced(serviceAccounts, 'team');
  const tokens = client.namespaced(secrets, 'team');
  const account = await accounts.create({ metadata: { name: 'robot' } });
  const tokenOf = async (name: string) =>
    decode(await eventually(async () => (await tokens.get(name)).data?.['token'] ?? expect.unreachable()));
  return {
    ...world,
    accounts,
    tokens,
    account,
    tokenOf,
    post: (name: string, annotations: Readonly<Record<string, string>> = {}, data = {}) =>
      tokens.create({
        metadata: { name, annotations: { [vocabulary.serviceAccountName]: 'robot', ...annotations } },
        type: vocabulary.secretTypes.serviceAccountToken,
        data,
      }),
    isGone: (name: string) =>
      tokens.get(name).then(
        () => false,
        (thrown: unknown) => isNotFound(thrown),
      ),
  };
}

describe('service account tokens', () => {
  it('a token Secret gets token, CA and namespace; keys of its owner stay', async () => {
    const { post, tokens, tokenOf, account, settings, vocabulary } = await start();
    await post('t', {}, { own: 'eA==' });
    const claims = decodeJwt(await tokenOf('t'));
    const { data, metadata } = await tokens.get('t');
    expect(Object.keys(data ?? {}).sort()).toEqual(['ca.crt', 'namespace', 'own', 'token']);
    expect(data?.['own']).toBe('eA==');
    expect(decode(data?.['ca.crt'])).toBe(settings.rootCa);
    expect(decode(data?.['namespace'])).toBe('team');
    expect(metadata?.annotations?.[vocabulary.serviceAccountUid]).toBe(account.metadata?.uid);
    expect(claims.sub).toBe('system:serviceaccount:team:robot');
    expect(JSON.stringify(claims)).toContain(account.metadata?.uid);
  });

  it('the token authenticates as the account, and no more once the account is deleted; the Secret goes', async () => {
    const { post, tokenOf, withToken, accounts, eventually, isGone, clock } = await start();
    await post('t');
    const robot = withToken(await tokenOf('t'));
    const refused = await robot
      .cluster(namespaces)
      .list()
      .catch((thrown: unknown) => thrown);
    expect(refused).toSatisfy(isForbidden);
    expect(String(refused)).toContain('User "system:serviceaccount:team:robot"');
    await accounts.delete('robot');
    // The API server remembers a token that was good for ten seconds, as the real one does.
    await clock.advance(10_000);
    await expect(robot.cluster(namespaces).list()).rejects.toSatisfy(isUnauthorized);
    await eventually(async () => expect(await isGone('t')).toBe(true));
    await expect(robot.cluster(namespaces).list()).rejects.toSatisfy(isUnauthorized);
  });

  it('the token is void once its Secret is deleted', async () => {
    const { post, tokenOf, withToken, tokens, clock } = await start();
    await post('t');
    const robot = withToken(await tokenOf('t'));
    await tokens.delete('t');
    await clock.advance(1_000);
    await expect(robot.cluster(namespaces).list()).rejects.toSatisfy(isUnauthorized);
  });

  it('an account made again under its name never gets the old token', async () => {
    const { post, tokenOf, withToken, accounts, eventually, isGone, clock } = await start();
    await post('t');
    const old = withToken(await tokenOf('t'));
    await accounts.delete('robot');
    await accounts.create({ metadata: { name: 'robot' } });
    await expect(old.cluster(namespaces).list()).rejects.toSatisfy(isUnauthorized);
    await eventually(async () => expect(await isGone('t')).toBe(true));
    await post('t');
    const renewed = withToken(await tokenOf('t'));
    await expect(renewed.cluster(namespaces).list()).rejects.toSatisfy(isForbidden);
    await clock.advance(HOUR);
    await expect(old.cluster(namespaces).list()).rejects.toSatisfy(isUnauthorized);
  });

  it('a Secret that names another uid than the account has is removed', async () => {
    const { post, vocabulary, eventually, isGone } = await start();
    await post('t', { [vocabulary.serviceAccountUid]: 'another' });
    await eventually(async () => expect(await isGone('t')).toBe(true));
  });

  it('never replaces a token that is there, and puts a CA right that is not', async () => {
    const { post, tokens, tokenOf, eventually, settings, clock } = await start();
    await post('t');
    const token = await tokenOf('t');
    await tokens.patch('t', 'merge', { data: { 'ca.crt': 'b2xk' } });
    await eventually(async () =>
      expect(decode((await tokens.get('t')).data?.['ca.crt'])).toBe(settings.rootCa),
    );
    await clock.advance(HOUR);
    expect(await tokenOf('t')).toBe(token);
  });

  it('a token that was taken out is made anew', async () => {
    const { post, tokens, tokenOf, eventually } = await start();
    await post('t');
    await tokenOf('t');
    await tokens.patch('t', 'merge', { data: { token: null } });
    await eventually(async () => expect((await tokens.get('t')).data?.['token']).toBeDefined());
  });

  it('puts the namespace where there is none, and leaves one that somebody has written', async () => {
    const { post, tokens, tokenOf, eventually, clock } = await start();
    await post('t', {}, { namespace: 'b3RoZXI=' });
    const token = await tokenOf('t');
    expect(decode((await tokens.get('t')).data?.['namespace'])).toBe('other');
    await clock.advance(HOUR);
    expect((await tokens.get('t')).data?.['namespace']).toBe('b3RoZXI=');
    await tokens.patch('t', 'merge', { data: { namespace: null } });
    await eventually(async () => expect(decode((await tokens.get('t')).data?.['namespace'])).toBe('team'));
    expect(await tokenOf('t')).toBe(token);
  });

  it('leaves other Secrets alone, whatever they are annotated with', async () => {
    const { tokens, vocabulary, clock } = await start();
    const made = await tokens.create({
      metadata: { name: 's', annotations: { [vocabulary.serviceAccountName]: 'nobody' } },
      data: { a: 'eA==' },
    });
    await clock.advance(HOUR);
    expect(await tokens.get('s')).toEqual(made);
  });

  it('a read that fails is no proof that the account is gone', async () => {
    const { post, tokenOf, accounts, manager, clock, isGone, startManager } = await start();
    await post('t');
    await tokenOf('t');
    await manager.stop();
    const second = await startManager({ controllers: ['serviceaccount-token'], ready: false });
    const heal = second.faults.add(({ method, path }) =>
      method === 'GET' && path.includes('/serviceaccounts')
        ? { status: 403, reason: 'Forbidden' }
        : undefined,
    );
    await clock.advance(HOUR);
    expect(await isGone('t')).toBe(false);
    heal();
    await clock.advance(HOUR);
    expect(await isGone('t')).toBe(false);
    await accounts.delete('robot');
    await clock.advance(HOUR);
    expect(await isGone('t')).toBe(true);
  });

  it('a reference to a generated Secret that is gone is dropped, others stay', async () => {
    const { accounts, clock, post, tokenOf } = await start();
    await post('robot-token-x');
    await tokenOf('robot-token-x');
    await accounts.patch('robot', 'merge', {
      secrets: [{ name: 'robot-token-x' }, { name: 'robot-token-gone' }, { name: 'mountable' }],
    });
    await clock.advance(60_000);
    expect((await accounts.get('robot')).secrets).toEqual([{ name: 'robot-token-x' }, { name: 'mountable' }]);
  });

  it('a reference to a token Secret of any name is dropped when that is deleted', async () => {
    const { accounts, tokens, eventually, post, tokenOf } = await start();
    for (const name of ['mine', 'kept']) {
      await post(name);
      await tokenOf(name);
    }
    const named = [{ name: 'mine' }, { name: 'kept' }, { name: 'mountable' }];
    await accounts.patch('robot', 'merge', { secrets: named });
    await tokens.delete('mine');
    await eventually(async () => expect((await accounts.get('robot')).secrets).toEqual(named.slice(1)));
  });

  it('no token gets into the journal or a log', async () => {
    const { post, tokenOf, journal, complaints } = await start();
    await post('t');
    const token = await tokenOf('t');
    const texts = JSON.stringify([journal.read({ since: 0, limit: 1e6 }), complaints]);
    for (const part of token.split('.').slice(1)) expect(texts).not.toContain(part);
  });

  it('fills though writes fail or lose their answers, with one token', async () => {
    const { post, tokenOf, manager, clock, tokens } = await start();
    let count = 0;
    manager.faults.add(({ method }) => {
      if (method !== 'PUT' || ++count > 6) return undefined;
      return count % 2 === 0 ? 'unanswered' : { status: 500, reason: 'InternalError' };
    });
    await post('t');
    const token = await tokenOf('t');
    await clock.advance(HOUR);
    expect(decode((await tokens.get('t')).data?.['token'])).toBe(token);
  });
});

describe('generated tokens of service accounts', () => {
  it('every account gets one token Secret, filled from the start, and names it', async () => {
    const { accounts, tokens, eventually, vocabulary, account, settings } = await start();
    const [named] = await eventually(async () => {
      const { secrets: list = [] } = await accounts.get('robot');
      expect(list).toHaveLength(1);
      return list;
    });
    expect(named?.name).toMatch(/^robot-token-[a-z0-9]{5}$/);
    const { type, data, metadata } = await tokens.get(named?.name ?? '');
    expect(type).toBe(vocabulary.secretTypes.serviceAccountToken);
    expect(metadata?.annotations).toMatchObject({
      [vocabulary.serviceAccountName]: 'robot',
      [vocabulary.serviceAccountUid]: account.metadata?.uid,
    });
    expect(decode(data?.['ca.crt'])).toBe(settings.rootCa);
    expect(decode(data?.['namespace'])).toBe('team');
    expect(decodeJwt(decode(data?.['token'])).sub).toBe('system:serviceaccount:team:robot');
  });

  const generated = async (
    { tokens }: Pick<Awaited<ReturnType<typeof start>>, 'tokens'>,
    of = 'robot',
  ): Promise<readonly string[]> =>
    (await tokens.list()).items
      .map(({ metadata }) => metadata?.name ?? '')
      .filter((name) => name.startsWith(`${of}-token-`));

  it.each([
    ['the answer to the creation is lost', 'POST', 'unanswered'],
    ['the creation is refused', 'POST', { status: 500, reason: 'InternalError' }],
    ['the answer to the naming is lost', 'PUT', 'unanswered'],
    ['the naming is refused', 'PUT', { status: 409, reason: 'Conflict' }],
  ] as const)('there is one, and it is named, though %s', async (_what, verb, fault) => {
    const world = await start([]);
    const next = await world.startManager({ controllers: ['serviceaccount-token'], ready: false });
    let faults = 0;
    next.faults.add(({ method, path }) =>
      method === verb && !path.includes('events') && faults++ < 3 ? fault : undefined,
    );
    await world.clock.advance(HOUR);
    expect(faults).toBeGreaterThan(0);
    const names = await generated(world);
    expect(names).toHaveLength(1);
    expect((await world.accounts.get('robot')).secrets).toEqual([{ name: names[0] }]);
  });

  it('there is one though the manager dies between creation and naming, and the next one finishes', async () => {
    const world = await start([]);
    const first = await world.startManager({ controllers: ['serviceaccount-token'], ready: false });
    first.faults.add(({ method, path }) =>
      method === 'PUT' && path.includes('robot') ? 'refused' : undefined,
    );
    await world.clock.advance(1_000);
    const names = await generated(world);
    expect(names).toHaveLength(1);
    expect((await world.accounts.get('robot')).secrets ?? []).toEqual([]);
    first.kill();
    await world.startManager({ controllers: ['serviceaccount-token'] });
    await world.clock.advance(60_000);
    expect(await generated(world)).toEqual(names);
    expect((await world.accounts.get('robot')).secrets).toEqual([{ name: names[0] }]);
  });

  it('two managers at once make one', async () => {
    const world = await start();
    await world.startManager({ controllers: ['serviceaccount-token'] });
    await world.accounts.create({ metadata: { name: 'second' } });
    await world.clock.advance(60_000);
    expect(await generated(world, 'second')).toHaveLength(1);
    expect((await world.accounts.get('second')).secrets).toHaveLength(1);
  });

  it('an account that names a token of its own gets no other', async () => {
    const world = await start([]);
    await world.tokens.create({
      metadata: {
        name: 'mine',
        annotations: {
          [world.vocabulary.serviceAccountName]: 'robot',
          [world.vocabulary.serviceAccountUid]: world.account.metadata?.uid ?? '',
        },
      },
      type: world.vocabulary.secretTypes.serviceAccountToken,
    });
    await world.accounts.patch('robot', 'merge', { secrets: [{ name: 'mine' }] });
    await world.startManager({ controllers: ['serviceaccount-token'] });
    await world.clock.advance(60_000);
    expect(await generated(world)).toEqual([]);
    expect((await world.accounts.get('robot')).secrets).toEqual([{ name: 'mine' }]);
  });

  it('a deleted one is replaced by another token of another name, which the account names', async () => {
    const world = await start();
    const names: string[] = [];
    const ids: unknown[] = [];
    for (let round = 0; round < 4; round++) {
      await world.clock.advance(60_000);
      const [name = '', ...more] = await generated(world);
      expect(more).toEqual([]);
      expect((await world.accounts.get('robot')).secrets).toEqual([{ name }]);
      names.push(name);
      // Not by its signature alone: with an RSA key the same claims would be the same token.
      ids.push(decodeJwt(decode((await world.tokens.get(name)).data?.['token'])).jti);
      await world.tokens.delete(name);
    }
    expect(new Set(names).size).toBe(4);
    expect(new Set(ids).add(undefined).size).toBe(5);
  });

  it('one deleted while no manager runs is replaced by one of another name', async () => {
    const world = await start();
    await world.clock.advance(1_000);
    const [name = ''] = await generated(world);
    await world.manager.stop();
    await world.tokens.delete(name);
    await world.startManager({ controllers: ['serviceaccount-token'] });
    await world.clock.advance(60_000);
    const [next = ''] = await generated(world);
    expect(next).not.toBe(name);
    expect((await world.accounts.get('robot')).secrets).toEqual([{ name: next }]);
  });

  it('there is one though the account changes after the answer to the creation is lost', async () => {
    const world = await start([]);
    const next = await world.startManager({ controllers: ['serviceaccount-token'], ready: false });
    let faults = 0;
    next.faults.add(({ method, path }) =>
      method === 'POST' && !path.includes('events') && faults++ < 2 ? 'unanswered' : undefined,
    );
    for (let change = 0; change < 5; change++) {
      await world.accounts.patch('robot', 'merge', { metadata: { labels: { change: String(change) } } });
      await world.clock.advance(7_000);
    }
    await world.clock.advance(HOUR);
    expect(faults).toBeGreaterThan(0);
    const names = await generated(world);
    expect(names).toHaveLength(1);
    expect((await world.accounts.get('robot')).secrets).toEqual([{ name: names[0] }]);
  });

  it('an account made again under its name gets another; that of the first goes', async () => {
    const world = await start();
    await world.clock.advance(1_000);
    const [before] = await generated(world);
    await world.accounts.delete('robot');
    await world.accounts.create({ metadata: { name: 'robot' } });
    await world.clock.advance(60_000);
    const after = await generated(world);
    expect(after).toHaveLength(1);
    expect(after[0]).not.toBe(before);
  });

  it('takes another name if a Secret of the first one exists', async () => {
    const world = await start([]);
    const next = await world.startManager({ controllers: ['serviceaccount-token'], ready: false });
    let faults = 0;
    next.faults.add(({ method, path }) =>
      method === 'POST' && path.endsWith('/secrets') && faults++ === 0
        ? { status: 409, reason: 'AlreadyExists' }
        : undefined,
    );
    await world.clock.advance(1_000);
    expect(faults).toBe(2);
    const names = await generated(world);
    expect(names).toHaveLength(1);
    expect((await world.accounts.get('robot')).secrets).toEqual([{ name: names[0] }]);
  });

  it.each([
    ['the account refers to it', false, false],
    ['the account refers to it, whose secrets are cleared as well', false, true],
    ['the account refers to it, while no manager runs', true, false],
    ['the account refers to it, whose secrets are cleared as well, while no manager runs', true, true],
  ])('never returns to the name of a token that was deleted after %s', async (_when, stops, clears) => {
    const world = await start([]);
    const names: string[] = [];
    let manager = await world.startManager({ controllers: ['serviceaccount-token'] });
    for (let round = 0; round < 6; round++) {
      await world.clock.advance(60_000);
      const [name = ''] = await generated(world);
      names.push(name);
      if (stops) await manager.stop();
      if (clears) await world.accounts.patch('robot', 'merge', { secrets: null });
      await world.tokens.delete(name);
      if (stops) manager = await world.startManager({ controllers: ['serviceaccount-token'] });
    }
    await world.clock.advance(60_000);
    names.push(...(await generated(world)));
    expect(new Set(names).size).toBe(7);
    expect((await world.accounts.get('robot')).secrets).toEqual([{ name: names[6] }]);
  });

  it.each([
    ['the manager runs on', false],
    ['the next manager starts', true],
  ])(
    'never returns to the name of a token that was deleted before the account referred to it; %s',
    async (_how, restarts) => {
      const world = await start([]);
      const names = new Set<string>();
      let manager = await world.startManager({ controllers: ['serviceaccount-token'], ready: false });
      const refuse = (): (() => void) =>
        manager.faults.add(({ method, path }) =>
          method === 'PUT' && path.includes('robot') ? 'refused' : undefined,
        );
      let heal = refuse();
      for (let round = 0; round < 4; round++) {
        await world.clock.advance(HOUR);
        for (const name of await generated(world)) {
          expect(names).not.toContain(name);
          names.add(name);
          if (restarts) manager.kill();
          await world.tokens.delete(name);
        }
        if (restarts) {
          manager = await world.startManager({ controllers: ['serviceaccount-token'], ready: false });
          heal = refuse();
        }
      }
      heal();
      await world.clock.advance(HOUR);
      const [name = '', ...more] = await generated(world);
      expect(names.size).toBe(4);
      expect(names).not.toContain(name);
      expect(more).toEqual([]);
      expect((await world.accounts.get('robot')).secrets).toEqual([{ name }]);
    },
  );

  it.each([
    ['none', 0],
    ['the one', 1],
    ['both', 2],
  ])(
    'keeps one of two tokens generated by two processes if the account refers to %s of them',
    async (_what, referred) => {
      const world = await start();
      await world.clock.advance(1_000);
      const [name = ''] = await generated(world);
      await world.manager.stop();
      // As a second process creates it that has not seen the first one's.
      const { vocabulary, settings, account } = world;
      const id = '7d444840-9dc0-11d1-b245-5ffdce74fad2';
      const second = generatedName(account, id);
      const issuer = createTokenIssuer({
        privateKey: settings.serviceAccountKey,
        issuer: vocabulary.issuer,
        names: vocabulary,
      });
      const serviceAccount = { name: 'robot', uid: account.metadata?.uid ?? '' };
      const token = await issuer.legacyToken({ namespace: 'team', serviceAccount, secretName: second, id });
      const { data } = await world.tokens.get(name);
      await world.post(
        second,
        { [vocabulary.serviceAccountUid]: serviceAccount.uid },
        { ...data, token: Buffer.from(token).toString('base64') },
      );
      const named = [{ name }, { name: second }];
      await world.accounts.patch('robot', 'merge', { secrets: named.slice(0, referred) });
      await world.startManager({ controllers: ['serviceaccount-token'] });
      await world.clock.advance(60_000);
      const left = await generated(world);
      // A user has written both references, so both stay.
      expect(left).toHaveLength(referred === 2 ? 2 : 1);
      expect(((await world.accounts.get('robot')).secrets ?? []).map((each) => each.name)).toEqual(
        referred === 2 ? [name, second] : left,
      );
      if (referred === 1) expect(left).toEqual([name]);
    },
  );

  it('leaves a token Secret of a user that has the form of a generated name', async () => {
    const world = await start();
    await world.clock.advance(1_000);
    const [name = ''] = await generated(world);
    await world.post('robot-token-bcdfg');
    await world.tokenOf('robot-token-bcdfg');
    await world.clock.advance(HOUR);
    expect((await generated(world)).toSorted()).toEqual(['robot-token-bcdfg', name].toSorted());
    expect((await world.accounts.get('robot')).secrets).toEqual([{ name }]);
  });

  it('with the gate LegacyServiceAccountTokenNoAutoGeneration none is made', async () => {
    const world = await useWorld({
      controllers: ['serviceaccount-token'],
      definitions: (settings) => createControllers({ ...settings, generateTokenSecrets: false }),
    });
    await world.client.namespaced(serviceAccounts, 'team').create({ metadata: { name: 'robot' } });
    await world.clock.advance(60_000);
    expect((await world.client.namespaced(secrets, 'team').list()).items).toEqual([]);
  });
});
