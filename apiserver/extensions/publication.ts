import type { AnyKind } from '../../api/kinds/index.ts';
import { asError, messageOf } from '../../base/errors/index.ts';
import type { Logger } from '../../base/log/index.ts';
import { withCondition, withoutCondition } from './conditions.ts';
import type { DefinitionStatus } from './status.ts';

/** Condition of a definition that is left out of the OpenAPI documents; upstream has none like it. */
const OPENAPI_PUBLISHED = 'OpenAPIPublished';

/** Kinds that are left out of the OpenAPI documents, and why. */
export class Unpublished {
  readonly #log: Logger;
  readonly #reasons = new WeakMap<AnyKind, string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  add(definition: string, kind: AnyKind, why: unknown): void {
    const { version } = kind;
    this.#log.error(
      { err: asError(why), definition, version },
      'a custom kind is left out of the OpenAPI documents',
    );
    this.#reasons.set(kind, `version ${version} cannot be published: ${messageOf(why)}`);
  }

  /** The status of a definition of `kinds` with a condition where one of them is left out, else without it. */
  shownIn(status: DefinitionStatus, kinds: readonly AnyKind[], now: string): DefinitionStatus {
    const { conditions = [] } = status;
    const reasons = kinds.flatMap((kind) => this.#reasons.get(kind) ?? []);
    if (reasons.length === 0)
      return { ...status, conditions: withoutCondition(conditions, OPENAPI_PUBLISHED) };
    const finding = {
      type: OPENAPI_PUBLISHED,
      status: 'False' as const,
      reason: 'NotPublishable',
      message: reasons.join('; '),
    };
    return { ...status, conditions: withCondition(conditions, finding, now) };
  }
}
