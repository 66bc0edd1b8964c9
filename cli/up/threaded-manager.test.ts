import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInMemoryCaller } from '../../apiserver/http/in-memory.ts';
import { createSystemClock } from '../../base/clock/system.ts';
import { Lifetimes } from '../../base/lifetime/lifetimes.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSystemRandom } from '../../base/random/system.ts';
import type { ControllersThread } from './controllers-thread.ts';
import { upFlags } from '../flags/flag-tables.ts';
import { parseFlags } from '../flags/flags.ts';
import { type Provisioned, provision } from '../files/provision.ts';
import { runManager } from './run-manager.ts';
import { schemeOf } from '../program/scheme-of.ts';
import { type Served, createServed } from '../server/serve.ts';
import { type ThreadedManager, openManager } from './threaded-manager.ts';

const environment = { clock: createSystemClock(), random: createSystemRandom(), log: silentLogger };
const { clock } = environment;
const folder = mkdtempSync(join(tmpdir(), 'threaded-manager-'));
const argv = ['--data-dir', folder, '--secure-port', '0', '--controllers', 'serviceaccount,namespace'];
let provisioned: Provisioned;
let served: Served;
let server: Lifetimes;

beforeAll(async () => {
  const flags = parseFlags(upFlags, argv);
  const scheme = schemeOf(flags.vocabulary);
  provisioned = await provision(folder, { vocabulary: scheme.vocabulary, hosts: [], environment });
  served = await createServed({ flags, scheme, environment, provisioned });
  server = new Lifetimes(served.lifetimes, { clock });
  await server.start();
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** Returns a thread stub with real ports and messages, whose other end runs in this thread. */
const thread = (failed: Promise<Error> = new Promise(() => {})): ControllersThread => ({
  failed,
  run: (order) => runManager(order, environment),
  end: () => Promise.resolve(),
});

/** Certificate subjects of the requests to the server. */
const subjects = new Set<string | undefined>();

function open(more: readonly string[] = [], within = thread()): ThreadedManager {
  const manager = openManager(within, [...argv, ...more]);
  manager.serve({
    handler(request) {
      subjects.add(request.peer.certificate?.subject);
      return served.server.handler(request);
    },
    clock,
    certificate: new X509Certificate(provisioned.controllerManager.certificate),
    facts: async () => ({
      requestsPerSecond: 7,
      errorsPerSecond: 0,
      p50Ms: 0,
      p99Ms: 0,
      watchers: 0,
      revision: await served.revision(),
    }),
  });
  return manager;
}

const asked = async (manager: ThreadedManager, path: string) => {
  const answer = await createInMemoryCaller(manager.journal).request('GET', path);
  return { status: answer.status, text: await answer.text() };
};

/** Sends a reconcile by an authenticated user, and one with the internal header of a forged user. */
async function reconcilesForItsUser({ journal }: ThreadedManager): Promise<void> {
  const user = { username: 'système:alice' };
  const known = createInMemoryCaller((request) => journal(request, user));
  const path = '/journal/v1/reconcile?controller=serviceaccount&key=default';
  await expect.poll(async () => (await known.request('POST', path)).status).toBe(202);
  const entries = await known.request('GET', '/journal/v1/entries?controller=serviceaccount&key=default');
  expect(await entries.text()).toContain('requested by système:alice');
  const headers = { 'x-requester': ['mallory'] };
  expect((await createInMemoryCaller(journal).request('POST', path, { headers })).status).toBe(403);
}

describe('openManager', () => {
  it('runs its controllers as its user, reports health and journal, and stops', async () => {
    const manager = open();
    await manager.assembled;
    expect(await manager.healthy()).toMatchObject({ healthy: false });
    await manager.start();
    await expect.poll(() => manager.healthy()).toEqual({ healthy: true, message: 'ok' });
    const certificate = new X509Certificate(provisioned.admin.certificate);
    const path = '/api/v1/namespaces/default/serviceaccounts/default';
    const account = () =>
      createInMemoryCaller(served.server.handler).request('GET', path, {
        peer: { address: '127.0.0.1', certificate },
      });
    await expect.poll(async () => (await account()).status).toBe(200);
    expect([...subjects]).toEqual([expect.stringContaining('controller-manager')]);
    expect(JSON.parse((await asked(manager, '/journal/v1')).text)).toMatchObject({
      recording: true,
      machines: expect.arrayContaining(['serviceaccount', 'namespace']),
    });
    expect((await asked(manager, '/journal/v1/controllers')).text).toContain('"requestsPerSecond":7');
    expect((await asked(manager, '/journal/v1/no-such')).status).toBe(404);
    await reconcilesForItsUser(manager);
    await manager.stop();
    expect(await manager.healthy()).toEqual({ healthy: false, message: 'the transport was closed' });
    expect(await asked(manager, '/journal/v1')).toMatchObject({ status: 502 });
  });

  it('reports invalid settings with the message of the command', async () => {
    await expect(open(['--controllers', 'no-such']).assembled).rejects.toMatchObject({
      code: expect.stringMatching(/^ERR_/),
      message: expect.stringContaining('no-such'),
    });
  });

  it('has no journal without a dashboard', async () => {
    const manager = open(['--dashboard=false']);
    await manager.assembled;
    expect((await asked(manager, '/journal/v1')).status).toBe(404);
    await manager.start();
    await manager.stop();
  });

  it('stops at once if its thread has died', async () => {
    const dead = { ...thread(Promise.resolve(new Error('struck'))), run: () => {} };
    const manager = open([], dead);
    await manager.stop();
    expect((await manager.healthy()).healthy).toBe(false);
  });
});
