// Plain JavaScript: `npm run check:layers` runs it without a build.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, normalize, relative } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');
export const layers = JSON.parse(readFileSync(join(import.meta.dirname, 'layers.json'), 'utf8'));

const STATIC_IMPORT = /^\s*(?:import|export)\s+(?:type\s+)?(?:[^'"`;]*?\s+from\s+)?'(\.[^']+)'/gm;
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
export const importsOf = (file) => matchesOf(file, IMPORT);

function matchesOf(file, pattern) {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(pattern)].map(([, statik, dynamic]) => ({
    from: file,
    to: relative(root, normalize(join(root, dirname(file), statik ?? dynamic))),
  }));
}

const layerOf = (file) => file.split('/')[0];
const isIndex = (file) => basename(file) === 'index.ts';

/** @returns {readonly string[]} one sentence for each import that runs upwards or leaves the layers */
export function forbiddenImports() {
  return Object.entries(layers).flatMap(([layer, allowed]) =>
    sourceFiles(layer)
      .flatMap((file) => importsOf(file))
      .filter(({ to }) => layerOf(to) !== layer && !allowed.includes(layerOf(to)))
      .map(
        ({ from, to }) =>
          `${from} imports ${to}: ${layer} may import ${allowed.join(', ') || 'nothing of ours'}`,
      ),
  );
}

/** Rooms whose files are entries: one for each group and version, so that a program loads only the kinds it uses. */
const ROOMS_OF_ENTRIES = ['api/groups', 'api/types'];

/**
 * Other layers import a file of the layer's root folder, the index of a room, or the only file of a room.
 *
 * Dynamic imports are exempt: they name a file to load as little as possible.
 *
 * @returns {readonly string[]} one sentence for each import that names a file inside a room of another layer
 */
export function importsPastAnIndex() {
  const files = Object.keys(layers).flatMap(sourceFiles);
  const sizes = new Map();
  for (const room of files.filter((file) => !isIndex(file)).map(dirname)) {
    sizes.set(room, (sizes.get(room) ?? 0) + 1);
  }
  const isEntry = (file) =>
    isIndex(file) ||
    file.split('/').length === 2 ||
    ROOMS_OF_ENTRIES.includes(dirname(file)) ||
    sizes.get(dirname(file)) === 1;
  return files
    .flatMap((file) => matchesOf(file, STATIC_IMPORT))
    .filter(({ from, to }) => layerOf(from) !== layerOf(to) && layerOf(to) in layers && !isEntry(to))
    .map(({ from, to }) => `${from} imports ${to}: import ${dirname(to)}/index.ts`);
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

const IMPORT_STATEMENT = /^(?:import|export)\s+(?!type\b)([^'";]*?)\bfrom\s+'(\.[^']+)'/gm;
const TYPES_ALONE = /^\{(?:\s*type\s+[^,}]+,?)+\s*\}\s*$/;

/** @returns {readonly string[]} the files that a program loads before its first statement; types load nothing */
export function filesLoadedBy(entry) {
  const loaded = new Set([entry]);
  for (const file of loaded) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, names, path] of text.matchAll(IMPORT_STATEMENT))
      if (!TYPES_ALONE.test(names)) loaded.add(relative(root, normalize(join(root, dirname(file), path))));
  }
  return [...loaded];
}
