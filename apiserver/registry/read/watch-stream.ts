import type { ApiObject, DeepReadonly } from '../../../api/kinds/kind.ts';
import { ApiError, expired, serviceUnavailable } from '../../../api/status/api-error.ts';
import type { Timer } from '../../../base/clock/clock.ts';
import type { BodySink } from '../../../base/http/message.ts';
import type { CacheChange, Entry, Watcher } from '../../watch/watch-cache.ts';
import type { WatchParameters } from '../registry.ts';
import { toEncoded } from './list-document.ts';
import { type Resource, collectionPrefix } from '../resource.ts';
import { type Selection, parseSelection } from './selection.ts';
import { checkWatchOptions, parseVersion, showsPresent } from './resource-version.ts';
import { writeJson } from '../../../api/schema/exact-json.ts';

const BOOKMARK_MS = 60_000;
/** The last bookmark goes out this long before the stream ends by time, if the stream is longer than that. */
const LAST_BOOKMARK_MS = 2_000;
/** How long a start at a version the server has not seen yet may wait for it. */
const PATIENCE_MS = 3_000;

/** Where a stream begins: with the present objects, or after a version; `over` when its time is up before that. */
type Start = 'initial' | 'over' | { readonly after: number };
type EventType = CacheChange['type'];

/** GET of a collection with `watch`. Refuses before anything is written; what comes later is an ERROR event. */
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

/** The watch row of specification 1, section 4.5, and what `sendInitialEvents` makes of it. */
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
      // A version this server never gave, or has lost: only a new list brings the client back to what is true.
      return lifeMs <= PATIENCE_MS
        ? 'over'
        : expired(`too large resource version: ${revision} (${cache.revision})`);
  }
  if (sendInitialEvents ?? (revision === undefined || revision === 0)) return 'initial';
  return { after: revision === undefined || revision === 0 ? cache.revision : revision };
}

/** A client that is cut off goes on after the last version it saw: what it has not seen must lie behind that. */
const inOrderOfChange = (entries: readonly Entry[]): readonly Entry[] =>
  entries.toSorted((a, b) => a.revision - b.revision);

/** One watcher's answer. Lives until the peer goes, time is up, the server stops or the watcher falls too far behind. */
class WatchStream implements Watcher {
  readonly #resource: Resource;
  readonly #parameters: WatchParameters;
  readonly #selection: Selection;
  readonly #sink: BodySink;
  readonly #prefix: string;
  /** No selector and no other form or format: the frames all watchers share go out as they are. */
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

  /** Synthetic ADDED events from `from` on, as fast as the peer reads; then the changes since. */
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

  /** What a change is to a watcher of some objects: one may come into sight or leave it by a change of its labels. */
  #selectedFrame(change: CacheChange): Buffer | undefined {
    const { type, entry, previous } = change;
    const before = previous !== undefined && this.#matches(previous);
    const now = type !== 'DELETED' && this.#matches(entry);
    if (now) return this.#changeFrame(before ? 'MODIFIED' : 'ADDED', change);
    if (!before) return undefined;
    return type === 'DELETED' ? this.#changeFrame('DELETED', change) : this.#departure(change, previous);
  }

  #changeFrame(type: EventType, change: CacheChange): Buffer {
    const { transform, framing } = this.#parameters;
    return (transform ?? framing) ? this.#frameOf(type, change.entry) : change.frame(type);
  }

  /** The object as it was when it was last in sight, at the version of the change that took it away. */
  #departure(change: CacheChange, previous: Entry): Buffer {
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

  /** False when the next write should wait. */
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

  /** Says what the watcher has seen all of; not while it is behind. */
  #sendBookmark(): void {
    if (this.#live && !this.#waiting) this.#write(this.#bookmark(this.#resource.cache.revision, false));
  }

  /** Ends the stream saying why, where that is for the client to know. */
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
