import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM, ROOT } from './process.ts';

const LAYERS = [
  'base',
  'api',
  'machines',
  'apiserver',
  'runtime',
  'controllers',
  'chaos',
  'dashboard',
  'cli',
];
const SOURCE = /\.(ts|tsx|css|html)$/;
const NO_SOURCE = /\.(test|conformance|fixture)\.ts$/;

function newestSourceMs(): number {
  const times = LAYERS.flatMap((layer) =>
    readdirSync(join(ROOT, layer), { recursive: true, encoding: 'utf8' })
      .filter((name) => SOURCE.test(name) && !NO_SOURCE.test(name))
      .map((name) => statSync(join(ROOT, layer, name)).mtimeMs),
  );
  return Math.max(...times);
}

/** Builds the program before the tests that start it, if a source is newer than the last build. */
export function setup(): void {
  if (existsSync(PROGRAM) && statSync(PROGRAM).mtimeMs > newestSourceMs()) return;
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 240_000,
  });
  if (status !== 0) throw new Error(`npm run build failed:\n${stdout}${stderr}`);
}
