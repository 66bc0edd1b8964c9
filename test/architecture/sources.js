// Plain JavaScript: `npm run check:layers` runs it without a build.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');
export const layers = JSON.parse(readFileSync(join(import.meta.dirname, 'layers.json'), 'utf8'));

const IMPORT =
  /^\s*(?:import|export)\s+(?:type\s+)?(?:[^'"`;]*?\s+from\s+)?'(\.[^']+)'|import\('(\.[^']+)'\)/gm;
const TEST_FILE = /\.(test|conformance|fixture)\.ts$/;

/** @returns {readonly string[]} paths below the root of every source file of a layer, tests left out */
export function sourceFiles(layer) {
  if (!existsSync(join(root, layer))) return [];
  return readdirSync(join(root, layer), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !TEST_FILE.test(name))
    .map((name) => join(layer, name));
}

/** @returns {readonly { from: string, to: string }[]} the relative imports of a file */
export function importsOf(file) {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(IMPORT)].map(([, statik, dynamic]) => ({
    from: file,
    to: relative(root, normalize(join(root, dirname(file), statik ?? dynamic))),
  }));
}

const layerOf = (file) => file.split('/')[0];

/** @returns {readonly string[]} one sentence for each import that runs upwards or leaves the layers */
export function forbiddenImports() {
  return Object.entries(layers).flatMap(([layer, allowed]) =>
    sourceFiles(layer)
      .flatMap(importsOf)
      .filter(({ to }) => layerOf(to) !== layer && !allowed.includes(layerOf(to)))
      .map(
        ({ from, to }) =>
          `${from} imports ${to}: ${layer} may import ${allowed.join(', ') || 'nothing of ours'}`,
      ),
  );
}

/** @returns {readonly string[]} each circle of imports, those of types included, as `a → b → a` */
export function importCycles() {
  const edges = new Map(
    Object.keys(layers)
      .flatMap(sourceFiles)
      .map((file) => [file, importsOf(file).map(({ to }) => to)]),
  );
  const done = new Set();
  const cycles = [];
  const visit = (file, path) => {
    const at = path.indexOf(file);
    if (at >= 0) cycles.push([...path.slice(at), file].join(' → '));
    if (at >= 0 || done.has(file)) return;
    for (const to of edges.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of edges.keys()) visit(file, []);
  return cycles;
}
