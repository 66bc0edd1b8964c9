import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { apiServerCommandFlags, controllerManagerFlags, upFlags } from '../../cli/flags/flag-tables.ts';
import { PROGRAM, createWorkbench } from './process.ts';

const bench = createWorkbench();
afterAll(() => bench.close());

async function run(...argv: readonly string[]) {
  const program = bench.orch(argv, { cwd: bench.folder() });
  const { code } = await program.exit();
  return { code, stdout: program.stdout, stderr: program.stderr };
}

describe('an invalid command line', () => {
  it.each([
    [
      ['no-such'],
      'unknown command "no-such": expected up, apiserver, controller-manager, dashboard, why, machines, chaos run',
    ],
    [['aplserver'], 'unknown command "aplserver"; did you mean apiserver?'],
    [['chaos', 'rn'], 'unknown command "chaos rn"; did you mean chaos run?'],
    [['up', '--nope'], 'unknown flag --nope'],
    [['up', '--dta-dir', 'x'], 'unknown flag --dta-dir; did you mean --data-dir?'],
    [['up', '-data-dir', 'x'], 'unknown flag -data-dir; did you mean --data-dir?'],
    [['up', '--help=storrage'], 'unknown help group "storrage"; did you mean storage?'],
    [['up', '--__proto__=x'], 'unknown flag --__proto__'],
    [['up', '--kubeconfig', 'x'], 'unknown flag --kubeconfig'],
    [['up', 'extra'], 'unexpected argument "extra"'],
    [['up', '--secure-port'], '--secure-port needs a value'],
    [['up', '--secure-port', '65536'], 'invalid value "65536" for --secure-port'],
    [['up', '--secure-port', '1e3'], 'invalid value "1e3" for --secure-port'],
    [['up', '--vocabulary', 'k8s'], 'invalid value "k8s" for --vocabulary: expected one of orch, kubernetes'],
    [['up', '--anonymous-auth=yes'], 'invalid value "yes" for --anonymous-auth'],
    [['up', '--v', '11'], 'invalid value "11" for --v'],
    [['up', '--cluster-signing-duration', '1y'], 'invalid value "1y" for --cluster-signing-duration'],
    [['up', '--controllers', 'nope'], 'nope'],
    [['up', '--controllers', '-nope'], 'nope'],
    [['up', '--authorization-mode', 'Magic'], 'authorization-mode "Magic" is not a valid mode'],
    [['up', '--tls-cert-file', 'x.crt'], '--tls-cert-file and --tls-private-key-file go together'],
    [['up', '--tls-min-version', 'VersionTLS10'], 'expected one of VersionTLS12, VersionTLS13'],
    [
      ['up', '--tls-cipher-suites', 'TLS_RSA_WITH_RC4_128_SHA'],
      '"TLS_RSA_WITH_RC4_128_SHA" is not one of TLS_AES_128',
    ],
    [['up', '--tls-cipher-suites', 'TLS_RSA_WITH_AES_256_GCM_SHA384'], 'for HTTP/2; there is --http2=false'],
    [['up', '--token-auth-file', 'none.csv'], 'none.csv does not exist'],
    [['up', '--redis-url', 'nonsense'], 'redis'],
    [['up', '--bind-address', 'not an address'], 'not an address'],
    [['controller-manager'], 'controller-manager.conf does not exist'],
    [['controller-manager', '--kubeconfig', 'none.conf'], 'none.conf does not exist'],
    [['controller-manager', '--healthz-port', '-1'], 'invalid value "-1" for --healthz-port'],
  ])('%j makes the program exit with one sentence and the code 1', async (argv, words) => {
    const { code, stdout, stderr } = await run(...argv);
    expect(stderr).toContain(words);
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  it.each([
    ['apiserver', '--admission-control-config-file'],
    ['apiserver', '--audit-policy-file'],
    ['apiserver', '--authentication-token-webhook-config-file'],
    ['apiserver', '--chaos-plan'],
    ['apiserver', '--encryption-provider-config'],
    ['apiserver', '--authorization-mode', 'Webhook', '--authorization-webhook-config-file'],
    ['controller-manager', '--kubeconfig'],
    ['dashboard', '--kubeconfig'],
    ['why', '--kubeconfig'],
    ['chaos', 'proxy', '--target', 'http://127.0.0.1:1', '--plan'],
    ['chaos', 'proxy', '--run', 'true', '--manifests'],
  ])('%s %s names the line of a syntax error in its file, and quotes nothing', async (...argv) => {
    const file = join(bench.folder(), 'broken.yaml');
    writeFileSync(file, 'a: 1\nsecret: [word\n');
    const { code, stderr } = await run(...argv, file);
    expect(code).toBe(1);
    expect(stderr).toContain(`${file}`);
    expect(stderr).toMatch(/^[^\n]*\bline [23]\b[^\n]*\n$/);
    expect(stderr).not.toMatch(/secret|word/);
  });

  it('names an invalid kubeconfig, without its content', async () => {
    const path = join(bench.folder(), 'broken.conf');
    writeFileSync(path, 'users: [{name: a, user: {token: very-secret}}');
    const { code, stderr } = await run('controller-manager', '--kubeconfig', path);
    expect(code).toBe(1);
    expect(stderr).toContain(path);
    expect(stderr).not.toContain('very-secret');
    expect(stderr).toMatch(/^[^\n]+\n$/);
  });

  it('names an invalid certificate file', async () => {
    const path = join(bench.folder(), 'a.pem');
    writeFileSync(path, 'no certificate');
    for (const argv of [
      ['--tls-cert-file', path, '--tls-private-key-file', path],
      ['--client-ca-file', path],
      ['--cluster-signing-cert-file', path, '--cluster-signing-key-file', path],
      ['--service-account-key-file', path],
      ['--service-account-private-key-file', path],
    ]) {
      const { code, stderr } = await run('up', '--secure-port', '0', ...argv);
      expect([argv[0], code]).toEqual([argv[0], 1]);
      expect(stderr).toMatch(/^[^\n]+\n$/);
    }
  });
});

describe('--help', () => {
  it('lists the commands of the program', async () => {
    const { code, stdout } = await run('--help');
    expect(code).toBe(0);
    for (const name of ['up', 'apiserver', 'controller-manager'])
      expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
  });

  it.each([
    ['up', upFlags],
    ['apiserver', apiServerCommandFlags],
    ['controller-manager', controllerManagerFlags],
  ])('lists every flag of %s with its default', async (name, table) => {
    const { code, stdout, stderr } = await run(name, '--help=all');
    expect([code, stderr]).toEqual([0, '']);
    const listed = [...stdout.matchAll(/^ {2}--(\S+)/gm)].map(([, flag]) => flag);
    expect(listed.toSorted()).toEqual(Object.keys(table).toSorted());
  });
});

it.each(['version', '--version'])('%s prints the name and version of the program', async (word) => {
  const { code, stdout, stderr } = await run(word);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^orch \d+\.\d+\.\d+ \(API v1\.24\.\d+, Node \S+, time zones \S+\)\n$/);
});

const CTL = join(dirname(PROGRAM), 'orchctl.js');

describe.each([
  ['orch', PROGRAM],
  ['orchctl', CTL],
])('every command of %s', (_, program) => {
  const start = async (...argv: readonly string[]) => {
    const child = bench.spawn(process.execPath, [program, ...argv], { cwd: bench.folder() });
    const { code } = await child.exit();
    return { code, stdout: child.stdout, stderr: child.stderr };
  };
  const widest = (text: string): number => Math.max(...text.split('\n').map(({ length }) => length));

  it('explains itself within 100 columns, and rejects an unknown flag in one sentence', async () => {
    const { stdout: overview } = await start('--help');
    expect(widest(overview)).toBeLessThanOrEqual(100);
    const names = [...overview.matchAll(/^ {2}([a-z][a-z0-9-]*(?: [a-z0-9-]+)?) {2,}\S/gm)].map(
      ([, name = '']) => name,
    );
    expect(names.length).toBeGreaterThan(12);
    const families = new Set(names.flatMap((name) => (name.includes(' ') ? [name.split(' ')[0] ?? ''] : [])));
    for (const name of [...names, ...families]) {
      const help = await start(...name.split(' '), '--help');
      expect([name, help.code, help.stderr]).toEqual([name, 0, '']);
      expect(help.stdout).toMatch(/^usage: /);
      expect([name, widest(help.stdout) <= 100 || help.stdout]).toEqual([name, true]);
      if (families.has(name)) continue;
      const refused = await start(...name.split(' '), '--no-such-flag');
      expect([name, refused.code, refused.stdout]).toEqual([name, 1, '']);
      expect(refused.stderr).toMatch(/^[^\n]+\n$/);
    }
  }, 240_000);

  it('ends without an error if the reader of its output has closed it', async () => {
    const command = `("${process.execPath}" "${program}" --help; echo "code $?" >&2) | true`;
    const child = bench.spawn('/bin/sh', ['-c', command], { cwd: bench.folder() });
    await child.exit();
    expect(child.stderr).toBe('code 0\n');
  });
});

it.each(['up', 'apiserver', 'controller-manager'])(
  '%s --help shows ten flags and every group',
  async (name) => {
    const { stdout } = await run(name, '--help');
    expect(stdout.match(/^ {2}--(?!help=)/gm)).toHaveLength(10);
    const groups = [...stdout.matchAll(/^ {2}--help=(\S+)/gm)].map(([, group = '']) => group);
    const flags: string[] = [];
    for (const group of groups.filter((each) => each !== 'all')) {
      const { code, stdout: shown } = await run(name, `--help=${group}`);
      expect([group, code]).toEqual([group, 0]);
      flags.push(...(shown.match(/^ {2}--\S+/gm) ?? []));
    }
    const { stdout: all } = await run(name, '--help=all');
    expect(flags).toEqual(all.match(/^ {2}--\S+/gm));
  },
  120_000,
);
