import type { Node } from '../../api/types/core-v1-node.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AdmissionPlugin } from '../request.ts';
import { coreKind, isCore } from './rejection.ts';

/**
 * Creates a plugin that adds the not-ready taint to new nodes. The taint keeps pods away until a controller
 * observes that the node is ready
 * (https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#taintnodesbycondition).
 */
export function createTaintNodesByCondition(vocabulary: Vocabulary): AdmissionPlugin {
  const key = vocabulary.key('node', 'not-ready');
  return {
    name: 'TaintNodesByCondition',
    operations: ['CREATE'],
    concerns: coreKind('nodes'),
    async mutate(request) {
      const node = request.object as Node | undefined;
      if (!isCore(request, 'nodes') || node === undefined) return;
      const taints = node.spec?.taints ?? [];
      if (taints.some((taint) => taint.key === key && taint.effect === 'NoSchedule')) return;
      node.spec = { ...node.spec, taints: [...taints, { key, effect: 'NoSchedule' }] };
    },
  };
}
