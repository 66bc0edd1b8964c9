import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import type { ApiObject } from '../../../api/kinds/kind.ts';
import {
  HOUR,
  condition,
  request,
  makes,
  drops,
  turns,
  whileEnding,
  type History,
} from '../../invariants/histories/objects.fixture.ts';

const heldRequest: ApiObject = {
  ...request(),
  metadata: { ...request().metadata, name: 'held', uid: 'held' },
};

/** Histories of the invariants of `csrcleaner`. */
export const histories: readonly History[] = [
  [
    'csrcleaner/no-early-deletion',
    [drops('csrcleaner', certificateSigningRequests, request(), HOUR)],
    [drops('csrcleaner', certificateSigningRequests, request(), 24 * HOUR)],
  ],
  [
    'csrcleaner/no-recreated-deletion',
    [
      makes('user', certificateSigningRequests, request()),
      drops('csrcleaner', certificateSigningRequests, request(), 1),
    ],
    [
      makes('user', certificateSigningRequests, request()),
      drops('csrcleaner', certificateSigningRequests, request(), 24 * HOUR),
    ],
  ],
  [
    'csrcleaner/no-early-deletion-of-decided',
    [
      drops(
        'csrcleaner',
        certificateSigningRequests,
        request({ conditions: [condition('Denied', HOUR)] }),
        HOUR + 1,
      ),
    ],
    [
      drops(
        'csrcleaner',
        certificateSigningRequests,
        request({ conditions: [condition('Denied', HOUR)] }),
        2 * HOUR,
      ),
    ],
  ],
  [
    'csrcleaner/expired-is-deleted',
    [makes('user', certificateSigningRequests, request())],
    [
      makes('user', certificateSigningRequests, request()),
      makes('user', certificateSigningRequests, heldRequest),
      drops('csrcleaner', certificateSigningRequests, request(), 24 * HOUR),
      turns('csrcleaner', certificateSigningRequests, heldRequest, whileEnding(heldRequest), {
        atMs: 24 * HOUR,
      }),
    ],
    24 * HOUR + 10_000,
  ],
];
