import { isObject } from '../../api/schema/own.ts';
import { ApiError } from '../../api/status/api-error.ts';

/** In the place of values of a Secret or a token. */
export const REDACTED = '<contents redacted>';

/** Shorter values are found in any text. */
const MIN_LENGTH = 4;

/**
 * Returns a refusal without the values under `data` of an object, or what was thrown otherwise. A patch can copy a value to a
 * field whose validation shows it, and the refusal goes to the audit log at every level.
 */
export function withoutValuesOf(object: object | undefined, thrown: unknown): unknown {
  if (!(thrown instanceof ApiError) || !isObject(object) || !isObject(object['data'])) return thrown;
  const values = Object.values(object['data']).filter(
    (value): value is string => typeof value === 'string' && value.length >= MIN_LENGTH,
  );
  const redacted = (text: string): string =>
    values.reduce((shown, value) => shown.replaceAll(value, REDACTED), text);
  const { message, details } = thrown.status;
  const causes = details?.causes?.map((cause) => ({ ...cause, message: redacted(cause.message ?? '') }));
  return new ApiError(
    {
      ...thrown.status,
      ...(message !== undefined && { message: redacted(message) }),
      ...(details && { details: { ...details, ...(causes && { causes }) } }),
    },
    { cause: thrown.cause },
  );
}

/** Returns the message of a configuration that does not have the kind's shape without the values it shows from there on. */
export const withoutShownValues = (message: string): string =>
  message.replace(/, got &[^]*/, `, got ${REDACTED}`);
