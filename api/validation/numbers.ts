import { type FieldErrors, invalidField } from '../status/field-errors.ts';
import type { Int64 } from '../schema/exact-json.ts';

/** Validates that an optional number is not negative. */
export const nonNegative = (field: string, received: Int64 | undefined): FieldErrors =>
  received === undefined || received >= 0
    ? []
    : [invalidField(field, received, 'must be greater than or equal to 0')];

/** Validates that an optional number is between `min` and `max`, inclusive. */
export const within = (field: string, received: Int64 | undefined, min: number, max: number): FieldErrors =>
  received === undefined || (received >= min && received <= max)
    ? []
    : [invalidField(field, received, `must be between ${min} and ${max}, inclusive`)];
