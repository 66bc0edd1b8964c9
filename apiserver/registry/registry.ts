import type { AnyKind, ApiObject, DeepReadonly, Kind, UserInfo } from '../../api/kinds/index.ts';
import type { Floats, Int64 } from '../../api/schema/index.ts';
import type { Cancellation, Soon } from '../../base/async/index.ts';
import type { WorkBudget } from '../../base/budget/index.ts';
import type { BodySink } from '../../base/http/index.ts';
import type { AdmissionRequest, WriteConditions } from '../request.ts';
import type { PluginPhases } from './write/plugin-phases.ts';
import type { Converter, FieldConversions } from './versions/conversion.ts';
import type { SeenValues } from './confidential/seen-values.ts';

/** Objects of every kind: reads, and the write path that all kinds share. Independent of HTTP. */
export interface Registry {
  /** Admission plugins by phase. Every write runs the plugins that handle its kind. */
  readonly admission: PluginPhases;
  of(kind: AnyKind): ResourceRegistry;
  /**
   * Returns a reader of decoded, frozen, current objects for code inside the server: authorizers,
   * authenticators, admission.
   */
  reader<T extends ApiObject>(kind: Kind<T>): ObjectReader<T>;
  /** Returns the webhook converter of a custom kind, or undefined if `kind.storage` converts its versions. */
  converterOf(kind: AnyKind): Converter | undefined;
  /** Returns the number of objects of a kind, across its versions. */
  count(kind: AnyKind): number;
  /** Returns the number of objects by resource, such as `deployments.apps`. */
  counts(): ReadonlyMap<string, number>;
  /**
   * Adds kinds at run time. Resolves when the objects of all kinds can be read; rejects if those of one kind
   * cannot.
   */
  add(kinds: readonly CustomKind[]): Promise<void>;
  /** Removes kinds. Their watches end; their objects stay in the store. */
  remove(kinds: readonly AnyKind[]): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A kind that is added or removed while the server runs. Its schema and stored version may have changed since
 * objects were written. Each object is therefore decoded as the version that it states.
 */
export interface CustomKind {
  readonly kind: AnyKind;
  /** Converter between versions and the version that is stored. Undefined if `kind.storage` converts. */
  readonly conversion?: { readonly convert: Converter; readonly storedAs: AnyKind };
}

/** Cached objects of one kind. Reads are synchronous and may be stale, except for `live`. */
export interface ObjectReader<T extends ApiObject> {
  get(namespace: string, name: string): DeepReadonly<T> | undefined;
  list(namespace?: string): readonly DeepReadonly<T>[];
  /**
   * Calls `onChange` for each later change, in commit order. `object` is undefined for a deletion. Returns a
   * function that unsubscribes.
   */
  subscribe(
    onChange: (object: DeepReadonly<T> | undefined, previous: DeepReadonly<T> | undefined) => void,
  ): () => void;
  /** Returns the newest committed object from the store, bypassing the cache. */
  live(namespace: string, name: string): Promise<DeepReadonly<T> | undefined>;
}

/** User and options of one write, the same for every verb. */
export interface WriteContext {
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Field manager: the parameter `fieldManager`, or the first part of the user agent. */
  readonly fieldManager: string;
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
  /** True if an apply takes over fields that other managers own. Default: false. */
  readonly force?: boolean | undefined;
  /** Paths of fields that occur more than once in the body, as its parser reports them. */
  readonly duplicateFields?: readonly string[] | undefined;
  /**
   * Errors for repeated keys of a YAML body, as its strict parser reports them: `line 3: key "a" already set
   * in map`.
   */
  readonly repeatedKeys?: readonly string[] | undefined;
  /** Numbers of the body that were not written as integers, by path. */
  readonly floats?: Floats | undefined;
  /** Receives the paths of empty lists and maps in the body. Default: not collected. */
  readonly emptied?: Set<string> | undefined;
  readonly warn: (text: string) => void;
  /** Adds an annotation to the audit event of the request. Default: annotations are discarded. */
  readonly annotate?: AdmissionRequest['annotate'] | undefined;
  readonly waited?: AdmissionRequest['waited'];
  readonly dueMs?: AdmissionRequest['dueMs'];
  /**
   * Called with the decoded body of a create or an update before any other step. `whole` returns the body
   * with defaults. Default: not called.
   */
  readonly received?: ((object: DeepReadonly<ApiObject>, whole: () => ApiObject) => void) | undefined;
  /** Options of the request as sent, without kind and apiVersion, for plugins and webhooks. Default: none. */
  readonly options?: { readonly [field: string]: unknown } | undefined;
  /** Conditions on other objects that must hold when this write is committed. Default: none. */
  readonly conditions?: WriteConditions | undefined;
  /** True if admission has already run for the subresource that this write serves. Default: false. */
  readonly isAdmitted?: boolean | undefined;
  readonly signal: Cancellation;
  /**
   * Called before an update or an apply creates an object. Rejects with a 403 if the user may change objects
   * but not create them.
   */
  readonly mayCreate?: (() => Promise<void>) | undefined;
  /**
   * Webhook conversions to the versions at which field owners are recorded. The write path sets them for each
   * attempt.
   */
  readonly conversions?: FieldConversions | undefined;
  /**
   * Confidential values that the write has processed, to be masked in its messages. Unset for kinds that are
   * not confidential.
   */
  readonly seen?: SeenValues | undefined;
  /**
   * Budget that the synchronous stages of the write are charged to. Default: unlimited, as for writes of the
   * server itself.
   */
  readonly budget?: WorkBudget | undefined;
}

/** Stored JSON, ready to send. `object` is parsed on first use. */
export interface Encoded {
  readonly bytes: Buffer;
  readonly object: DeepReadonly<ApiObject>;
}

/** Parameters of a list, decoded from the query; '' means unset. */
export interface ListParameters {
  /** Namespace; '' for all namespaces or a cluster-scoped kind. */
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  /** Maximum number of items; 0 means no limit. */
  readonly limit: number;
  readonly continueToken: string;
  /** Only valid for watches: a list with this parameter is rejected. */
  readonly sendInitialEvents?: boolean;
}

/** Result of a list, encoded on demand. */
export interface EncodedList {
  readonly resourceVersion: string;
  readonly continueToken: string;
  readonly remainingItemCount: number | undefined;
  readonly items: readonly Encoded[];
  /** The whole list as JSON, in chunks of stored bytes. */
  readonly chunks: readonly Buffer[];
}

/** Parameters of a watch, decoded from the query; '' means unset. */
export interface WatchParameters {
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly allowBookmarks: boolean;
  /** True to request ADDED events for the current state, then an annotated bookmark, then changes. */
  readonly sendInitialEvents: boolean | undefined;
  /**
   * Continue token, which has no effect because a watch has no pages. Rejected together with
   * `resourceVersionMatch`.
   */
  readonly continueToken?: string;
  /**
   * Lifetime of the watch in seconds. With 0 the server chooses; with a negative value the watch ends at
   * once.
   */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
  /**
   * Called once when the initial objects or past changes have been sent; never for a stream that ends
   * earlier.
   */
  readonly onStarted?: (() => void) | undefined;
  /**
   * Returns another representation of each object, such as a Table row or only the metadata. Default: the
   * stored bytes are sent. A bookmark has only metadata.
   */
  readonly transform?: ((object: DeepReadonly<ApiObject>, isBookmark: boolean) => unknown) | undefined;
  /** Encoding of events. Default: one line of JSON for each event. */
  readonly framing?: WatchFraming | undefined;
}

/** Encoder of watch events in another format than JSON. */
export interface WatchFraming {
  /** Encodes an event with an object that is sent as stored. */
  stored(type: string, encoded: Encoded): Buffer;
  /** Encodes an event with any other object: a transformed object, a bookmark, the `Status` of an ERROR. */
  made(type: string, object: unknown): Buffer;
}

/** Options of a deletion. If the grace period or propagation policy is undefined, the kind determines it. */
export interface DeleteParameters {
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
  readonly gracePeriodSeconds: Int64 | undefined;
  readonly propagationPolicy: 'Orphan' | 'Background' | 'Foreground' | undefined;
  /**
   * True if the request addresses a collection: plugins and webhooks then receive each object but no name
   * (release 1.24). Default: false.
   */
  readonly isOfCollection?: boolean;
}

/** Supported media types of patches. */
export type PatchMediaType =
  | 'application/json-patch+json'
  | 'application/merge-patch+json'
  | 'application/strategic-merge-patch+json'
  | 'application/apply-patch+yaml';

/** Result of a write: the written object. `created` distinguishes 201 from 200. */
export interface WriteResult extends Encoded {
  readonly created: boolean;
}

/**
 * Verbs of one kind. Every method rejects with `ApiError` for an invalid request. `body` is parsed JSON, not
 * yet decoded.
 */
export interface ResourceRegistry {
  readonly kind: AnyKind;
  get(namespace: string, name: string, resourceVersion: string): Soon<Encoded>;
  list(parameters: ListParameters): Promise<EncodedList>;
  /**
   * Validates the parameters and returns a function that writes the stream. An invalid request is rejected
   * before anything is written.
   */
  watch(parameters: WatchParameters): Promise<(sink: BodySink) => void>;
  create(namespace: string, body: unknown, context: WriteContext): Promise<WriteResult>;
  /**
   * Updates an object. `subresource` is '' for the object itself, else the name of an `ObjectSubresource`.
   */
  update(
    namespace: string,
    name: string,
    subresource: string,
    body: unknown,
    context: WriteContext,
  ): Promise<WriteResult>;
  patch(
    namespace: string,
    name: string,
    subresource: string,
    type: PatchMediaType,
    patch: unknown,
    context: WriteContext,
  ): Promise<WriteResult>;
  delete(
    namespace: string,
    name: string,
    parameters: DeleteParameters,
    context: WriteContext,
  ): Promise<Deleted>;
  /** Deletes or marks each object of a list. Returns those objects. */
  deleteCollection(
    list: ListParameters,
    parameters: DeleteParameters,
    context: WriteContext,
  ): Promise<EncodedList>;
}

/**
 * Result of a deletion. `isRemoved` is false while finalizers or a grace period keep the object. The response
 * body is the object if `returnsObject` is true, and otherwise a `Status` that names the object.
 */
export interface Deleted extends Encoded {
  readonly isRemoved: boolean;
  readonly returnsObject: boolean;
}
