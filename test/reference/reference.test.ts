import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { describe, expect, it } from 'vitest';
import { layers, root, sourceFiles } from '../architecture/sources.js';
import { faultsPage, invariantsPage } from './chaos.ts';
import { apiServerFlagsPage, controllerManagerFlagsPage, toolFlagsPage } from './flags.ts';
import { lifecyclesPage } from './lifecycles.ts';
import { machinesPage } from './machines.ts';
import { metricsPage } from './metrics.ts';

const folder = join(root, 'docs/reference');

/** Generated pages of docs/reference, by name. */
const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  'faults.md': faultsPage,
  'flags-apiserver.md': apiServerFlagsPage,
  'flags-controller-manager.md': controllerManagerFlagsPage,
  'flags-tools.md': toolFlagsPage,
  'invariants.md': invariantsPage,
  'lifecycles.md': lifecyclesPage,
  'machines.md': machinesPage,
  'metrics.md': metricsPage,
};

describe('generated pages (`npm run docs` writes them)', () => {
  it.each(Object.entries(pages))('%s lists what the code declares', async (name, write) => {
    const text = await format(await write(), { parser: 'markdown', printWidth: 110 });
    await expect(text).toMatchFileSnapshot(join(folder, name));
  });
});

const REASONS = [
  /events\.record\([^;]*?'(?:Normal|Warning)',\s*'(\w+)'/g,
  /type: '(?:Normal|Warning)',\s*reason: '(\w+)'/g,
  /\bfailed\('([A-Z]\w+)'/g,
];

it('events.md has exactly the reasons of Events that controllers report', () => {
  const files = ['controllers', 'machines', 'runtime'].flatMap(sourceFiles);
  const texts = files.map((file) => readFileSync(join(root, file), 'utf8'));
  const reported = texts.flatMap((text) =>
    REASONS.flatMap((pattern) => [...text.matchAll(pattern)].map(([, reason]) => reason)),
  );
  // Reasons that are computed from a condition, so that no literal contains them.
  const computed = ['Suspended', 'Resumed'];
  const page = readFileSync(join(folder, 'events.md'), 'utf8');
  const listed = [...page.matchAll(/`([A-Z]\w+)`/g)].map(([, reason]) => reason);
  expect([...new Set(listed)].filter((reason) => reason !== 'Replace' && reason !== 'Forbid').sort()).toEqual(
    [...new Set([...reported, ...computed])].sort(),
  );
});

const DECLARED = /metrics\s*\.(?:counter|gauge|histogram|summary)\(\s*'(\w+)'/g;

it('metrics.md has every metric that a source file declares', async () => {
  const declared = Object.keys(layers)
    .flatMap(sourceFiles)
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(DECLARED)].map(([, name]) => name),
    );
  expect(declared.length).toBeGreaterThan(50);
  const page = await metricsPage();
  expect(declared.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
