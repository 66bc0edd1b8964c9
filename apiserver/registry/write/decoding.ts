import type { ApiObject, Kind, Scheme, StrategyContext } from '../../../api/kinds/index.ts';
import {
  DecodeError,
  type JsonObject,
  applyDefaults,
  conversionFault,
  decode,
  isObject,
  overflowIn,
  recode,
  writeJson,
} from '../../../api/schema/index.ts';
import {
  type ApiError,
  badRequest,
  beginning,
  goQuote,
  invalid,
  invalidField,
  shortJson,
} from '../../../api/status/index.ts';
import { Interruption, WorkBudgetError } from '../../../base/budget/index.ts';
import { messageOf } from '../../../base/errors/index.ts';
import { bodySummary, identitySummary } from '../confidential/body-summary.ts';
import type { WriteContext } from '../registry.ts';
import type { Resource } from '../resource.ts';

type Target = Pick<Resource, 'kind' | 'scheme' | 'typeMeta'>;
type Validation = Pick<
  WriteContext,
  'fieldValidation' | 'duplicateFields' | 'repeatedKeys' | 'floats' | 'emptied' | 'warn'
>;

/**
 * Thrown for a body that is not an object of the kind. The message is upstream's reason, without the sentence
 * that upstream puts around it.
 */
export class UndecodableBody extends Error {
  /** Kind and apiVersion that the body states. */
  readonly found: { readonly kind: string; readonly apiVersion: string };

  constructor(
    found: { readonly kind: string; readonly apiVersion: string },
    why: string,
    options?: ErrorOptions,
  ) {
    super(why, options);
    this.found = found;
  }
}

/**
 * Returns upstream's message for a failed conversion of an untyped map, or the message of `thrown` if
 * decoding did not fail.
 */
export const faultInConversion = ({ message, cause }: Error): string =>
  cause instanceof DecodeError ? conversionFault(cause) : message;

/**
 * Decodes a body to an object of exactly this kind, without defaults. The body must not be used afterwards.
 * Throws a 400 in upstream's words.
 */
export function decodeBody(target: Target, body: unknown, validation: Validation): ApiObject {
  if (isCustom(target) && isObject(body)) checkCustomBody(target, body);
  try {
    return decodeExactly(target, body, validation);
  } catch (thrown) {
    if (!(thrown instanceof UndecodableBody)) throw thrown;
    const { kind, apiVersion } = thrown.found;
    const version = JSON.stringify(versionOf(apiVersion));
    throw badRequest(
      `${kind} in version ${version} cannot be handled as a ${target.kind.kind}: ${thrown.message}`,
    );
  }
}

/**
 * Decodes the object that a patch has produced. Throws `UndecodableBody`, or a 400 if the value is not an
 * object at all. With `recode` as decoder the body is not modified.
 */
export function decodeExactly(
  target: Target,
  body: unknown,
  validation: Validation,
  decoder: typeof decode | typeof recode = decode,
): ApiObject {
  const fields = identified(target, body);
  // Upstream encodes the metadata of custom resources once more, which drops an empty managedFields list.
  const cleared = !isCustom(target) && clearsManagers(fields);
  try {
    const { floats, emptied } = validation;
    const { value, unknown } = decoder<ApiObject>(target.kind.schema, fields, {
      floats,
      emptied: emptied && ((path) => void emptied.add(path)),
    });
    const overflow = overflowIn(floats);
    if (overflow !== undefined) throw new Error(overflow);
    checkFields(unknown, validation, isCustom(target));
    if (cleared) (value.metadata ??= {}).managedFields = [];
    return value;
  } catch (thrown) {
    // Neither error means that the body is invalid.
    if (thrown instanceof Interruption || thrown instanceof WorkBudgetError) throw thrown;
    throw new UndecodableBody(fields, messageOf(thrown), { cause: thrown });
  }
}

/** True if managedFields are an empty list, which resets the owners. Decoding drops that list. */
function clearsManagers({ metadata }: Identified): boolean {
  const managedFields = isObject(metadata) ? metadata['managedFields'] : undefined;
  return Array.isArray(managedFields) && managedFields.length === 0;
}

/** Returns upstream's message about repeated keys of a YAML body. */
export const repetition = (repeatedKeys: readonly string[]): string =>
  ['yaml: unmarshal errors:', ...repeatedKeys].join('\n  ');

/** Ignores, reports or rejects unknown and duplicate fields, as `fieldValidation` requires. */
function checkFields(unknown: readonly string[], validation: Validation, isOfCustom: boolean): void {
  const { fieldValidation, repeatedKeys = [], duplicateFields = [] } = validation;
  if (fieldValidation === 'Ignore') return;
  if (unknown.length === 0 && repeatedKeys.length === 0 && duplicateFields.length === 0) return;
  const isStrict = fieldValidation === 'Strict';
  // A strict error combines the repeated keys in one message; each warning names one key.
  const repeated = isStrict && repeatedKeys.length > 0 ? [repetition(repeatedKeys)] : repeatedKeys;
  const unknownFields = unknown.map((path) => `unknown field ${isOfCustom ? `"${path}"` : goQuote(path)}`);
  const duplicates = duplicateFields
    .filter((path) => isOfCustom || !unknown.some((parent) => isWithin(path, parent)))
    .map((path) => `duplicate field ${goQuote(path)}`);
  // Upstream parses a custom resource completely before it checks the schema. For other kinds it finds no
  // duplicates within unknown fields.
  const found = isOfCustom ? [...duplicates, ...unknownFields] : [...unknownFields, ...duplicates];
  const complaints = [...repeated, ...found];
  if (complaints.length > 0 && isStrict) throw new Error(`strict decoding error: ${complaints.join(', ')}`);
  for (const complaint of complaints) validation.warn(complaint);
}

const isWithin = (path: string, parent: string): boolean =>
  path.startsWith(parent) && [undefined, '.', '['].includes(path[parent.length]);

const isCustom = ({ kind }: Pick<Target, 'kind'>): boolean => kind.schema.root !== undefined;

/**
 * Returns upstream's message about a custom resource without kind or apiVersion, or undefined if it has both.
 */
export function missingType(
  document: JsonObject,
  text: (document: JsonObject) => string = shortJson,
): string | undefined {
  for (const [field, word] of [
    ['kind', 'Kind'],
    ['apiVersion', 'apiVersion'],
  ] as const)
    if ((document[field] ?? '') === '') return `Object '${word}' is missing in '${text(document)}'`;
  return undefined;
}

/** Throws a 400 for a custom resource without a kind or of another version. */
function checkCustomBody({ kind, typeMeta }: Target, body: JsonObject): void {
  const { kind: given = '', apiVersion = '' } = body;
  if (given === '') {
    const version = JSON.stringify(versionOf(typeMeta.apiVersion));
    throw badRequest(
      `${kind.kind} in version ${version} cannot be handled as a ${kind.kind}: ${missingType(body, identitySummary)}`,
    );
  }
  if (typeof apiVersion === 'string' && apiVersion !== typeMeta.apiVersion)
    throw otherVersion(apiVersion, typeMeta);
}

/**
 * Returns the 422 for a custom resource whose type differs from the one in the path (release 1.24,
 * `ValidateTypeMeta`).
 */
function customMismatch({ kind, apiVersion, ...object }: Identified, expected: Target['typeMeta']): ApiError {
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  const { metadata } = object;
  const name = isObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : '';
  const given = { kind, apiVersion };
  const wrong = (['kind', 'apiVersion'] as const).filter((field) => given[field] !== expected[field]);
  return invalid(
    { group, kind },
    name,
    wrong.map((field) => invalidField(field, given[field], `must be ${expected[field]}`)),
  );
}

interface Identified {
  readonly kind: string;
  readonly apiVersion: string;
  readonly [field: string]: unknown;
}

/** Returns the body with a missing kind and apiVersion added: requests for typed kinds may omit them. */
function identified({ kind, scheme, typeMeta }: Target, body: unknown): Identified {
  const fields = body === null || body === undefined ? {} : body;
  if (typeof fields !== 'object' || Array.isArray(fields)) throw notAnObject(kind, fields);
  const { kind: givenKind, apiVersion: givenVersion } = fields as Record<string, unknown>;
  if (givenKind === typeMeta.kind && givenVersion === typeMeta.apiVersion) return fields as Identified;
  for (const [name, given] of [
    ['apiVersion', givenVersion],
    ['kind', givenKind],
  ] as const)
    if (given !== undefined && given !== null && typeof given !== 'string')
      throw unrecognized(
        kind,
        `couldn't get version/kind; json parse error: json: cannot unmarshal ${goTypeOf(given)} into Go struct field .${name} of type string`,
        fields,
      );
  const found = {
    kind: (givenKind as string) || kind.kind,
    // Go accepts `/v1` for the core group.
    apiVersion: ((givenVersion as string) || typeMeta.apiVersion).replace(/^\/(?=[^/]*$)/, ''),
  };
  if (isCustom({ kind }) && (found.kind !== typeMeta.kind || found.apiVersion !== typeMeta.apiVersion))
    throw customMismatch({ ...fields, ...found }, typeMeta);
  if (found.apiVersion.split('/').length > 2)
    throw unrecognized(kind, `unexpected GroupVersion string: ${found.apiVersion}`, fields);
  if (found.kind !== typeMeta.kind || found.apiVersion !== typeMeta.apiVersion)
    throw mismatch(found, kind, scheme, typeMeta);
  if (found.kind === givenKind && found.apiVersion === givenVersion) return fields as Identified;
  return { ...fields, ...found };
}

function mismatch(
  found: { kind: string; apiVersion: string },
  kind: Kind,
  scheme: Scheme,
  expected: { apiVersion: string },
): Error {
  const known = scheme.byApiVersion(found.apiVersion, found.kind);
  if (known === undefined && !isListKind(found, scheme)) {
    const { groupSuffix, product } = scheme.vocabulary;
    const registry = JSON.stringify(`${groupSuffix}/${product}/pkg/api/legacyscheme/scheme.go:30`);
    const [quotedKind, quotedVersion] = [JSON.stringify(found.kind), JSON.stringify(found.apiVersion)];
    return new UndecodableBody(
      found,
      `no kind ${quotedKind} is registered for version ${quotedVersion} in scheme ${registry}`,
    );
  }
  if (known?.kind === kind.kind && known.group === kind.group)
    return otherVersion(found.apiVersion, expected);
  const from = `${versionOf(found.apiVersion)}.${found.kind}`;
  const to = `${kind.group.split('.')[0] || 'core'}.${kind.kind}`;
  return new UndecodableBody(found, `converting (${from}) to (${to}): unknown conversion`);
}

const otherVersion = (found: string, expected: { readonly apiVersion: string }): ApiError =>
  badRequest(
    `the API version in the data (${found}) does not match the expected API version (${expected.apiVersion})`,
  );

/** True for a list of stored objects. Such lists are types in upstream's scheme. */
function isListKind({ kind, apiVersion }: { kind: string; apiVersion: string }, scheme: Scheme): boolean {
  if (!kind.endsWith('List')) return false;
  return scheme.byApiVersion(apiVersion, kind.slice(0, -'List'.length))?.virtual === false;
}

const versionOf = (apiVersion: string): string => apiVersion.split('/').at(-1) ?? apiVersion;

const unrecognized = (kind: Kind, why: string, body: unknown): ApiError =>
  badRequest(
    `the object provided is unrecognized (must be of type ${kind.kind}): ${why} (${bodySummary(Buffer.from(writeJson(beginning(body, { left: SUMMARY }))))})`,
  );

/** Maximum number of characters of a body that are encoded for an error message, which contains fewer. */
const SUMMARY = 64;

const notAnObject = (kind: Kind, body: unknown): ApiError =>
  unrecognized(
    kind,
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${goTypeOf(body)} into Go value of type ` +
      'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    body,
  );

function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Sets missing fields in place: first the defaults of the schema, then those that the kind computes. */
export function applyAllDefaults(kind: Kind, object: ApiObject, context: StrategyContext): void {
  applyDefaults(kind.schema, object);
  kind.strategy.defaults?.(object, context);
}

/**
 * Returns the canonical form of an object: fields in declared order, zero values written or omitted as by
 * upstream's encoder.
 */
export const normalised = ({ kind }: Pick<Resource, 'kind'>, object: ApiObject): ApiObject =>
  recode<ApiObject>(kind.schema, object).value;
