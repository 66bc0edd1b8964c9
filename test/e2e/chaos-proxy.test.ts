import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createWorkbench } from './process.ts';

const bench = createWorkbench();
afterAll(() => bench.close());
const folder = bench.folder();
const at = (name: string): string => join(folder, name);

const plan = (...rules: readonly object[]): string => JSON.stringify({ rules });
const READY = /^ready (https:\/\/\S+).*$/m;

const strikesIn = (file: string): readonly object[] =>
  readFileSync(at(file), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as object);

describe('orch chaos proxy and --chaos-plan', () => {
  it('run between a controller manager and an API server, which both continue to work', async () => {
    writeFileSync(
      at('server.yaml'),
      plan({ match: { verb: 'list', resource: 'namespaces', nth: 1 }, fault: 'unavailable' }),
    );
    writeFileSync(
      at('proxy.yaml'),
      plan(
        {
          name: 'lost',
          match: { verb: 'create', resource: 'serviceaccounts', nth: 1 },
          fault: 'lost-response',
        },
        { name: 'cut', match: { event: 'OPEN', resource: 'namespaces', nth: 1 }, fault: 'cut-watch' },
      ),
    );
    const data = ['--data-dir', at('data')];
    const server = bench.orch(
      [
        'apiserver',
        ...data,
        '--secure-port',
        '0',
        '--chaos-plan',
        at('server.yaml'),
        '--chaos-journal',
        at('server.jsonl'),
      ],
      { cwd: folder },
    );
    const [line] = await server.output(READY);
    expect(line).toMatch(/CHAOS: requests fail on purpose, by 1 rule, seed 0$/);
    await server.output(/REQUESTS FAIL ON PURPOSE/);

    const flags = ['--plan', at('proxy.yaml'), '--kubeconfig', at('data/controller-manager.conf')];
    const proxy = bench.orch(
      ['chaos', 'proxy', ...flags, '--kubeconfig-out', at('chaos.conf'), '--journal', at('proxy.jsonl')],
      { cwd: folder },
    );
    const [ready] = await proxy.output(READY);
    expect(ready).toMatch(/with 2 rules, seed 0; client configuration in /);
    expect(statSync(at('chaos.conf')).mode & 0o777).toBe(0o600);

    const manager = bench.orch(
      ['controller-manager', ...data, '--kubeconfig', at('chaos.conf'), '--controllers', 'serviceaccount'],
      { cwd: folder },
    );
    await manager.output(READY);
    const other = bench.orch(['chaos', 'proxy', ...flags, '--replay', at('server.jsonl')], { cwd: folder });
    expect((await other.exit()).code).toBe(1);
    expect(other.stderr).toMatch(
      /server\.jsonl does not hold the journal of a run: the journal belongs to another plan/,
    );

    await expect.poll(() => strikesIn('proxy.jsonl').length, { timeout: 60_000 }).toBe(2);
    expect(strikesIn('proxy.jsonl')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ rule: 'lost', fault: 'lost-response', target: 'serviceaccounts' }),
        expect.objectContaining({ rule: 'cut', event: 'OPEN', target: 'namespaces' }),
      ]),
    );
    expect(strikesIn('server.jsonl')).toMatchObject([{ fault: 'unavailable', target: 'namespaces' }]);
    expect((await manager.end('SIGTERM')).code).toBe(0);
    expect((await proxy.end('SIGTERM')).code).toBe(0);
    expect(proxy.stdout).toContain('injected: lost 1, cut 1');
    const token = /token: (\S+)/.exec(readFileSync(at('chaos.conf'), 'utf8'))?.[1] ?? 'none';
    expect(token.length).toBeGreaterThan(40);
    for (const said of [proxy.stdout, proxy.stderr, readFileSync(at('proxy.jsonl'), 'utf8')])
      expect(said).not.toContain(token);
    expect((await server.end('SIGTERM')).code).toBe(0);
  });
});

describe('orch chaos proxy --run', () => {
  it('leaves no key, no server and no command behind when it is interrupted', async () => {
    mkdirSync(at('temporary'));
    writeFileSync(
      at('map.yaml'),
      'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a, namespace: default }\n',
    );
    const command = `echo $$ > ${at('command.pid')}; exec sleep 600`;
    const judge = bench.orch(['chaos', 'proxy', '--manifests', at('map.yaml'), '--run', command], {
      cwd: folder,
      env: { TMPDIR: at('temporary') },
    });
    const pid = (): number => Number(readFileSync(at('command.pid'), 'utf8'));
    await expect.poll(() => isRunning(pid), { timeout: 60_000 }).toBe(true);
    expect(readdirSync(at('temporary'))).not.toEqual([]);
    expect((await judge.end('SIGTERM')).code).toBe(130);
    expect(readdirSync(at('temporary')).filter((name) => name.startsWith('chaos-judge-'))).toEqual([]);
    await expect.poll(() => isRunning(pid)).toBe(false);
    await expect.poll(() => serversBelow(at('temporary'))).toEqual([]);
  });
});

/** True if the process exists. False also while its id is unknown. */
function isRunning(pid: () => number): boolean {
  try {
    return process.kill(pid(), 0);
  } catch {
    return false;
  }
}

/**
 * Returns the command lines of programs that name a directory. Empty if the system does not show command
 * lines.
 */
const serversBelow = (path: string): readonly string[] =>
  (existsSync('/proc/self/cmdline') ? readdirSync('/proc') : [])
    .filter((name) => /^\d+$/.test(name))
    .map((id) => {
      try {
        return readFileSync(`/proc/${id}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    })
    .filter((line) => line.includes(path) && line.includes('--data-dir'));
