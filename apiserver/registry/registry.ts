import type { AnyKind, ApiObject, DeepReadonly, Kind, UserInfo } from '../../api/kinds/index.ts';
import type { Floats, Int64 } from '../../api/schema/index.ts';
import type { Cancellation, Soon } from '../../base/async/index.ts';
import type { WorkBudget } from '../../base/budget/index.ts';
import type { BodySink } from '../../base/http/index.ts';
import type { AdmissionRequest, WriteConditions } from '../request.ts';
import type { PluginPhases } from './write/plugin-phases.ts';
import type { Converter, FieldConversions } from './versions/conversion.ts';
import type { SeenValues } from './confidential/seen-values.ts';

/** The objects of every kind: reads, and the write path that all kinds share. Independent of HTTP. */
export interface Registry {
  /** Admission plugins by phase; every write runs those of its kind. */
  readonly admission: PluginPhases;
  of(kind: AnyKind): ResourceRegistry;
  /**
   * Returns a reader of decoded, frozen, current objects for code inside the server: authorizers,
   * authenticators, admission.
   */
  reader<T extends ApiObject>(kind: Kind<T>): ObjectReader<T>;
  /** Returns the converter of a custom kind, if it is not converted by `kind.storage`. */
  converterOf(kind: AnyKind): Converter | undefined;
  /** Returns the number of objects of a kind, across its versions. */
  count(kind: AnyKind): number;
  /** Returns the number of objects by resource, such as `deployments.apps`. */
  counts(): ReadonlyMap<string, number>;
  /** Adds kinds at run time. Resolves when their objects can be read; rejects if one kind's cannot. */
  add(kinds: readonly CustomKind[]): Promise<void>;
  /** Removes kinds: their watches end, their objects stay in the store. */
  remove(kinds: readonly AnyKind[]): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A kind that is added or removed while the server runs. Its schema and stored version may have changed since
 * objects were written, so these are decoded by the type that they state.
 */
export interface CustomKind {
  readonly kind: AnyKind;
  /** The converter between versions, if it is not `kind.storage`, and the version that is written. */
  readonly conversion?: { readonly convert: Converter; readonly storedAs: AnyKind };
}

/** Objects of one kind from the cache. Reads are synchronous and may be stale, except for `live`. */
export interface ObjectReader<T extends ApiObject> {
  get(namespace: string, name: string): DeepReadonly<T> | undefined;
  list(namespace?: string): readonly DeepReadonly<T>[];
  /**
   * Calls `onChange` for each change from now on, in commit order; `object` is undefined for a deletion.
   * Returns a function that unsubscribes.
   */
  subscribe(
    onChange: (object: DeepReadonly<T> | undefined, previous: DeepReadonly<T> | undefined) => void,
  ): () => void;
  /** Returns the newest committed object, bypassing the cache. */
  live(namespace: string, name: string): Promise<DeepReadonly<T> | undefined>;
}

/** The writer and options of a write; the same for every verb. */
export interface WriteContext {
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Field manager: the parameter `fieldManager`, or the first part of the user agent. */
  readonly fieldManager: string;
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
  /** True if an apply takes over fields with other owners; default false. */
  readonly force?: boolean | undefined;
  /** Paths of fields that occur more than once in the body, from its parser. */
  readonly duplicateFields?: readonly string[] | undefined;
  /**
   * Repeated keys of a YAML body, as its strict parser reports them: `line 3: key "a" already set in map`.
   */
  readonly repeatedKeys?: readonly string[] | undefined;
  /** Numbers of the body that are not integers, by path. */
  readonly floats?: Floats | undefined;
  /** Collects the paths of empty lists and maps in the body. Default: not collected. */
  readonly emptied?: Set<string> | undefined;
  readonly warn: (text: string) => void;
  /** Adds to the audit event of the request. Default: discarded. */
  readonly annotate?: AdmissionRequest['annotate'] | undefined;
  readonly waited?: AdmissionRequest['waited'];
  readonly dueMs?: AdmissionRequest['dueMs'];
  /**
   * Called with the decoded body of a create or an update before anything else; `whole` returns it with
   * defaults. Default: none.
   */
  readonly received?: ((object: DeepReadonly<ApiObject>, whole: () => ApiObject) => void) | undefined;
  /** The options as sent, without kind and apiVersion; default none. Plugins and webhooks receive them. */
  readonly options?: { readonly [field: string]: unknown } | undefined;
  /** Conditions on other objects for this write; default none. */
  readonly conditions?: WriteConditions | undefined;
  /** True if admission has already decided on the subresource that this write serves. Default false. */
  readonly isAdmitted?: boolean | undefined;
  readonly signal: Cancellation;
  /**
   * Called before an update or an apply creates an object. Throws 403 if the user may change objects but not
   * create them.
   */
  readonly mayCreate?: (() => Promise<void>) | undefined;
  /** Conversions of owners' versions by a webhook; set by the write path for each attempt. */
  readonly conversions?: FieldConversions | undefined;
  /**
   * Values of a confidential kind that the write has processed, masked in its messages; unset for other
   * kinds.
   */
  readonly seen?: SeenValues | undefined;
  /** Accounts for the synchronous stages of the write; default unlimited, as for the server's own writes. */
  readonly budget?: WorkBudget | undefined;
}

/** Stored JSON, ready to send. `object` is parsed on first use. */
export interface Encoded {
  readonly bytes: Buffer;
  readonly object: DeepReadonly<ApiObject>;
}

/** Parameters of a list, as decoded from the query; '' means unset. */
export interface ListParameters {
  /** '' for all namespaces or a cluster-scoped kind. */
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  /** 0: no limit. */
  readonly limit: number;
  readonly continueToken: string;
  /** Refused: only valid for watches. */
  readonly sendInitialEvents?: boolean;
}

/** A list, encoded on demand. */
export interface EncodedList {
  readonly resourceVersion: string;
  readonly continueToken: string;
  readonly remainingItemCount: number | undefined;
  readonly items: readonly Encoded[];
  /** The whole list document as chunks of stored bytes. */
  readonly chunks: readonly Buffer[];
}

/** Parameters of a watch, as decoded from the query; '' means unset. */
export interface WatchParameters {
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly allowBookmarks: boolean;
  /** Requests ADDED events for the current state, then an annotated bookmark, then changes. */
  readonly sendInitialEvents: boolean | undefined;
  /** Only validated together with `resourceVersionMatch`: a watch has no pages. */
  readonly continueToken?: string;
  /** 0: the server chooses; negative: the watch ends at once. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
  /** Called once when the past changes were sent; never for a stream that ends earlier. */
  readonly onStarted?: (() => void) | undefined;
  /**
   * Returns another representation of each object (a Table row, only metadata); default the stored bytes. A
   * bookmark has only metadata.
   */
  readonly transform?: ((object: DeepReadonly<ApiObject>, isBookmark: boolean) => unknown) | undefined;
  /** Encoding of events; default one line of JSON each. */
  readonly framing?: WatchFraming | undefined;
}

/** Encodes the events of a watch in another format than JSON. */
export interface WatchFraming {
  /** Encodes an object that is sent as stored. */
  stored(type: string, encoded: Encoded): Buffer;
  /** Encodes anything else: a transformed object, a bookmark, the `Status` of an ERROR. */
  made(type: string, object: unknown): Buffer;
}

/** Options of a deletion. An undefined grace period or propagation policy leaves it to the kind. */
export interface DeleteParameters {
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
  readonly gracePeriodSeconds: Int64 | undefined;
  readonly propagationPolicy: 'Orphan' | 'Background' | 'Foreground' | undefined;
  /**
   * True if the request addresses a collection: plugins and webhooks receive each object but no name (release
   * 1.24). Default false.
   */
  readonly isOfCollection?: boolean;
}

/** Supported media types of patches. */
export type PatchMediaType =
  | 'application/json-patch+json'
  | 'application/merge-patch+json'
  | 'application/strategic-merge-patch+json'
  | 'application/apply-patch+yaml';

/** The written object; `created` distinguishes 201 from 200. */
export interface WriteResult extends Encoded {
  readonly created: boolean;
}

/**
 * The verbs of one kind. Every method throws `ApiError` for invalid requests. `body` is parsed JSON, not yet
 * decoded.
 */
export interface ResourceRegistry {
  readonly kind: AnyKind;
  get(namespace: string, name: string, resourceVersion: string): Soon<Encoded>;
  list(parameters: ListParameters): Promise<EncodedList>;
  /**
   * Validates the parameters and returns the stream's writer; refusals are thrown before anything is written.
   */
  watch(parameters: WatchParameters): Promise<(sink: BodySink) => void>;
  create(namespace: string, body: unknown, context: WriteContext): Promise<WriteResult>;
  /** `subresource` is '' for the object itself, else the name of an `ObjectSubresource`. */
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
  /** Returns the objects that were deleted or marked for deletion. */
  deleteCollection(
    list: ListParameters,
    parameters: DeleteParameters,
    context: WriteContext,
  ): Promise<EncodedList>;
}

/**
 * Result of a deletion. `isRemoved` is false while finalizers or a grace period keep the object. The response is
 * then the object, as it is if `returnsObject` is true. Otherwise it is a `Status` that names the object.
 */
export interface Deleted extends Encoded {
  readonly isRemoved: boolean;
  readonly returnsObject: boolean;
}
