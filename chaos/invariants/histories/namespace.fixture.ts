import { configMaps, namespaces } from '../../../api/groups/core-v1.ts';
import { named, namespace, ending, makes, drops, turns, type History } from './objects.fixture.ts';

export const namespaceHistories: readonly History[] = [
  [
    'namespace/N1',
    [
      makes('user', configMaps, named('a')),
      turns('namespace', namespaces, namespace(ending), namespace(ending, 'Terminating', [])),
    ],
    [turns('namespace', namespaces, namespace(ending), namespace(ending, 'Terminating', []))],
  ],
  [
    'namespace/N2',
    [
      turns('namespace', namespaces, namespace(ending), namespace(ending, 'Terminating', []), {
        decidedOn: { uid: 'another', resourceVersion: '0' },
      }),
    ],
    [
      turns('namespace', namespaces, namespace(ending), namespace(ending, 'Terminating', []), {
        decidedOn: { uid: 'team' },
      }),
    ],
  ],
  [
    'namespace/N3',
    [makes('user', namespaces, namespace()), drops('namespace', configMaps, named('a'))],
    [makes('user', namespaces, namespace(ending)), drops('namespace', configMaps, named('a'))],
  ],
  [
    'namespace/N4',
    [turns('namespace', configMaps, named('a', {}, { finalizers: ['a/b'] }), named('a'))],
    [
      turns(
        'namespace',
        configMaps,
        named('a', {}, { finalizers: ['a/b'] }),
        named('a', {}, { finalizers: ['a/b'], ...ending }),
      ),
    ],
  ],
  ['namespace/E1', [makes('user', namespaces, namespace(ending))], [makes('user', namespaces, namespace())]],
  [
    'namespace/N6',
    [makes('user', configMaps, named('a'))],
    [makes('user', namespaces, namespace()), makes('user', configMaps, named('a'))],
  ],
];
