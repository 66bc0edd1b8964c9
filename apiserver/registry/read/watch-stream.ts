import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import { ApiError, expired, serviceUnavailable } from '../../../api/status/index.ts';
import type { Timer } from '../../../base/clock/index.ts';
import type { BodySink } from '../../../base/http/index.ts';
import type { CacheChange, Entry, Watcher } from '../../watch/watch-cache.ts';
import type { WatchParameters } from '../registry.ts';
import { toEncoded } from './list-document.ts';
import { type Resource, collectionPrefix } from '../resource.ts';
import { type Selection, parseSelection } from './selection.ts';
import { checkWatchOptions, parseVersion, showsPresent } from './resource-version.ts';
import { writeJson } from '../../../api/schema/index.ts';

const BOOKMARK_MS = 60_000;
/**
 * Time between the last bookmark and the end of the stream, in milliseconds. A shorter stream gets no
 * bookmark.
 */
const LAST_BOOKMARK_MS = 2_000;
/**
 * Maximum time that a watch waits for a resource version that the server has not reached yet, in
 * milliseconds.
 */
const PATIENCE_MS = 3_000;

/**
 * First content of a stream: the current objects, or the changes after a revision. It is `over` if the watch
 * times out before the server has reached the requested resource version.
 */
type Start = 'initial' | 'over' | { readonly after: number };
type EventType = CacheChange['type'];

/**
 * Opens a watch. Invalid requests are rejected before anything is written; later errors are sent as ERROR
 * events.
 */
export async function watchObjects(
  resource: Resource,
  parameters: WatchParameters,
): Promise<(sink: BodySink) => void> {
  checkWatchOptions(parameters, resource.scheme.vocabulary);
  const selection = parseSelection(resource.kind, parameters);
  const revision = parseVersion(parameters.resourceVersion);
  const start = await startOf(resource, parameters, revision);
  return (sink) => {
    new WatchStream(resource, parameters, selection, sink).run(start);
  };
}

/**
 * Returns the start of a watch
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions and `sendInitialEvents`).
 */
async function startOf(
  resource: Resource,
  { sendInitialEvents, timeoutSeconds }: WatchParameters,
  revision: number | undefined,
): Promise<Start | ApiError> {
  const { cache } = resource;
  if (revision === undefined) {
    if (!(await showsPresent(resource)))
      throw serviceUnavailable('the watch cache has not caught up with the store');
  } else {
    const lifeMs = timeoutSeconds === 0 ? Infinity : Math.max(0, timeoutSeconds * 1000);
    if (!(await cache.reached(revision, Math.min(PATIENCE_MS, lifeMs))))
      // The server has never assigned this resource version, or has lost it. The client is consistent only
      // after a new list.
      return lifeMs <= PATIENCE_MS
        ? 'over'
        : expired(`too large resource version: ${revision} (${cache.revision})`);
  }
  if (sendInitialEvents ?? (revision === undefined || revision === 0)) return 'initial';
  return { after: revision === undefined || revision === 0 ? cache.revision : revision };
}

/**
 * Sorts entries by revision. A client that reconnects resumes after the last version it received, so entries
 * it has not received must have higher revisions.
 */
const inOrderOfChange = (entries: readonly Entry[]): readonly Entry[] =>
  entries.toSorted((a, b) => a.revision - b.revision);

/**
 * The stream of one watcher. It ends when the peer disconnects, its lifetime is over, the server stops, or
 * the peer reads too slowly.
 */
class WatchStream implements Watcher {
  readonly #resource: Resource;
  readonly #parameters: WatchParameters;
  readonly #selection: Selection;
  readonly #sink: BodySink;
  readonly #prefix: string;
  /**
   * True without selector, transform and framing: the stream then sends the frames that all watchers share.
   */
  readonly #plain: boolean;
  #cancel: (() => void) | undefined;
  #resume: () => void = () => {};
  #bookmarkTimer: Timer | undefined;
  #endTimer: Timer | undefined;
  #live = false;
  #waiting = false;
  #ended = false;
  readonly #onAbort = (): void => this.#end();

  constructor(resource: Resource, parameters: WatchParameters, selection: Selection, sink: BodySink) {
    this.#resource = resource;
    this.#parameters = parameters;
    this.#selection = selection;
    this.#sink = sink;
    this.#prefix = collectionPrefix(resource, parameters.namespace);
    this.#plain =
      selection.everything && parameters.transform === undefined && parameters.framing === undefined;
  }

  run(start: Start | ApiError): void {
    const { signal } = this.#parameters;
    this.#sink.onClose(() => this.#end());
    if (signal.aborted || this.#sink.closed) return this.#end();
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (start === 'over') return this.#end();
    if (start instanceof ApiError) return this.#fail(start);
    this.#armTimers();
    const { cache } = this.#resource;
    if (start !== 'initial') return this.#follow(start.after);
    const present = inOrderOfChange(cache.list(this.#prefix));
    this.#resource.onWatch?.(this.#resource, present.length);
    this.#sendInitial(present, 0, cache.revision);
  }

  /**
   * Sends ADDED events beginning with entry `from`, as fast as the peer reads, and then follows the changes.
   */
  #sendInitial(entries: readonly Entry[], from: number, revision: number): void {
    for (let at = from; at < entries.length; at++) {
      if (this.#ended) return;
      const entry = entries[at];
      if (!entry || !this.#matches(entry)) continue;
      if (this.#write(this.#frameOf('ADDED', entry))) continue;
      this.#sink.onDrain(() => this.#sendInitial(entries, at + 1, revision));
      return;
    }
    if (this.#ended) return;
    if (this.#parameters.sendInitialEvents && this.#parameters.allowBookmarks)
      this.#write(this.#bookmark(revision, true));
    this.#follow(revision);
  }

  #follow(after: number): void {
    if (this.#ended) return;
    this.#live = true;
    try {
      const cancel = this.#resource.cache.watch(this.#prefix, after, this);
      if (this.#ended) cancel();
      else this.#cancel = cancel;
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      this.#fail(thrown);
    }
    this.#parameters.onStarted?.();
  }

  onReady(resume: () => void): void {
    this.#resume = resume;
  }

  onEnd(error: Error): void {
    this.#fail(error);
  }

  deliver(change: CacheChange): boolean {
    if (this.#ended) return true;
    const frame = this.#plain ? change.frame(change.type) : this.#selectedFrame(change);
    if (frame === undefined || this.#write(frame)) return true;
    this.#waiting = true;
    this.#sink.onDrain(() => {
      if (!this.#waiting) return;
      this.#waiting = false;
      this.#resume();
    });
    return false;
  }

  /**
   * Returns the frame of a change for a watcher with a selector. An object may start or stop matching when it
   * changes. Returns undefined if the object matches neither before nor after the change.
   */
  #selectedFrame(change: CacheChange): Buffer | undefined {
    const { type, entry, previous } = change;
    const before = previous !== undefined && this.#matches(previous);
    const now = type !== 'DELETED' && this.#matches(entry);
    if (now) return this.#changeFrame(before ? 'MODIFIED' : 'ADDED', change);
    if (!before) return undefined;
    return type === 'DELETED' ? this.#changeFrame('DELETED', change) : this.#removalFrame(change, previous);
  }

  #changeFrame(type: EventType, change: CacheChange): Buffer {
    const { transform, framing } = this.#parameters;
    return (transform ?? framing) ? this.#frameOf(type, change.entry) : change.frame(type);
  }

  /**
   * Returns a DELETED event with the object's last matching state, at the revision of the change after which
   * the object no longer matches.
   */
  #removalFrame(change: CacheChange, previous: Entry): Buffer {
    const { metadata, ...rest } = previous.object;
    const object = { ...rest, metadata: { ...metadata, resourceVersion: String(change.revision) } };
    const { kind, apiVersion } = this.#resource.typeMeta;
    return this.#objectFrame('DELETED', { ...object, kind, apiVersion });
  }

  #matches(entry: Entry): boolean {
    return this.#selection.everything || this.#selection.matchesEntry(entry);
  }

  #frameOf(type: EventType, entry: Entry): Buffer {
    const { transform, framing } = this.#parameters;
    if (transform) return this.#objectFrame(type, entry.object);
    if (framing) return framing.stored(type, toEncoded(entry));
    return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), entry.value, END]);
  }

  #objectFrame(type: EventType | 'BOOKMARK', object: DeepReadonly<ApiObject>): Buffer {
    const { transform } = this.#parameters;
    return this.#madeFrame(type, transform ? transform(object, type === 'BOOKMARK') : object);
  }

  #madeFrame(type: EventType | 'BOOKMARK' | 'ERROR', object: unknown): Buffer {
    const { framing } = this.#parameters;
    return framing?.made(type, object) ?? Buffer.from(`${writeJson({ type, object })}\n`);
  }

  #bookmark(revision: number, endsInitialEvents: boolean): Buffer {
    const { typeMeta, scheme } = this.#resource;
    const annotation = `${scheme.vocabulary.groupSuffix}/initial-events-end`;
    const annotations = endsInitialEvents ? { annotations: { [annotation]: 'true' } } : {};
    return this.#objectFrame('BOOKMARK', {
      ...typeMeta,
      metadata: { resourceVersion: String(revision), ...annotations },
    });
  }

  /** Returns false if the next write should wait until the peer has read. */
  #write(frame: Buffer): boolean {
    return this.#sink.write(frame);
  }

  #armTimers(): void {
    const { environment, shortestWatchMs } = this.#resource;
    const { clock, random } = environment;
    const { timeoutSeconds, allowBookmarks } = this.#parameters;
    const lifeMs =
      timeoutSeconds === 0
        ? Math.round(shortestWatchMs * (1 + random.next()))
        : Math.max(0, timeoutSeconds * 1000);
    this.#endTimer = clock.setTimeout(() => this.#end(), lifeMs);
    if (allowBookmarks) this.#armBookmark(clock.monotonic() + lifeMs - LAST_BOOKMARK_MS);
  }

  #armBookmark(lastMs: number): void {
    const { clock } = this.#resource.environment;
    const leftMs = lastMs - clock.monotonic();
    if (leftMs <= 0) return;
    this.#bookmarkTimer = clock.setTimeout(
      () => {
        this.#sendBookmark();
        if (!this.#ended) this.#armBookmark(lastMs);
      },
      Math.min(BOOKMARK_MS, leftMs),
    );
  }

  /** Sends the current revision as a bookmark, unless changes still wait for the peer. */
  #sendBookmark(): void {
    if (this.#live && !this.#waiting) this.#write(this.#bookmark(this.#resource.cache.revision, false));
  }

  /** Ends the stream, after an ERROR event if the error is meant for the client. */
  #fail(error: Error): void {
    if (this.#ended) return;
    if (error instanceof ApiError) this.#write(this.#madeFrame('ERROR', error.status));
    this.#end();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    const { clock } = this.#resource.environment;
    clock.clearTimeout(this.#bookmarkTimer);
    clock.clearTimeout(this.#endTimer);
    this.#parameters.signal.removeEventListener('abort', this.#onAbort);
    this.#cancel?.();
    if (!this.#sink.closed) this.#sink.end();
  }
}

const END = Buffer.from('}\n');
