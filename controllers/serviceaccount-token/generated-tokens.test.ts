import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { secrets, serviceAccounts } from '../../api/groups/core-v1.ts';
import { useWorld } from '../../test/world/use-world.ts';
import { createControllers } from '../index.ts';
import {
  HOUR,
  decode,
  elsewhereName,
  generateElsewhere,
  generated,
  start,
} from './serviceaccount-token.fixture.ts';

describe('generated tokens of ServiceAccounts', () => {
  it('are created in one complete Secret for every ServiceAccount, which then names the Secret', async () => {
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

  it.each([
    ['the response to the creation is lost', 'POST', 'unanswered'],
    ['the creation is rejected', 'POST', { status: 500, reason: 'InternalError' }],
    ['the response to the update of the ServiceAccount is lost', 'PUT', 'unanswered'],
    ['the update of the ServiceAccount is rejected', 'PUT', { status: 409, reason: 'Conflict' }],
  ] as const)('are created once and named by the ServiceAccount even if %s', async (_what, verb, fault) => {
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

  it('are created once if a manager is killed before the reference, which the next manager adds', async () => {
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

  it('are created once if two managers run at once', async () => {
    const world = await start();
    await world.startManager({ controllers: ['serviceaccount-token'] });
    await world.accounts.create({ metadata: { name: 'second' } });
    await world.clock.advance(60_000);
    expect(await generated(world, 'second')).toHaveLength(1);
    expect((await world.accounts.get('second')).secrets).toHaveLength(1);
  });

  it('are not created for a ServiceAccount that names another token', async () => {
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

  it('are replaced after a deletion by a token with another name, which the ServiceAccount names', async () => {
    const world = await start();
    const names: string[] = [];
    const ids: unknown[] = [];
    for (let round = 0; round < 4; round++) {
      await world.clock.advance(60_000);
      const [name = '', ...more] = await generated(world);
      expect(more).toEqual([]);
      expect((await world.accounts.get('robot')).secrets).toEqual([{ name }]);
      names.push(name);
      // The IDs are compared because, with an RSA key, equal claims would yield equal tokens.
      ids.push(decodeJwt(decode((await world.tokens.get(name)).data?.['token'])).jti);
      await world.tokens.delete(name);
    }
    expect(new Set(names).size).toBe(4);
    expect(new Set(ids).add(undefined).size).toBe(5);
  });

  it('get another name if the old Secret was deleted while no manager ran', async () => {
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

  it('are created once if the ServiceAccount changes after the response to the creation is lost', async () => {
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

  it('are created again for a new ServiceAccount of the same name, and the old token is deleted', async () => {
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

  it('get another name if a Secret of the first name exists', async () => {
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
    ['the ServiceAccount refers to it', false, false],
    ['the ServiceAccount refers to it and its list of Secrets is cleared', false, true],
    ['the ServiceAccount refers to it, while no manager runs', true, false],
    ['the ServiceAccount refers to it and its list of Secrets is cleared, while no manager runs', true, true],
  ])('never reuse the name of a token that was deleted after %s', async (_when, stops, clears) => {
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
    ['the manager continues', false],
    ['the next manager starts', true],
  ])(
    'never reuse the name of a token that was deleted before the ServiceAccount referred to it and %s',
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
    ['the first', 1],
    ['both', 2],
  ])(
    'are reduced to one of two that two processes generated if the ServiceAccount refers to %s of them',
    async (_what, referred) => {
      const world = await start();
      await world.clock.advance(1_000);
      const [name = ''] = await generated(world);
      await world.manager.stop();
      const second = await generateElsewhere(world);
      const named = [{ name }, { name: second }];
      await world.accounts.patch('robot', 'merge', { secrets: named.slice(0, referred) });
      await world.startManager({ controllers: ['serviceaccount-token'] });
      await world.clock.advance(60_000);
      const left = await generated(world);
      // A user has written both references, so both tokens are kept.
      expect(left).toHaveLength(referred === 2 ? 2 : 1);
      expect(((await world.accounts.get('robot')).secrets ?? []).map((each) => each.name)).toEqual(
        referred === 2 ? [name, second] : left,
      );
      if (referred === 1) expect(left).toEqual([name]);
    },
  );

  it('lose the token that was observed before the token to which the ServiceAccount refers', async () => {
    const world = await start();
    await world.clock.advance(1_000);
    const [name = ''] = await generated(world);
    // The controller cannot remove the reference while the Secret does not exist.
    const heal = world.manager.faults.add(({ method, path }) =>
      method === 'PUT' && path.includes('robot') ? 'refused' : undefined,
    );
    await world.accounts.patch('robot', 'merge', { secrets: [{ name: elsewhereName(world) }] });
    await world.clock.advance(1_000);
    expect(await generated(world)).toEqual([name]);
    const second = await generateElsewhere(world);
    await world.clock.advance(1_000);
    expect(await generated(world)).toEqual([second]);
    heal();
  });

  it('exclude a Secret of a user whose name has the form of a generated name', async () => {
    const world = await start();
    await world.clock.advance(1_000);
    const [name = ''] = await generated(world);
    await world.post('robot-token-bcdfg');
    await world.tokenOf('robot-token-bcdfg');
    await world.clock.advance(HOUR);
    expect((await generated(world)).toSorted()).toEqual(['robot-token-bcdfg', name].toSorted());
    expect((await world.accounts.get('robot')).secrets).toEqual([{ name }]);
  });

  it('are not created with the gate LegacyServiceAccountTokenNoAutoGeneration', async () => {
    const world = await useWorld({
      controllers: ['serviceaccount-token'],
      definitions: (settings) => createControllers({ ...settings, generateTokenSecrets: false }),
    });
    await world.client.namespaced(serviceAccounts, 'team').create({ metadata: { name: 'robot' } });
    await world.clock.advance(60_000);
    expect((await world.client.namespaced(secrets, 'team').list()).items).toEqual([]);
  });
});
