import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../free-port.ts';
import { type Api, at, createApi } from './api.ts';
import {
  approvedRequest,
  certificateOf,
  created,
  eventually,
  filledNamespace,
  namesIn,
  statusOf,
} from './cluster.ts';
import { type Program, createWorkbench } from './process.ts';

/**
 * Tests of an API server and a controller manager in separate processes. The controller manager has its RBAC
 * identity.
 */
const bench = createWorkbench();
const READY = /^ready https/m;
let folder: string;
let port: number;
let apiserver: Program;
let manager: Program;
let api: Api;

async function startApiServer(): Promise<void> {
  apiserver = bench.orch(['apiserver', '--data-dir', folder, '--secure-port', String(port)]);
  await apiserver.output(READY);
}

beforeAll(async () => {
  folder = join(bench.folder(), 'data');
  port = await freePort();
  await startApiServer();
  manager = bench.orch([
    'controller-manager',
    '--controllers',
    '*,bootstrapsigner,tokencleaner',
    '--data-dir',
    folder,
    '--kubeconfig',
    join(folder, 'controller-manager.conf'),
  ]);
  await manager.output(READY);
  api = createApi(join(folder, 'admin.conf'));
});

afterAll(async () => {
  await api?.close();
  await bench.close();
});

describe('a separate controller manager under RBAC', () => {
  it('is not a member of system:masters', async () => {
    const { json } = await api.call('POST', '/apis/authorization.orch.io/v1/subjectaccessreviews', {
      body: {
        spec: {
          user: 'system:orch-controller-manager',
          resourceAttributes: { verb: 'create', resource: 'nodes' },
        },
      },
    });
    expect(at(json, 'status', 'allowed')).toBe(false);
  });

  it('fills namespaces and signs approved requests', async () => {
    await filledNamespace(api, 'filled');
    await approvedRequest(api, 'ecdsa');
    await approvedRequest(api, 'rsa', 'rsa-2048');
    await eventually(certificateOf(api, 'ecdsa')).toBeTypeOf('string');
    await eventually(certificateOf(api, 'rsa')).toBeTypeOf('string');
  });

  it('creates the Job of a due CronJob, and reports it in an Event', async () => {
    const jobs = '/apis/batch/v1/namespaces/filled';
    const cronJob = await created(api, `${jobs}/cronjobs`, {
      metadata: { name: 'each-minute' },
      spec: {
        schedule: '* * * * *',
        jobTemplate: {
          spec: {
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox' }] } },
          },
        },
      },
    });
    const earlier = new Date(Date.now() - 3_600_000).toISOString().replace(/\.\d+/, '');
    const { status } = await api.call('PATCH', `${jobs}/cronjobs/each-minute/status`, {
      body: { status: { lastScheduleTime: earlier } },
    });
    expect(status).toBe(200);
    await eventually(async () =>
      (await api.items(`${jobs}/jobs`)).map((job) => at(job, 'metadata', 'ownerReferences', 0, 'uid')),
    ).toEqual(expect.arrayContaining([at(cronJob, 'metadata', 'uid')]));
    await eventually(async () =>
      (await api.items('/api/v1/namespaces/filled/events')).map((event) => at(event, 'reason')),
    ).toContain('SuccessfulCreate');
  });

  it('fills token Secrets, and deletes them with their ServiceAccount', async () => {
    const accounts = '/api/v1/namespaces/filled/serviceaccounts';
    await created(api, accounts, { metadata: { name: 'robot' } });
    const secret = '/api/v1/namespaces/filled/secrets/robot-token';
    await created(api, '/api/v1/namespaces/filled/secrets', {
      metadata: { name: 'robot-token', annotations: { 'orch.io/service-account.name': 'robot' } },
      type: 'orch.io/service-account-token',
    });
    await eventually(async () => at((await api.call('GET', secret)).json, 'data', 'token')).toBeTypeOf(
      'string',
    );
    await api.call('DELETE', `${accounts}/robot`);
    await eventually(statusOf(api, secret)).toBe(404);
  });

  it('signs cluster-info for a bootstrap token, and deletes an expired one', async () => {
    const token = (id: string, expiration: string) => ({
      metadata: { name: `bootstrap-token-${id}` },
      type: 'bootstrap.orch.io/token',
      stringData: {
        'token-id': id,
        'token-secret': '0123456789abcdef',
        'usage-bootstrap-signing': 'true',
        expiration,
      },
    });
    const secrets = '/api/v1/namespaces/orch-system/secrets';
    await created(api, secrets, token('aaaaaa', '2999-01-01T00:00:00Z'));
    await created(api, secrets, token('bbbbbb', '2020-01-01T00:00:00Z'));
    const info = '/api/v1/namespaces/orch-public/configmaps/cluster-info';
    await eventually(async () =>
      at((await api.call('GET', info)).json, 'data', 'jws-kubeconfig-aaaaaa'),
    ).toBeTypeOf('string');
    await eventually(statusOf(api, `${secrets}/bootstrap-token-bbbbbb`)).toBe(404);
  });

  it('aggregates cluster roles, deletes dependents, and empties a terminating namespace', async () => {
    const roles = '/apis/rbac.authorization.orch.io/v1/clusterroles';
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
    await created(api, roles, {
      metadata: { name: 'sum' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: 'of-sum' } }] },
      rules: [],
    });
    await created(api, roles, { metadata: { name: 'part', labels: { part: 'of-sum' } }, rules });
    await eventually(async () => at((await api.call('GET', `${roles}/sum`)).json, 'rules')).toEqual(rules);

    const maps = '/api/v1/namespaces/filled/configmaps';
    const owner = await created(api, maps, { metadata: { name: 'owner' } });
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: at(owner, 'metadata', 'uid') },
    ];
    await created(api, maps, { metadata: { name: 'owned', ownerReferences } });
    await api.call('DELETE', `${maps}/owner?propagationPolicy=Foreground`);
    await eventually(namesIn(api, maps)).toEqual(['orch-root-ca.crt']);

    await api.call('DELETE', '/api/v1/namespaces/filled');
    await eventually(statusOf(api, '/api/v1/namespaces/filled')).toBe(404);
  });

  it('received no error response', () => {
    const refused = manager.stderr
      .split('\n')
      .filter((line) => /forbidden|"code":403|"status":403/i.test(line));
    expect(refused).toEqual([]);
  });
});

describe('an API server that restarts under a running controller manager', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'is reconnected after %s, and the controllers continue',
    async (signal) => {
      const name = `after-${signal.toLowerCase()}`;
      await apiserver.end(signal);
      await startApiServer();
      await filledNamespace(api, name);
      await approvedRequest(api, name);
      await eventually(certificateOf(api, name)).toBeTypeOf('string');
      expect(manager.running).toBe(true);
    },
  );

  it('is followed by changes that were made while the controller manager was stopped', async () => {
    expect(await manager.end('SIGTERM')).toMatchObject({ code: 0 });
    await created(api, '/api/v1/namespaces', { metadata: { name: 'meanwhile' } });
    await approvedRequest(api, 'meanwhile');
    const master = `https://localhost:${port}/`;
    manager = bench.orch(['controller-manager', '--data-dir', folder, '--master', master]);
    await manager.output(READY);
    await eventually(statusOf(api, '/api/v1/namespaces/meanwhile/serviceaccounts/default')).toBe(200);
    await eventually(certificateOf(api, 'meanwhile')).toBeTypeOf('string');
  });
});

describe('a controller manager', () => {
  it('responds to probes on its configured port, and reports a port in use with one sentence', async () => {
    const healthPort = String(await freePort());
    const argv = ['controller-manager', '--data-dir', folder, '--healthz-port', healthPort];
    const probed = bench.orch(argv);
    await probed.output(READY);
    await eventually(async () => (await fetch(`http://127.0.0.1:${healthPort}/healthz`)).text()).toBe('ok');
    expect(await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text()).toMatch(/^# HELP /m);
    const second = bench.orch(argv);
    expect(await second.exit()).toMatchObject({ code: 1 });
    expect(second.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))).toEqual([
      expect.stringContaining(healthPort),
    ]);
    expect(await probed.end('SIGTERM')).toMatchObject({ code: 0 });
  });

  it('starts before its API server, and runs its controllers once the server is available', async () => {
    await apiserver.end('SIGTERM');
    await manager.end('SIGTERM');
    manager = bench.orch(['controller-manager', '--data-dir', folder]);
    await manager.output(/"msg"/);
    await startApiServer();
    await filledNamespace(api, 'late');
  });
});
