import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { namespaces } from '../../api/groups/core-v1.ts';
import { isForbidden, isUnauthorized } from '../../api/status/api-error.ts';
import { HOUR, decode, start } from './serviceaccount-token.fixture.ts';

describe('serviceAccountTokenController', () => {
  it('adds token, CA and namespace to a token Secret, and keeps its other keys', async () => {
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

  it('issues a token that authenticates until the ServiceAccount is deleted, and then deletes the Secret', async () => {
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
    // The API server caches a valid token for ten seconds, as upstream.
    await clock.advance(10_000);
    await expect(robot.cluster(namespaces).list()).rejects.toSatisfy(isUnauthorized);
    await eventually(async () => expect(await isGone('t')).toBe(true));
    await expect(robot.cluster(namespaces).list()).rejects.toSatisfy(isUnauthorized);
  });

  it('issues a token that is invalid once its Secret is deleted', async () => {
    const { post, tokenOf, withToken, tokens, clock } = await start();
    await post('t');
    const robot = withToken(await tokenOf('t'));
    await tokens.delete('t');
    await clock.advance(1_000);
    await expect(robot.cluster(namespaces).list()).rejects.toSatisfy(isUnauthorized);
  });

  it('never reuses the token for a new ServiceAccount of the same name', async () => {
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

  it('deletes a Secret whose annotation does not match the uid of the ServiceAccount', async () => {
    const { post, vocabulary, eventually, isGone } = await start();
    await post('t', { [vocabulary.serviceAccountUid]: 'another' });
    await eventually(async () => expect(await isGone('t')).toBe(true));
  });

  it('never replaces an existing token, and corrects a wrong CA', async () => {
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

  it('adds a token again after it was removed', async () => {
    const { post, tokens, tokenOf, eventually } = await start();
    await post('t');
    await tokenOf('t');
    await tokens.patch('t', 'merge', { data: { token: null } });
    await eventually(async () => expect((await tokens.get('t')).data?.['token']).toBeDefined());
  });

  it('adds a missing namespace, and retains a namespace that a user wrote', async () => {
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

  it('ignores other Secrets, whatever their annotations', async () => {
    const { tokens, vocabulary, clock } = await start();
    const made = await tokens.create({
      metadata: { name: 's', annotations: { [vocabulary.serviceAccountName]: 'nobody' } },
      data: { a: 'eA==' },
    });
    await clock.advance(HOUR);
    expect(await tokens.get('s')).toEqual(made);
  });

  it('does not treat a failed read as proof that the ServiceAccount was deleted', async () => {
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

  it('removes the reference to a deleted generated Secret, and retains other references', async () => {
    const { accounts, clock, post, tokenOf } = await start();
    await post('robot-token-x');
    await tokenOf('robot-token-x');
    await accounts.patch('robot', 'merge', {
      secrets: [{ name: 'robot-token-x' }, { name: 'robot-token-gone' }, { name: 'mountable' }],
    });
    await clock.advance(60_000);
    expect((await accounts.get('robot')).secrets).toEqual([{ name: 'robot-token-x' }, { name: 'mountable' }]);
  });

  it('removes the reference to a deleted token Secret of any name', async () => {
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

  it('keeps tokens out of the journal and logs', async () => {
    const { post, tokenOf, journal, complaints } = await start();
    await post('t');
    const token = await tokenOf('t');
    const texts = JSON.stringify([journal.read({ since: 0, limit: 1e6 }), complaints]);
    for (const part of token.split('.').slice(1)) expect(texts).not.toContain(part);
  });

  it('fills a Secret with one token even if writes fail or lose their responses', async () => {
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
