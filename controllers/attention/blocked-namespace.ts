import { namespaces } from '../../api/groups/core-v1.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Namespace } from '../../api/types/core-v1.ts';
import { fromTime } from '../../base/clock/index.ts';
import { type Finding, type RuleFacts, nameOf, objectRule } from '../../runtime/index.ts';

/** Namespace that was deleted and still has content. */
export const blockedNamespace = objectRule({
  reason: 'namespace-remains',
  controller: 'namespace',
  kind: namespaces,
  patienceMs: 60_000,
  applies: ({ metadata }) => metadata?.deletionTimestamp !== undefined,
  find: (namespace, facts) => ({
    sinceMs: fromTime(namespace.metadata?.deletionTimestamp),
    ...blockerOf(namespace, facts),
  }),
});

function blockerOf({ metadata, spec, status }: DeepReadonly<Namespace>, facts: RuleFacts): Finding {
  const { name = '' } = metadata ?? {};
  const held = facts.search(
    name,
    (object) =>
      object.metadata?.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).length > 0,
  );
  if (held !== undefined) {
    const blocker = facts.link(held);
    const finalizers = (held.object.metadata?.finalizers ?? []).join(', ');
    return {
      blocker,
      sentence: `Namespace ${name} cannot be deleted before ${nameOf(blocker)}, which its finalizer ${finalizers} keeps.`,
    };
  }
  const problem = status?.conditions?.find((each) => each.status === 'True' && each.message);
  if (problem)
    return { sentence: `Namespace ${name} cannot be deleted: ${problem.message?.replace(/\.$/, '') ?? ''}.` };
  const own = (spec?.finalizers ?? []).filter((each) => each !== facts.vocabulary.namespaceFinalizer);
  return own.length > 0
    ? {
        sentence: `Namespace ${name} cannot be deleted: its finalizer ${own.join(', ')} has not been removed.`,
      }
    : { sentence: `Namespace ${name} was deleted, and its content is not deleted yet.` };
}
