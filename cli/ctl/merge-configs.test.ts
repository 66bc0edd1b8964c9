import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { loadKubeconfig } from '../../runtime/index.ts';
import { mergeConfigs } from './merge-configs.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const context = (name: string, cluster: string, user: string) => ({ name, context: { cluster, user } });
const file = (path: string, fields: object) => ({ path, text: JSON.stringify(fields) });

const work = file('/etc/work/config', {
  'current-context': 'work',
  contexts: [context('work', 'c', 'u')],
  clusters: [{ name: 'c', cluster: { server: 'https://work:6443', 'certificate-authority': 'ca.crt' } }],
  users: [{ name: 'u', user: { tokenFile: 'token' } }],
});
const home = file('/home/me/config', {
  'current-context': 'home',
  contexts: [context('home', 'mine', 'u'), context('work', 'mine', 'u')],
  clusters: [{ name: 'mine', cluster: { server: 'https://home:6443' } }],
  users: [{ name: 'u', user: { token: 'of-home' } }],
});

describe('mergeConfigs', () => {
  const load = (more: { readonly context?: string } = {}) => {
    const { path, text } = mergeConfigs([work, home]);
    const held: Record<string, string> = { '/etc/work/ca.crt': PEM, '/etc/work/token': 'of-work' };
    const readFile = (name: string) => Promise.resolve(held[name] ?? `no ${name}`);
    return loadKubeconfig(text, { path, clock: createSimulatedClock(), readFile, ...more });
  };

  it('uses each entry from the first file that contains its name', async () => {
    const loaded = await load();
    expect(loaded).toMatchObject({ server: 'https://work:6443', tls: { ca: PEM } });
    expect(await loaded.credentials.get()).toEqual({ authorization: 'Bearer of-work' });
  });

  it('merges contexts of all files, whose clusters and users may be in different files', async () => {
    const loaded = await load({ context: 'home' });
    expect(loaded).toMatchObject({ server: 'https://home:6443' });
    expect(await loaded.credentials.get()).toEqual({ authorization: 'Bearer of-work' });
  });

  it('resolves relative paths against the directory of their file and leaves names of commands unchanged', () => {
    const exec = (command: string) => ({ name: command, user: { exec: { command } } });
    const provider = { name: 'oidc', config: { 'idp-certificate-authority': 'idp.crt' } };
    const users = [
      {
        name: 'files',
        user: { 'client-certificate': 'a.crt', 'client-key': '/b.key', 'auth-provider': provider },
      },
      exec('login'),
      exec('./bin/login'),
    ];
    const { text } = mergeConfigs([home, file('/etc/work/config', { users })]);
    expect((parse(text) as { readonly users: unknown[] }).users.slice(1)).toEqual([
      {
        name: 'files',
        user: {
          'client-certificate': '/etc/work/a.crt',
          'client-key': '/b.key',
          'auth-provider': { name: 'oidc', config: { 'idp-certificate-authority': '/etc/work/idp.crt' } },
        },
      },
      exec('login'),
      { name: './bin/login', user: { exec: { command: '/etc/work/bin/login' } } },
    ]);
  });

  it('ignores an empty file and returns the first invalid file', () => {
    expect(parse(mergeConfigs([{ path: 'empty', text: '' }, home]).text)).toEqual(parse(home.text));
    const broken = { path: '/etc/broken', text: 'a: [' };
    expect(mergeConfigs([work, broken, home])).toBe(broken);
    expect(mergeConfigs([broken])).toBe(broken);
  });
});
