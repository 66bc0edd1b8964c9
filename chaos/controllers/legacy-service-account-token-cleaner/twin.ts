import { legacyTokenCleanerInvariants } from './invariants.ts';
import { legacyTokenScenario } from './scenarios.ts';
import type { ControllerTwin } from '../twin.ts';

const REQUEUED_REGULARLY = 'every token is requeued within 10 hours, and its lifetime is counted in days';

/** Twin of the controller `legacy-service-account-token-cleaner`. */
export const legacyTokenCleanerTwin: ControllerTwin = {
  name: 'legacy-service-account-token-cleaner',
  invariants: ({ vocabulary }) => legacyTokenCleanerInvariants(vocabulary),
  rights: [{ resource: '/secrets', deletes: true, fields: ['metadata.labels'] }],
  scenario: legacyTokenScenario,
  formerNumbers: {
    N1: 'no-early-deletion',
    N2: 'no-used-token-marked',
    N3: 'only-generated-tokens',
    N4: 'marked-with-today',
    E1: 'unused-is-deleted',
  },
  mutants: {
    watched: ['configmaps', 'pods', 'secrets', 'serviceaccounts'],
    swallowed: { confirm: { token: null, verdict: { verdict: 'keep' } } },
    harmless: {
      'pods-added-missed': 'a new pod protects tokens and releases none',
      'pods-changed-missed': 'the Secrets of a pod never change',
      'secrets-added-missed': REQUEUED_REGULARLY,
      'secrets-changed-missed': REQUEUED_REGULARLY,
      'serviceaccounts-added-missed': REQUEUED_REGULARLY,
    },
  },
};
