import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import type { Registry } from '../registry/registry.ts';

/** Dependencies of the handlers of subresources. */
export interface HandlerParts {
  readonly registry: Registry;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
}

/** Response of a binding or eviction. */
export const SUCCESS: { kind: string; apiVersion: string } = Object.freeze({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
});
