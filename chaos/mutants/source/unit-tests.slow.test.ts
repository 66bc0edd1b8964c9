import { describe, expect, it } from 'vitest';
import { mutantsOfFile } from './catalogue.ts';
import { createInstrumentedCopy, numbered } from './copy.ts';
import { sourceOperators } from './operators/index.ts';
import { openSources } from './sources.ts';
import { runUnitTests } from './unit-tests.ts';

describe('unit tests of an instrumented copy', () => {
  it('catch mutants of their directory, name the test, and pass without a mutant', async () => {
    const root = process.cwd();
    using sources = openSources(root);
    const mutants = numbered(mutantsOfFile('runtime/queue/delayed-keys.ts', sources, sourceOperators));
    using copy = await createInstrumentedCopy(root, sources, mutants);
    const files: string[] = [];
    const fates = await runUnitTests(
      mutants.map(({ mutant }) => mutant),
      { folder: copy.folder, workers: 2, budgetMs: 20_000, onProgress: (text) => files.push(text) },
    );
    const caught = [...fates.values()].filter(({ verdict }) => verdict === 'caught');
    expect(files.length).toBeGreaterThan(0);
    expect(caught.length).toBeGreaterThan(mutants.length / 2);
    expect(caught.every(({ by }) => by.startsWith('runtime/queue/'))).toBe(true);
  });
});
