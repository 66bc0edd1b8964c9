import type { FieldErrors } from '../../status/field-errors.ts';
import { goIntOrString } from '../go-text/structs.ts';
import { invalidLiteral } from '../go-text/values.ts';
import { nonNegative } from '../numbers.ts';

type IntOrPercent = number | string;

const PERCENT = /^[0-9]+%$/;
const NOT_PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** Validates a count or a percentage, neither of which may be negative. */
export function validateIntOrPercent(received: IntOrPercent | undefined, field: string): FieldErrors {
  if (received === undefined) return [];
  if (typeof received === 'number') return nonNegative(field, received);
  return PERCENT.test(received) ? [] : [invalidLiteral(field, goIntOrString(received), NOT_PERCENT)];
}

/** Validates that a percentage is at most 100%. */
export function validateAtMostWhole(received: IntOrPercent | undefined, field: string): FieldErrors {
  if (typeof received !== 'string' || !PERCENT.test(received) || Number.parseInt(received, 10) <= 100)
    return [];
  return [invalidLiteral(field, goIntOrString(received), 'must not be greater than 100%')];
}

/** True for 0, `0%`, undefined, and any string that is not a percentage. */
export function isNone(received: IntOrPercent | undefined): boolean {
  if (typeof received === 'number') return received === 0;
  return received === undefined || !PERCENT.test(received) || Number.parseInt(received, 10) === 0;
}
