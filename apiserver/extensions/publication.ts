import type { AnyKind } from '../../api/kinds/index.ts';
import { asError, messageOf } from '../../base/errors/index.ts';
import type { Logger } from '../../base/log/index.ts';
import { withCondition, withoutCondition } from './conditions.ts';
import type { DefinitionStatus } from './status.ts';

/** Condition of a definition whose kind the OpenAPI documents omit. Upstream has no such condition. */
const OPENAPI_PUBLISHED = 'OpenAPIPublished';

/** Kinds that the OpenAPI documents omit, with the reasons. */
export class Unpublished {
  readonly #log: Logger;
  readonly #reasons = new WeakMap<AnyKind, string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Records and logs that a kind cannot be published. */
  add(definition: string, kind: AnyKind, why: unknown): void {
    const { version } = kind;
    this.#log.error(
      { err: asError(why), definition, version },
      'a custom kind is omitted from the OpenAPI documents',
    );
    this.#reasons.set(kind, `version ${version} cannot be published: ${messageOf(why)}`);
  }

  /** Returns the status of a definition. It has the condition if one of the definition's kinds is omitted. */
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
