import { setMaxListeners } from 'node:events';
import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/kind.ts';
import type { Scheme } from '../../api/kinds/scheme.ts';
import { ApiError } from '../../api/status/api-error.ts';
import { type Clock, sleep } from '../../base/clock/clock.ts';
import type { Client } from '../../runtime/index.ts';
import { resourceOf } from '../invariants/invariant.ts';

/** One change of the API server's store, as its watches have told it. */
export interface StoredChange {
  /** As `resourceOf` writes it. */
  readonly resource: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: DeepReadonly<ApiObject>;
  readonly revision: number;
  /** Wall time; later than the commit. */
  readonly heardMs: number;
}

/** Follows everything that an API server stores, also across its deaths. */
export interface ChangeLog {
  /** Resolves when everything there is has been listed. */
  start(): Promise<void>;
  stop(): void;
  readonly initial: readonly StoredChange[];
  /** In the order in which they were heard. */
  readonly all: readonly StoredChange[];
  /** Hears of each change as it comes. */
  onChange: (change: StoredChange) => void;
  /** Histories that broke off, so that changes may be missing: one sentence each. */
  readonly gaps: readonly string[];
}

const AGAIN_MS = 200;
const WATCH_SECONDS = 3_600;

/** `scheme` says which kinds there are; those that the server does not serve are left out. */
export function createChangeLog(client: Client, scheme: Scheme, clock: Clock): ChangeLog {
  const initial: StoredChange[] = [];
  const all: StoredChange[] = [];
  const gaps: string[] = [];
  const ending = new AbortController();
  const { signal } = ending;
  // One for each watch.
  setMaxListeners(0, signal);
  const log: ChangeLog = {
    initial,
    all,
    gaps,
    onChange: () => {},
    async start() {
      const started = await Promise.all(followed(scheme).map((kind) => list(kind)));
      for (const each of started) if (each !== undefined) void follow(each.kind, each.from);
    },
    stop: () => ending.abort(),
  };

  const list = async (
    kind: Kind<ApiObject>,
  ): Promise<{ kind: Kind<ApiObject>; from: string } | undefined> => {
    try {
      const { items, resourceVersion } = await client.all(kind).list({ signal });
      for (const object of items) initial.push(changeOf(kind, 'ADDED', object));
      return { kind, from: resourceVersion };
    } catch (thrown) {
      if (thrown instanceof ApiError && [404, 405].includes(thrown.status.code ?? 0)) return undefined;
      throw thrown;
    }
  };
  const changeOf = (
    kind: Kind<ApiObject>,
    type: StoredChange['type'],
    object: DeepReadonly<ApiObject>,
  ): StoredChange => ({
    resource: resourceOf(kind),
    type,
    object,
    revision: Number(object.metadata?.resourceVersion),
    heardMs: clock.now(),
  });
  const follow = async (kind: Kind<ApiObject>, since: string): Promise<void> => {
    let resourceVersion = since;
    while (!signal.aborted)
      try {
        const watch = client
          .all(kind)
          .watch({ resourceVersion, signal, timeoutSeconds: WATCH_SECONDS, allowWatchBookmarks: true });
        for await (const { type, object } of watch) {
          resourceVersion = object.metadata?.resourceVersion ?? resourceVersion;
          if (type === 'BOOKMARK') continue;
          const change = changeOf(kind, type, object);
          all.push(change);
          log.onChange(change);
        }
      } catch (thrown) {
        if (signal.aborted) return;
        if (thrown instanceof ApiError && thrown.status.code === 410) {
          gaps.push(`the history of ${resourceOf(kind)} no longer reached back to ${resourceVersion}`);
          return;
        }
        await sleep(clock, AGAIN_MS, signal).catch(() => {});
      }
  };
  return log;
}

/** One kind of each resource, as it is stored. */
const followed = (scheme: Scheme): readonly Kind<ApiObject>[] =>
  scheme.kinds
    .filter(
      ({ storage, virtual, verbs }) =>
        storage === undefined && !virtual && verbs.includes('list') && verbs.includes('watch'),
    )
    // Seen only as objects.
    .map((kind) => kind as unknown as Kind<ApiObject>);
