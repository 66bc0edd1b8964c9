import { jobs } from '../../../api/groups/batch-v1.ts';
import { about } from '../../invariants/invariant.ts';
import { jobs as jobsPart } from '../../workload/batch.ts';
import { rareFinishedJobs } from '../../workload/one-of-each.ts';
import { ttlAfterFinishedFacts } from './facts.ts';
import { ttlAfterFinishedInvariants } from './invariants.ts';
import { ttlAfterFinishedScenario } from './scenarios.ts';
import type { ControllerTwin } from '../twin.ts';

/** Twin of the controller `ttlafterfinished`. */
export const ttlAfterFinishedTwin: ControllerTwin = {
  name: 'ttlafterfinished',
  invariants: () => about([jobs], ttlAfterFinishedInvariants),
  facts: () => ttlAfterFinishedFacts,
  rights: [{ resource: 'batch/jobs', deletes: true }],
  scenario: ttlAfterFinishedScenario,
  workload: [jobsPart],
  rareWorkload: [rareFinishedJobs],
  formerNumbers: {
    N1: 'no-early-deletion',
    E1: 'expired-is-deleted',
  },
  mutants: {
    watched: ['jobs'],
    harmless: {
      'cached-reads': 'a deletion carries the version, so one that is based on stale state is refused',
    },
  },
};
