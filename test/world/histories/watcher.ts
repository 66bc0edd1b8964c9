import { type Peer, createPeer, watching } from '../../../apiserver/registry/registry.fixture.ts';
import type { Change } from '../../../apiserver/storage/storage.ts';
import { ApiError } from '../../../api/status/api-error.ts';
import { type Seen, type View, canonical, eventsAfter, initialEvents } from './selected.ts';
import type { Stage } from './stage.ts';

export interface WatcherOptions extends View {
  /**
   * Version from which to watch. '' and '0' start with the current state, another version with the changes
   * after it.
   */
  readonly resourceVersion: string;
  readonly bookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  readonly timeoutSeconds: number;
}

/** One watch as a client sees it, and the events that it should receive. */
export class HistoryWatcher {
  readonly options: WatcherOptions;
  readonly peer: Peer = createPeer();
  readonly #stage: Stage;
  /**
   * The newest version at the time of the request. A watch from the current state must not send older
   * versions.
   */
  readonly #askedAt: number;
  readonly #abort = new AbortController();
  #refused: ApiError | undefined;
  readonly #opening: Promise<void>;

  constructor(stage: Stage, options: WatcherOptions) {
    this.#stage = stage;
    this.options = options;
    this.#askedAt = stage.truth.at(-1)?.revision ?? 0;
    this.#opening = this.#open();
  }

  async #open(): Promise<void> {
    const { bookmarks, sendInitialEvents, ...rest } = this.options;
    const parameters = watching({
      ...rest,
      allowBookmarks: bookmarks,
      sendInitialEvents,
      resourceVersionMatch: sendInitialEvents === undefined ? '' : 'NotOlderThan',
      signal: this.#abort.signal,
    });
    try {
      const write = await this.#stage.maps().watch(parameters);
      if (!this.peer.closed) write(this.peer);
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      this.#refused = thrown;
      this.peer.leave();
    }
  }

  leave(): void {
    this.#abort.abort();
    this.peer.leave();
  }

  settled(): Promise<void> {
    return this.#opening;
  }

  /** Version from which another watch can resume: that of the last event or bookmark. */
  get lastVersion(): number | undefined {
    const frames = this.peer.frames().filter(({ type }) => type !== 'ERROR');
    const last = frames.at(-1)?.object.metadata.resourceVersion;
    // A stream that broke during its initial events has not sent a complete state.
    return last === undefined || this.#beginsWithPresent ? undefined : Number(last);
  }

  get #beginsWithPresent(): boolean {
    const { resourceVersion, sendInitialEvents } = this.options;
    return sendInitialEvents ?? (resourceVersion === '' || resourceVersion === '0');
  }

  /** Returns a description of the first error in the received events; undefined if the events are correct. */
  fault(truth: readonly Change[], complete: boolean): string | undefined {
    if (this.#refused) return this.#refused.status.code === 503 ? undefined : this.#refused.message;
    const frames = this.peer.frames();
    const ends = frames.filter(({ type }) => type === 'ERROR');
    if (ends.length > 1 || (ends.length === 1 && frames.at(-1)?.type !== 'ERROR'))
      return 'events after the end';
    const whole = complete && !this.peer.closed;
    return (
      this.#versionFault(frames) ??
      this.#endFault(frames, ends[0]?.object.code) ??
      this.#eventFault(truth, frames.filter(isEvent).map(toSeen), whole)
    );
  }

  /** Checks that versions only grow and that no bookmark is older than an event before it. */
  #versionFault(frames: ReturnType<Peer['frames']>): string | undefined {
    let told = 0;
    const initial = this.#beginsWithPresent ? frames.findIndex(({ type }) => type !== 'ADDED') : 0;
    for (const { type, object } of frames.slice(Math.max(0, initial))) {
      if (type === 'ERROR') break;
      const version = Number(object.metadata.resourceVersion);
      if (type === 'BOOKMARK' ? version < told : version <= told && !this.#beginsWithPresent)
        return `version ${version} after ${told}`;
      told = Math.max(told, version);
      if (type === 'BOOKMARK' && version > (this.#stage.truth.at(-1)?.revision ?? 0))
        return `a bookmark of the future: ${version}`;
    }
    return undefined;
  }

  /**
   * Returns the error of an ended watch. A 410 is correct only if the watch's version has left the window.
   */
  #endFault(frames: ReturnType<Peer['frames']>, code: number | undefined): string | undefined {
    if (code === undefined) return undefined;
    if (code !== 410) return `ended with ${code}`;
    const { resourceVersion } = this.options;
    const asked = Number(resourceVersion === '' ? this.#askedAt : resourceVersion);
    const seen = Math.max(asked, ...frames.filter(isEvent).map((frame) => toSeen(frame).version));
    if (seen >= this.#stage.floor && seen <= this.#askedAt)
      return `ended with 410 at ${seen}, though history reaches back to ${this.#stage.floor}`;
    return undefined;
  }

  /**
   * Checks that each event is sent once and in order after a valid initial state, and that none is missing.
   */
  #eventFault(truth: readonly Change[], seen: readonly Seen[], whole: boolean): string | undefined {
    const expected = this.#beginsWithPresent
      ? this.#starts(truth).map((from) => [
          ...initialEvents(truth, this.options, from).toSorted((a, b) => a.version - b.version),
          ...eventsAfter(truth, this.options, from),
        ])
      : [eventsAfter(truth, this.options, this.#startVersion)];
    const fits = expected.some(
      (events) => isPrefix(seen, events) && (!whole || seen.length === events.length),
    );
    if (fits) return undefined;
    const said = (events: readonly Seen[]): string =>
      events.map(({ type, version }) => `${type} ${version}`).join(', ');
    return `saw [${said(seen)}], expected one of ${expected.map((each) => `[${said(each)}]`).join(' or ')}`;
  }

  get #startVersion(): number {
    const { resourceVersion } = this.options;
    return resourceVersion === '' || resourceVersion === '0' ? this.#askedAt : Number(resourceVersion);
  }

  /** Returns the valid initial states of a watch from the current state. */
  #starts(truth: readonly Change[]): readonly number[] {
    const { resourceVersion } = this.options;
    const least = resourceVersion === '' || resourceVersion === '0' ? this.#askedAt : Number(resourceVersion);
    const later = truth.map(({ revision }) => revision).filter((revision) => revision > least);
    return resourceVersion === '0' ? [0, ...truth.map(({ revision }) => revision)] : [least, ...later];
  }
}

const isEvent = ({ type }: { readonly type: string }): boolean => type !== 'BOOKMARK' && type !== 'ERROR';

const toSeen = ({ type, object }: ReturnType<Peer['frames']>[number]): Seen => ({
  type,
  object: canonical(object),
  version: Number(object.metadata.resourceVersion),
});

const isPrefix = (seen: readonly Seen[], events: readonly Seen[]): boolean =>
  seen.length <= events.length &&
  seen.every(({ type, object }, at) => events[at]?.type === type && events[at].object === object);
