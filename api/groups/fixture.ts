import { enabledByDefault } from '../features/features.ts';
import { applyDefaults } from '../schema/defaults.ts';
import { decode } from '../schema/decode.ts';
import type { ApiObject, Kind, ObjectSubresource, StrategyContext, UserInfo } from '../kinds/kind.ts';
import type { FieldErrors } from '../status/field-errors.ts';
import { orchVocabulary } from '../vocabulary/vocabulary.ts';

/** Current time of the tests, 2024-01-02T03:04:05Z, in milliseconds. */
export const NOW_MS = Date.UTC(2024, 0, 2, 3, 4, 5);
export const alice: UserInfo = { username: 'alice', uid: 'u-1', groups: ['devs'], extra: { scope: ['a'] } };
export const context: StrategyContext = {
  vocabulary: orchVocabulary,
  nowMs: NOW_MS,
  user: alice,
  enabled: enabledByDefault,
};

/** Context with all features enabled. */
export const everyFeature: StrategyContext = { ...context, enabled: () => true };

/** Returns an object decoded and defaulted, as the write path passes it to a strategy. */
export function decoded<T extends ApiObject>(kind: Kind<T>, body: unknown, known = context): T {
  const object = decode<T>(kind.schema, structuredClone(body)).value;
  applyDefaults(kind.schema, object);
  kind.strategy.defaults?.(object, known);
  return object;
}

/** Runs the hooks of a create. Returns the object to store and its errors. */
export function created<T extends ApiObject>(
  kind: Kind<T>,
  body: unknown,
  known = context,
): { object: T; errors: FieldErrors } {
  const object = decoded(kind, body, known);
  object.metadata = { ...object.metadata, uid: 'uid-1', creationTimestamp: '2024-01-02T03:04:05Z' };
  kind.strategy.prepareForCreate?.(object, known);
  const { validate, validateCreate } = kind.strategy;
  return {
    object,
    errors: [
      ...(validate?.(object as never, known) ?? []),
      ...(validateCreate?.(object as never, known) ?? []),
    ],
  };
}

/** Runs the hooks of an update of an object, or of the subresource if one is given. */
export function updated<T extends ApiObject>(
  kind: Kind<T>,
  previous: T,
  change: (draft: T) => void,
  subresource?: string,
): { object: T; errors: FieldErrors } {
  const next = structuredClone(previous);
  change(next);
  const by =
    subresource === undefined ? kind.strategy : (kind.subresources[subresource] as ObjectSubresource<T>);
  by.prepareForUpdate?.(next, previous as never, context);
  const own = subresource === undefined ? (kind.strategy.validate?.(next as never, context) ?? []) : [];
  return {
    object: next,
    errors: [...own, ...(by.validateUpdate?.(next as never, previous as never, context) ?? [])],
  };
}

/** Formats errors as `field: message`, the form that clients receive. */
export const texts = (errors: FieldErrors): readonly string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`);

/** Returns the cells of the object's row by column name. */
export const row = <T extends ApiObject>(kind: Kind<T>, object: T): Record<string, unknown> =>
  Object.fromEntries(kind.columns.map(({ name, cell }) => [name, cell(object as never, NOW_MS)]));
