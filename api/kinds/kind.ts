import type { Enabled } from '../features/features.ts';
import type { Int64 } from '../schema/exact-json.ts';
import type { StructSchema } from '../schema/schema.ts';
import type { FieldErrors } from '../status/field-errors.ts';
import type { ObjectMeta } from '../types/meta-v1.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import { type KindPolicy, USUAL_POLICY } from './policy.ts';

/** What every API object has. */
export interface ApiObject {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
}

export type DeepReadonly<T> = T extends (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends (...parameters: never[]) => unknown
    ? T
    : T extends object
      ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
      : T;

/** Every member given, as undefined where it is absent: what is checked against this forgets none. */
export type Whole<T> = { readonly [K in keyof T]-?: T[K] | undefined };

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** Who makes a request, as authentication (or impersonation) found it. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
}

/** What a strategy may know besides the object: no store, no request. */
export interface StrategyContext {
  readonly vocabulary: Vocabulary;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly user: UserInfo;
  readonly enabled: Enabled;
}

/**
 * What a kind adds to the generic write path; pure. The registry owns the order: decode → default → mutating
 * admission → prepare → validate → warn → validating admission → store.
 * Generic metadata is prepared and validated by the registry, not here.
 */
export interface Strategy<T extends ApiObject = ApiObject> {
  /** Defaults that depend on other fields or on the vocabulary, after those in the schema. In place. */
  defaults?(object: T, context: StrategyContext): void;
  /** Clears and sets what a creator may not: status, server-set fields. In place. */
  prepareForCreate?(next: T, context: StrategyContext): void;
  /** Carries over what an update may not change silently (status on the main resource). In place. */
  prepareForUpdate?(next: T, previous: DeepReadonly<T>, context: StrategyContext): void;
  validate?(next: DeepReadonly<T>, context: StrategyContext): FieldErrors;
  /** Whether upstream runs the same rules once more for the change, and so answers an update with each complaint twice. */
  readonly validatesChangeToo?: boolean;
  /** Runs after `validate` on a creation: what is asked of new objects alone. */
  validateCreate?(next: DeepReadonly<T>, context: StrategyContext): FieldErrors;
  /** Runs after `validate` on an update: immutable fields and transitions. */
  validateUpdate?(next: DeepReadonly<T>, previous: DeepReadonly<T>, context: StrategyContext): FieldErrors;
  /** Texts for `Warning` response headers. */
  warnings?(
    next: DeepReadonly<T>,
    previous: DeepReadonly<T> | undefined,
    context: StrategyContext,
  ): readonly string[];
}

export type KeptMetadata = 'labels' | 'annotations' | 'finalizers' | 'ownerReferences' | 'deletionTimestamp';

/** A subresource that reads and writes the object itself, only other fields of it: status, approval. */
export interface ObjectSubresource<T extends ApiObject = ApiObject> {
  readonly verbs: readonly ('get' | 'update' | 'patch')[];
  /** Fields of the metadata that `prepareForUpdate` sets back: nobody comes to own them by a write here. */
  readonly keptMetadata?: readonly KeptMetadata[];
  prepareForUpdate(next: T, previous: DeepReadonly<T>, context: StrategyContext): void;
  validateUpdate?(next: DeepReadonly<T>, previous: DeepReadonly<T>, context: StrategyContext): FieldErrors;
}

/** A subresource with a kind of its own that an API server module answers: token, eviction, binding. */
export interface VirtualSubresource {
  readonly verbs: readonly Verb[];
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: StructSchema;
  /** Versions of the same kind whose bodies are taken too. */
  readonly otherVersions?: readonly { readonly version: string; readonly schema: StructSchema }[];
  /** How its handler may write the object itself, by an update of this subresource; clients cannot. */
  readonly writes?: ObjectSubresource;
  /** All columns of its Table; without them it is written as itself where a Table is asked for. */
  readonly columns?: readonly Column[];
  /** Where a kind has its numbers that does not keep them in `spec.replicas` and `status.replicas`. */
  readonly scale?: ScaleAccess;
  /** True if its objects are secret, as `Kind.confidential`. Default false. */
  readonly confidential?: boolean;
}

/** How `scale` of a kind reads and writes an object. */
export interface ScaleAccess {
  /** Where the wanted replicas lie, as messages name it: `.spec.replicas`. */
  readonly specPath: string;
  /** Undefined: not there. `selector` is a query such as `app=web`. */
  read(object: object): {
    readonly specReplicas: number | undefined;
    readonly statusReplicas: number | undefined;
    readonly selector: string | undefined;
  };
  /** In place. */
  write(object: object, replicas: number): void;
}

export type Subresource<T extends ApiObject = ApiObject> = ObjectSubresource<T> | VirtualSubresource;

/** A subresource that is neither read nor written but connected to: exec, proxy. What is asked for is in its query. */
export interface Connection {
  /** Of the options, in the group and version of the resource. */
  readonly kind: string;
  readonly schema: StructSchema;
  /** What the methods stand for that it can be asked with. */
  readonly verbs: readonly Verb[];
  /** The connection of the request becomes a stream. */
  readonly upgrades: boolean;
  /** No CONNECT but a read of the object, whose kind it is shown by: admission is not asked. Default false. */
  readonly reads?: boolean;
}

export interface Column<T extends ApiObject = ApiObject> {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** `name`, or what a custom resource's column says of its number. */
  readonly format?: string;
  /** 0 (default) is always shown, 1 with `-o wide`. */
  readonly priority?: number;
  /** In which `{domain}`, `{groupSuffix}`, `{product}`, `{Product}` and `{short}` stand for words of the vocabulary. */
  readonly description?: string;
  readonly cell: (object: DeepReadonly<T>, nowMs: number) => string | Int64 | boolean | null;
}

/** One kind at one version: data from which everything served about it comes. */
export interface Kind<T extends ApiObject = ApiObject> {
  /** Without the vocabulary's suffix: '', 'batch', 'certificates', 'rbac.authorization'. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Default `kind` and `List`. */
  readonly listKind?: string | undefined;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly schema: StructSchema;
  readonly strategy: Strategy<T>;
  /** Policy of the write path besides the strategy. All versions of a kind share it. */
  readonly policy: KindPolicy;
  readonly subresources: { readonly [name: string]: Subresource<T> };
  /** Subresources that are connected to. */
  readonly connections?: { readonly [name: string]: Connection } | undefined;
  /** All columns of the kind's Table, Name among them, in order; empty for the usual two, `Name` and `Created At`. */
  readonly columns: readonly Column<T>[];
  /** Compares two rows of the Table of a list; default as they stand in the list, as do rows that are equal by this. */
  readonly rowOrder?: ((one: DeepReadonly<T>, other: DeepReadonly<T>) => number) | undefined;
  /** Field selectors besides metadata.name and metadata.namespace. */
  readonly selectableFields: { readonly [path: string]: (object: DeepReadonly<T>) => string };
  /** Kind that the refusal of an unknown field selector names; default none. */
  readonly selectorKind?: string | undefined;
  /** How a name must look; default an RFC 1123 subdomain. */
  readonly nameRule: NameRule;
  /** A finalizer needs no domain, as of custom resources; default false. */
  readonly anyFinalizer?: boolean | undefined;
  /** Group that refusals of its objects name; default its own, as the vocabulary writes it. */
  readonly errorGroup?: string | undefined;
  /** True if its objects are secret: no message shows a value of one, no audit event a body. Default false. */
  readonly confidential?: boolean | undefined;
  /** `metadata.generation` counts changes of `spec`. */
  readonly generation: boolean;
  /** Not stored: a review that is answered at once (TokenReview, access reviews). */
  readonly virtual: boolean;
  /** Undefined: stored as it is. */
  readonly storage?: StoredAs | undefined;
  readonly deprecated?: Deprecation | undefined;
  /** Its definition is being deleted: what there is can be read, changed and deleted, but nothing made. */
  readonly terminating?: boolean | undefined;
}

/** The kind at the version in which its objects are kept: itself unless it says otherwise. */
export const storedKindOf = (kind: Kind<never>): Kind<never> => kind.storage?.kind ?? kind;

/** What conversion may know besides the object. */
export interface ConversionContext {
  readonly vocabulary: Vocabulary;
}

/**
 * How a version of a kind is kept that is not the version stored. All versions of one kind share the stored one's keys
 * and its watch cache: whatever is written through one is there for all others at once. Reads and watches at the stored
 * version send the stored bytes; at any other version each object is converted on its way out, and back on its way in.
 * Both functions are pure, leave their argument as it is and are inverse to each other: nothing may be lost on the way
 * to storage and back. `kind` and `apiVersion` of what they return are not looked at.
 * `defineVersion` in `api/conversion` declares such a kind with what it has in common with the stored one.
 */
export interface StoredAs {
  readonly kind: Kind<never>;
  toStorage(object: DeepReadonly<never>, context: ConversionContext): ApiObject;
  fromStorage(object: DeepReadonly<never>, context: ConversionContext): ApiObject;
}

/** Each request for a deprecated version is answered with a warning and counted (specification 1, sections 4.9, 9.3). */
export interface Deprecation {
  /** The whole text of the warning, where it is not made of the rest: a custom resource's. */
  readonly warning?: string;
  /** Release, such as `1.21`; '' of a custom resource. */
  readonly since: string;
  /** First release without this version; undefined: none is known. */
  readonly removedRelease?: string;
  readonly replacement?: { readonly group: string; readonly version: string; readonly kind: string };
}

export type NameRule = 'subdomain' | 'label' | 'dns-1035-label' | 'path-segment';

type KindOptional =
  | 'singular'
  | 'shortNames'
  | 'categories'
  | 'verbs'
  | 'strategy'
  | 'subresources'
  | 'columns'
  | 'selectableFields'
  | 'nameRule'
  | 'generation'
  | 'virtual';

const ALL_VERBS: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

/**
 * Declares a kind; what is left out has the usual value. `T` is the static type of its objects. All members are given,
 * so that kinds have one shape.
 */
export function defineKind<T extends ApiObject>(
  declared: Omit<Kind<T>, KindOptional | 'policy'> &
    Partial<Pick<Kind<T>, KindOptional>> & { readonly policy?: Partial<KindPolicy> },
): Kind<T> {
  return {
    group: declared.group,
    version: declared.version,
    kind: declared.kind,
    listKind: declared.listKind,
    plural: declared.plural,
    singular: declared.singular ?? '',
    shortNames: declared.shortNames ?? [],
    categories: declared.categories ?? [],
    namespaced: declared.namespaced,
    verbs: declared.verbs ?? (declared.virtual ? ['create'] : ALL_VERBS),
    schema: declared.schema,
    strategy: wholeStrategy(declared.strategy ?? {}),
    policy: declared.policy ? { ...USUAL_POLICY, ...declared.policy } : USUAL_POLICY,
    subresources: declared.subresources ?? {},
    connections: declared.connections,
    columns: declared.columns ?? [],
    rowOrder: declared.rowOrder,
    selectableFields: declared.selectableFields ?? {},
    selectorKind: declared.selectorKind,
    nameRule: declared.nameRule ?? 'subdomain',
    anyFinalizer: declared.anyFinalizer,
    errorGroup: declared.errorGroup,
    confidential: declared.confidential,
    generation: declared.generation ?? false,
    virtual: declared.virtual ?? false,
    storage: declared.storage,
    deprecated: declared.deprecated,
    terminating: declared.terminating,
  } satisfies Whole<Kind<T>>;
}

/** The same with all members, also those that it lacks: strategies of all kinds then have one shape. */
export const wholeStrategy = <T extends ApiObject>(strategy: Strategy<T>): Strategy<T> =>
  ({
    defaults: strategy.defaults,
    prepareForCreate: strategy.prepareForCreate,
    prepareForUpdate: strategy.prepareForUpdate,
    validate: strategy.validate,
    validatesChangeToo: strategy.validatesChangeToo,
    validateCreate: strategy.validateCreate,
    validateUpdate: strategy.validateUpdate,
    warnings: strategy.warnings,
  }) satisfies Whole<Strategy<T>> as Strategy<T>;

export const isVirtualSubresource = (subresource: Subresource<never>): subresource is VirtualSubresource =>
  'schema' in subresource;

/** True if the objects of a kind, or those that a subresource of it takes and returns, are secret. */
export function isConfidential(kind: ConfidentialParts | undefined, subresource = ''): boolean {
  if (kind?.confidential === true) return true;
  const found =
    kind && Object.hasOwn(kind.subresources, subresource) ? kind.subresources[subresource] : undefined;
  return found !== undefined && isVirtualSubresource(found) && found.confidential === true;
}

interface ConfidentialParts {
  readonly confidential?: boolean | undefined;
  readonly subresources: { readonly [name: string]: Subresource<never> };
}

/** The static type of a kind's objects. */
export type ObjectOf<K> = K extends Kind<infer T> ? T : never;
