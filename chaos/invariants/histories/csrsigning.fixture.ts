import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import { base64, condition, request, makes, turns, type History } from './objects.fixture.ts';

export const csrsigningHistories: readonly History[] = [
  [
    'csrsigning/N1',
    [turns('csrsigning', certificateSigningRequests, request(), request({ certificate: 'c' }))],
    [
      turns(
        'csrsigning',
        certificateSigningRequests,
        request({ conditions: [condition('Approved')] }),
        request({ certificate: 'c' }),
      ),
    ],
  ],
  [
    'csrsigning/N2',
    [
      turns(
        'csrsigning',
        certificateSigningRequests,
        request({}, { signerName: 'other/signer' }),
        request({ certificate: 'c' }),
      ),
    ],
    [turns('csrsigning', certificateSigningRequests, request(), request({ certificate: 'c' }))],
  ],
  [
    'csrsigning/N3',
    [
      makes(
        'x',
        certificateSigningRequests,
        request({ certificate: 'c', conditions: [condition('Failed')] }),
      ),
    ],
    [makes('x', certificateSigningRequests, request({ conditions: [condition('Failed')] }))],
  ],
  [
    'csrsigning/N4',
    [
      turns(
        'csrsigning',
        certificateSigningRequests,
        request(),
        request({ certificate: base64('no certificate') }),
      ),
    ],
    [turns('csrsigning', certificateSigningRequests, request(), request())],
  ],
  [
    'csrsigning/N6',
    [
      turns(
        'csrsigning',
        certificateSigningRequests,
        request({ certificate: 'c' }),
        request({ certificate: 'd' }),
      ),
    ],
    [
      turns(
        'csrsigning',
        certificateSigningRequests,
        request({ certificate: 'c' }),
        request({ certificate: 'c' }),
      ),
    ],
  ],
  [
    'csrsigning/E1',
    [makes('user', certificateSigningRequests, request({ conditions: [condition('Approved')] }))],
    [
      makes(
        'user',
        certificateSigningRequests,
        request({ conditions: [condition('Approved'), condition('Failed')] }),
      ),
    ],
  ],
];
