import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import { orchVocabulary } from '../../../api/vocabulary/index.ts';
import type { JournalKind } from '../../../runtime/index.ts';
import type { ProcessEntry } from '../../invariants/invariant.ts';
import {
  cluster,
  condition,
  named,
  request,
  makes,
  turns,
  type History,
} from '../../invariants/histories/objects.fixture.ts';

const noted = (kind: JournalKind, state: string, reconcileId: string): ProcessEntry => ({
  process: 'one',
  atMs: 0,
  wallMs: 0,
  event: { controller: 'csrapproving', key: 'csr', kind, state, reconcileId },
});

/** Returns a second request, to the signer of kubelet client certificates. */
const another = (status: object = {}) =>
  named('another', { spec: { signerName: orchVocabulary.signers.nodeClient }, status }, cluster);

/** Histories of the invariants of `csrapproving`. */
export const histories: readonly History[] = [
  [
    'csrapproving/no-unpermitted-approval',
    [
      turns(
        'csrapproving',
        certificateSigningRequests,
        request({}, { signerName: 'other/signer' }),
        request(),
      ),
    ],
    [turns('csrapproving', certificateSigningRequests, request(), request())],
  ],
  [
    'csrapproving/no-write-to-decided',
    [
      turns(
        'csrapproving',
        certificateSigningRequests,
        request({ conditions: [condition('Denied')] }),
        request(),
      ),
    ],
    [
      turns(
        'csrapproving',
        certificateSigningRequests,
        request(),
        request({ conditions: [condition('Approved')] }),
      ),
    ],
  ],
  [
    'csrapproving/no-approved-and-denied',
    [
      makes(
        'user',
        certificateSigningRequests,
        request({ conditions: [condition('Approved'), condition('Denied')] }),
      ),
    ],
    [makes('user', certificateSigningRequests, request({ conditions: [condition('Approved')] }))],
  ],
  [
    'csrapproving/only-conditions-written',
    [
      turns('csrapproving', certificateSigningRequests, request(), request({ certificate: 'c' }), {
        subresource: 'approval',
      }),
    ],
    [
      turns(
        'csrapproving',
        certificateSigningRequests,
        request(),
        request({ conditions: [condition('Approved')] }),
        { subresource: 'approval' },
      ),
    ],
  ],
  [
    'csrapproving/no-approval-after-failed-review',
    [noted('effect.failed', 'review', '1'), noted('effect.started', 'approve', '1')],
    [
      noted('effect.failed', 'review', '1'),
      noted('effect.started', 'approve', '2'),
      { process: 'one', atMs: 0, wallMs: 0, event: 'started' },
      noted('effect.started', 'approve', '1'),
    ],
  ],
  [
    'csrapproving/no-replaced-request-approved',
    [
      turns('csrapproving', certificateSigningRequests, request(), request(), {
        decidedOn: { uid: 'another', resourceVersion: '0' },
      }),
    ],
    [
      turns('csrapproving', certificateSigningRequests, request(), request(), {
        decidedOn: { resourceVersion: '1' },
      }),
    ],
  ],
  [
    // A denied request needs no approval.
    'csrapproving/permitted-is-approved',
    [
      makes('user', certificateSigningRequests, another()),
      makes('user', certificateSigningRequests, request({ conditions: [condition('Denied')] })),
    ],
    [
      turns(
        'csrapproving',
        certificateSigningRequests,
        another(),
        another({ conditions: [condition('Approved')] }),
      ),
      makes('user', certificateSigningRequests, request({ conditions: [condition('Denied')] })),
    ],
  ],
  [
    'csrapproving/permitted-is-approved',
    [makes('user', certificateSigningRequests, request())],
    [
      makes('user', certificateSigningRequests, request()),
      turns(
        'csrapproving',
        certificateSigningRequests,
        request(),
        request({ conditions: [condition('Approved')] }),
      ),
    ],
  ],
];
