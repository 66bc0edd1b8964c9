import { configMaps, secrets } from '../../../api/groups/core-v1.ts';
import type { ConfigMap, Secret } from '../../../api/types/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { toTime } from '../../../base/clock/index.ts';
import { bootstrapSignerInvariants } from './invariants.ts';
import { creates, deletes, planted, updates } from '../../explore/actions.ts';
import { HOUR, NOON } from '../../explore/instants.ts';
import type { Scenario } from '../../explore/scenario.ts';

const encoded = (text: string): string => Buffer.from(text).toString('base64');

/** Returns a token that may be used for signing and expires in one hour. */
const tokenOf = ({ namespaces, secretTypes }: Vocabulary, letter: string): Secret => ({
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: { name: `bootstrap-token-${letter.repeat(6)}`, namespace: namespaces.system },
  type: secretTypes.bootstrapToken,
  data: {
    'token-id': encoded(letter.repeat(6)),
    'token-secret': encoded(letter.repeat(16)),
    'usage-bootstrap-signing': encoded('true'),
    expiration: encoded(toTime(NOON + HOUR)),
  },
});

const infoOf = ({ namespaces }: Vocabulary): ConfigMap => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'cluster-info', namespace: namespaces.public },
  data: { kubeconfig: 'one', note: 'of others' },
});

/** Returns a workload: tokens are created, expire and are deleted, and the signed file changes. */
export function bootstrapSignerScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const { namespaces } = vocabulary;
  return {
    controller: 'bootstrapsigner',
    objects: [
      planted(configMaps, infoOf(vocabulary)),
      ...['a', 'b', 'c'].slice(0, objects).map((letter) => planted(secrets, tokenOf(vocabulary, letter))),
    ],
    instants: [NOON, NOON + HOUR],
    actions: [
      updates('the user changes the file', configMaps, namespaces.public, 'cluster-info', ({ data }) => ({
        data: { ...data, kubeconfig: 'two' },
      })),
      deletes('the user deletes a token', secrets, namespaces.system, 'bootstrap-token-aaaaaa'),
      creates('the user creates a token', secrets, tokenOf(vocabulary, 'd')),
    ],
    invariants: bootstrapSignerInvariants(vocabulary),
  };
}

/** Returns a workload: tokens lose the permission to sign. */
export function withdrawnRightsScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const tokens = ['a', 'b', 'c'].slice(0, objects).map((letter) => tokenOf(vocabulary, letter));
  return {
    controller: 'bootstrapsigner',
    objects: [planted(configMaps, infoOf(vocabulary)), ...tokens.map((token) => planted(secrets, token))],
    instants: [NOON],
    actions: tokens.map(({ metadata: { name = '', namespace = '' } = {} }) =>
      updates(`the user revokes the signing permission of ${name}`, secrets, namespace, name, ({ data }) => ({
        data: { ...data, 'usage-bootstrap-signing': encoded('false') },
      })),
    ),
    invariants: bootstrapSignerInvariants(vocabulary),
  };
}
