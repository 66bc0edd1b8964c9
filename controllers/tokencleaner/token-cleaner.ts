import { secrets } from '../../api/groups/core-v1.ts';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { Secret } from '../../api/types/core-v1.ts';
import { tokenCleanerMachine } from '../../machines/tokencleaner/token-cleaner.ts';
import { type ControllerContext, defineController, watch } from '../../runtime/index.ts';
import { createExpiryEffects } from '../expiry.ts';

const scopeOf = ({ scheme: { vocabulary } }: ControllerContext) => ({
  namespace: vocabulary.namespaces.system,
  fieldSelector: `type=${vocabulary.secretTypes.bootstrapToken}`,
});

/** Deletes bootstrap tokens that have expired; on in the controller manager unless switched off. */
export const tokenCleaner = defineController({
  name: 'tokencleaner',
  machine: tokenCleanerMachine,
  watches: (context) => [watch(secrets, scopeOf(context))],
  effects: (context) =>
    createExpiryEffects(context, {
      kind: secrets,
      store: context.informers.of(secrets, scopeOf(context)).store,
      leftMs: expiresInMs,
    }),
});

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:\d\d)$/;

/** As the real system has it: without an `expiration` never, with one that is no RFC 3339 time expired already. */
function expiresInMs(secret: DeepReadonly<Secret>, nowMs: number): number | null {
  const text = Buffer.from(secret.data?.['expiration'] ?? '', 'base64').toString();
  if (text === '') return null;
  const atMs = RFC_3339.test(text) ? Date.parse(text.replace(',', '.')) : Number.NaN;
  return Number.isNaN(atMs) ? 0 : atMs - nowMs;
}
