import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sources, openSources } from './sources.ts';

/** Opens a project with the given files in a temporary directory. `dispose` deletes the directory. */
export function openFiles(files: Readonly<Record<string, string>>): Sources {
  const folder = mkdtempSync(join(tmpdir(), 'mutated-sources-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const compilerOptions = { target: 'es2023', module: 'nodenext', strict: true, types: [] };
  writeFileSync(join(folder, 'tsconfig.build.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const sources = openSources(folder);
  return {
    names: sources.names,
    fileNamed: (name) => sources.fileNamed(name),
    textOf: (node) => sources.textOf(node),
    typesOf: (nodes) => sources.typesOf(nodes),
    [Symbol.dispose]() {
      sources[Symbol.dispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
