import { builtinKinds } from '../../api/groups/index.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';
import { type Schema, type StructSchema, resolve } from '../../api/schema/schema.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { baseOf } from './field-bases.ts';
import { type Filling, valueOf } from './field-values.ts';

/** A field of a kind, at the first place where its struct occurs. */
export interface FieldCase {
  readonly kind: AnyKind;
  /** Names of fields, starting at the object; `[]` stands for a list item, `{}` for a map value. */
  readonly path: readonly string[];
  readonly schema: Schema;
  /** Names of the other lists and maps of the same struct. */
  readonly siblings: readonly string[];
}

/** Fields by the sweep in which they are tested. */
export interface Fields {
  readonly collections: readonly FieldCase[];
  readonly texts: readonly FieldCase[];
}

/**
 * Returns every list, map and string field of every kind that can be created. A struct shared by several
 * kinds occurs once, in pods first.
 */
export function allFields(): Fields {
  const found: { collections: FieldCase[]; texts: FieldCase[] } = { collections: [], texts: [] };
  const seen = new Set<string>();
  const creatable = builtinKinds.filter((kind) => kind.verbs.includes('create'));
  const first = creatable.filter(({ kind, version }) => kind === 'Pod' && version === 'v1');
  for (const kind of [...first, ...creatable.filter((each) => !first.includes(each))])
    walkStruct(kind, kind.schema, [], seen, found);
  return found;
}

function walkStruct(
  kind: AnyKind,
  struct: StructSchema,
  path: readonly string[],
  seen: Set<string>,
  found: { collections: FieldCase[]; texts: FieldCase[] },
): void {
  if (seen.has(struct.name) || path.length > 14) return;
  seen.add(struct.name);
  const collections = Object.entries(struct.fields)
    .filter(([, field]) => ['array', 'map'].includes(resolve(field.schema).kind))
    .map(([name]) => name);
  for (const [name, field] of Object.entries(struct.fields)) {
    if (path.length === 0 && (name === 'kind' || name === 'apiVersion')) continue;
    const siblings = collections.filter((each) => each !== name);
    walk(kind, field.schema, [...path, name], seen, found, siblings);
  }
}

function walk(
  kind: AnyKind,
  given: Schema,
  path: readonly string[],
  seen: Set<string>,
  found: { collections: FieldCase[]; texts: FieldCase[] },
  siblings: readonly string[],
): void {
  const schema = resolve(given);
  const each: FieldCase = { kind, path, schema, siblings };
  switch (schema.kind) {
    case 'array':
      found.collections.push(each);
      walk(kind, schema.items, [...path, '[]'], seen, found, []);
      return;
    case 'map':
      found.collections.push(each);
      walk(kind, schema.values, [...path, '{}'], seen, found, []);
      return;
    case 'scalar':
      if (schema.format !== 'boolean' && !schema.format.startsWith('int3')) found.texts.push(each);
      return;
    case 'struct':
      walkStruct(kind, schema, path, seen, found);
      return;
    case 'either':
      walk(kind, schema.struct, path, seen, found, []);
      return;
    case 'any':
  }
}

/** Returns a readable name of a case. */
export const nameOf = ({ kind, path }: FieldCase): string => `${kind.kind} ${kind.version} ${path.join('.')}`;

/** Returns the path at which objects of a kind are created. */
export function collectionPath(kind: AnyKind): string {
  const group = kubernetesVocabulary.group(kind.group);
  const root = group === '' ? `/api/${kind.version}` : `/apis/${group}/${kind.version}`;
  return `${root}${kind.namespaced ? '/namespaces/default' : ''}/${kind.plural}`;
}

/** Returns a list or map of about `bytes` bytes of JSON. */
export function filled(given: Schema, name: string, filling: Filling, bytes: number): unknown {
  const schema = resolve(given);
  const of = (at: number): unknown =>
    schema.kind === 'array'
      ? valueOf(schema.items, name, filling, at)
      : schema.kind === 'map'
        ? valueOf(schema.values, name, filling, at)
        : undefined;
  const key = (at: number): string => (filling === 'invalid' ? `!${at}` : `k${at}.io/a`);
  const size = JSON.stringify(of(12_345) ?? null).length + (schema.kind === 'map' ? 15 : 1);
  const count = Math.max(1, Math.floor(bytes / size));
  const items = Array.from({ length: count }, (_, at) => of(at));
  return schema.kind === 'map' ? Object.fromEntries(items.map((item, at) => [key(at), item])) : items;
}

/** Returns a valid object of the kind with `value` in the field of the case. */
export function objectWith(
  each: FieldCase,
  value: unknown,
  besides: { readonly [name: string]: unknown } = {},
): object {
  const object = structuredClone(baseOf(each.kind)) as Record<string, unknown>;
  let at: Record<string, unknown> | unknown[] = object;
  each.path.forEach((step, depth) => {
    const last = depth === each.path.length - 1;
    const key = step === '[]' ? 0 : step === '{}' ? 'k' : step;
    const next = each.path[depth + 1];
    const holder = at as Record<string | number, unknown>;
    if (last) {
      Object.assign(holder, besides);
      holder[key] = value;
      return;
    }
    const empty = next === '[]' ? [] : {};
    const held = holder[key];
    if (typeof held !== 'object' || held === null || Array.isArray(held) !== Array.isArray(empty))
      holder[key] = empty;
    at = holder[key] as Record<string, unknown>;
  });
  return object;
}

/** Returns values for the sibling lists and maps of a field, of about `bytes` bytes each. */
export function siblingsOf(
  each: FieldCase,
  filling: Filling,
  bytes: number,
): { readonly [name: string]: unknown } {
  const holder = structAt(each.kind.schema, each.path.slice(0, -1));
  return Object.fromEntries(
    each.siblings.flatMap((name) => {
      const field = holder?.fields[name];
      return field ? [[name, filled(field.schema, name, filling, bytes)]] : [];
    }),
  );
}

function structAt(root: StructSchema, path: readonly string[]): StructSchema | undefined {
  let schema: Schema = root;
  for (const step of path) {
    let target: ReturnType<typeof resolve> = resolve(schema);
    if (target.kind === 'either') target = resolve(target.struct);
    if (target.kind === 'array') schema = target.items;
    else if (target.kind === 'map') schema = target.values;
    else if (target.kind === 'struct') {
      const field: Schema | undefined = target.fields[step]?.schema;
      if (field === undefined) return undefined;
      schema = field;
    } else return undefined;
  }
  const target = resolve(schema);
  return target.kind === 'struct'
    ? target
    : target.kind === 'either'
      ? (resolve(target.struct) as StructSchema)
      : undefined;
}
