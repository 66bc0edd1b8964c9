import { quotas } from '../../workload/namespaces.ts';
import { rareQuotas } from '../../workload/one-of-each.ts';
import { resourceQuotaInvariants } from './invariants.ts';
import { deletedQuotaScenario, quotaScenario } from './scenarios.ts';
import type { ControllerTwin } from '../twin.ts';

/** Twin of the controller `resourcequota`. */
export const resourceQuotaTwin: ControllerTwin = {
  name: 'resourcequota',
  invariants: ({ quotasCountedMs }) => resourceQuotaInvariants(quotasCountedMs),
  rights: [{ resource: '/resourcequotas', fields: ['status'] }],
  scenario: quotaScenario,
  scenarios: { deleted: deletedQuotaScenario },
  workload: [quotas],
  rareWorkload: [rareQuotas],
  formerNumbers: {
    N1: 'exact-limits',
    N2: 'no-lost-usage',
    E1: 'correct-usage',
    E2: 'limits-reported',
  },
  mutants: {
    watched: ['resourcequotas'],
    swallowed: { count: { used: {}, recent: {}, settlesInMs: undefined } },
  },
};
