import { describe, expect, it, onTestFinished } from 'vitest';
import { orchVocabulary } from '../../../api/vocabulary/index.ts';
import { runSeed } from '../../run/campaign.ts';
import { loadSubject } from '../../run/subject.ts';
import { mutantsOfFile } from './catalogue.ts';
import { createInstrumentedCopy, numbered } from './copy.ts';
import { readPlan } from './hunt-source.ts';
import { sourceOperators } from './operators/index.ts';
import { isMutated } from './scope.ts';
import { openSources } from './sources.ts';
import { startThread } from './threads.ts';

const SEEDS = [0, 1, 2, 3];

describe('an instrumented copy with every mutant', () => {
  it('behaves like the original in every step if no mutant is on', async () => {
    const root = process.cwd();
    const sources = openSources(root);
    onTestFinished(() => sources[Symbol.dispose]());
    const all = sources.names
      .filter(isMutated)
      .flatMap((name) => mutantsOfFile(name, sources, sourceOperators));
    const copy = await createInstrumentedCopy(root, sources, numbered(all));
    const plan = await readPlan();
    onTestFinished(() => copy[Symbol.dispose]());
    const thread = await startThread(copy.compiled('chaos/mutants/source/worker.ts'), {
      plan,
      searchMs: 1_000,
      loadedWith: 0,
    });
    onTestFinished(() => thread[Symbol.asyncDispose]());
    const subject = await loadSubject(orchVocabulary.product, plan.selection);
    for (const seed of SEEDS) {
      const { hash } = await runSeed(seed, { plan, subject, verify: false });
      const copied = await thread.cover({ kind: 'seed', seed });
      expect(copied).toMatchObject({ verdict: 'pass', hash });
      expect(copied.reached.length).toBeGreaterThan(0);
    }
  });
});
