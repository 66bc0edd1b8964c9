import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { workloads } from '../../chaos/explore/scenarios/index.ts';
import type { Check } from '../../chaos/report/checks.ts';
import { eventually } from './cluster.ts';
import { ROOT, createWorkbench } from './process.ts';

const bench = createWorkbench();
afterAll(() => bench.close());
const folder = bench.folder();
const at = (name: string): string => join(folder, name);

async function run(...argv: readonly string[]) {
  const program = bench.orch(argv, { cwd: folder });
  const { code } = await program.exit();
  return { code, stdout: program.stdout, stderr: program.stderr };
}

/** Module with an invariant that the token cleaner violates whenever it deletes a token. */
const MODULE = `
export const invariants = [{
  id: 'example/no-deletion', says: 'never deletes a Secret', controller: 'tokencleaner', kind: 'never',
  initial: () => null,
  onCommit: (state, { resource, verb, actor, name }) =>
    resource === '/secrets' && verb === 'delete' && actor === 'tokencleaner'
      ? { state, reached: true, broken: name + ' was deleted' }
      : { state },
}];
export const workload = [{
  atMs: 1000, verb: 'create', resource: '/secrets', namespace: 'orch-system', name: 'bootstrap-token-abcdef',
  object: { type: 'bootstrap.orch.io/token', data: { expiration: '${Buffer.from('2026-01-01T00:01:00Z').toString('base64')}' } },
}];
`;

describe('orch chaos', () => {
  it('runs seeds on several threads, and writes and prints the report and the traces', async () => {
    writeFileSync(at('module.mjs'), MODULE);
    const which = '--controllers tokencleaner --seed 1 --seeds 3 --workers 2 --lasts 20m'.split(' ');
    const files = ['--module', at('module.mjs'), '--traces', at('traces'), '--report', at('report.json')];
    const campaign = await run('chaos', 'run', ...which, ...files);
    expect(campaign.stdout).toMatch(/^FAIL {2}3 seeds, 1 virtual hours/m);
    expect(campaign.code).toBe(1);
    const report = JSON.parse(readFileSync(at('report.json'), 'utf8')) as {
      readonly failures: readonly { readonly seed: number }[];
    };
    expect(report.failures.map(({ seed }) => seed)).toEqual([1, 2, 3]);

    const trace = at('traces/seed-1.json');
    const replayed = await run('chaos', 'replay', trace);
    expect(replayed.code).toBe(1);
    expect(replayed.stdout).toContain('example/no-deletion is broken');

    const shrunk = await run('chaos', 'replay', trace, '--shrink');
    expect(shrunk.stdout).toContain('without any one of these it passes:\n  1.000 s: user create secrets');
    expect(readFileSync(at('traces/seed-1.min.json'), 'utf8')).toContain('"journal":[{');
  }, 240_000);

  it('writes the traces of its findings even if it is killed', async () => {
    writeFileSync(at('module.mjs'), MODULE);
    const which = '--controllers tokencleaner --seeds 100000 --workers 2 --lasts 20m'.split(' ');
    const traces = at('kept');
    const files = ['--module', at('module.mjs'), '--traces', traces];
    const campaign = bench.orch(['chaos', 'run', ...which, ...files], { cwd: folder });
    const kept = (): readonly string[] =>
      existsSync(traces) ? readdirSync(traces).filter((name) => name.endsWith('.json')) : [];
    await eventually(async () => kept().length).toBeGreaterThan(0);
    await campaign.end('SIGKILL');
    const replayed = await run('chaos', 'replay', join(traces, kept()[0] ?? ''));
    expect(replayed.stdout).toContain('example/no-deletion is broken');
  }, 120_000);

  it('explores groups of objects on several threads with the result of one thread', async () => {
    const which = ['chaos', 'explore', 'tokencleaner', '--objects', '2', '--faults', '0'];
    // A search that is estimated to be short uses one thread. Without an estimate, threads are used.
    const here = await run(...which);
    const onThreads = await run(...which, '--estimate=false');
    expect(onThreads.code).toBe(0);
    const [, verdict] = /^(PASS .*)$/m.exec(onThreads.stdout) ?? [];
    expect(verdict).toContain('states, 0 violations, graph ');
    expect(here.stdout).toContain(verdict);
    const broken = await run(...which, '--estimate=false', '--mutant', 'no-preconditions');
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(/^FAIL .*\ntokencleaner\/[a-z-]+/);
  }, 120_000);

  it('explores each workload in turn and writes one report', async () => {
    const which = '--objects 1 --faults 0 --lag 0 --estimate=false'.split(' ');
    const all = await run('chaos', 'explore', '*', ...which, '--report', at('all.json'));
    expect(all.code).toBe(0);
    const checks = JSON.parse(readFileSync(at('all.json'), 'utf8')) as readonly Check[];
    expect(checks.map(({ group, outcome }) => [group, outcome])).toEqual(
      workloads.map((workload) => [workload, 'passed']),
    );
  }, 120_000);

  it('executes every action of the first-bug tutorial, whose first controller violates no invariant', async () => {
    const guide = ['first-controller.md', 'first-bug.md']
      .map((name) => readFileSync(join(ROOT, 'docs/tutorials', name), 'utf8'))
      .join('\n');
    const piece = (opening: string): string => guide.split(opening)[1]?.split('```')[0] ?? '';
    for (const name of ['seen.ts', 'labeller.ts', 'labeller.chaos.ts'])
      writeFileSync(at(name), piece(`\`\`\`ts\n// ${name}\n`));
    writeFileSync(at('tsconfig.json'), piece('`tsconfig.json`:\n\n```json\n'));
    writeFileSync(at('package.json'), '{"type":"module"}');
    mkdirSync(at('node_modules'));
    symlinkSync(ROOT, at('node_modules/orch'));
    for (const name of ['xstate', '@types'])
      symlinkSync(join(ROOT, 'node_modules', name), at(`node_modules/${name}`));
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const compiled = await bench.spawn(process.execPath, [compiler], { cwd: folder }).exit();
    expect(compiled.code).toBe(0);
    const which = ['--module', at('labeller.chaos.js'), '--controllers', 'labeller', '--seeds', '20'];
    const { code, stdout } = await run('chaos', 'run', ...which, '--accept-vacuous');
    expect(stdout).toMatch(/^VACUOUS {2}20 seeds/m);
    expect(stdout).not.toContain('refused:');
    expect(code).toBe(0);
  }, 120_000);

  it('rejects a workload with an action that cannot be executed', async () => {
    const action = { atMs: 0, verb: 'patch', resource: '/configmaps', namespace: 'default', name: 'a' };
    writeFileSync(at('workload.json'), JSON.stringify([{ ...action, object: {} }]));
    writeFileSync(
      at('stray.mjs'),
      `export const workload = ${JSON.stringify([{ ...action, verb: 'update' }])};`,
    );
    const file = await run('chaos', 'run', '--workload', at('workload.json'));
    expect(file.stderr).toContain('action 0, a patch, has the field "object": expected');
    expect(file.code).toBe(1);
    const module = await run('chaos', 'run', '--module', at('stray.mjs'));
    expect(module.stderr).toContain('action 0 has the verb "update": expected create, patch, delete');
    expect(module.code).toBe(1);
  });

  it.each([
    [['chaos', 'run', '--faults', 'earthquake'], 'unknown fault "earthquake"'],
    [['chaos', 'run', '--controllers', 'nobody'], 'unknown controllers: "nobody"'],
    [['chaos', 'replay'], 'usage: orch chaos replay TRACE'],
    [['chaos', 'replay', '/nowhere.json'], '/nowhere.json'],
  ])('rejects %j in one line', async (argv, text) => {
    const { code, stderr } = await run(...argv);
    expect(code).toBe(1);
    expect(stderr).toContain(text);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
