import { setMaxListeners } from 'node:events';
import type { ApiObject, DeepReadonly, Kind, Scheme } from '../../api/kinds/index.ts';
import { ApiError } from '../../api/status/index.ts';
import { type Clock, sleep } from '../../base/clock/index.ts';
import type { Client } from '../../runtime/index.ts';
import { resourceOf } from '../invariants/invariant.ts';

/** One change of the API server's store, as observed by a watch. */
export interface StoredChange {
  /** Resource in the format of `resourceOf`. */
  readonly resource: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: DeepReadonly<ApiObject>;
  readonly revision: number;
  /** Wall time of the observation, which is later than the commit. */
  readonly observedMs: number;
}

/** Log of all changes of an API server's store, across restarts of the server. */
export interface ChangeLog {
  /** Resolves when all resources have been listed. */
  start(): Promise<void>;
  stop(): void;
  readonly initial: readonly StoredChange[];
  /** Changes in order of observation. */
  readonly all: readonly StoredChange[];
  /** Called with each change. */
  onChange: (change: StoredChange) => void;
  /** Descriptions of interruptions after which changes may be missing. */
  readonly gaps: readonly string[];
}

const AGAIN_MS = 200;
const WATCH_SECONDS = 3_600;

/** Creates the log for the kinds of `scheme`. Kinds that the server does not serve are skipped. */
export function createChangeLog(client: Client, scheme: Scheme, clock: Clock): ChangeLog {
  const initial: StoredChange[] = [];
  const all: StoredChange[] = [];
  const gaps: string[] = [];
  const ending = new AbortController();
  const { signal } = ending;
  // Each watch adds one listener.
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
    observedMs: clock.now(),
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

/** Returns the kinds to watch: the storage version of each resource. */
const followed = (scheme: Scheme): readonly Kind<ApiObject>[] =>
  scheme.kinds
    .filter(
      ({ storage, virtual, verbs }) =>
        storage === undefined && !virtual && verbs.includes('list') && verbs.includes('watch'),
    )
    // The log uses the objects only as plain data.
    .map((kind) => kind as unknown as Kind<ApiObject>);
