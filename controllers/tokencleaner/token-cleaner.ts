import { bootstrapTokenExpiryMs } from '../../api/bootstrap-token/expiry.ts';
import { secrets } from '../../api/groups/core-v1.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Secret } from '../../api/types/core-v1.ts';
import { tokenCleanerMachine } from '../../machines/tokencleaner/token-cleaner.ts';
import { type ControllerContext, watch } from '../../runtime/index.ts';
import { implement } from '../implement.ts';
import { createExpiryEffects } from '../expiry.ts';
import { tokenCleanerManifest } from './manifest.ts';

const scopeOf = ({ scheme: { vocabulary } }: ControllerContext) => ({
  namespace: vocabulary.namespaces.system,
  fieldSelector: `type=${vocabulary.secretTypes.bootstrapToken}`,
});

/** Deletes bootstrap tokens that have expired. */
export const tokenCleanerController = implement(tokenCleanerManifest, {
  machine: tokenCleanerMachine,
  watches: (context) => [watch(secrets, scopeOf(context))],
  effects: (context) =>
    createExpiryEffects(context, {
      kind: secrets,
      store: context.informers.of(secrets, scopeOf(context)).store,
      leftMs: expiresInMs,
    }),
});

function expiresInMs(secret: DeepReadonly<Secret>, nowMs: number): number | null {
  const atMs = bootstrapTokenExpiryMs(secret);
  return atMs === Infinity ? null : Math.max(atMs - nowMs, 0);
}
