import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Takes minutes, in which other files can be run beside it. */
const LONGEST = 'test/e2e/chaos-seeds.slow.test.ts';

/** The file that takes longest begins first in its project, also where no earlier run has told how long each takes. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const longest = sorted.find(({ moduleId }) => moduleId.endsWith(LONGEST));
    if (!longest) return sorted;
    const first = sorted.findIndex(({ project }) => project === longest.project);
    return [...sorted.slice(0, first), longest, ...sorted.slice(first).filter((each) => each !== longest)];
  }
}
