import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformWithEsbuild } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mutantsOfFile } from './catalogue.ts';
import { numbered } from './copy.ts';
import { instrument } from './instrument.ts';
import { sourceOperators } from './operators/index.ts';
import { openFiles } from './sources.fixture.ts';
import { switchMutant, takeReached } from './switch.ts';

const SOURCE = `export const keys = new Map<string, number>();

export function add(namespace: string, name: string, uid: string): string {
  const key = JSON.stringify([namespace, name]);
  const options = { uid, isNew: !keys.has(key) || uid === '' };
  keys.set(key, keys.size + 1);
  if (options.isNew && namespace !== '') return \`\${namespace}/\${name}\`;
  return [
    namespace,
    name,
  ].filter((part) => part !== '').toSorted((a, b) => (a < b ? 1 : -1)).join(options.uid);
}
`;

interface Subject {
  readonly keys: Map<string, number>;
  readonly add: (namespace: string, name: string, uid: string) => string;
}

const folder = mkdtempSync(join(tmpdir(), 'orch-instrument-'));

/** Loads TypeScript source that uses the switches of this process. */
async function load(name: string, source: string): Promise<Subject> {
  const { code } = await transformWithEsbuild(source, `${name}.ts`);
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, code);
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Subject;
}

const outputs = ({ keys, add }: Subject): readonly string[] => {
  keys.clear();
  return [add('b', 'a', 'u'), add('b', 'a', 'u'), add('', 'a', ''), add('b', 'c', 'v')];
};

describe('an instrumented file', () => {
  using sources = openFiles({ 'subject.ts': SOURCE });
  const mutants = numbered(mutantsOfFile('subject.ts', sources, sourceOperators));
  const text = instrument(
    sources.fileNamed('subject.ts'),
    mutants.map(({ change }) => change),
    './switch.mjs',
  );
  let original: Subject;
  let instrumented: Subject;

  beforeAll(async () => {
    writeFileSync(
      join(folder, 'switch.mjs'),
      'export const isMutantOn = (id) => globalThis.isMutantOnForTest(id);',
    );
    const { isMutantOn } = await import('./switch.ts');
    Object.assign(globalThis, { isMutantOnForTest: isMutantOn });
    original = await load('original', SOURCE);
    instrumented = await load('instrumented', text);
  });

  afterAll(() => {
    switchMutant(0);
    Reflect.deleteProperty(globalThis, 'isMutantOnForTest');
    rmSync(folder, { recursive: true, force: true });
  });

  it('behaves like the original if no mutant is on', () => {
    switchMutant(0);
    expect(outputs(instrumented)).toEqual(outputs(original));
  });

  it('has the same number of lines as the original', () => {
    expect(text.split('\n')).toHaveLength(SOURCE.split('\n').length);
  });

  it('records which mutants were reached', () => {
    takeReached();
    outputs(instrumented);
    expect(takeReached()).toEqual(mutants.map(({ mutant }) => mutant.id));
  });

  it.each(mutants.map(({ mutant }) => mutant))(
    'behaves differently with $operator in line $line: $original',
    ({ id, name }) => {
      switchMutant(id);
      const isSame = JSON.stringify(outputs(instrumented)) === JSON.stringify(outputs(original));
      expect(isSame).toBe(EQUIVALENT.has(name));
    },
  );
});

/** Mutants for which all calls in `outputs` return the same results as the original. */
const EQUIVALENT: ReadonlySet<string> = new Set([
  'subject.ts:4:31 narrow-key 1',
  'subject.ts:5:33 drop-operand 1',
  'subject.ts:6:17 off-by-one 1',
  'subject.ts:6:29 off-by-one 1',
  'subject.ts:8:10 remove-filter 1',
  'subject.ts:11:55 change-comparison 1',
]);
