import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { creates, oneByOne, planted } from '../../explore/actions.ts';
import { MINUTE, NOON } from '../../explore/instants.ts';
import type { Scenario } from '../../explore/scenario.ts';
import {
  LATE_RIGHT,
  NAMES,
  type Request,
  decides,
  removes,
  requestOf,
} from '../../explore/scenarios/certificate-requests.ts';
import { csrApprovingInvariants } from './invariants.ts';

/**
 * Returns a workload: requests whose user gets the permission later. The user denies, deletes and recreates
 * one of them.
 */
export function csrApprovingScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const mayHave = ({ spec }: Request, nowMs: number): boolean =>
    spec?.username === LATE_RIGHT && nowMs > NOON;
  const names = NAMES.slice(0, objects);
  return {
    controller: 'csrapproving',
    instants: [NOON, NOON + 2 * MINUTE],
    ...oneByOne(
      names.map((name) => planted(certificateSigningRequests, requestOf(vocabulary, name, NOON))),
      [
        decides('the user denies the request', 'a', 'Denied'),
        removes('a'),
        creates(
          'a user without permission recreates the request',
          certificateSigningRequests,
          requestOf(vocabulary, 'a', NOON, { username: 'mallory' }),
        ),
      ],
    ),
    review: (_resource, body, nowMs) => ({
      ...(body as object),
      status: {
        allowed:
          (body as { readonly spec?: { readonly user?: string } }).spec?.user === LATE_RIGHT && nowMs > NOON,
      },
    }),
    invariants: csrApprovingInvariants(vocabulary, mayHave),
  };
}
