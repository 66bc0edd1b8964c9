import { spend } from '../../base/budget/index.ts';
import { type Int64, writeJson } from '../schema/exact-json.ts';
import { equalJson, getOwn, isObject } from '../schema/own.ts';
import { type FieldErrors, quoted } from '../status/field-errors.ts';
import { goQuote } from '../status/go-quote.ts';
import { cutText } from '../status/short-text.ts';
import { type JSONSchemaProps, extensionOf } from '../types/apiextensions-v1-schema.ts';
import { formatCheckOf } from './formats.ts';
import { PatternError, compilePattern } from './pattern.ts';
import {
  type Findings,
  complain,
  invalidAt,
  invalidNowhere,
  merge,
  noFindings,
  requiredAt,
  tooLongAt,
  tooManyAt,
  typeInvalidAt,
  unsupportedAt,
} from './problems.ts';
import { sortedKeys } from '../schema/go-text.ts';

/**
 * Validates a value against its JSON schema. Errors have the words of release 1.24's validator (kube-openapi,
 * a fork of go-openapi). `at` is the path of the value; `''` for a whole object.
 */
export const validateValue = (schema: JSONSchemaProps, value: unknown, at = ''): FieldErrors => [
  ...validate(schema, value, '', at).errors.values(),
];

/** Joins `base`, the prefix of error fields, with `path`, which the validator writes relative to it. */
function placed(base: string, path: string): string {
  const below = path.replace(/^\./, '');
  if (base === '') return below;
  return below === '' ? base : `${base}.${below}`;
}

/**
 * Work units for checking a value against one schema, and for each character, accepted value or property that
 * is visited.
 */
const VALUE_WORK = 1;
const CHARACTER_WORK = 0.01;
const ACCEPTED_WORK = 0.05;
const PROPERTY_WORK = 0.1;

type Check = (schema: JSONSchemaProps, value: unknown, path: string, base: string) => Findings | undefined;

function validate(schema: JSONSchemaProps, value: unknown, path: string, base: string): Findings {
  spend(VALUE_WORK);
  const findings = noFindings();
  const checks = value === null ? NULL_CHECKS : CHECKS;
  for (const check of checks) {
    const found = check(schema, value, path, base);
    if (found === undefined) continue;
    merge(findings, found);
    findings.matches += 1;
  }
  findings.matches += 1;
  return findings;
}

function checkType(
  schema: JSONSchemaProps,
  value: unknown,
  path: string,
  base: string,
): Findings | undefined {
  const types = typesOf(schema);
  const format = supportedFormat(schema);
  if (types.length === 0 && format === '' && value !== null) return undefined;
  const findings = noFindings();
  const refused = (wanted: string, found: string): Findings => {
    const detail = `${path} in body must be of type ${wanted}: ${goQuote(found)}`;
    complain(findings, typeInvalidAt(placed(base, path), found, detail));
    return findings;
  };
  findings.matches += 1;
  if (value === null) {
    if (types.length > 0 && schema.nullable !== true) return refused(types.join(','), 'null');
    return findings;
  }
  const found = typeOf(value);
  const fits = types.includes(found) || (found === 'integer' && types.includes('number'));
  const isText = typeof value === 'string' || Array.isArray(value);
  if (!isText && format !== '' && !fits) return refused(format, found === 'integer' ? 'int64' : '');
  // Like upstream, a string or list whose schema has a format is checked only by the format.
  const leaves = isText && format !== '' && !types.includes('number') && !types.includes('integer');
  return fits || leaves ? findings : refused(types.join(','), found);
}

const typesOf = (schema: JSONSchemaProps): readonly string[] => {
  if (extensionOf(schema, 'int-or-string') === true) return INT_OR_STRING;
  return schema.type ? [schema.type] : [];
};

const INT_OR_STRING: readonly string[] = ['integer', 'string'];

/**
 * Returns the format if it is checked, else an empty string. Like upstream, ignores unknown formats and the
 * formats of numbers.
 */
const supportedFormat = ({ format = '' }: JSONSchemaProps): string => (formatCheckOf(format) ? format : '');

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return isWhole(value) ? 'integer' : 'number';
  return typeof value;
}

function checkAlternatives(
  schema: JSONSchemaProps,
  value: unknown,
  path: string,
  base: string,
): Findings | undefined {
  const findings = noFindings();
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
  const say = (detail: string): void =>
    complain(findings, invalidNowhere(base, `${goQuote(path)} ${detail}`));
  if (anyOf.length > 0) {
    const found = anyOf.map((each) => validate(each, value, path, base));
    const success = found.find(isValid);
    if (!success) say('must validate at least one schema (anyOf)');
    merge(findings, success ?? nearest(found));
  }
  if (oneOf.length > 0) {
    const found = oneOf.map((each) => validate(each, value, path, base));
    const valid = found.filter(isValid);
    if (valid.length !== 1) {
      const how = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
      say(`must validate one and only one schema (oneOf). ${how}`);
    }
    if (valid.length === 0) merge(findings, nearest(found));
    else if (valid.length === 1 && valid[0]) merge(findings, valid[0]);
  }
  if (allOf.length > 0) {
    const found = allOf.map((each) => validate(each, value, path, base));
    for (const each of found) merge(findings, each);
    const valid = found.filter(isValid).length;
    if (valid !== found.length)
      say(`must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
  }
  if (not && isValid(validate(not, value, path, base))) say('must not validate the schema (not)');
  findings.matches += 1;
  return findings;
}

const isValid = ({ errors }: Findings): boolean => errors.size === 0;

/** Returns the alternative whose rules the value meets most often; the first of several such alternatives. */
const nearest = (found: readonly Findings[]): Findings =>
  found.reduce((best, each) => (each.matches > best.matches ? each : best), found[0] ?? noFindings());

const lengthOf = (text: string): number => {
  spend(text.length * CHARACTER_WORK);
  let length = 0;
  for (const _ of text) length += 1;
  return length;
};

function checkText(
  schema: JSONSchemaProps,
  value: unknown,
  path: string,
  base: string,
): Findings | undefined {
  if (typeof value !== 'string') return undefined;
  const findings = noFindings();
  const { maxLength, minLength, pattern = '' } = schema;
  const place = placed(base, path);
  // Only the first error is reported.
  if (maxLength !== undefined && lengthOf(value) > maxLength) complain(findings, tooLongAt(place, maxLength));
  else if (minLength !== undefined && lengthOf(value) < minLength)
    complain(findings, invalidAt(place, value, `${path} in body should be at least ${minLength} chars long`));
  else if (pattern !== '' && !matchesPattern(pattern, value))
    complain(findings, invalidAt(place, value, `${path} in body should match '${cutText(pattern)}'`));
  return findings;
}

function matchesPattern(pattern: string, value: string): boolean {
  try {
    return compilePattern(pattern).test(value);
  } catch (error) {
    if (error instanceof PatternError) return false;
    throw error;
  }
}

function checkFormat(
  schema: JSONSchemaProps,
  value: unknown,
  path: string,
  base: string,
): Findings | undefined {
  const format = supportedFormat(schema);
  if (typeof value !== 'string' || format === '') return undefined;
  const findings = noFindings();
  const check = formatCheckOf(format);
  if (check && !check(value))
    complain(
      findings,
      typeInvalidAt(placed(base, path), value, `${path} in body must be of type ${format}: ${quoted(value)}`),
    );
  return findings;
}

function checkNumber(
  schema: JSONSchemaProps,
  value: unknown,
  path: string,
  base: string,
): Findings | undefined {
  if (typeof value !== 'number' && typeof value !== 'bigint') return undefined;
  const findings = noFindings();
  const say = (detail: string): void =>
    complain(findings, invalidAt(placed(base, path), value, `${path} in body ${detail}`));
  // Truncation turns a factor below one into zero, so the untruncated factor is used in this case. A factor of
  // zero means no constraint.
  const multipleOf = boundFor(value, schema.multipleOf) || Number(schema.multipleOf ?? 0);
  const maximum = boundFor(value, schema.maximum);
  const minimum = boundFor(value, schema.minimum);
  if (!isMultiple(value, multipleOf)) say(`should be a multiple of ${multipleOf}`);
  if (maximum !== undefined) {
    if (schema.exclusiveMaximum ? value >= maximum : value > maximum)
      say(`should be less than ${schema.exclusiveMaximum ? '' : 'or equal to '}${maximum}`);
  }
  if (minimum !== undefined) {
    if (schema.exclusiveMinimum ? value <= minimum : value < minimum)
      say(`should be greater than ${schema.exclusiveMinimum ? '' : 'or equal to '}${minimum}`);
  }
  findings.matches += 1;
  return findings;
}

/**
 * Returns a bound for comparison. Upstream compares integers with integers and therefore truncates the bound.
 */
function boundFor(value: Int64, bound: number | bigint | undefined): number | undefined {
  if (bound === undefined) return undefined;
  const limit = Number(bound);
  return typeof value === 'bigint' || Number.isInteger(value) ? Math.trunc(limit) : limit;
}

function isMultiple(value: Int64, factor: number): boolean {
  if (factor <= 0) return factor === 0;
  if (typeof value === 'bigint') return factor >= 1 && value % BigInt(Math.trunc(factor)) === 0n;
  return isWhole(factor < 1 ? (1 / factor) * value : value / factor);
}

const NEAR = 1e-9;

/**
 * True if a number counts as an integer, like upstream's `IsFloat64AJSONInteger`: it is safe, and its
 * relative distance to an integer is tiny.
 */
function isWhole(value: number): boolean {
  const whole = Math.trunc(value);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  return value === whole || (value > 1 && (value - whole) / (value + whole) < NEAR);
}

function checkList(
  schema: JSONSchemaProps,
  value: unknown,
  path: string,
  base: string,
): Findings | undefined {
  if (!Array.isArray(value)) return undefined;
  const findings = noFindings();
  const { items, minItems, maxItems } = schema;
  const place = placed(base, path);
  if (items && !Array.isArray(items))
    for (const [at, item] of value.entries()) merge(findings, validate(items, item, `${path}[${at}]`, base));
  if (minItems !== undefined && value.length < minItems)
    complain(
      findings,
      invalidAt(place, value.length, `${path} in body should have at least ${minItems} items`),
    );
  if (maxItems !== undefined && value.length > maxItems)
    complain(findings, tooManyAt(place, value.length, maxItems));
  if (schema.uniqueItems === true && !areUnique(value))
    complain(findings, invalidAt(place, '', `${path} in body shouldn't contain duplicates`));
  findings.matches += 1;
  return findings;
}

const areUnique = (list: readonly unknown[]): boolean => new Set(list.map(canonical)).size === list.length;

/** Returns a string that is equal for equal values, regardless of key order. */
function canonical(value: unknown): string {
  const text = writeJson(value, sortedKeys);
  spend(VALUE_WORK + text.length * CHARACTER_WORK);
  return text;
}

function checkEnum(
  schema: JSONSchemaProps,
  value: unknown,
  path: string,
  base: string,
): Findings | undefined {
  const { enum: accepted = [] } = schema;
  spend(accepted.length * ACCEPTED_WORK);
  const findings = noFindings();
  if (accepted.length > 0 && !accepted.some((each) => equalJson(each, value)))
    complain(findings, unsupportedAt(placed(base, path), value, accepted));
  return findings;
}

function checkMap(schema: JSONSchemaProps, value: unknown, path: string, base: string): Findings | undefined {
  if (!isObject(value)) return undefined;
  const findings = noFindings();
  const { minProperties, maxProperties, properties = {}, additionalProperties: others } = schema;
  const keys = Object.keys(value);
  const place = placed(base, path);
  if (minProperties !== undefined && keys.length < minProperties) {
    const detail = `${path} in body should have at least ${minProperties} properties`;
    complain(findings, invalidAt(place, keys.length, detail));
    return findings;
  }
  if (maxProperties !== undefined && keys.length > maxProperties) {
    complain(findings, tooManyAt(place, keys.length, maxProperties));
    return findings;
  }
  for (const key of keys) {
    if (Object.hasOwn(properties, key)) continue;
    if (others === false)
      complain(findings, invalidAt(place, key, `${path}.${key} in body is a forbidden property`));
    else if (typeof others === 'object')
      merge(findings, validate(others, value[key], `${path}.${key}`, base));
  }
  const declared = Object.entries(properties);
  spend((declared.length + (schema.required?.length ?? 0)) * PROPERTY_WORK);
  for (const [name, property] of declared)
    if (Object.hasOwn(value, name))
      merge(findings, validate(property, getOwn(value, name), path === '' ? name : `${path}.${name}`, base));
  for (const name of schema.required ?? [])
    if (!Object.hasOwn(value, name)) complain(findings, requiredAt(placed(base, `${path}.${name}`)));
  return findings;
}

const CHECKS: readonly Check[] = [
  checkType,
  checkAlternatives,
  checkText,
  checkFormat,
  checkNumber,
  checkList,
  checkEnum,
  checkMap,
];

/** Checks of `null`. Upstream validates only its type and the allowed values. */
const NULL_CHECKS: readonly Check[] = [checkType, checkEnum];
