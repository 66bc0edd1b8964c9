import { equalJson, writeJson } from '../../api/schema/index.ts';
import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import { twins } from '../controllers/index.ts';
import type { Commit } from './invariant.ts';
import type { Right } from './right.ts';

/** Rights by controller. Controllers without an entry may write any field. */
const rights: ReadonlyMap<string, readonly Right[]> = new Map(
  twins.map(({ name, rights: own }) => [name, own]),
);

/** Fields that the server maintains on every write. */
const SERVERS_OWN = new Set([
  'metadata.resourceVersion',
  'metadata.managedFields',
  'metadata.generation',
  'metadata.deletionTimestamp',
  'metadata.deletionGracePeriodSeconds',
]);

/** Returns the forbidden part of a commit as a clause; undefined if there is none. */
export function trespass({ actor, resource, verb, before, after }: Commit): string | undefined {
  const own = rights.get(actor)?.filter((right) => right.resource === '*' || right.resource === resource);
  if (own === undefined) return undefined;
  if (verb === 'delete') return own.some(({ deletes }) => deletes) ? undefined : `deleted one of ${resource}`;
  if (verb === 'create' || !before || !after)
    return own.some(({ creates }) => creates) || before ? undefined : `created one of ${resource}`;
  const fields = own.flatMap((right) => right.fields ?? []);
  const foreign = foreignChange(before, after, '', (path) => fields.some((field) => covers(field, path)));
  return foreign === undefined ? undefined : `changed ${foreign} of one of ${resource}`;
}

export const hasRights = ({ actor }: Commit): boolean => rights.has(actor);

const covers = (field: string, path: string): boolean =>
  field.endsWith('*') ? path.startsWith(field.slice(0, -1)) : path === field || path.startsWith(`${field}.`);

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the path of the first changed field that is not permitted. A list counts as one value. Permission
 * for a field includes the fields below it.
 */
function foreignChange(
  before: unknown,
  after: unknown,
  path: string,
  isOwn: (path: string) => boolean,
): string | undefined {
  if (before === after || SERVERS_OWN.has(path) || isOwn(path)) return undefined;
  // An added or removed object is checked field by field: a controller that may write all fields of the
  // object may create and remove it.
  if (!isFields(before ?? after) || !isFields(after ?? before))
    return equalJson(before, after) ? undefined : path;
  const [was, is] = [(before ?? {}) as Fields, (after ?? {}) as Fields];
  for (const name of Object.keys({ ...was, ...is })) {
    if (was[name] === is[name]) continue;
    const found = foreignChange(was[name], is[name], path === '' ? name : `${path}.${name}`, isOwn);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Minimum length of a secret value, in characters. Shorter values may occur elsewhere by coincidence. */
const SECRET_CHARS = 8;

/**
 * Returns the name of a Secret whose data an object contains; undefined if there is none. Ids of bootstrap
 * tokens are public.
 */
export function shownSecret(
  object: DeepReadonly<ApiObject>,
  secrets: readonly DeepReadonly<ApiObject>[],
): string | undefined {
  const text = writeJson(object);
  for (const [beginning, values] of beginningsOf(secrets)) {
    const found = text.includes(beginning) ? values.find(({ value }) => text.includes(value)) : undefined;
    if (found !== undefined) return found.name;
  }
  return undefined;
}

/**
 * Secret values by their first characters. Comparing these first is cheap, because most values are tokens
 * that start alike.
 */
type Beginnings = ReadonlyMap<string, { readonly value: string; readonly name: string | undefined }[]>;

/** Cached by list of Secrets, because every commit searches the same list until it changes. */
const knownBeginnings = new WeakMap<readonly DeepReadonly<ApiObject>[], Beginnings>();

function beginningsOf(secrets: readonly DeepReadonly<ApiObject>[]): Beginnings {
  const known = knownBeginnings.get(secrets);
  if (known !== undefined) return known;
  const beginnings = new Map<string, { value: string; name: string | undefined }[]>();
  for (const secret of secrets)
    for (const value of valuesOf(secret)) {
      const beginning = value.slice(0, SECRET_CHARS);
      const alike = beginnings.get(beginning) ?? [];
      alike.push({ value, name: secret.metadata?.name });
      beginnings.set(beginning, alike);
    }
  knownBeginnings.set(secrets, beginnings);
  return beginnings;
}

const PUBLIC = new Set(['ca.crt', 'namespace', 'token-id', 'expiration', 'description', 'auth-extra-groups']);

/** Values by Secret object. Cached, because every commit reads them. */
const knownValues = new WeakMap<DeepReadonly<ApiObject>, readonly string[]>();

function valuesOf(secret: DeepReadonly<ApiObject>): readonly string[] {
  const known = knownValues.get(secret) ?? readValues(secret);
  knownValues.set(secret, known);
  return known;
}

const readValues = (secret: DeepReadonly<ApiObject>): readonly string[] => {
  const { data = {} } = secret as { readonly data?: Readonly<Record<string, string>> };
  return Object.entries(data).flatMap(([name, value]) => {
    const plain = Buffer.from(value, 'base64').toString();
    return PUBLIC.has(name) || name.startsWith('usage-') || plain.length < SECRET_CHARS ? [] : [value, plain];
  });
};
