import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { describe, expect, it } from 'vitest';
import { ruleWords } from '../../api/rbac/rule-words.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { foreignControllerRules } from '../../apiserver/bootstrap/foreign-controller-roles.ts';
import { twins } from '../../chaos/controllers/index.ts';
import { concurrentSyncsFlags } from '../../cli/manager/concurrent-syncs.ts';
import { createControllers, specimenSettings } from '../../controllers/index.ts';
import type { ControllerManifest } from '../../controllers/manifest.ts';
import { manifests } from '../../controllers/manifests.ts';
import { importsOf, layers, root, sourceFiles } from './sources.js';

const names: readonly string[] = manifests.map(({ name }) => name);
const foldersIn = (path: string): readonly string[] =>
  readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/**
 * Controller names that are also fields or kinds of the API. Only `job/…` counts as the name of a controller.
 */
const ORDINARY = ['job', 'namespace'];

/** Files outside the two directories of a controller that may name it, and the reason. */
const MAY_NAME: readonly (readonly [files: RegExp, why: string])[] = [
  [/^machines\//, 'the id of a machine is the name of its controller, which defineController checks'],
  [/^controllers\/index\.ts$/, 'the list of the implementations'],
  [
    /^chaos\/museum\/catalogue\.ts$/,
    'a list of known bugs by project; each names the mutant that rebuilds it',
  ],
  [
    /^chaos\/mutants\/sieve-bugs\.ts$/,
    'a list of known bugs by project; each names the mutant that rebuilds it',
  ],
  [/^api\/groups\/batch\/schedule\.ts$/, 'the prefix of an annotation that kubectl writes'],
  [
    /^apiserver\/admission\/storage-object-in-use-protection\.ts$/,
    'finalizers with the names of the controllers',
  ],
  [/^apiserver\/admission\/service-account-lookup\.ts$/, 'the singular name of a resource in a message'],
  [/^api\/groups\/certificates\/request\.ts$/, "upstream's description of a field"],
  [/^base\/tokens\/claims\.ts$/, 'a claim of service-account tokens'],
  [/^cli\/ctl\/describe\.ts$/, 'the names of a resource on the command line'],
  [/^api\/lifecycles\//, 'the writers of a transition are the names of controllers'],
  [/^controllers\/attention\//, 'a rule names the controller at which its objects wait'],
  [/^bench\//, 'a benchmark chooses the controllers that it measures'],
];

/**
 * Returns each line of a file that names a controller. Files in the directories of that controller are
 * skipped.
 */
function namedIn(file: string): readonly string[] {
  const folder = /^(?:chaos\/)?controllers\/([^/]+)\//.exec(file)?.[1];
  const others = names.filter((name) => name !== folder);
  const plain = others.filter((name) => !ORDINARY.includes(name)).join('|');
  const quoted = new RegExp(`(['"\`])-?(?:(?:${plain})|(?:${others.join('|')})/[\\w-]+)\\1`);
  const key = new RegExp(`^\\s*(?:${plain}):`);
  return read(file)
    .split('\n')
    .flatMap((line, at) =>
      !/^\s*(\/\/|\/?\*)/.test(line) && (quoted.test(line) || key.test(line))
        ? [`${file}:${at + 1} ${line.trim()}`]
        : [],
    );
}

describe('the manifests of the controllers', () => {
  it('are one for each directory, in the order of their names', () => {
    expect(names).toEqual(names.toSorted());
    const isController = (folder: string): boolean =>
      existsSync(join(root, 'controllers', folder, 'manifest.ts'));
    expect(names).toEqual(foldersIn('controllers').filter(isController));
    expect(foldersIn('controllers').filter((folder) => !isController(folder))).toEqual(['attention']);
    for (const name of names) expect(read(`controllers/${name}/manifest.ts`)).toContain(`name: '${name}'`);
  });

  it('have one implementation each', () => {
    const definitions = createControllers(specimenSettings);
    expect(definitions.map(({ name }) => name)).toEqual(names);
    expect(definitions.map(({ concurrency }) => concurrency)).toEqual(
      manifests.map(({ concurrency }) => concurrency),
    );
  });

  it('load neither machines nor the runtime, because an API server loads them', () => {
    const reached = new Set<string>();
    const visit = (file: string): void => {
      if (reached.has(file)) return;
      reached.add(file);
      for (const { to } of importsOf(file)) visit(to);
    };
    visit('controllers/manifests.ts');
    const allowed = /^(api|base)\/|^controllers\/([\w-]+\/manifest|manifests?|certificate-permissions)\.ts$/;
    expect([...reached].filter((file) => !allowed.test(file))).toEqual([]);
  });

  it('have one twin each, with invariants, histories and a workload', () => {
    expect(twins.map(({ name }) => name)).toEqual(names);
    expect(foldersIn('chaos/controllers')).toEqual(names);
    const files = ['twin.ts', 'invariants.ts', 'scenarios.ts', 'histories.fixture.ts'];
    const missing = names
      .flatMap((name) => files.map((file) => `chaos/controllers/${name}/${file}`))
      .filter((path) => !existsSync(join(root, path)));
    expect(missing).toEqual([]);
  });

  it('have a concurrency flag and no alias in common', () => {
    const words = manifests.flatMap(({ name, aliases = [] }: ControllerManifest) => [name, ...aliases]);
    expect(new Set(words).size).toBe(words.length);
    expect(Object.keys(concurrentSyncsFlags)).toHaveLength(names.length);
  });

  it('have accounts that no controller of another program uses', () => {
    const words = ruleWords(orchVocabulary);
    const foreign = Object.keys(foreignControllerRules(words));
    const own = manifests.flatMap(({ permissions }: ControllerManifest) =>
      permissions === undefined ? [] : [permissions(words, orchVocabulary).account],
    );
    expect(own.filter((account) => foreign.includes(account))).toEqual([]);
  });
});

describe('the directories of the controllers', () => {
  it('import no file from the directory of another controller', () => {
    const folderOf = (file: string): string | undefined =>
      /^((?:chaos\/)?controllers)\/([^/]+)\//.exec(file)?.[0];
    const crossing = ['controllers', 'chaos/controllers']
      .flatMap(sourceFiles)
      .filter((file) => folderOf(file) !== undefined)
      .flatMap((file) => importsOf(file))
      .filter(({ from, to }) => {
        const folder = folderOf(to);
        const ofTwin = folderOf(from)?.replace(/^chaos\//, '');
        return folder !== undefined && folder !== folderOf(from) && folder !== ofTwin;
      });
    expect(crossing.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it('are the only places where a controller is named', () => {
    const found = Object.keys(layers).flatMap(sourceFiles).flatMap(namedIn);
    expect(found.filter((line) => !MAY_NAME.some(([files]) => files.test(line.split(':')[0] ?? '')))).toEqual(
      [],
    );
    const unused = MAY_NAME.filter(([files]) => !found.some((line) => files.test(line.split(':')[0] ?? '')));
    expect(unused).toEqual([]);
  });
});

describe('the documentation of the controllers', () => {
  it('is generated from the manifests (vitest -u writes it)', async () => {
    const path = join(root, 'docs', 'reference', 'controllers.md');
    const config = await resolveConfig(path);
    await expect(await format(reference(), { ...config, filepath: path })).toMatchFileSnapshot(path);
  });
});

function reference(): string {
  const words = ruleWords(orchVocabulary);
  const row = (manifest: ControllerManifest): string => {
    const { name, aliases = [], summary, concurrency, flagWord = name, permissions, eventSource } = manifest;
    const runs = [
      ...(manifest.single === true ? ['in one process at a time'] : []),
      ...(manifest.offByDefault === true || manifest.ofBootstrapTokens === true ? ['only if named'] : []),
    ];
    const account = permissions?.(words, orchVocabulary).account;
    const code = (text: string | undefined): string => (text === undefined ? '' : `\`${text}\``);
    return `| ${[
      [name, ...aliases].map(code).join(', '),
      summary,
      `\`--concurrent-${flagWord}-syncs\` (${concurrency})`,
      code(account),
      code(eventSource),
      runs.join(', '),
    ].join(' | ')} |`;
  };
  return [
    '# Controllers',
    '',
    'Generated from the manifests in `controllers/`. `--controllers` accepts the names. The flag sets how many keys a',
    'controller reconciles at a time; its default is in parentheses. The default role of a controller is',
    '`system:controller:<account>`, bound to the service account of that name. Without an account, the role of the controller',
    'manager suffices. Without an event source, events name the program.',
    '',
    '| name | task | concurrency | account | event source | runs |',
    '| --- | --- | --- | --- | --- | --- |',
    ...manifests.map(row),
    '',
  ].join('\n');
}
