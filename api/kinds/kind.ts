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

/** Deeply read-only view of a type. Function types are not changed. */
export type DeepReadonly<T> = T extends (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends (...parameters: never[]) => unknown
    ? T
    : T extends object
      ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
      : T;

/**
 * The members of a type, each required but possibly undefined, so that `satisfies Whole<T>` reports a
 * forgotten member.
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

/**
 * Data that a strategy's hooks may read in addition to the object. Hooks have no access to the store or the
 * request.
 */
export interface StrategyContext {
  readonly vocabulary: Vocabulary;
  /** Current time, in milliseconds since the epoch. */
  readonly nowMs: number;
  readonly user: UserInfo;
  readonly enabled: Enabled;
}

/**
 * Pure hooks of a kind in the generic write path. The registry defines the order of the steps: decode →
 * default → mutating admission → prepare → validate → warn → validating admission → store. The registry also
 * prepares and validates the generic metadata.
 */
export interface Strategy<T extends ApiObject = ApiObject> {
  /**
   * Sets, in place, the defaults that depend on other fields or on the vocabulary. Runs after the defaults of
   * the schema.
   */
  defaults?(object: T, context: StrategyContext): void;
  /** Clears or sets, in place, the fields that the creator may not choose: status and server-set fields. */
  prepareForCreate?(next: T, context: StrategyContext): void;
  /** Restores, in place, the fields that an update silently ignores, such as status on the main resource. */
  prepareForUpdate?(next: T, previous: DeepReadonly<T>, context: StrategyContext): void;
  validate?(next: DeepReadonly<T>, context: StrategyContext): FieldErrors;
  /**
   * True if upstream runs the same rules twice on an update, so that each error occurs twice in the response.
   */
  readonly validatesChangeToo?: boolean;
  /** Runs after `validate` on a create, for rules that apply only to new objects. */
  validateCreate?(next: DeepReadonly<T>, context: StrategyContext): FieldErrors;
  /** Runs after `validate` on an update, for immutable fields and forbidden transitions. */
  validateUpdate?(next: DeepReadonly<T>, previous: DeepReadonly<T>, context: StrategyContext): FieldErrors;
  /** Returns the messages for `Warning` response headers. */
  warnings?(
    next: DeepReadonly<T>,
    previous: DeepReadonly<T> | undefined,
    context: StrategyContext,
  ): readonly string[];
}

/** Names of the metadata fields that a subresource can preserve. */
export type PreservedMetadata =
  'labels' | 'annotations' | 'finalizers' | 'ownerReferences' | 'deletionTimestamp';

/** A subresource that reads and writes other fields of the same object, such as `status` or `approval`. */
export interface ObjectSubresource<T extends ApiObject = ApiObject> {
  readonly verbs: readonly ('get' | 'update' | 'patch')[];
  /**
   * Metadata fields that `prepareForUpdate` restores. A write through the subresource gives no field manager
   * ownership of these fields.
   */
  readonly preservedMetadata?: readonly PreservedMetadata[];
  prepareForUpdate(next: T, previous: DeepReadonly<T>, context: StrategyContext): void;
  validateUpdate?(next: DeepReadonly<T>, previous: DeepReadonly<T>, context: StrategyContext): FieldErrors;
}

/**
 * A subresource with a separate kind, such as `token`, `eviction` or `binding`. A module of the API server
 * handles its requests.
 */
export interface VirtualSubresource {
  readonly verbs: readonly Verb[];
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: StructSchema;
  /** Other versions of the same kind that a request body may have. */
  readonly otherVersions?: readonly { readonly version: string; readonly schema: StructSchema }[];
  /**
   * Rules for the updates of the parent object that the handler makes under this subresource's name. Clients
   * cannot make such updates.
   */
  readonly writes?: ObjectSubresource;
  /** Columns of the subresource's Table. If undefined, a request for a Table receives the plain object. */
  readonly columns?: readonly Column[];
  /** Accessors of the replica counts. The default reads `spec.replicas` and `status.replicas`. */
  readonly scale?: ScaleAccess;
  /** True if the subresource's objects are secret, see `Kind.confidential`. Default false. */
  readonly confidential?: boolean;
}

/** Accessors with which the `scale` subresource reads and writes an object. */
export interface ScaleAccess {
  /** Path of the desired replica count in error messages, such as `.spec.replicas`. */
  readonly specPath: string;
  /**
   * Returns the replica counts and the label query (such as `app=web`); each is undefined if the object lacks
   * it.
   */
  read(object: object): {
    readonly specReplicas: number | undefined;
    readonly statusReplicas: number | undefined;
    readonly selector: string | undefined;
  };
  /** Sets the desired replica count, in place. */
  write(object: object, replicas: number): void;
}

/** A subresource of either form; `isVirtualSubresource` distinguishes the two. */
export type Subresource<T extends ApiObject = ApiObject> = ObjectSubresource<T> | VirtualSubresource;

/** A subresource that a client connects to, such as exec or proxy. Its options are in the query string. */
export interface Connection {
  /** Kind of the options object. Its group and version are those of the resource. */
  readonly kind: string;
  readonly schema: StructSchema;
  /** Accepted verbs. Each verb allows its HTTP methods. */
  readonly verbs: readonly Verb[];
  /** True if the request's connection becomes a stream. */
  readonly upgrades: boolean;
  /** True if the request is authorized as a read and skips admission, as for `log`. Default false. */
  readonly reads?: boolean;
}

/** One column of a kind's Table. */
export interface Column<T extends ApiObject = ApiObject> {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** `name`, or the number format that a column of a custom resource declares. */
  readonly format?: string;
  /** Priority: 0 (default) for a column that is always displayed, 1 for `kubectl get -o wide`. */
  readonly priority?: number;
  /**
   * Description. `{domain}`, `{groupSuffix}`, `{product}`, `{Product}` and `{short}` are replaced by words of
   * the vocabulary.
   */
  readonly description?: string;
  readonly cell: (object: DeepReadonly<T>, nowMs: number) => string | Int64 | boolean | null;
}

/** One kind at one version. All endpoints of the kind are served from this data. */
export interface Kind<T extends ApiObject = ApiObject> {
  /** Group without the vocabulary's suffix: `''`, `batch`, `certificates`, `rbac.authorization`. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Kind of a list; the default is `kind` followed by `List`. */
  readonly listKind?: string | undefined;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly schema: StructSchema;
  readonly strategy: Strategy<T>;
  /**
   * Rules of the API server's write path that are not in the strategy. All versions of a kind share one
   * policy.
   */
  readonly policy: KindPolicy;
  readonly subresources: { readonly [name: string]: Subresource<T> };
  /** Subresources that a client connects to, by name. */
  readonly connections?: { readonly [name: string]: Connection } | undefined;
  /**
   * Columns of the Table in order, including `Name`. If empty, the Table has the default columns `Name` and
   * `Created At`.
   */
  readonly columns: readonly Column<T>[];
  /**
   * Compares two rows of a list's Table. Equal rows keep the order of the list. By default all rows are
   * equal.
   */
  readonly rowOrder?: ((one: DeepReadonly<T>, other: DeepReadonly<T>) => number) | undefined;
  /**
   * Accessors of the supported field selectors besides `metadata.name` and `metadata.namespace`, by field
   * path.
   */
  readonly selectableFields: { readonly [path: string]: (object: DeepReadonly<T>) => string };
  /** Kind in the error message for an unsupported field selector. By default the message names no kind. */
  readonly selectorKind?: string | undefined;
  /** Syntax of object names; the default is an RFC 1123 subdomain. */
  readonly nameRule: NameRule;
  /** True if a finalizer may lack a domain, as for custom resources. Default false. */
  readonly anyFinalizer?: boolean | undefined;
  /** Group in errors about objects of the kind; the default is `group` as the vocabulary writes it. */
  readonly errorGroup?: string | undefined;
  /** True if the objects are secret: messages contain no values and audit events no bodies. Default false. */
  readonly confidential?: boolean | undefined;
  /** True if `metadata.generation` counts the changes of `spec`. */
  readonly generation: boolean;
  /** True if objects are computed for each request and never stored, as TokenReviews and access reviews. */
  readonly virtual: boolean;
  /** Conversion to the stored version; undefined if this version is the stored one. */
  readonly storage?: StoredAs | undefined;
  readonly deprecated?: Deprecation | undefined;
  /**
   * True while the kind's CustomResourceDefinition is being deleted. Objects can then be read, changed and
   * deleted, but not created.
   */
  readonly terminating?: boolean | undefined;
}

/** Returns the kind at the version in which its objects are stored. */
export const storedKindOf = (kind: Kind<never>): Kind<never> => kind.storage?.kind ?? kind;

/** Data that a conversion may read in addition to the object. */
export interface ConversionContext {
  readonly vocabulary: Vocabulary;
}

/**
 * Conversion between a version of a kind and the stored version.
 *
 * All versions of a kind share the keys and the watch cache of the stored version, so a write through one
 * version is visible through all others at once. Reads and watches at the stored version send the stored
 * bytes. At another version, each object is converted when it is read and when it is written.
 *
 * The two functions are pure, leave their argument unchanged and are inverse to each other: a round trip
 * loses nothing. The `kind` and `apiVersion` of their results are ignored. `defineVersion` in
 * `api/conversion` declares such a kind.
 */
export interface StoredAs {
  readonly kind: Kind<never>;
  toStorage(object: DeepReadonly<never>, context: ConversionContext): ApiObject;
  fromStorage(object: DeepReadonly<never>, context: ConversionContext): ApiObject;
}

/**
 * Deprecation of a version. Each request for a deprecated version is counted and its response has a warning,
 * see
 * https://kubernetes.io/docs/reference/using-api/deprecation-policy/.
 */
export interface Deprecation {
  /**
   * Complete warning message. By default it is composed of the other members; only custom resources declare
   * their own.
   */
  readonly warning?: string;
  /** Release that deprecated the version, such as `1.21`; `''` for a custom resource. */
  readonly since: string;
  /** First release without this version; undefined if no removal is planned. */
  readonly removedRelease?: string;
  readonly replacement?: { readonly group: string; readonly version: string; readonly kind: string };
}

/** Syntax that a kind requires of its objects' names. */
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
 * Returns a kind with defaults for omitted members. `T` is the static type of its objects. The result always
 * has all members, because JavaScript engines run code faster on objects of one shape.
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
 * Returns a copy of the strategy with all hooks, undefined where the strategy lacks one, so that all
 * strategies have one shape.
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

/**
 * True if the objects of a kind are secret. If `subresource` is given, also true if that subresource accepts
 * or returns secret objects.
 */
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

/** Static type of a kind's objects. */
export type ObjectOf<K> = K extends Kind<infer T> ? T : never;
