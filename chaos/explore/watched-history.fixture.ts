import type { ApiObject, DeepReadonly, Kind, Scheme } from '../../api/kinds/index.ts';
import { expired } from '../../api/status/index.ts';
import {
  type Client,
  ClientError,
  type ListOptions,
  type Lister,
  type SelectOptions,
  type WatchEvent,
  type WatchOptions,
} from '../../runtime/index.ts';
import { resourceOf } from '../invariants/invariant.ts';
import type { Any } from './api-request.ts';
import type { ModelServer, ModelStore, Scope, StoreCommit } from './model-store.ts';

/** End of a watch that the informer must survive without a loss, or a bookmark. */
export type Cut = 'ended' | 'failed' | 'bookmark';

/** Server whose history is watched, and its objects at the start. */
export interface HistoryOptions {
  readonly scheme: Scheme;
  /** Decides which objects a watch selects. */
  readonly server: Pick<ModelServer, 'selects'>;
  readonly objects: ModelStore['objects'];
}

/** One watch of an informer. `at` is its position in the history. */
interface Stream {
  readonly selection: Selection;
  at: number;
  /** Number of events that the watch may receive. */
  credit: number;
  end?: Cut | 'expired';
  bookmarks: number;
  wake: () => void;
}

interface Selection {
  readonly kind: Kind<ApiObject>;
  readonly scope: Scope;
}

const nameOf = ({ kind, scope: { namespace, labelSelector, fieldSelector } }: Selection): string =>
  JSON.stringify([resourceOf(kind), namespace, labelSelector, fieldSelector]);

/** Creates the history of a server, and a client that lists and watches it. */
export function createHistory({ scheme, server, objects: initial }: HistoryOptions) {
  let objects = initial;
  const commits: StoreCommit[] = [];
  const streams = new Map<string, Stream>();
  /** Credit of informers whose watch was interrupted. */
  const positions = new Map<string, number>();
  let isClosed = false;

  const select = ({ kind, scope }: Selection, object: Any | undefined): object is Any =>
    object !== undefined && server.selects(kind, object, scope);
  const eventOf = (
    selection: Selection,
    { resource, before, after }: StoreCommit,
  ): WatchEvent<ApiObject> | undefined => {
    if (resource !== resourceOf(selection.kind)) return undefined;
    const [was, is] = [select(selection, before), select(selection, after)];
    if (is) return { type: was ? 'MODIFIED' : 'ADDED', object: after as DeepReadonly<ApiObject> };
    return was ? { type: 'DELETED', object: (after ?? before) as DeepReadonly<ApiObject> } : undefined;
  };
  const list = (selection: Selection): readonly Any[] =>
    Object.entries(objects)
      .filter(
        ([key, object]) => key.startsWith(`${resourceOf(selection.kind)} `) && select(selection, object),
      )
      .map(([, object]) => object);

  async function* watch(selection: Selection, version: string): AsyncGenerator<WatchEvent<ApiObject>> {
    const name = nameOf(selection);
    const at = positions.get(`${name} ${version}`);
    if (at === undefined) throw new Error(`${name} resumes at ${version}, which it never received`);
    const stream: Stream = { selection, at, credit: 0, bookmarks: 0, wake: () => {} };
    streams.set(name, stream);
    while (!isClosed) {
      if (stream.end === 'expired') throw expired('the version is too old');
      if (stream.end === 'failed') throw new ClientError('ERR_CONNECTION', 'the connection was reset');
      if (stream.end === 'ended') return;
      const commit = commits[stream.at];
      const event = commit && eventOf(selection, commit);
      if (commit && (!event || stream.credit > 0)) {
        stream.at++;
        if (!event) continue;
        stream.credit--;
        positions.set(`${name} ${event.object.metadata?.resourceVersion ?? ''}`, stream.at);
        yield event;
        continue;
      }
      if (stream.bookmarks > 0) {
        stream.bookmarks--;
        const resourceVersion = `bookmark-${stream.at}`;
        positions.set(`${name} ${resourceVersion}`, stream.at);
        yield { type: 'BOOKMARK', object: { metadata: { resourceVersion } } };
        continue;
      }
      await new Promise<void>((resolve) => (stream.wake = resolve));
    }
  }
  const listerOf = <T extends ApiObject>(kind: Kind<T>, namespace?: string): Lister<T> => {
    const selectionOf = ({ labelSelector, fieldSelector }: SelectOptions): Selection => ({
      kind: kind as unknown as Kind<ApiObject>,
      scope: {
        ...(namespace !== undefined && { namespace }),
        ...(labelSelector !== undefined && { labelSelector }),
        ...(fieldSelector !== undefined && { fieldSelector }),
      },
    });
    const whole = async (listing: ListOptions<T> = {}) => {
      const selection = selectionOf(listing);
      const resourceVersion = `list-${commits.length}`;
      positions.set(`${nameOf(selection)} ${resourceVersion}`, commits.length);
      return { resourceVersion, items: list(selection) as DeepReadonly<T>[] };
    };
    return {
      list: whole,
      pages: async function* (listing) {
        yield await whole(listing);
      },
      watch: (watching: WatchOptions<T>) =>
        endedBy(watch(selectionOf(watching), watching.resourceVersion), watching.signal) as AsyncIterable<
          WatchEvent<T>
        >,
    };
  };
  const streamOf = (followed: Selection): Stream | undefined => streams.get(nameOf(followed));
  const end = (followed: Selection, how: Cut | 'expired'): void => {
    const stream = streamOf(followed);
    if (!stream) return;
    if (how === 'bookmark') stream.bookmarks++;
    else stream.end = how;
    stream.wake();
  };
  const client = {
    scheme,
    all: (kind: Kind<ApiObject>) => listerOf(kind),
    namespaced: (kind: Kind<ApiObject>, namespace: string) => listerOf(kind, namespace),
  } as unknown as Client;
  return {
    client,
    feed(added: readonly StoreCommit[], after: ModelStore['objects']) {
      commits.push(...added);
      objects = after;
    },
    deliver(followed: Selection) {
      const stream = streamOf(followed);
      if (!stream) return;
      stream.credit++;
      stream.wake();
    },
    cut: end,
    expire: (followed: Selection) => end(followed, 'expired'),
    close() {
      isClosed = true;
      for (const { wake } of streams.values()) wake();
    },
  };
}

/** Ends the events when the signal aborts. */
function endedBy<T>(events: AsyncGenerator<T>, signal: AbortSignal | undefined): AsyncIterable<T> {
  const aborted = new Promise<never>((_, reject) =>
    signal?.addEventListener('abort', () => reject(signal.reason as Error)),
  );
  aborted.catch(() => {});
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.race([events.next(), aborted]) }) };
}
