import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import { condition, request, makes, turns, type History } from './objects.fixture.ts';

export const csrapprovingHistories: readonly History[] = [
  [
    'csrapproving/N1',
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
    'csrapproving/N2',
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
    'csrapproving/N3',
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
    'csrapproving/N4',
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
    'csrapproving/E1',
    [makes('user', certificateSigningRequests, request())],
    [makes('user', certificateSigningRequests, request({ conditions: [condition('Denied')] }))],
  ],
];
