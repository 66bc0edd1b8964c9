import { configMaps, pods, secrets, serviceAccounts } from '../../../api/groups/core-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import type { Secret } from '../../../api/types/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { toTime } from '../../../base/clock/index.ts';
import { resourceOf } from '../../invariants/invariant.ts';
import { legacyTokenCleanerInvariants } from './invariants.ts';
import { creates, deletes, inGroups, planted, sharedOut, updates } from '../../explore/actions.ts';
import { HOUR, MINUTE, NOON } from '../../explore/instants.ts';
import { uidOf } from '../../explore/model-store.ts';
import type { Scenario } from '../../explore/scenario.ts';
import { accountOf } from '../../explore/scenarios/accounts.ts';

const NAMES = ['a', 'b', 'c'];
const namespaceOf = (account: string): string => `team-${account}`;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
/**
 * Start time late in a day. Periods start and end with a day, so a wrong interpretation of dates has a
 * different result.
 */
const LATE_THAT_DAY = NOON + 12 * HOUR - 30 * MINUTE;
const dateOf = (ms: number): string => toTime(ms).slice(0, 10);

/**
 * Returns a workload: tokens that were unused for years. One is mounted by a pod for a while, one is used or
 * deleted.
 */
export function legacyTokenScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const tokenOf = (account: string): Secret => ({
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: {
      name: `${account}-token-x`,
      namespace: namespaceOf(account),
      creationTimestamp: toTime(NOON - 3 * YEAR),
      annotations: {
        [vocabulary.serviceAccountName]: account,
        [vocabulary.serviceAccountUid]: uidOf(resourceOf(serviceAccounts), account, 1),
      },
    },
    type: vocabulary.secretTypes.serviceAccountToken,
    data: { token: 'eA==' },
  });
  const pod = (account: string): Pod => ({
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'user', namespace: namespaceOf(account) },
    spec: {
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 'v', secret: { secretName: `${account}-token-x` } }],
    },
    status: { phase: 'Running' },
  });
  const changes = [
    (name: string) => [
      creates('a pod that mounts the token is created', pods, pod(name)),
      deletes('the pod is deleted', pods, namespaceOf(name), 'user'),
    ],
    (name: string) => [
      updates('a client uses the token', secrets, namespaceOf(name), `${name}-token-x`, used),
      deletes('the user deletes the token', secrets, namespaceOf(name), `${name}-token-x`),
    ],
  ];
  const used = ({ metadata }: DeepReadonly<Secret>, nowMs: number) => ({
    metadata: {
      ...metadata,
      labels: { ...metadata?.labels, [vocabulary.key('', 'legacy-token-last-used')]: dateOf(nowMs) },
    },
  });
  return {
    controller: 'legacy-service-account-token-cleaner',
    instants: [LATE_THAT_DAY, LATE_THAT_DAY + YEAR + HOUR],
    shared: [
      planted(configMaps, {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: {
          name: `${vocabulary.short}-apiserver-legacy-service-account-token-tracking`,
          namespace: vocabulary.namespaces.system,
        },
        data: { since: dateOf(NOON - 3 * YEAR) },
      }),
    ],
    ...inGroups(
      NAMES.slice(0, objects).map((name, at) => ({
        objects: [
          planted(serviceAccounts, {
            ...accountOf(name, namespaceOf(name)),
            secrets: [{ name: `${name}-token-x` }],
          }),
          planted(secrets, tokenOf(name)),
        ],
        actions: sharedOut(changes, objects, at).flatMap((change) => change(name)),
      })),
    ),
    invariants: legacyTokenCleanerInvariants(vocabulary),
  };
}
