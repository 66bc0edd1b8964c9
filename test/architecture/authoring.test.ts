import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './sources.js';

const FENCE = /^```ts\n\/\/ (\S+)\n(.*?)^```$/gms;
const OPTIONS = /^`tsconfig\.json`:\n\n```json\n(.*?)^```$/ms;

it('every piece of TypeScript in the guide for authors compiles on the public entry points, with its options', () => {
  const guide = readFileSync(join(root, 'docs/authoring.md'), 'utf8');
  const pieces = [...guide.matchAll(FENCE)].map(([, name = '', code = '']) => ({ name, code }));
  expect(pieces).toHaveLength(guide.match(/^```ts$/gm)?.length ?? 0);
  const { compilerOptions } = JSON.parse(OPTIONS.exec(guide)?.[1] ?? '') as { compilerOptions: object };
  const folder = mkdtempSync(join(tmpdir(), 'authoring-'));
  try {
    for (const { name, code } of pieces) writeFileSync(join(folder, name), code);
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          ...compilerOptions,
          customConditions: ['orch-source'],
          noEmit: true,
          rootDir: '/',
          paths: { 'orch/*': [join(root, '*/index.ts')] },
        },
        include: [join(folder, '*.ts')],
      }),
    );
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', '.', '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    });
    // What lies elsewhere is not the guide's affair.
    expect(stdout.split('\n').filter((line) => /^[\w.-]+\.ts\(/.test(line))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 120_000);
