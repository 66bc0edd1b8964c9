import { afterAll, beforeAll, describe, it } from 'vitest';
import type { Client } from '../clients.ts';
import { type KubectlFixture, startKubectlFixture } from '../kubectl.ts';
import { chapters } from './chapters.ts';
import { layFiles } from './files.ts';
import { appliesTo, play } from './step.ts';

/** What a session shows is what it has made: no pods of Jobs come up meanwhile, and no token Secrets. */
const QUIET = ['--controllers=*,-job', '--feature-gates=LegacyServiceAccountTokenNoAutoGeneration=true'];

/** Plays the whole session with one client against a new server: a test a command, in their order. */
export function describeSession({ path, missing, minor }: Client): void {
  describe.skipIf(missing)(`kubectl 1.${minor}`, () => {
    const kept = new Map<string, string>();
    let k: KubectlFixture;
    beforeAll(async () => {
      k = await startKubectlFixture(path, QUIET);
      layFiles(k);
    });
    afterAll(() => k?.close());

    describe.each(chapters)('$title', ({ steps }) => {
      for (const step of steps.filter((each) => appliesTo(each, minor)))
        it(step.run, () => play(step, k, minor, kept));
    });
  });
}
