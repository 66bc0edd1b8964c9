import { configMaps, secrets } from '../../../api/groups/core-v1.ts';
import type { ApiObject } from '../../../api/kinds/kind.ts';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { base64, named, makes, turns, type History } from '../../invariants/histories/objects.fixture.ts';

const { namespaces: places, secretTypes } = orchVocabulary;

const clusterInfo = (data: object): ApiObject =>
  named('cluster-info', { data: { kubeconfig: 'x', ...data } }, { namespace: places.public });
const signing = (usage = 'true'): ApiObject =>
  named(
    'bootstrap-token-aaaaaa',
    {
      type: secretTypes.bootstrapToken,
      data: {
        'token-id': base64('aaaaaa'),
        'token-secret': base64('secretsecretsecr'),
        'usage-bootstrap-signing': base64(usage),
      },
    },
    { namespace: places.system },
  );

/** Histories of the invariants of `bootstrapsigner`. */
export const histories: readonly History[] = [
  [
    'bootstrapsigner/no-signature-without-token',
    [
      makes('user', secrets, signing('false')),
      turns('bootstrapsigner', configMaps, clusterInfo({}), clusterInfo({ 'jws-kubeconfig-aaaaaa': 'x' })),
    ],
    [
      makes('user', secrets, signing()),
      turns('bootstrapsigner', configMaps, clusterInfo({}), clusterInfo({ 'jws-kubeconfig-aaaaaa': 'x' })),
    ],
  ],
  [
    'bootstrapsigner/no-foreign-change',
    [turns('bootstrapsigner', configMaps, clusterInfo({ note: 'a' }), clusterInfo({}))],
    [
      turns(
        'bootstrapsigner',
        configMaps,
        clusterInfo({ note: 'a' }),
        clusterInfo({ note: 'a', 'jws-kubeconfig-aaaaaa': 'x' }),
      ),
    ],
  ],
  [
    'bootstrapsigner/no-lost-signature',
    [
      makes('user', secrets, signing()),
      turns('bootstrapsigner', configMaps, clusterInfo({ 'jws-kubeconfig-aaaaaa': 'x' }), clusterInfo({})),
    ],
    [
      makes('user', secrets, signing('false')),
      turns('user', secrets, signing('false'), signing()),
      turns('bootstrapsigner', configMaps, clusterInfo({ 'jws-kubeconfig-aaaaaa': 'x' }), clusterInfo({})),
    ],
  ],
  [
    'bootstrapsigner/no-unpermitted-signature',
    [
      makes('user', configMaps, clusterInfo({ 'jws-kubeconfig-aaaaaa': 'x' })),
      makes('user', secrets, signing('false')),
    ],
    [makes('user', configMaps, clusterInfo({})), makes('user', secrets, signing('false'))],
  ],
  [
    'bootstrapsigner/no-leaked-token',
    [
      makes('user', secrets, signing()),
      turns('bootstrapsigner', configMaps, clusterInfo({}), clusterInfo({ x: 'secretsecretsecr' })),
    ],
    [
      makes('user', secrets, signing()),
      turns('bootstrapsigner', configMaps, clusterInfo({}), clusterInfo({})),
    ],
  ],
  [
    'bootstrapsigner/valid-signatures',
    [
      makes('user', configMaps, clusterInfo({ 'jws-kubeconfig-aaaaaa': 'x..y' })),
      makes('user', secrets, signing()),
    ],
    [makes('user', configMaps, clusterInfo({})), makes('user', secrets, signing())],
  ],
  [
    'bootstrapsigner/every-token-signs',
    [makes('user', configMaps, clusterInfo({})), makes('user', secrets, signing())],
    [
      makes('user', configMaps, clusterInfo({ 'jws-kubeconfig-aaaaaa': 'x' })),
      makes('user', secrets, signing()),
      makes('user', secrets, { ...signing('false'), metadata: { name: 'bootstrap-token-bbbbbb' } }),
    ],
  ],
];
