import { jobs } from '../../../api/groups/batch-v1.ts';
import { pods } from '../../../api/groups/index.ts';
import { undisturbed } from '../../explore/scenarios/undisturbed.ts';
import { about } from '../../invariants/invariant.ts';
import { cronJobs, jobs as jobsPart } from '../../workload/batch.ts';
import { rareFinishedJobs } from '../../workload/one-of-each.ts';
import { jobFacts } from './facts.ts';
import { jobInvariants } from './invariants.ts';
import {
  evictedPodScenario,
  exchangedPodScenario,
  jobScenario,
  overdueJobScenario,
  resumedJobScenario,
  strayPodScenario,
  suspendedJobScenario,
} from './scenarios.ts';
import type { ControllerTwin } from '../twin.ts';

/** Twin of the controller `job`. */
export const jobTwin: ControllerTwin = {
  name: 'job',
  invariants: ({ vocabulary }) => about([jobs, pods], jobInvariants(vocabulary)),
  facts: ({ vocabulary }) => jobFacts(vocabulary),
  rights: [
    // The annotation marks Jobs whose pods are counted by finalizers.
    { resource: 'batch/jobs', fields: ['status', 'metadata.annotations'] },
    {
      resource: '/pods',
      creates: true,
      deletes: true,
      fields: ['metadata.finalizers', 'metadata.ownerReferences'],
    },
  ],
  scenario: jobScenario,
  scenarios: {
    evicted: evictedPodScenario,
    exchanged: exchangedPodScenario,
    overdue: overdueJobScenario,
    resumed: resumedJobScenario,
    stray: strayPodScenario,
    suspended: suspendedJobScenario,
    undisturbed: undisturbed(jobScenario),
  },
  workload: [jobsPart, cronJobs],
  rareWorkload: [rareFinishedJobs],
  formerNumbers: {
    N1: 'finished-stays',
    N2: 'counts-grow',
    N3: 'no-double-count',
    N4: 'no-uncounted-release',
    N5: 'server-clock-times',
    E1: 'job-finishes',
    E2: 'no-held-pod',
    E3: 'no-surplus-pod',
  },
  mutants: {
    watched: ['jobs', 'pods'],
    harmless: {
      'adopt-error-swallowed': 'pods are counted again after an adoption, whether it succeeded or not',
    },
  },
};
