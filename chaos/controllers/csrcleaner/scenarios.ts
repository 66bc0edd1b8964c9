import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { creates, oneByOne, planted } from '../../explore/actions.ts';
import { HOUR, MINUTE, NOON } from '../../explore/instants.ts';
import type { Scenario } from '../../explore/scenario.ts';
import { NAMES, decides, removes, requestOf } from '../../explore/scenarios/certificate-requests.ts';
import { csrCleanerInvariants } from './invariants.ts';

/**
 * Returns a workload: requests that are about to expire and are denied, deleted and recreated at the last
 * moment.
 */
export function csrCleanerScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const names = NAMES.slice(0, objects);
  return {
    controller: 'csrcleaner',
    instants: [NOON, NOON + MINUTE, NOON + HOUR + MINUTE],
    ...oneByOne(
      names.map((name) =>
        planted(certificateSigningRequests, requestOf(vocabulary, name, NOON - 24 * HOUR + MINUTE)),
      ),
      [
        decides('the user denies the request', 'a', 'Denied'),
        removes('a'),
        creates(
          'the user recreates the request',
          certificateSigningRequests,
          requestOf(vocabulary, 'a', NOON),
        ),
      ],
    ),
    invariants: csrCleanerInvariants,
  };
}
