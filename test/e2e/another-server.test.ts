import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../free-port.ts';
import { type Api, at, createApi } from './api.ts';
import { eventually } from './cluster.ts';
import { createWorkbench } from './process.ts';

// A controller manager must not use the data directory of another API server. The server would reject tokens
// signed with the keys in that directory, and the authority in it would replace the server's authority in
// every namespace.

const bench = createWorkbench();
const READY = /^ready https/m;
const ROOT_CA = '/api/v1/namespaces/default/configmaps/orch-root-ca.crt';
let api: Api;
let kubeconfig: string;
let serverCa: string;

beforeAll(async () => {
  const folder = join(bench.folder(), 'data');
  const server = bench.orch(['apiserver', '--data-dir', folder, '--secure-port', String(await freePort())]);
  await server.output(READY);
  api = createApi(join(folder, 'admin.conf'));
  kubeconfig = join(folder, 'controller-manager.conf');
  serverCa = readFileSync(join(folder, 'pki', 'ca.crt'), 'utf8');
});

afterAll(async () => {
  await api?.close();
  await bench.close();
});

/** Starts a controller manager in `cwd` with only a client configuration. */
async function manage(cwd: string): Promise<string> {
  const manager = bench.orch(['controller-manager', '--kubeconfig', kubeconfig], { cwd });
  await manager.output(READY);
  const read = async (): Promise<unknown> => at((await api.call('GET', ROOT_CA)).json, 'data', 'ca.crt');
  await eventually(read).toBe(serverCa);
  expect(await manager.end('SIGTERM')).toMatchObject({ code: 0 });
  return manager.stderr;
}

const WITHHELD = ['serviceaccount-token', 'csrsigning'];

describe('a controller manager with the client configuration of another server', () => {
  it('creates no keys, publishes the authority of that server, and logs the controllers that lack a file', async () => {
    const cwd = bench.folder();
    const log = await manage(cwd);
    expect(existsSync(join(cwd, '.orch'))).toBe(false);
    for (const name of WITHHELD) expect(log).toContain(`"controller":"${name}"`);
    expect(log).toContain('--service-account-private-key-file');
  });

  it('uses no key of a data directory that another server has left in the working directory', async () => {
    const cwd = bench.folder();
    const other = bench.orch(['apiserver', '--secure-port', String(await freePort())], { cwd });
    await other.output(READY);
    await other.end('SIGTERM');
    const log = await manage(cwd);
    for (const name of WITHHELD) expect(log).toContain(`"controller":"${name}"`);
  });

  it('exits with an error if --controllers names a controller that lacks a file', async () => {
    const manager = bench.orch(
      ['controller-manager', '--kubeconfig', kubeconfig, '--controllers', 'serviceaccount-token'],
      { cwd: bench.folder() },
    );
    expect(await manager.exit()).toMatchObject({ code: 1 });
    expect(manager.stderr).toContain('--service-account-private-key-file');
  });
});
