import { namespaces } from '../../../api/groups/core-v1.ts';
import type { Namespace, ServiceAccount } from '../../../api/types/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { updates } from '../actions.ts';
import type { Action } from '../scenario.ts';

/** Names of the objects of a workload, in the order in which they are added. */
export const NAMES = ['a', 'b', 'c'];

export const namespaceOf = (vocabulary: Vocabulary, name: string): Namespace => ({
  kind: 'Namespace',
  apiVersion: 'v1',
  metadata: { name },
  spec: { finalizers: [vocabulary.namespaceFinalizer] },
  status: { phase: 'Active' },
});

export const accountOf = (name: string, namespace: string): ServiceAccount => ({
  kind: 'ServiceAccount',
  apiVersion: 'v1',
  metadata: { name, namespace },
});

/**
 * Returns the action that removes the finalizer of a terminating namespace, as the namespace controller does.
 */
export const finalizes = (name: string): Action =>
  updates(
    'the namespace is finalized',
    namespaces,
    '',
    name,
    ({ metadata, spec }) => (metadata?.deletionTimestamp ? { spec: { ...spec, finalizers: [] } } : undefined),
    { subresource: 'finalize' },
  );
