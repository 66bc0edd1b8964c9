import { withOutput, withWritesSwapped } from '../../mutants/operators.ts';
import { endingNamespace } from '../../workload/namespaces.ts';
import { namespaceFacts } from './facts.ts';
import { namespaceInvariants } from './invariants.ts';
import { labelledNamespaceScenario, namespaceScenario } from './scenarios.ts';
import type { ControllerTwin } from '../twin.ts';

/** Twin of the controller `namespace`. */
export const namespaceTwin: ControllerTwin = {
  name: 'namespace',
  invariants: ({ vocabulary, resources }) => namespaceInvariants(vocabulary, resources.namespaced),
  facts: ({ vocabulary, resources }) => namespaceFacts(vocabulary, resources.namespaced),
  rights: [
    { resource: '*', deletes: true },
    { resource: '/namespaces', fields: ['spec.finalizers', 'status'] },
  ],
  scenario: namespaceScenario,
  scenarios: { labels: labelledNamespaceScenario },
  workload: [endingNamespace],
  formerNumbers: {
    N1: 'no-early-release',
    N2: 'only-read-namespace-released',
    N3: 'no-outside-deletion',
    N4: 'no-finalizer-removed',
    N6: 'no-stray-object',
    E1: 'empty-is-removed',
    E2: 'true-conditions',
  },
  mutants: {
    watched: ['namespaces'],
    operators: [
      {
        name: 'finalize-before-report',
        says: 'the namespace is finalized before its remaining content is checked',
        pattern: 'intermediate',
        mutate: withWritesSwapped('sweeping', 'finalizing'),
      },
      {
        name: 'discovery-failure-ignored',
        says: 'a group that cannot be discovered counts as empty',
        pattern: 'indirect',
        mutate: withOutput('sweep', (sweep: object) => ({ ...sweep, undiscovered: [], failures: [] })),
      },
    ],
    swallowed: {
      sweep: { endsForMs: 0, undiscovered: [], failures: [], remaining: {}, finalizers: {} },
    },
    harmless: {
      'report-error-swallowed': 'the conditions about remaining content are informational',
      'clock-ahead': 'the time is only written into informational conditions',
      'clock-behind': 'the time is only written into informational conditions',
    },
  },
};
