import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT, createWorkbench } from './process.ts';

const bench = createWorkbench();
afterAll(() => bench.close());
const folder = bench.folder();
const at = (...names: readonly string[]): string => join(folder, ...names);

/** Controller that behaves differently if the package does not recognize errors that the program throws. */
const MODULE = `
import { ApiError, configMaps, isNotFound } from 'orch/api';
import { createPlanMachine } from 'orch/machines';
import { ClientError, defineController, watch } from 'orch/runtime';

const known = (thrown) => {
  const isKnown = thrown.name === 'ClientError'
    ? thrown instanceof ClientError
    : thrown instanceof ApiError && isNotFound(thrown) === (thrown.status.code === 404);
  if (!isKnown) return 'stranger';
  if (isNotFound(thrown)) return 'known';
  throw thrown;
};
export const controllers = [defineController({
  name: 'own',
  machine: createPlanMachine({
    id: 'own', actions: ['mark'], plan: ({ marked, how }) => ({ actions: marked ? [] : [{ type: 'mark', how }] }),
  }),
  watches: () => [watch(configMaps, { namespace: 'default' })],
  effects: ({ client }) => ({
    observe: async () => {
      const own = client.namespaced(configMaps, 'default');
      const how = await own.get('nobody').then(() => 'found', known);
      return { how, marked: (await own.list()).items.some(({ metadata }) => metadata.name === how) };
    },
    mark: async ({ how }) => {
      await client.namespaced(configMaps, 'default').create({ metadata: { name: how } });
    },
  }),
})];
export const invariants = [{
  id: 'own/N1', says: 'marks nothing', controller: 'own', kind: 'never', initial: () => null,
  onCommit: (state, { name, actor, verb }) =>
    actor === 'own' && verb === 'create' ? { state, reached: true, broken: 'marked ' + name } : { state },
}];
export const workload = [
  { atMs: 1000, verb: 'create', resource: '/configmaps', namespace: 'default', name: 'a', object: {} },
];
`;

/** Installs the package as it is published, in a directory that contains only its dependencies. */
beforeAll(() => {
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], { cwd: ROOT });
  const [packed = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  mkdirSync(at('node_modules', 'orch'), { recursive: true });
  execFileSync('tar', ['-xzf', at(packed), '--strip-components=1', '-C', at('node_modules', 'orch')]);
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  for (const name of new Set(Object.keys(dependencies).map((each) => each.split('/')[0] ?? '')))
    symlinkSync(join(ROOT, 'node_modules', name), at('node_modules', name));
  writeFileSync(at('own.mjs'), MODULE);
}, 120_000);

async function orch(...argv: readonly string[]) {
  const program = at('node_modules', 'orch', 'dist', 'cli', 'orch.js');
  const running = bench.spawn(process.execPath, [program, ...argv], { cwd: folder });
  await running.exit(200_000);
  return { stdout: running.stdout, stderr: running.stderr };
}

const campaign = async (workers: number) => {
  const which = `--module ./own.mjs --controllers own --seeds 4 --lasts 20m --workers ${workers}`.split(' ');
  const { stdout, stderr } = await orch('chaos', 'run', ...which, '--traces', `traces-${workers}`);
  return { hash: /hash (\w+)/.exec(stdout)?.[1], marks: new Set(stdout.match(/marked \w+/g)), stderr };
};

it('runs a module against the packed package with equal hashes and replays on one and two threads', async () => {
  const [one, two] = [await campaign(1), await campaign(2)];
  expect(one.hash).toMatch(/^\w{16}$/);
  expect(one.marks).toEqual(new Set(['marked known']));
  expect(two).toEqual(one);
  for (const folder of ['traces-1', 'traces-2']) {
    const { stdout, stderr } = await orch('chaos', 'replay', join(folder, 'seed-1.json'));
    expect({ stderr, stdout }).toMatchObject({
      stderr: '',
      stdout: expect.stringContaining('own/N1 is broken'),
    });
  }
}, 400_000);
