import { builtinKinds } from '../../api/groups/index.ts';
import { isObject, resolve } from '../../api/schema/index.ts';
import { CodedError } from '../../base/errors/index.ts';
import { resourceOf } from '../invariants/invariant.ts';

type Schema = Parameters<typeof resolve>[0];

/** Value of a field that a manifest omits. In a merge patch, this value removes the field. */
export const ABSENT = null;

/**
 * Possible values by the path of a field, such as `spec.suspend`. A value that is listed n times is n times
 * as likely.
 */
export type FieldValues = Readonly<Record<string, readonly unknown[]>>;

/** Chosen values by path. */
export type Chosen = Readonly<Record<string, unknown>>;

/** Returns the values of a text field, with the blank and the absent one. */
export const orBlank = (values: readonly unknown[]): readonly unknown[] => [
  ...values,
  ...['', ABSENT].filter((value) => !values.includes(value)),
];

/** Largest value of a 32-bit integer. */
export const MOST = 2 ** 31 - 1;
const COUNTS = [0, 1, MOST];

/** Returns the values that the type of a scalar permits. The list is empty for a free string. */
function valuesOf(schema: Schema): readonly unknown[] {
  const target = resolve(schema);
  if (target.kind !== 'scalar') return [];
  if (target.enum !== undefined) return target.enum;
  if (target.format === 'boolean') return [true, false];
  return target.format === 'int32' || target.format === 'int64' ? COUNTS : [];
}

/** Path of a scalar field of a struct, and its values. */
type Read = readonly [path: string, values: readonly unknown[]];

/** Fields by resource and path. Read once per process. */
const known = new Map<string, readonly Read[]>();

/**
 * Returns the values of all scalar fields of a struct, read from the schema of its kind.
 *
 * The values are those of an enumeration, both booleans, or the bounds of a number. Half of the values of an
 * optional field are `ABSENT`.
 * @param given values that replace those of a field; an empty list omits the field
 */
export function fieldsOf(resource: string, at: string, given: FieldValues = {}): FieldValues {
  const name = `${resource} ${at}`;
  const read = known.get(name) ?? readFields(resource, at);
  known.set(name, read);
  const others = read.filter(([path]) => given[path] === undefined);
  return Object.fromEntries([...others, ...Object.entries(given)].filter(([, values]) => values.length > 0));
}

function readFields(resource: string, at: string): readonly Read[] {
  const target = resolve(
    at.split('.').reduce((schema, name) => memberOf(schema, name, resource), schemaOf(resource)),
  );
  const fields = target.kind === 'struct' ? Object.entries(target.fields) : [];
  return fields.map(([name, { presence, schema }]) => {
    const values = valuesOf(schema);
    const absent = presence === 'required' ? [] : values.map(() => ABSENT);
    return [`${at}.${name}`, [...absent, ...values]];
  });
}

function memberOf(schema: Schema, name: string, resource: string): Schema {
  const target = resolve(schema);
  const field = target.kind === 'struct' ? target.fields[name] : undefined;
  if (field !== undefined) return field.schema;
  throw new CodedError(
    'ERR_WORKLOAD',
    `${resource} has no field ${JSON.stringify(name)}: expected a field of its schema`,
  );
}

function schemaOf(resource: string): Schema {
  const kind = builtinKinds.find((each) => resourceOf(each) === resource);
  if (kind !== undefined) return kind.schema;
  throw new CodedError(
    'ERR_WORKLOAD',
    `${JSON.stringify(resource)} is not a known resource: expected one such as "batch/jobs"`,
  );
}

type Tree = { readonly [name: string]: unknown };

/** Returns the object with one field set. `ABSENT` is set as null, for merge patches. */
export function withField(object: Tree, path: string, value: unknown): Tree {
  const [name = '', ...rest] = path.split('.');
  const inner = object[name];
  const changed = rest.length === 0 ? value : withField(isObject(inner) ? inner : {}, rest.join('.'), value);
  return { ...object, [name]: changed };
}

/** Returns a merge patch that sets fields. */
export const patchOf = (chosen: Chosen): Tree =>
  Object.entries(chosen).reduce<Tree>((object, [path, value]) => withField(object, path, value), {});

/** Returns the manifest with the chosen fields, without those that are `ABSENT`. */
export const manifestOf = (base: Tree, chosen: Chosen): Tree =>
  Object.entries(chosen).reduce(
    (object, [path, value]) => (value === ABSENT ? object : withField(object, path, value)),
    base,
  );
