import { describe, expect, it } from 'vitest';
import {
  configMaps,
  deployments,
  persistentVolumeClaims,
  secrets,
  services,
} from '../../api/groups/index.ts';
import { isForbidden } from '../../api/status/api-error.ts';
import type { ResourceQuota } from '../../api/types/core-v1-quota.ts';
import { withWrongClock } from '../fast-clock.fixture.ts';
import { createControllers } from '../index.ts';
import { serviceAccountController } from '../serviceaccount/serviceaccount.ts';
import { MINUTE, start } from './resourcequota.fixture.ts';
import { resourceQuotaController } from './resourcequota.ts';

describe('resourceQuotaController', () => {
  it('counts the existing objects of every kind that a quota limits', async () => {
    const { quota, pod, client, expectUsed, quotas } = await start();
    await pod('a');
    await client.namespaced(configMaps, 'team').create({ metadata: { name: 'm' } });
    await client.namespaced(services, 'team').create({
      metadata: { name: 's' },
      spec: { type: 'NodePort', ports: [{ port: 80 }] },
    });
    await client.namespaced(persistentVolumeClaims, 'team').create({
      metadata: { name: 'd' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } },
    });
    await client.namespaced(deployments, 'team').create({
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    const hard = {
      configmaps: '9',
      'count/deployments.apps': '9',
      'count/nothings.example.com': '9',
      pods: '9',
      'requests.cpu': '4',
      'requests.storage': '9Gi',
      secrets: '9',
      'services.nodeports': '9',
    };
    await quota(hard);
    await expectUsed({
      configmaps: '1',
      'count/deployments.apps': '1',
      'count/nothings.example.com': '0',
      pods: '1',
      'requests.cpu': '100m',
      'requests.storage': '2Gi',
      secrets: '0',
      'services.nodeports': '1',
    });
    expect((await quotas.get('q')).status?.hard).toEqual(hard);
  });

  it('reduces the usage after an object is deleted, finishes or needs less', async () => {
    const { quota, pod, pods: all, client, expectUsed } = await start();
    await quota({ pods: '3', secrets: '2', 'services.nodeports': '2' });
    await expectUsed({ pods: '0', secrets: '0', 'services.nodeports': '0' });
    const inTeam = {
      secrets: client.namespaced(secrets, 'team'),
      services: client.namespaced(services, 'team'),
    };
    await pod('a');
    await pod('b');
    await inTeam.secrets.create({ metadata: { name: 's' } });
    await inTeam.services.create({
      metadata: { name: 's' },
      spec: { type: 'NodePort', ports: [{ port: 80 }] },
    });
    await expectUsed({ pods: '2', secrets: '1', 'services.nodeports': '1' });
    await all.subresource('status').patch('a', 'merge', { status: { phase: 'Succeeded' } });
    await inTeam.secrets.delete('s');
    await inTeam.services.patch('s', 'merge', { spec: { type: 'ClusterIP' } });
    await expectUsed({ pods: '1', secrets: '0', 'services.nodeports': '0' });
    await all.delete('b', { gracePeriodSeconds: 0 });
    await expectUsed({ pods: '0', secrets: '0', 'services.nodeports': '0' });
  });

  it('reduces the usage of a full quota soon enough for the next create', async () => {
    const { quota, pod, pods: all, expectUsed, eventually } = await start();
    await quota({ pods: '1' });
    await expectUsed({ pods: '0' });
    await pod('a');
    await expect(pod('b')).rejects.toMatchObject({
      message: 'pods "b" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
    });
    await all.delete('a', { gracePeriodSeconds: 0 });
    await eventually(() => pod('b'), 3_000);
  });

  it('releases the charge of an object that was not stored', async () => {
    const { quota, pod, expectUsed } = await start();
    await quota({ pods: '5' });
    await expectUsed({ pods: '0' });
    await pod('a');
    await expect(pod('a')).rejects.toMatchObject({ code: 409 });
    await expectUsed({ pods: '2' });
    await expectUsed({ pods: '1' }, 6 * MINUTE);
  });

  it('publishes changed limits, and counts only pods within the scopes', async () => {
    const { quota, pod, quotas, expectUsed } = await start();
    await pod('a');
    await pod('b', '1', { activeDeadlineSeconds: 60 });
    await quota({ pods: '5' }, { scopes: ['Terminating'] });
    await expectUsed({ pods: '1' });
    await quotas.patch('q', 'merge', { spec: { hard: { pods: null, 'requests.cpu': '3' } } });
    await expectUsed({ 'requests.cpu': '1' });
  });

  it('never exceeds the limit while clients create and delete pods during a count', async () => {
    const { quota, pod, pods: all, expectUsed, clock } = await start();
    await quota({ pods: '10' });
    await expectUsed({ pods: '0' });
    let made = 0;
    for (let round = 0; round < 8; round++) {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 12 }, (_each, at) => pod(`p-${round}-${at}`)),
      );
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') made++;
        else expect(outcome.reason).toSatisfy(isForbidden);
      }
      const { items } = await all.list();
      expect(items.length).toBeLessThanOrEqual(10);
      await Promise.all(
        items.slice(0, 4).map(({ metadata }) => all.delete(metadata?.name ?? '', { gracePeriodSeconds: 0 })),
      );
      await clock.advance(round % 2 === 0 ? 100 : 1_500);
    }
    expect(made).toBeGreaterThan(20);
    const { items } = await all.list();
    await expectUsed({ pods: String(items.length) });
  });

  it.each<[string, ResourceQuota['spec'], string]>([
    ['NotTerminating', { scopes: ['NotTerminating'] }, '1'],
    ['BestEffort', { scopes: ['BestEffort'] }, '0'],
    ['NotBestEffort', { scopes: ['NotBestEffort'] }, '1'],
    [
      'PriorityClass In',
      {
        scopeSelector: {
          matchExpressions: [
            { scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical'] },
          ],
        },
      },
      '0',
    ],
  ])('counts only the pods of scope %s', async (_scope, spec, pods) => {
    const { quota, pod, expectUsed } = await start();
    await pod('a');
    await quota({ pods: '5' }, spec);
    await expectUsed({ pods });
  });

  it('counts each quota of a namespace separately, without objects of other namespaces', async () => {
    const { quota, pod, quotas, client, expectUsed, eventually } = await start();
    await pod('a');
    await client.namespaced(configMaps, 'default').create({ metadata: { name: 'elsewhere' } });
    await quota({ pods: '5' });
    await quotas.create({ metadata: { name: 'second' }, spec: { hard: { configmaps: '5' } } });
    await expectUsed({ pods: '1' });
    await eventually(async () =>
      expect((await quotas.get('second')).status).toEqual({
        hard: { configmaps: '5' },
        used: { configmaps: '0' },
      }),
    );
  });

  // The admission only charges resources with a limit in the status, so it charges nothing before the first
  // status is written.
  it('counts an object that is created before a new limit is in the status, right afterwards', async () => {
    const { quota, quotas, expectUsed, client, clock, manager } = await start();
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    manager.faults.add(({ method, path }) =>
      method === 'PUT' && path.endsWith('/resourcequotas/q/status') ? held : undefined,
    );
    const { metadata } = await quota({ configmaps: '9' });
    const said: unknown[] = [];
    void (async () => {
      const { resourceVersion = '' } = metadata ?? {};
      for await (const { object } of quotas.watch({ resourceVersion })) said.push(object.status?.used);
    })().catch(() => {});
    await clock.advance(1_000);
    await client.namespaced(configMaps, 'team').create({ metadata: { name: 'm' } });
    release();
    await expectUsed({ configmaps: '1' }, 2_000);
    expect(said).toEqual([{ configmaps: '0' }, { configmaps: '1' }]);
  });

  it('publishes a limit below the current usage without deleting objects', async () => {
    const { quota, pod, pods: all, quotas, expectUsed, clock } = await start();
    await pod('a');
    await pod('b');
    await quota({ pods: '5' });
    await expectUsed({ pods: '2' });
    await quotas.patch('q', 'merge', { spec: { hard: { pods: '1' } } });
    await clock.advance(MINUTE);
    expect((await quotas.get('q')).status).toEqual({ hard: { pods: '1' }, used: { pods: '2' } });
    expect((await all.list()).items).toHaveLength(2);
  });

  it('corrects a status that a user changed at the next count', async () => {
    const { quota, quotas, expectUsed } = await start();
    await quota({ pods: '5' });
    await expectUsed({ pods: '0' });
    await quotas.subresource('status').patch('q', 'merge', { status: { used: { pods: '4' } } });
    await expectUsed({ pods: '0' }, 6 * MINUTE);
  });

  it('counts the objects of a quota again at the configured interval', async () => {
    const { quota, clock, manager, expectUsed } = await start({
      definitions: (settings) => createControllers({ ...settings, quotaSyncMs: 10_000 }),
    });
    await quota({ configmaps: '5' });
    await expectUsed({ configmaps: '0' });
    const before = manager.faults.seen.length;
    await clock.advance(MINUTE);
    const counts = manager.faults.seen.slice(before).filter((line) => /^GET \S*team\/configmaps/.test(line));
    expect(counts.length).toBeGreaterThanOrEqual(5);
    expect(counts.length).toBeLessThanOrEqual(7);
  });

  it('writes nothing while the status is correct', async () => {
    const { quota, pod, expectUsed, manager, clock } = await start();
    await pod('a');
    await quota({ pods: '5' });
    await expectUsed({ pods: '1' });
    await clock.advance(2_000);
    const writes = () => manager.faults.seen.filter((line) => !line.startsWith('GET')).length;
    const before = writes();
    await clock.advance(20 * MINUTE);
    expect(writes()).toBe(before);
  });

  it('keeps the last count while the server cannot be reached', async () => {
    const { quota, pod, pods: all, expectUsed, used, manager, clock } = await start();
    await pod('a');
    await quota({ pods: '5' });
    await expectUsed({ pods: '1' });
    const heal = manager.faults.add(({ method, path }) =>
      method === 'GET' && path.includes('/team/pods') ? { status: 500, reason: 'InternalError' } : undefined,
    );
    await all.delete('a', { gracePeriodSeconds: 0 });
    await clock.advance(MINUTE);
    expect(await used()).toEqual({ pods: '1' });
    heal();
    await expectUsed({ pods: '0' }, 6 * MINUTE);
  });

  it("counts pods in their grace period by the server's clock if the local clock is wrong", async () => {
    const ahead = withWrongClock(resourceQuotaController(), 120 * MINUTE);
    const {
      quota,
      pod,
      pods: all,
      expectUsed,
    } = await start({
      definitions: () => [serviceAccountController, ahead],
    });
    await pod('a', '100m', { nodeName: 'n' });
    await pod('b');
    await quota({ pods: '5' });
    await expectUsed({ pods: '2' });
    await all.delete('a', { gracePeriodSeconds: 600 });
    await all.delete('b', { gracePeriodSeconds: 0 });
    await expectUsed({ pods: '1' });
  });

  it('reduces the usage for objects that were deleted while no manager ran, once one starts', async () => {
    const { quota, pod, pods: all, expectUsed, manager, startManager, used } = await start();
    await pod('a');
    await quota({ pods: '5' });
    await expectUsed({ pods: '1' });
    await manager.stop();
    await all.delete('a', { gracePeriodSeconds: 0 });
    expect(await used()).toEqual({ pods: '1' });
    await startManager({ controllers: ['resourcequota'] });
    await expectUsed({ pods: '0' });
  });

  it('writes the count even if requests fail, time out or lose their responses', async () => {
    const { quota, expectUsed, manager } = await start();
    let count = 0;
    manager.faults.add(({ method }) => {
      if (method !== 'PUT' || ++count > 6) return undefined;
      return count % 2 === 0 ? 'unanswered' : { status: 500, reason: 'InternalError' };
    });
    await quota({ pods: '5' });
    await expectUsed({ pods: '0' }, 10 * MINUTE);
  });
});
