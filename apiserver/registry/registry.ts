import type { ApiObject, DeepReadonly, Kind, UserInfo } from '../../api/kinds/kind.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';
import type { Floats } from '../../api/schema/json.ts';
import type { Cancellation } from '../../base/async/cancellation.ts';
import type { Soon } from '../../base/async/soon.ts';
import type { WorkBudget } from '../../base/budget/work-budget.ts';
import type { BodySink } from '../../base/http/message.ts';
import type { AdmissionRequest, WriteConditions } from '../request.ts';
import type { Converter, FieldConversions } from './versions/conversion.ts';
import type { SeenValues } from './confidential/seen-values.ts';
import type { Int64 } from '../../api/schema/exact-json.ts';

/** The objects of every kind: reads, and the one write path all kinds share. Knows nothing of HTTP headers. */
export interface Registry {
  of(kind: AnyKind): ResourceRegistry;
  /** Decoded, frozen, current objects for code inside the server: authorizers, authenticators, admission. */
  reader<T extends ApiObject>(kind: Kind<T>): ObjectReader<T>;
  /** How objects of a custom kind reach another version where that is not by `kind.storage`. */
  converterOf(kind: AnyKind): Converter | undefined;
  /** How many objects of a kind there are, in all its versions. */
  count(kind: AnyKind): number;
  /** How many objects there are, by resource as in `deployments.apps`. */
  counts(): ReadonlyMap<string, number>;
  /** Kinds that come later; resolves when their objects can be read, rejects when one's cannot. */
  add(kinds: readonly CustomKind[]): Promise<void>;
  /** Takes them away again: watches of them end. Their objects stay in the store. */
  remove(kinds: readonly AnyKind[]): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A kind that comes and goes while the server runs, and whose schema and stored version may have been others when its
 * objects were written: they are read as what they say they are.
 */
export interface CustomKind {
  readonly kind: AnyKind;
  /** How its versions are converted where that is not by `kind.storage`, and which one is written. */
  readonly conversion?: { readonly convert: Converter; readonly storedAs: AnyKind };
}

export interface ObjectReader<T extends ApiObject> {
  get(namespace: string, name: string): DeepReadonly<T> | undefined;
  list(namespace?: string): readonly DeepReadonly<T>[];
  /** For every object now and each change later, in commit order; `object` is undefined for a deletion. */
  subscribe(
    onChange: (object: DeepReadonly<T> | undefined, previous: DeepReadonly<T> | undefined) => void,
  ): () => void;
  /** The newest committed object, past any cache. */
  live(namespace: string, name: string): Promise<DeepReadonly<T> | undefined>;
}

/** Who writes and how; the same for every verb. */
export interface WriteContext {
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** From `fieldManager`, or the first part of the user agent. */
  readonly fieldManager: string;
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
  /** An apply takes over what others own of the fields it sets; default false. */
  readonly force?: boolean | undefined;
  /** Paths of fields that the body gives more than once, as its parser found them. */
  readonly duplicateFields?: readonly string[] | undefined;
  /** The same of a YAML body, as its strict reader says it: `line 3: key "a" already set in map`. */
  readonly repeatedKeys?: readonly string[] | undefined;
  /** Numbers of the body that were not written as integers, by their paths. */
  readonly floats?: Floats | undefined;
  /** Filled with the paths of lists and maps that the body gives and that are empty; default nobody asks. */
  readonly emptied?: Set<string> | undefined;
  readonly warn: (text: string) => void;
  /** Adds to the audit event of the request; default nobody listens. */
  readonly annotate?: AdmissionRequest['annotate'] | undefined;
  readonly waited?: AdmissionRequest['waited'];
  readonly dueMs?: AdmissionRequest['dueMs'];
  /**
   * Told what a create or an update brought, before anything is done with it; `whole` makes it with its defaults.
   * Default nobody listens.
   */
  readonly received?: ((object: DeepReadonly<ApiObject>, whole: () => ApiObject) => void) | undefined;
  /** The options as they were sent, but for kind and apiVersion; default none. Plugins and webhooks are shown them. */
  readonly options?: { readonly [field: string]: unknown } | undefined;
  /** What must hold of other objects for this write to be carried out; default nothing. */
  readonly conditions?: WriteConditions | undefined;
  /** Admission has decided already, on the subresource this write is made for. Default it is asked. */
  readonly isAdmitted?: boolean | undefined;
  readonly signal: Cancellation;
  /** Asked before an update or an apply makes an object: throws 403 for who may change objects but not make them. */
  readonly mayCreate?: (() => Promise<void>) | undefined;
  /** Conversions of owners' versions by a webhook; set by the write path for each attempt. */
  readonly conversions?: FieldConversions | undefined;
  /** Values of a confidential kind that the write has worked with, kept out of its messages; unset for other kinds. */
  readonly seen?: SeenValues | undefined;
  /** Pays for the synchronous stages of the write; default they are free, as for the server's own writes. */
  readonly budget?: WorkBudget | undefined;
}

/** Stored JSON, ready to send. `object` is parsed on first use. */
export interface Encoded {
  readonly bytes: Buffer;
  readonly object: DeepReadonly<ApiObject>;
}

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
  /** Refused: it is for watches. */
  readonly sendInitialEvents?: boolean;
}

export interface EncodedList {
  readonly resourceVersion: string;
  readonly continueToken: string;
  readonly remainingItemCount: number | undefined;
  readonly items: readonly Encoded[];
  /** The whole list document as chunks of stored bytes. */
  readonly chunks: readonly Buffer[];
}

export interface WatchParameters {
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly allowBookmarks: boolean;
  /** Synthetic ADDED events, then an annotated bookmark, then changes. */
  readonly sendInitialEvents: boolean | undefined;
  /** Looked at beside `resourceVersionMatch` alone: a watch has no pages. */
  readonly continueToken?: string;
  /** 0: the server's choice; below 0: the watch ends at once. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
  /** Called once, when what had happened before has been sent; never for a stream that ends before. */
  readonly onStarted?: (() => void) | undefined;
  /** Another form of each object (a Table row, metadata alone); default the stored bytes. A bookmark has metadata alone. */
  readonly transform?: ((object: DeepReadonly<ApiObject>, isBookmark: boolean) => unknown) | undefined;
  /** How events are written; default a line of JSON each. */
  readonly framing?: WatchFraming | undefined;
}

/** Writes the events of a watch in another format than JSON. */
export interface WatchFraming {
  /** An object that is sent as it is stored. */
  stored(type: string, encoded: Encoded): Buffer;
  /** Anything else: another form of an object, a bookmark, the `Status` of an ERROR. */
  made(type: string, object: unknown): Buffer;
}

export interface DeleteParameters {
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
  readonly gracePeriodSeconds: Int64 | undefined;
  readonly propagationPolicy: 'Orphan' | 'Background' | 'Foreground' | undefined;
  /** The request names a collection: plugins and webhooks are shown each object, and no name (release 1.24). Default false. */
  readonly isOfCollection?: boolean;
}

export type PatchMediaType =
  | 'application/json-patch+json'
  | 'application/merge-patch+json'
  | 'application/strategic-merge-patch+json'
  | 'application/apply-patch+yaml';

export interface WriteResult extends Encoded {
  readonly created: boolean;
}

/** Every method throws `ApiError` for what a request holds. `body` is parsed JSON, not yet decoded. */
export interface ResourceRegistry {
  readonly kind: AnyKind;
  get(namespace: string, name: string, resourceVersion: string): Soon<Encoded>;
  list(parameters: ListParameters): Promise<EncodedList>;
  /** Checks the parameters and returns the stream's writer; refusals are thrown before anything is written. */
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
  /** What was deleted, or marked for deletion. */
  deleteCollection(
    list: ListParameters,
    parameters: DeleteParameters,
    context: WriteContext,
  ): Promise<EncodedList>;
}

/**
 * `gone` is false while finalizers or a grace period keep the object: the answer is then the object itself, as it is
 * when `answersWithObject` says so. Otherwise it is a `Status` that names the object.
 */
export interface Deleted extends Encoded {
  readonly gone: boolean;
  readonly answersWithObject: boolean;
}
