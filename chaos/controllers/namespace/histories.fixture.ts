import { configMaps, namespaces } from '../../../api/groups/core-v1.ts';
import {
  named,
  namespace,
  ending,
  makes,
  drops,
  turns,
  type History,
} from '../../invariants/histories/objects.fixture.ts';

/** Returns a terminating namespace with a condition about its content. */
const saying = (type: string, status: 'True' | 'False') =>
  named(
    'team',
    { spec: {}, status: { phase: 'Terminating', conditions: [{ type, status }] } },
    { namespace: '', ...ending },
  );
const ends = turns('user', namespaces, namespace(), namespace(ending));
const held = makes('user', configMaps, named('a', {}, { finalizers: ['a/b'] }));
const says = (type: string, status: 'True' | 'False') =>
  turns('namespace', namespaces, namespace(ending), saying(type, status));

/** Histories of the invariants of `namespace`. */
export const histories: readonly History[] = [
  [
    'namespace/no-early-release',
    [
      makes('user', configMaps, named('a')),
      turns('namespace', namespaces, namespace(ending), namespace(ending, 'Terminating', [])),
    ],
    [turns('namespace', namespaces, namespace(ending), namespace(ending, 'Terminating', []))],
  ],
  [
    'namespace/only-read-namespace-released',
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
    'namespace/no-outside-deletion',
    [makes('user', namespaces, namespace()), drops('namespace', configMaps, named('a'))],
    [makes('user', namespaces, namespace(ending)), drops('namespace', configMaps, named('a'))],
  ],
  [
    'namespace/no-finalizer-removed',
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
  [
    'namespace/empty-is-removed',
    [makes('user', namespaces, namespace(ending))],
    [
      makes('user', namespaces, named('active', { status: { phase: 'Active' } }, { namespace: '' })),
      makes('user', namespaces, namespace(ending)),
      drops('namespace', namespaces, namespace(ending)),
    ],
  ],
  [
    'namespace/true-conditions',
    [held, ends, says('NamespaceContentRemaining', 'False')],
    [ends, held, says('NamespaceContentRemaining', 'False')],
  ],
  [
    'namespace/true-conditions',
    [makes('user', configMaps, named('a')), ends, says('NamespaceFinalizersRemaining', 'True')],
    [held, ends, says('NamespaceFinalizersRemaining', 'True')],
  ],
  [
    'namespace/no-stray-object',
    [makes('user', configMaps, named('a'))],
    [makes('user', namespaces, namespace()), makes('user', configMaps, named('a'))],
  ],
];
