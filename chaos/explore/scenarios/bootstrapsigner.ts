import { configMaps, secrets } from '../../../api/groups/core-v1.ts';
import type { ConfigMap, Secret } from '../../../api/types/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { toTime } from '../../../base/clock/clock.ts';
import { bootstrapSignerInvariants } from '../../invariants/bootstrapsigner.ts';
import { creates, deletes, planted, updates } from '../actions.ts';
import { HOUR, NOON } from '../instants.ts';
import type { Scenario } from '../world.ts';

const encoded = (text: string): string => Buffer.from(text).toString('base64');

/** Tokens come, expire and go; the file that is signed changes. */
export function bootstrapSignerScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const { namespaces, secretTypes } = vocabulary;
  const token = (letter: string): Secret => ({
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
  const info: ConfigMap = {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'cluster-info', namespace: namespaces.public },
    data: { kubeconfig: 'one', note: 'of others' },
  };
  return {
    controller: 'bootstrapsigner',
    objects: [
      planted(configMaps, info),
      ...['a', 'b', 'c'].slice(0, objects).map((letter) => planted(secrets, token(letter))),
    ],
    instants: [NOON, NOON + HOUR],
    actions: [
      updates('the user changes the file', configMaps, namespaces.public, 'cluster-info', ({ data }) => ({
        data: { ...data, kubeconfig: 'two' },
      })),
      deletes('the user deletes a token', secrets, namespaces.system, 'bootstrap-token-aaaaaa'),
      creates('the user makes a token', secrets, token('d')),
    ],
    invariants: bootstrapSignerInvariants(vocabulary),
  };
}
