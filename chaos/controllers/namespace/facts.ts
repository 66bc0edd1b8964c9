import { namespaces } from '../../../api/groups/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { resourceOf } from '../../invariants/invariant.ts';
import { isEnding } from '../../oracles/due/due-time.ts';
import type { ControllerFacts } from '../facts.ts';

/** Documented facts about the controller `namespace` in release 1.24; `namespaced` are the resources in namespaces. */
export const namespaceFacts = (vocabulary: Vocabulary, namespaced: readonly string[]): ControllerFacts => ({
  reasons: [
    {
      // https://kubernetes.io/docs/tasks/administer-cluster/namespaces/#deleting-a-namespace
      id: 'held/no-empty-namespace',
      says: 'a deleted namespace is not held without content',
      finalizer: vocabulary.namespaceFinalizer,
      resources: [resourceOf(namespaces)],
      finalizersOf: (object) => (object as { spec?: { finalizers?: string[] } }).spec?.finalizers ?? [],
      isNeeded: (namespace, live) =>
        !isEnding(namespace) ||
        namespaced.some((resource) => live.list(resource, namespace.metadata?.name).length > 0),
    },
  ],
});
