import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** File that takes minutes, during which the other files can run in parallel. */
const LONGEST = 'test/e2e/chaos-seeds.slow.test.ts';

/** Starts the longest file of each project first, even without the durations of an earlier run. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const longest = sorted.find(({ moduleId }) => moduleId.endsWith(LONGEST));
    if (!longest) return sorted;
    const first = sorted.findIndex(({ project }) => project === longest.project);
    return [...sorted.slice(0, first), longest, ...sorted.slice(first).filter((each) => each !== longest)];
  }
}
