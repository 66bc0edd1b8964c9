import { cronJobs as cronJobKind, jobs } from '../../../api/groups/batch-v1.ts';
import { undisturbed } from '../../explore/scenarios/undisturbed.ts';
import { about } from '../../invariants/invariant.ts';
import { withWritesSwapped } from '../../mutants/operators.ts';
import { cronJobs } from '../../workload/cron-jobs.ts';
import { rareCronJobs } from '../../workload/one-of-each.ts';
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
