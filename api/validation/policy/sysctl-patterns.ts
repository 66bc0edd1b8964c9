import { spend } from '../../../base/budget/index.ts';
import { type FieldErrors, child, forbiddenField, index, invalidField } from '../../status/field-errors.ts';

const SEGMENT = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const LAST_SEGMENT = '([a-z0-9][-_a-z0-9]*)?[a-z0-9*]';
const PATTERN = `(${SEGMENT}\\.)*${LAST_SEGMENT}`;
const isPattern = new RegExp(`^${PATTERN}$`);
const LENGTH_LIMIT = 253;
/** Work units for comparing one allowed pattern with one forbidden pattern. */
const PAIR_WORK = 0.05;

const ALLOWED = 'spec.allowedUnsafeSysctls';
const FORBIDDEN = 'spec.forbiddenSysctls';

/**
 * Validates the sysctls of a PodSecurityPolicy. Each is a name, or a prefix followed by a star. No sysctl may
 * be both allowed and forbidden.
 */
export const validateSysctlPatterns = (
  allowed: readonly string[],
  forbidden: readonly string[],
): FieldErrors => [
  ...validatePatterns(allowed, ALLOWED),
  ...validatePatterns(forbidden, FORBIDDEN),
  ...allowed.flatMap((one, at) => {
    spend(forbidden.length * PAIR_WORK);
    return forbidden.flatMap((other, otherAt) => {
      const narrower = narrowerOf(one, other);
      if (narrower === 'one') return overlap(index(ALLOWED, at), one, other);
      return narrower === 'other' ? overlap(index(FORBIDDEN, otherAt), other, one) : [];
    });
  }),
];

const overlap = (field: string, pattern: string, other: string): FieldErrors => [
  invalidField(field, pattern, `sysctl overlaps with ${other}`),
];

/** Returns the narrower of two patterns if one includes the other, else undefined. */
function narrowerOf(one: string, other: string): 'one' | 'other' | undefined {
  const [oneStart, otherStart] = [one.replace(/\*$/, ''), other.replace(/\*$/, '')];
  if (one === other) return 'one';
  if (other.endsWith('*') && oneStart.startsWith(otherStart)) return 'one';
  return one.endsWith('*') && otherStart.startsWith(oneStart) ? 'other' : undefined;
}

function validatePatterns(patterns: readonly string[], path: string): FieldErrors {
  const errors = patterns.flatMap((pattern, at) => {
    if (pattern === '') return [invalidField(index(path, at), pattern, 'empty sysctl not allowed')];
    if (pattern.length <= LENGTH_LIMIT && isPattern.test(pattern)) return [];
    const detail = `must have at most ${LENGTH_LIMIT} characters and match regex ${PATTERN}`;
    return [invalidField(index(path, at), pattern, detail)];
  });
  if (patterns.length < 2 || !patterns.some((pattern) => pattern === '*')) return errors;
  return [
    ...errors,
    forbiddenField(child(path, 'items'), "if '*' is present, must not specify other sysctls"),
  ];
}
