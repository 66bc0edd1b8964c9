import type { Enabled } from '../features/features.ts';
import type { Int64 } from '../schema/exact-json.ts';
import type { StructSchema } from '../schema/schema.ts';
import type { FieldErrors } from '../status/field-errors.ts';
import type { ObjectMeta } from '../types/meta-v1.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import { type KindPolicy, USUAL_POLICY } from './policy.ts';

/** Members that every API object has. */
export interface ApiObject {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
}

/** Deeply read-only view of a type. Functions are left as they are. */
export type DeepReadonly<T> = T extends (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends (...parameters: never[]) => unknown
    ? T
    : T extends object
      ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
      : T;

/**
 * All members of a type, each required but possibly undefined. `satisfies Whole<T>` then reports a forgotten
 * member.
 */
export type Whole<T> = { readonly [K in keyof T]-?: T[K] | undefined };

/** Verbs of a request, as authorization names them. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** The user of a request, after authentication and impersonation. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
}

/** Everything a strategy may read besides the object. It has no access to the store or the request. */
export interface StrategyContext {
  readonly vocabulary: Vocabulary;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly user: UserInfo;
  readonly enabled: Enabled;
}

/**
 * Pure hooks of a kind in the generic write path. The registry owns the order: decode → default → mutating
 * admission → prepare → validate → warn → validating admission → store. It also prepares and validates the
 * generic metadata.
 */
export interface Strategy<T extends ApiObject = ApiObject> {
  /**
   * Sets, in place, the defaults that depend on other fields or on the vocabulary. Runs after the schema's
   * defaults.
   */
  defaults?(object: T, context: StrategyContext): void;
  /** Clears or sets, in place, the fields that the creator may not choose: status and server-set fields. */
  prepareForCreate?(next: T, context: StrategyContext): void;
  /** Restores, in place, the fields that an update silently ignores, such as status on the main resource. */
  prepareForUpdate?(next: T, previous: DeepReadonly<T>, context: StrategyContext): void;
  validate?(next: DeepReadonly<T>, context: StrategyContext): FieldErrors;
  /** True if upstream runs the same rules twice on an update, so that each error is reported twice. */
  readonly validatesChangeToo?: boolean;
  /** Runs after `validate` on a create; rules for new objects only. */
  validateCreate?(next: DeepReadonly<T>, context: StrategyContext): FieldErrors;
  /** Runs after `validate` on an update: immutable fields and transitions. */
  validateUpdate?(next: DeepReadonly<T>, previous: DeepReadonly<T>, context: StrategyContext): FieldErrors;
  /** Returns texts for `Warning` response headers. */
  warnings?(
    next: DeepReadonly<T>,
    previous: DeepReadonly<T> | undefined,
    context: StrategyContext,
  ): readonly string[];
}

/** Metadata that a subresource can preserve. */
export type KeptMetadata = 'labels' | 'annotations' | 'finalizers' | 'ownerReferences' | 'deletionTimestamp';

/** A subresource that reads and writes other fields of the same object: status, approval. */
export interface ObjectSubresource<T extends ApiObject = ApiObject> {
  readonly verbs: readonly ('get' | 'update' | 'patch')[];
  /**
   * Metadata fields that `prepareForUpdate` restores. A write here gives no field manager ownership of them.
   */
  readonly keptMetadata?: readonly KeptMetadata[];
  prepareForUpdate(next: T, previous: DeepReadonly<T>, context: StrategyContext): void;
  validateUpdate?(next: DeepReadonly<T>, previous: DeepReadonly<T>, context: StrategyContext): FieldErrors;
}

/** A subresource with a separate kind, answered by a module of the API server: token, eviction, binding. */
export interface VirtualSubresource {
  readonly verbs: readonly Verb[];
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: StructSchema;
  /** Other versions of the same kind that a request body may have. */
  readonly otherVersions?: readonly { readonly version: string; readonly schema: StructSchema }[];
  /**
   * Rules for its handler's updates of the parent object under this subresource's name. Clients cannot make
   * such updates.
   */
  readonly writes?: ObjectSubresource;
  /** All columns of its Table. Without them, a request for a Table receives the plain object. */
  readonly columns?: readonly Column[];
  /** Accessors of the replica counts; default `spec.replicas` and `status.replicas`. */
  readonly scale?: ScaleAccess;
  /** True if its objects are secret; see `Kind.confidential`. Default false. */
  readonly confidential?: boolean;
}

/** Accessors by which the `scale` subresource reads and writes an object. */
export interface ScaleAccess {
  /** Path of the wanted replicas in error messages: `.spec.replicas`. */
  readonly specPath: string;
  /** Returns undefined for values that the object lacks. `selector` is a label query such as `app=web`. */
  read(object: object): {
    readonly specReplicas: number | undefined;
    readonly statusReplicas: number | undefined;
    readonly selector: string | undefined;
  };
  /** Sets the wanted replicas, in place. */
  write(object: object, replicas: number): void;
}

/** A subresource of either kind; `isVirtualSubresource` distinguishes them. */
export type Subresource<T extends ApiObject = ApiObject> = ObjectSubresource<T> | VirtualSubresource;

/** A subresource to connect to, such as exec or proxy. Its options come from the query string. */
export interface Connection {
  /** Kind of the options object, in the group and version of the resource. */
  readonly kind: string;
  readonly schema: StructSchema;
  /** Verbs that are accepted; each allows the HTTP methods it stands for. */
  readonly verbs: readonly Verb[];
  /** True if the connection of the request becomes a stream. */
  readonly upgrades: boolean;
  /** True if the request is authorized as a read and skips admission, as `log` is. Default false. */
  readonly reads?: boolean;
}

/** One column of a kind's Table. */
export interface Column<T extends ApiObject = ApiObject> {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** `name`, or the number format that a custom resource's column states. */
  readonly format?: string;
  /** 0 (default) is always shown, 1 with `-o wide`. */
  readonly priority?: number;
  /**
   * Description; `{domain}`, `{groupSuffix}`, `{product}`, `{Product}` and `{short}` are replaced by words of
   * the vocabulary.
   */
  readonly description?: string;
  readonly cell: (object: DeepReadonly<T>, nowMs: number) => string | Int64 | boolean | null;
}

/** One kind at one version: the data from which all its endpoints are served. */
export interface Kind<T extends ApiObject = ApiObject> {
  /** Group without the vocabulary's suffix: '', 'batch', 'certificates', 'rbac.authorization'. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Kind of a list; default `kind` followed by `List`. */
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
  /** Subresources to connect to, by name. */
  readonly connections?: { readonly [name: string]: Connection } | undefined;
  /**
   * All columns of the Table in order, Name included. Empty for the default pair, `Name` and `Created At`.
   */
  readonly columns: readonly Column<T>[];
  /** Compares two rows of a list's Table. Equal rows keep the order of the list; default: all rows do. */
  readonly rowOrder?: ((one: DeepReadonly<T>, other: DeepReadonly<T>) => number) | undefined;
  /** Field selectors besides metadata.name and metadata.namespace. */
  readonly selectableFields: { readonly [path: string]: (object: DeepReadonly<T>) => string };
  /** Kind that the error for an unknown field selector names; default none. */
  readonly selectorKind?: string | undefined;
  /** Syntax of a name; default an RFC 1123 subdomain. */
  readonly nameRule: NameRule;
  /** True if finalizers need no domain, as for custom resources; default false. */
  readonly anyFinalizer?: boolean | undefined;
  /** Group that errors about its objects name; default its group as the vocabulary writes it. */
  readonly errorGroup?: string | undefined;
  /** True if its objects are secret: no message shows a value and no audit event a body. Default false. */
  readonly confidential?: boolean | undefined;
  /** True if `metadata.generation` counts the changes of `spec`. */
  readonly generation: boolean;
  /** True if objects are answered at once and never stored: TokenReview, access reviews. */
  readonly virtual: boolean;
  /** Conversion to the stored version; undefined if this version is the stored one. */
  readonly storage?: StoredAs | undefined;
  readonly deprecated?: Deprecation | undefined;
  /**
   * True while its definition is being deleted: objects can be read, changed and deleted, but not created.
   */
  readonly terminating?: boolean | undefined;
}

/** Returns the kind at the version in which its objects are stored. */
export const storedKindOf = (kind: Kind<never>): Kind<never> => kind.storage?.kind ?? kind;

/** Everything a conversion may read besides the object. */
export interface ConversionContext {
  readonly vocabulary: Vocabulary;
}

/**
 * Conversion between a version of a kind and the stored version.
 *
 * All versions of a kind share the stored version's keys and watch cache, so a write through one version is
 * visible through all others at once. Reads and watches at the stored version send the stored bytes; at
 * another version each object is converted on its way out, and back on its way in.
 *
 * Both functions are pure, leave their argument unchanged and are inverse to each other: a round trip loses
 * nothing. The `kind` and `apiVersion` of their results are ignored. `defineVersion` in `api/conversion`
 * declares such a kind.
 */
export interface StoredAs {
  readonly kind: Kind<never>;
  toStorage(object: DeepReadonly<never>, context: ConversionContext): ApiObject;
  fromStorage(object: DeepReadonly<never>, context: ConversionContext): ApiObject;
}

/**
 * Deprecation of a version. Each request for it is answered with a warning and counted, as in
 * https://kubernetes.io/docs/reference/using-api/deprecation-policy/.
 */
export interface Deprecation {
  /**
   * Complete warning text. Default: composed from the other members; only custom resources state their own.
   */
  readonly warning?: string;
  /** Release of the deprecation, such as `1.21`; '' for a custom resource. */
  readonly since: string;
  /** First release without this version; undefined if none is planned. */
  readonly removedRelease?: string;
  readonly replacement?: { readonly group: string; readonly version: string; readonly kind: string };
}

/** Syntax that a kind requires of names. */
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
 * Declares a kind, filling in defaults. `T` is the static type of its objects. The result always has all
 * members: engines run code faster on objects of one shape.
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

/**
 * Returns the strategy with all members present, as undefined where it lacks them, so that all strategies
 * have one shape.
 */
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

/** True if the subresource has a separate kind. */
export const isVirtualSubresource = (subresource: Subresource<never>): subresource is VirtualSubresource =>
  'schema' in subresource;

/** True if the objects of a kind, or those that the named subresource accepts and returns, are secret. */
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
