import { qualified } from '../../api/status/index.ts';
import type { RequestInfo } from '../../apiserver/request.ts';
import { type Clock, sleep } from '../../base/clock/index.ts';
import type { Transport } from '../../runtime/index.ts';
import { isIncidental } from '../judge/keys.ts';
import type { Moment, WireObject, WireVersion } from '../judge/wire-history.ts';
import { createFrameSplitter } from './watch-frames.ts';

/** Resource by its group, version and plural. */
export type ObservedResource = Pick<RequestInfo, 'group' | 'version' | 'resource'>;

/** Observer of all changes of some resources in an API server's store, by any writer. */
export interface Observer {
  readonly versions: readonly WireVersion[];
  /** Time of the newest version, in milliseconds since the start of the recording. */
  readonly lastChangeMs: number;
  /** Starts to observe a resource. Resolves when its present objects are known. */
  follow(resource: ObservedResource): Promise<void>;
  /** Called with the revision of each new version. */
  onRevision: (revision: number) => void;
  stop(): void;
}

interface WatchEvent {
  readonly type: string;
  readonly object: WireObject;
}

const REQUEST_MS = 30_000;
/** Delay before a failed watch is opened again, in milliseconds. */
const AGAIN_MS = 200;

/** Creates an observer. `transport` must lead to the server without injected faults. */
export const createObserver = (transport: Transport, moment: () => Moment, clock: Clock): Observer =>
  new WatchingObserver(transport, moment, clock);

class WatchingObserver implements Observer {
  readonly versions: WireVersion[] = [];
  readonly #transport: Transport;
  readonly #moment: () => Moment;
  readonly #clock: Clock;
  readonly #followed = new Map<string, Promise<void>>();
  readonly #ending = new AbortController();
  /** Newest known version of each object, by resource, namespace and name. */
  readonly #newest = new Map<string, WireVersion>();
  lastChangeMs = 0;
  onRevision: (revision: number) => void = () => {};

  constructor(transport: Transport, moment: () => Moment, clock: Clock) {
    this.#transport = transport;
    this.#clock = clock;
    this.#moment = moment;
  }

  follow(resource: ObservedResource): Promise<void> {
    const name = qualified(resource);
    const known = this.#followed.get(name);
    if (known !== undefined) return known;
    const first = this.#list(resource).then((revision) => {
      // If a resource is not served yet, the next request for it tries again.
      if (revision === undefined) this.#followed.delete(name);
      else void this.#watchFrom(resource, revision);
    });
    this.#followed.set(name, first);
    return first;
  }

  stop(): void {
    this.#ending.abort(new Error('the run has ended'));
  }

  async #list(resource: ObservedResource): Promise<string | undefined> {
    const response = await this.#send(pathOf(resource), false);
    if (response.status !== 200) {
      await bytesIn(response.body);
      return undefined;
    }
    const list = JSON.parse((await bytesIn(response.body)).toString()) as {
      readonly metadata: { readonly resourceVersion?: string };
      readonly items?: readonly WireObject[];
    };
    const name = qualified(resource);
    const present = new Set<string>();
    for (const object of list.items ?? []) {
      present.add(keyOf(name, object));
      if (
        this.#newest.get(keyOf(name, object))?.object.metadata.resourceVersion !==
        object.metadata.resourceVersion
      )
        this.#note(name, object, false);
    }
    for (const [key, { object, deleted }] of this.#newest)
      if (key.startsWith(`${name} `) && !present.has(key) && !deleted)
        this.#note(name, { ...object, metadata: { ...object.metadata, ...list.metadata } }, true);
    return list.metadata.resourceVersion ?? '0';
  }

  async #watchFrom(resource: ObservedResource, revision: string): Promise<void> {
    let from: string | undefined = revision;
    while (!this.#ending.signal.aborted) {
      try {
        from = from === undefined ? await this.#list(resource) : await this.#watch(resource, from);
      } catch {
        if (this.#ending.signal.aborted) return;
        await sleep(this.#clock, AGAIN_MS);
      }
    }
  }

  /** Reads one watch to its end. Returns the revision from which to continue, or undefined to list again. */
  async #watch(resource: ObservedResource, revision: string): Promise<string | undefined> {
    const query = `watch=1&allowWatchBookmarks=true&resourceVersion=${revision}`;
    const response = await this.#send(`${pathOf(resource)}?${query}`, true);
    if (response.status !== 200) return undefined;
    const frames = createFrameSplitter();
    let last: string | undefined = revision;
    for await (const chunk of response.body)
      for (const frame of frames.push(chunk)) {
        const { type, object } = JSON.parse(Buffer.from(frame).toString()) as WatchEvent;
        if (type === 'ERROR') return undefined;
        last = object.metadata.resourceVersion ?? last;
        if (type !== 'BOOKMARK') this.#note(qualified(resource), object, type === 'DELETED');
      }
    return last;
  }

  #send(path: string, streaming: boolean): ReturnType<Transport['send']> {
    return this.#transport.send({
      method: 'GET',
      path,
      headers: { accept: 'application/json' },
      streaming,
      headersTimeoutMs: REQUEST_MS,
      signal: this.#ending.signal,
    });
  }

  #note(resource: string, object: WireObject, deleted: boolean): void {
    const moment = this.#moment();
    const revision = Number(object.metadata.resourceVersion ?? 0);
    const version: WireVersion = { ...moment, resource, object, revision, deleted };
    this.versions.push(version);
    this.#newest.set(keyOf(resource, object), version);
    if (!isIncidental(resource)) this.lastChangeMs = moment.atMs;
    this.onRevision(revision);
  }
}

const keyOf = (resource: string, { metadata }: WireObject): string =>
  `${resource} ${metadata.namespace ?? ''}/${metadata.name ?? ''}`;

const pathOf = ({ group, version, resource }: ObservedResource): string =>
  `${group === '' ? '/api' : `/apis/${group}`}/${version}/${resource}`;

async function bytesIn(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
