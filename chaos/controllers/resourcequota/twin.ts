import { quotas } from '../../workload/objects.ts';
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
  mutants: {
    watched: ['resourcequotas'],
    swallowed: { count: { used: {}, recent: {}, settlesInMs: undefined } },
  },
};
