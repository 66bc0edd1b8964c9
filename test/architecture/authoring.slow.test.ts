import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './sources.js';

const FENCE = /^```ts\n\/\/ (\S+)\n(.*?)^```$/gms;
const OPTIONS = /`tsconfig\.json`:\n\n```json\n(.*?)^```$/ms;

const pagesBelow = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { encoding: 'utf8', recursive: true })
    // Decision records quote the code of the time at which they were written.
    .filter((name) => name.endsWith('.md') && !name.startsWith('decisions'))
    .map((name) => readFileSync(join(root, folder, name), 'utf8'));

it('every TypeScript snippet in the documents compiles against the public entry points with the compiler options of the tutorial', () => {
  const text = pagesBelow('docs').join('\n');
  const pieces = [...text.matchAll(FENCE)].map(([, name = '', code = '']) => ({ name, code }));
  expect(pieces).toHaveLength(text.match(/^ *```ts$/gm)?.length ?? 0);
  expect(new Set(pieces.map(({ name }) => name)).size).toBe(pieces.length);
  const { compilerOptions } = JSON.parse(OPTIONS.exec(text)?.[1] ?? '') as { compilerOptions: object };
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
    // Ignores errors outside the snippets.
    expect(stdout.split('\n').filter((line) => /^[\w.-]+\.ts\(/.test(line))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 120_000);
