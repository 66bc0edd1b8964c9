import { secrets } from '../../../api/groups/core-v1.ts';
import type { Secret } from '../../../api/types/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { toTime } from '../../../base/clock/index.ts';
import { tokenCleanerInvariants } from './invariants.ts';
import { creates, deletes, oneByOne, planted, updates } from '../../explore/actions.ts';
import { MINUTE, NOON } from '../../explore/instants.ts';
import type { Scenario } from '../../explore/scenario.ts';

const encoded = (text: string): string => Buffer.from(text).toString('base64');

/** Returns a workload: tokens that expire, are extended, deleted and recreated under the same name. */
export function tokenCleanerScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const namespace = vocabulary.namespaces.system;
  const token = (name: string, expiresMs: number): Secret => ({
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { name, namespace },
    type: vocabulary.secretTypes.bootstrapToken,
    data: { expiration: encoded(toTime(expiresMs)) },
  });
  const names = ['a', 'b', 'c'].slice(0, objects);
  const [first = 'a'] = names;
  const later = token(first, NOON + 10 * MINUTE);
  const { data = {} } = later;
  return {
    controller: 'tokencleaner',
    instants: [NOON, NOON + MINUTE, NOON + 10 * MINUTE],
    ...oneByOne(
      names.map((name) => planted(secrets, token(name, NOON + MINUTE))),
      [
        updates('the user extends the expiry', secrets, namespace, first, () => ({ data })),
        updates('the user expires it now', secrets, namespace, first, () => ({
          data: { expiration: encoded(toTime(NOON)) },
        })),
        deletes('the user deletes the token', secrets, namespace, first),
        creates('the user recreates the token', secrets, later),
      ],
    ),
    invariants: tokenCleanerInvariants(vocabulary),
  };
}
