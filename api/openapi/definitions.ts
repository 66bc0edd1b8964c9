import { isVirtualSubresource, type Subresource } from '../kinds/kind.ts';
import type { AnyKind, Scheme } from '../kinds/scheme.ts';
import {
  type ArraySchema,
  type Field,
  type MapSchema,
  resolve,
  type ScalarSchema,
  type Schema,
  type StructSchema,
} from '../schema/schema.ts';
import { APIGroup, APIGroupList, APIResourceList, APIVersions } from '../types/meta-v1-discovery.ts';
import { DeleteOptions, ListMeta, ObjectMeta, Status } from '../types/meta-v1.ts';
import { VersionInfo } from '../types/version.ts';
import { createDescriber } from './descriptions/descriptions.ts';
import { LIST } from './descriptions/shared.ts';
import { defaultOf, zeroOf } from './defaults.ts';
import type { Definitions, Dialect, OpenApiSchema } from './dialect.ts';
import { describeStructural, sortedProperties } from './structural.ts';
import { NAMED_SCALARS, PATCH, RAW_EXTENSION, valueDefinition } from './value-definitions.ts';
import { capital } from './words.ts';
import type { Structural } from '../structural/structural.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';

/** Name of the definition of watch events, without the vocabulary's prefix. */
export const WATCH_EVENT = 'apimachinery.pkg.apis.meta.v1.WatchEvent';

/** Returns the name of a kind's list type, without the vocabulary's prefix. */
export const listNameOf = ({ schema, listKind }: AnyKind): string =>
  listKind === undefined
    ? `${schema.name}List`
    : `${schema.name.slice(0, schema.name.lastIndexOf('.') + 1)}${listKind}`;

/** Generic types that operations refer to. */
const META_TYPES: readonly StructSchema[] = [APIGroup, APIGroupList, APIResourceList, APIVersions, Status];

/** Kinds and types that one OpenAPI document describes. */
export interface Described {
  readonly kinds: readonly AnyKind[];
  /** Names of the types that the operations refer to. */
  readonly named: ReadonlySet<string>;
  /** Group versions that serve deletion options and watch events. */
  readonly groupVersions: readonly GroupVersion[];
}

/**
 * Returns the definitions of the given kinds and operations: types, lists, and everything that they refer to.
 */
export function definitionsOf(scheme: Scheme, described: Described, dialect: Dialect): Definitions {
  const { kinds, named, groupVersions } = described;
  const writer = new Writer(scheme.vocabulary, dialect);
  for (const kind of kinds) {
    writer.struct(kind.schema, [groupVersionKind(scheme, kind)]);
    if (kind.verbs.includes('list')) writer.list(scheme, kind);
    for (const subresource of Object.values<Subresource<never>>(kind.subresources))
      if (isVirtualSubresource(subresource))
        writer.struct(subresource.schema, [groupVersionKind(scheme, subresource)]);
  }
  const everywhere = (kind: string): GroupVersionKind[] => groupVersions.map((each) => ({ ...each, kind }));
  for (const schema of META_TYPES)
    if (named.has(schema.name))
      writer.struct(schema, [{ group: '', version: 'v1', kind: shortNameOf(schema) }]);
  if (named.has(VersionInfo.name)) writer.struct(VersionInfo);
  if (named.has(DeleteOptions.name)) writer.struct(DeleteOptions, everywhere('DeleteOptions'));
  if (named.has(PATCH)) writer.value(PATCH);
  if (named.has(WATCH_EVENT)) writer.watchEvent(everywhere('WatchEvent'));
  return writer.sorted();
}

/** A group version with the group as it is served, including the vocabulary's suffix. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** A kind at a group version. */
export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

/** Returns the served group, version and kind of a kind. */
export const groupVersionKind = (
  scheme: Scheme,
  of: Pick<AnyKind, 'group' | 'version' | 'kind'>,
): GroupVersionKind => ({
  group: scheme.vocabulary.group(of.group),
  version: of.version,
  kind: of.kind,
});

class Writer {
  readonly #vocabulary: Vocabulary;
  readonly #dialect: Dialect;
  readonly #definitions = new Map<string, OpenApiSchema>();
  readonly #pending: StructSchema[] = [];
  readonly #describer = createDescriber();

  constructor(vocabulary: Vocabulary, dialect: Dialect) {
    this.#vocabulary = vocabulary;
    this.#dialect = dialect;
  }

  sorted(): Definitions {
    const entries = [...this.#definitions].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries);
  }

  /**
   * Defines a struct and everything it refers to. Iterates over a queue, because references can be too deep
   * for recursion.
   */
  struct(schema: StructSchema, kinds?: readonly GroupVersionKind[]): void {
    this.#define(schema, kinds);
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) this.#define(next);
  }

  list(scheme: Scheme, kind: AnyKind): void {
    const gvk = groupVersionKind(scheme, kind);
    const metadata = this.#defaulted(this.#reference(ListMeta.name), {});
    this.#add(listNameOf(kind), {
      description: `A list of objects of kind ${kind.kind}.`,
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: { description: LIST.apiVersion, type: 'string' },
        items: {
          description: LIST.items(kind.plural),
          type: 'array',
          items: this.#defaulted(this.#reference(kind.schema.name), {}),
        },
        kind: { description: LIST.kind, type: 'string' },
        metadata: this.#described(metadata, LIST.metadata),
      },
      ...this.#kinds([{ ...gvk, kind: kind.listKind ?? `${gvk.kind}List` }]),
    });
    this.struct(ListMeta);
  }

  watchEvent(kinds: readonly GroupVersionKind[]): void {
    const object = this.#defaulted(this.#value(RAW_EXTENSION), {});
    this.#add(WATCH_EVENT, {
      description: 'A single change of a resource that is watched.',
      type: 'object',
      required: ['type', 'object'],
      properties: {
        object: this.#described(
          object,
          'The object after the change, or before its deletion; with type `ERROR` a Status.',
        ),
        type: this.#described(
          this.#defaulted({ type: 'string' }, ''),
          '`ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK` or `ERROR`.',
        ),
      },
      ...this.#kinds(kinds),
    });
  }

  /** Defines a named value that is not a struct. */
  value(name: string): void {
    const definition = valueDefinition(name, this.#dialect);
    if (definition !== undefined) this.#add(name, definition);
  }

  #kinds(kinds: readonly GroupVersionKind[]): OpenApiSchema {
    return { [this.#extension('group-version-kind')]: kinds };
  }

  #extension(name: string): `x-${string}` {
    return this.#vocabulary.extension(name) as `x-${string}`;
  }

  #add(name: string, schema: OpenApiSchema): void {
    this.#definitions.set(this.#vocabulary.definition(name), schema);
  }

  #define(schema: StructSchema, kinds?: readonly GroupVersionKind[]): void {
    const known = this.#definitions.get(this.#vocabulary.definition(schema.name));
    if (known !== undefined) {
      if (kinds !== undefined) Object.assign(known, this.#kinds(kinds));
      return;
    }
    const description = this.#describer.type(schema) ?? shortNameOf(schema);
    const definition: OpenApiSchema = { description, type: 'object' };
    this.#add(schema.name, definition);
    const fields = Object.entries<Field>(schema.fields).filter(([, { options }]) =>
      [undefined, this.#vocabulary.product].includes(options.product),
    );
    const required = fields.filter(
      ([, field]) => field.presence === 'required' && field.options.lenient !== true,
    );
    if (required.length > 0) definition.required = required.map(([name]) => name);
    if (fields.length > 0)
      definition.properties = sortedProperties(
        Object.fromEntries(
          fields.map(([name, field]) => [name, this.#field(field, this.#describer.field(schema, name))]),
        ),
      );
    if (schema.mapType !== undefined) definition[this.#extension('map-type')] = schema.mapType;
    if (schema.discriminator !== undefined)
      definition[this.#extension('unions')] = [unionOf(schema, schema.discriminator)];
    if (schema.root) this.#describeRoot(schema.root, definition);
    if (kinds !== undefined) Object.assign(definition, this.#kinds(kinds));
  }

  /** Describes a custom resource. The resource's description replaces the default description of its kind. */
  #describeRoot(root: Structural, definition: OpenApiSchema): void {
    const { choices } = this.#dialect;
    if (root.preserveUnknown && !choices) {
      // Version 2 cannot express additional properties together with declared properties, so all properties
      // are omitted.
      for (const keyword of Object.keys(definition)) Reflect.deleteProperty(definition, keyword);
      definition.type = 'object';
      return;
    }
    const own = describeStructural(root, { vocabulary: this.#vocabulary, choices }, () => {
      this.#pending.push(ObjectMeta);
      return this.#reference(ObjectMeta.name);
    });
    const properties = sortedProperties({ ...own.properties, ...definition.properties });
    if (own.description === undefined) delete definition.description;
    Object.assign(definition, own, { type: 'object', properties });
  }

  #field(field: Field, description: string | undefined): OpenApiSchema {
    const { options } = field;
    const schema = this.#defaulted(this.#schema(field.schema), defaultOf(field));
    this.#described(schema, description);
    if (options.listType !== undefined) schema[this.#extension('list-type')] = options.listType;
    if (options.listMapKeys !== undefined) schema[this.#extension('list-map-keys')] = options.listMapKeys;
    if (options.mapType !== undefined) schema[this.#extension('map-type')] = options.mapType;
    if (options.patchMergeKey !== undefined)
      schema[this.#extension('patch-merge-key')] = options.patchMergeKey;
    if (options.patchStrategy !== undefined)
      schema[this.#extension('patch-strategy')] = options.patchStrategy.join(',');
    return schema;
  }

  /**
   * Describes a list item or a map value, which always has a default. Like release 1.24, omits the values of
   * enumerations, which are listed only for fields (https://github.com/kubernetes/kube-openapi/issues/450).
   */
  #element(schema: Schema): OpenApiSchema {
    const element = this.#schema(schema);
    delete element.enum;
    return this.#defaulted(element, zeroOf(schema));
  }

  #defaulted(schema: OpenApiSchema, value: unknown): OpenApiSchema {
    if (value !== undefined && this.#dialect.defaults) this.#besides(schema).default = value;
    return schema;
  }

  #described(schema: OpenApiSchema, description: string | undefined): OpenApiSchema {
    if (description !== undefined) this.#besides(schema).description = description;
    return schema;
  }

  /**
   * Prepares a schema for keywords next to its reference. In version 3 this moves the reference into `allOf`.
   */
  #besides(schema: OpenApiSchema): OpenApiSchema {
    if (schema.$ref !== undefined && this.#dialect.wrapsReferences) {
      schema.allOf = [{ $ref: schema.$ref }];
      delete schema.$ref;
    }
    return schema;
  }

  #schema(schema: Schema): OpenApiSchema {
    const resolved = resolve(schema);
    switch (resolved.kind) {
      case 'scalar':
        return this.#scalar(resolved);
      case 'array':
        return { type: 'array', items: this.#element((resolved as ArraySchema).items) };
      case 'map':
        return { type: 'object', additionalProperties: this.#element((resolved as MapSchema).values) };
      case 'any':
        return resolved.json === true && resolved.name === undefined
          ? {}
          : this.#value(resolved.name ?? RAW_EXTENSION);
      case 'either':
        this.#pending.push(resolve(resolved.struct) as StructSchema);
        return this.#value(resolved.name);
      case 'struct':
        this.#pending.push(resolved);
        return this.#reference(resolved.name);
    }
  }

  #value(name: string): OpenApiSchema {
    this.value(name);
    return this.#reference(name);
  }

  #reference(name: string): OpenApiSchema {
    return { $ref: `${this.#dialect.refPrefix}${this.#vocabulary.definition(name)}` };
  }

  #scalar({ format, enum: values, open = false }: ScalarSchema): OpenApiSchema {
    const named = NAMED_SCALARS[format];
    if (named !== undefined) return this.#value(named);
    switch (format) {
      case 'boolean':
        return { type: 'boolean' };
      case 'int32':
      case 'int64':
        return { type: 'integer', format };
      case 'double':
        return { type: 'number', format };
      case 'bytes':
        return { type: 'string', format: 'byte' };
      default:
        return values === undefined || open ? { type: 'string' } : { type: 'string', enum: values };
    }
  }
}

/** Returns the short name of a type, the default of its description. */
const shortNameOf = ({ name }: StructSchema): string => name.slice(name.lastIndexOf('.') + 1);

const unionOf = ({ fields }: StructSchema, discriminator: string): object => ({
  discriminator,
  'fields-to-discriminateBy': Object.fromEntries(
    Object.keys(fields)
      .filter((name) => name !== discriminator)
      .map((name) => [name, capital(name)]),
  ),
});
