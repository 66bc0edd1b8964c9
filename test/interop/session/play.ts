import { afterAll, beforeAll, describe, it } from 'vitest';
import type { Client } from '../clients.ts';
import { type KubectlFixture, startKubectlFixture } from '../kubectl.ts';
import { chapters } from './chapters.ts';
import { writeFiles } from './files.ts';
import { appliesTo, play } from './step.ts';

/**
 * Flags that switch off controllers which would add objects during the session, such as pods of Jobs and
 * token Secrets.
 */
const QUIET = ['--controllers=*,-job', '--feature-gates=LegacyServiceAccountTokenNoAutoGeneration=true'];

/** Plays the whole session with one client against a new server: one test per command, in order. */
export function describeSession({ path, missing, minor }: Client): void {
  describe.skipIf(missing)(`kubectl 1.${minor}`, () => {
    const kept = new Map<string, string>();
    let k: KubectlFixture;
    beforeAll(async () => {
      k = await startKubectlFixture(path, QUIET);
      writeFiles(k);
    });
    afterAll(() => k?.close());

    describe.each(chapters)('$title', ({ steps }) => {
      for (const step of steps.filter((each) => appliesTo(each, minor)))
        it(step.run, () => play(step, k, minor, kept));
    });
  });
}
