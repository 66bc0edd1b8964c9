import { secrets } from '../../../api/groups/core-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { Secret } from '../../../api/types/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { expiryOf } from '../../invariants/bootstrap-tokens.ts';
import { expiration } from '../../oracles/due/due-time.ts';
import type { ControllerFacts } from '../facts.ts';

/** Documented facts about the controller `tokencleaner` in release 1.24. */
export const tokenCleanerFacts = ({ namespaces, secretTypes }: Vocabulary): ControllerFacts => ({
  dueTimes: [
    expiration({
      // https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/#token-management-with-kubeadm
      id: 'due/bootstrap-token-expires',
      says: 'a bootstrap token is deleted when it expires and not before',
      kind: secrets,
      endMs(secret) {
        const { type, metadata } = secret as DeepReadonly<Secret>;
        const isToken = type === secretTypes.bootstrapToken && metadata?.namespace === namespaces.system;
        return isToken ? expiryOf(secret as DeepReadonly<Secret>) : undefined;
      },
      restMs: 5_000,
    }),
  ],
});
