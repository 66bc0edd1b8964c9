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
import { DeleteOptions, ListMeta, ObjectMeta, Status } from '../types/meta-v1.ts';
import { createDescriber } from './descriptions/descriptions.ts';
import { LIST } from './descriptions/shared.ts';
import { describeStructural, sortedProperties } from './structural.ts';
import type { Structural } from '../structural/structural.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';

/** A JSON Schema, as OpenAPI writes one. */
export interface OpenApiSchema {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  default?: unknown;
  enum?: readonly unknown[];
  required?: string[];
  properties?: Record<string, OpenApiSchema>;
  items?: OpenApiSchema;
  additionalProperties?: OpenApiSchema;
  allOf?: OpenApiSchema[];
  oneOf?: OpenApiSchema[];
  /** What follows is said of custom resources alone. */
  title?: string;
  maximum?: number;
  exclusiveMaximum?: boolean;
  minimum?: number;
  exclusiveMinimum?: boolean;
  maxLength?: number;
  minLength?: number;
  pattern?: string;
  maxItems?: number;
  minItems?: number;
  uniqueItems?: boolean;
  multipleOf?: number;
  maxProperties?: number;
  minProperties?: number;
  [extension: `x-${string}`]: unknown;
}

/** Names of a type, sorted by name. */
export type Definitions = Record<string, OpenApiSchema>;

/** Named scalars: by the schema's format, the definition's name. */
const SCALARS = {
  time: 'apimachinery.pkg.apis.meta.v1.Time',
  'micro-time': 'apimachinery.pkg.apis.meta.v1.MicroTime',
  duration: 'apimachinery.pkg.apis.meta.v1.Duration',
  quantity: 'apimachinery.pkg.api.resource.Quantity',
  'int-or-string': 'apimachinery.pkg.util.intstr.IntOrString',
} as const;

const PATCH = 'apimachinery.pkg.apis.meta.v1.Patch';
export const WATCH_EVENT = 'apimachinery.pkg.apis.meta.v1.WatchEvent';
const RAW_EXTENSION = 'apimachinery.pkg.runtime.RawExtension';

/** How the two versions of OpenAPI differ. */
export interface Dialect {
  /** `#/definitions/` or `#/components/schemas/`. */
  readonly refPrefix: string;
  /** A reference beside which a description or default stands: version 2 puts them side by side, version 3 may not. */
  readonly wrapsReferences: boolean;
  /** Values with two JSON types are written as a choice. */
  readonly choices: boolean;
}

export const VERSION_2: Dialect = { refPrefix: '#/definitions/', wrapsReferences: false, choices: false };
export const VERSION_3: Dialect = {
  refPrefix: '#/components/schemas/',
  wrapsReferences: true,
  choices: true,
};

/** The name of the list type of a kind, without the vocabulary's prefix. */
export const listNameOf = ({ schema, listKind }: AnyKind): string =>
  listKind === undefined
    ? `${schema.name}List`
    : `${schema.name.slice(0, schema.name.lastIndexOf('.') + 1)}${listKind}`;

/** The definitions that the given kinds need: their types, their lists, and all that these refer to. */
export function definitionsOf(scheme: Scheme, kinds: readonly AnyKind[], dialect: Dialect): Definitions {
  const writer = new Writer(scheme.vocabulary, dialect);
  for (const kind of kinds) {
    writer.struct(kind.schema, groupVersionKind(scheme, kind));
    if (kind.verbs.includes('list')) writer.list(scheme, kind);
    for (const subresource of Object.values<Subresource<never>>(kind.subresources))
      if (isVirtualSubresource(subresource))
        writer.struct(subresource.schema, groupVersionKind(scheme, subresource));
  }
  writer.struct(Status, { group: '', version: 'v1', kind: 'Status' });
  writer.struct(DeleteOptions, { group: '', version: 'v1', kind: 'DeleteOptions' });
  writer.patch();
  writer.watchEvent();
  return writer.sorted();
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

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

  /** Defines a struct and, one after the other rather than in depth, everything it refers to. */
  struct(schema: StructSchema, gvk?: GroupVersionKind): void {
    this.#define(schema, gvk);
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) this.#define(next);
  }

  list(scheme: Scheme, kind: AnyKind): void {
    const gvk = groupVersionKind(scheme, kind);
    this.#add(listNameOf(kind), {
      description: `A list of objects of kind ${kind.kind}.`,
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: { description: LIST.apiVersion, type: 'string' },
        items: {
          description: LIST.items(kind.plural),
          type: 'array',
          items: this.#reference(kind.schema.name),
        },
        kind: { description: LIST.kind, type: 'string' },
        metadata: this.#described(this.#reference(ListMeta.name), LIST.metadata),
      },
      ...this.#gvk({ ...gvk, kind: kind.listKind ?? `${gvk.kind}List` }),
    });
    this.struct(ListMeta);
  }

  patch(): void {
    this.#add(PATCH, {
      description: 'A change of an object, in one of the media types for patches.',
      type: 'object',
    });
  }

  watchEvent(): void {
    this.#add(RAW_EXTENSION, { description: 'An object of any kind.', type: 'object' });
    this.#add(WATCH_EVENT, {
      description: 'A single change of a resource that is watched.',
      type: 'object',
      required: ['type', 'object'],
      properties: {
        object: this.#described(
          this.#reference(RAW_EXTENSION),
          'The object after the change, or before its deletion; with type `ERROR` a Status.',
        ),
        type: {
          description: '`ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK` or `ERROR`.',
          type: 'string',
        },
      },
    });
  }

  #gvk(gvk: GroupVersionKind): OpenApiSchema {
    return { [this.#extension('group-version-kind')]: [gvk] };
  }

  #extension(name: string): `x-${string}` {
    return this.#vocabulary.extension(name) as `x-${string}`;
  }

  #add(name: string, schema: OpenApiSchema): void {
    this.#definitions.set(this.#vocabulary.definition(name), schema);
  }

  #define(schema: StructSchema, gvk?: GroupVersionKind): void {
    const known = this.#definitions.get(this.#vocabulary.definition(schema.name));
    if (known !== undefined) {
      if (gvk !== undefined) Object.assign(known, this.#gvk(gvk));
      return;
    }
    const description = this.#describer.type(schema) ?? shortNameOf(schema);
    const definition: OpenApiSchema = { description, type: 'object' };
    this.#add(schema.name, definition);
    const fields = Object.entries<Field>(schema.fields)
      .filter(([, { options }]) => [undefined, this.#vocabulary.product].includes(options.product))
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const required = fields.filter(
      ([, field]) => field.presence === 'required' && field.options.lenient !== true,
    );
    if (required.length > 0) definition.required = required.map(([name]) => name);
    if (fields.length > 0)
      definition.properties = Object.fromEntries(
        fields.map(([name, field]) => [name, this.#field(field, this.#describer.field(schema, name))]),
      );
    if (schema.mapType !== undefined) definition[this.#extension('map-type')] = schema.mapType;
    if (schema.root) this.#describeRoot(schema.root, definition);
    if (gvk !== undefined) Object.assign(definition, this.#gvk(gvk));
  }

  /** A custom resource: what it says of itself takes the place of what its kind is called. */
  #describeRoot(root: Structural, definition: OpenApiSchema): void {
    const { choices } = this.#dialect;
    if (root.preserveUnknown && !choices) {
      // Version 2 cannot say that more is allowed than is said, so nothing may be said.
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
    const schema = this.#described(this.#schema(field.schema), description);
    if (options.default !== undefined) this.#besides(schema).default = options.default;
    if (options.listType !== undefined) schema[this.#extension('list-type')] = options.listType;
    if (options.listMapKeys !== undefined) schema[this.#extension('list-map-keys')] = options.listMapKeys;
    if (options.mapType !== undefined) schema[this.#extension('map-type')] = options.mapType;
    if (options.patchMergeKey !== undefined)
      schema[this.#extension('patch-merge-key')] = options.patchMergeKey;
    if (options.patchStrategy !== undefined)
      schema[this.#extension('patch-strategy')] = options.patchStrategy.join(',');
    return schema;
  }

  #described(schema: OpenApiSchema, description: string | undefined): OpenApiSchema {
    if (description !== undefined) this.#besides(schema).description = description;
    return schema;
  }

  /** Where something beside a reference is written: version 3 moves the reference into `allOf`. */
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
        return { type: 'array', items: this.#schema((resolved as ArraySchema).items) };
      case 'map':
        return { type: 'object', additionalProperties: this.#schema((resolved as MapSchema).values) };
      case 'any':
        return resolved.json === true ? {} : { type: 'object' };
      case 'either':
        this.#pending.push(resolve(resolved.struct) as StructSchema);
        return {};
      case 'struct':
        this.#pending.push(resolved);
        return this.#reference(resolved.name);
    }
  }

  #reference(name: string): OpenApiSchema {
    return { $ref: `${this.#dialect.refPrefix}${this.#vocabulary.definition(name)}` };
  }

  #scalar({ format, enum: values }: ScalarSchema): OpenApiSchema {
    const named = SCALARS[format as keyof typeof SCALARS];
    if (named !== undefined) {
      this.#add(named, this.#namedScalar(format as keyof typeof SCALARS));
      return this.#reference(named);
    }
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
        return values === undefined ? { type: 'string' } : { type: 'string', enum: values };
    }
  }

  #namedScalar(format: keyof typeof SCALARS): OpenApiSchema {
    switch (format) {
      case 'time':
      case 'micro-time':
        return { description: 'A point in time (RFC 3339), in UTC.', type: 'string', format: 'date-time' };
      case 'duration':
        return { description: 'A length of time, such as `1h30m`.', type: 'string' };
      case 'quantity':
        return this.#choice('A fixed-point number with a unit suffix, such as `500m` or `1Gi`.', [
          'string',
          'number',
        ]);
      case 'int-or-string':
        return {
          ...this.#choice('A number or a string.', ['integer', 'string']),
          format: 'int-or-string',
        };
    }
  }

  #choice(description: string, types: readonly string[]): OpenApiSchema {
    return this.#dialect.choices
      ? { description, oneOf: types.map((type) => ({ type })) }
      : { description, type: 'string' };
  }
}

/** A type of which nothing more is known is described by its name. */
const shortNameOf = ({ name }: StructSchema): string => name.slice(name.lastIndexOf('.') + 1);
