import { cronJobs as cronJobKind, jobs } from '../../../api/groups/batch-v1.ts';
import { undisturbed } from '../../explore/scenarios/undisturbed.ts';
import { about } from '../../invariants/invariant.ts';
import { withWritesSwapped } from '../../mutants/operators.ts';
import { cronJobs } from '../../workload/batch.ts';
import { rareCronJobs } from '../../workload/one-of-each.ts';
import { cronJobFacts } from './facts.ts';
import { cronJobInvariants } from './invariants.ts';
import {
  blockedJobScenario,
  claimedJobScenario,
  cleanedJobScenario,
  cronJobScenario,
  extendedCronJobScenario,
  lastJobScenario,
  replacedJobScenario,
  resumedCronJobScenario,
} from './scenarios.ts';
import type { ControllerTwin } from '../twin.ts';

/** Twin of the controller `cronjob`. */
export const cronJobTwin: ControllerTwin = {
  name: 'cronjob',
  invariants: ({ vocabulary }) => about([cronJobKind, jobs], cronJobInvariants(vocabulary)),
  facts: ({ vocabulary }) => cronJobFacts(vocabulary),
  rights: [
    { resource: 'batch/cronjobs', fields: ['status'] },
    { resource: 'batch/jobs', creates: true, deletes: true },
  ],
  scenario: cronJobScenario,
  scenarios: {
    blocked: blockedJobScenario,
    claimed: claimedJobScenario,
    cleaned: cleanedJobScenario,
    extended: extendedCronJobScenario,
    last: lastJobScenario,
    replaced: replacedJobScenario,
    resumed: resumedCronJobScenario,
    undisturbed: undisturbed(cronJobScenario),
  },
  workload: [cronJobs],
  rareWorkload: [rareCronJobs],
  formerNumbers: {
    N1: 'no-duplicate-run',
    N2: 'forbid-runs-alone',
    N3: 'replace-deletes-first',
    N4: 'runs-in-time',
    N5: 'no-run-while-suspended',
    N6: 'no-unscheduled-run',
    N7: 'last-schedule-grows',
    N8: 'no-earlier-run',
    N9: 'no-needed-job-deleted',
    N10: 'local-time-matches',
    N11: 'no-foreign-active-job',
    E1: 'no-missed-run',
    E2: 'continues-after-many-missed',
    E3: 'history-within-limits',
    E4: 'active-lists-running',
    E5: 'resumed-runs',
    E6: 'forbid-runs-afterwards',
  },
  mutants: {
    watched: ['cronjobs', 'jobs'],
    operators: [
      {
        name: 'create-before-claim',
        says: 'the Job is created before its due time is claimed',
        pattern: 'intermediate',
        mutate: withWritesSwapped('recording', 'creating'),
      },
    ],
  },
};
