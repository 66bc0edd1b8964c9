import { readJson, writeJson } from '../../api/schema/index.ts';
import type { RequestInfo } from '../../apiserver/request.ts';
import type { Clock } from '../../base/clock/index.ts';
import type { HttpRequest, HttpResponse } from '../../base/http/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import type { OlderViews } from './interception.ts';
import { absent } from './refusals.ts';
import { bytesOf, withUrl } from './whole-request.ts';

/** Revision of a commit, and the monotonic time of the commit. */
interface Committed {
  readonly revision: number;
  readonly atMs: number;
}

/** Maximum number of commit times in memory, which limits stale reads by age. */
const MOST_COMMITS = 100_000;

/** Store whose earlier revisions can be read. A `Storage` implements this interface. */
export interface HistoryStorage {
  /** Returns the newest revision that can no longer be read. */
  compacted(): number;
  /** Returns the newest revision. */
  revision(): Promise<number>;
  /** Calls the listener with each revision after `afterRevision`. */
  watch(
    prefix: string,
    afterRevision: number,
    listener: {
      readonly onChange: (change: { readonly revision: number }) => void;
      readonly onEnd: () => void;
    },
  ): Promise<Subscription>;
}

interface Subscription {
  cancel(): void;
}

/**
 * Creates the source of stale reads of the built-in API server: any revision that the store's history
 * retains.
 */
export function createStoreHistory(
  storage: HistoryStorage,
  clock: Pick<Clock, 'monotonic'>,
): OlderViews & Lifetime {
  const commits = new Commits(storage, clock);
  return {
    name: 'history for stale reads',
    start: () => commits.follow(),
    async stop() {
      commits.stop();
    },
    reach:
      ({ info }) =>
      ({ revisions, ageMs }) => {
        if (!isReadable(info)) return 0;
        const oldest = Math.max(
          1,
          storage.compacted(),
          commits.newest - revisions,
          commits.oldestSince(clock.monotonic() - ageMs),
        );
        return Math.max(0, commits.newest - oldest);
      },
    async read({ info }, request, back, carry) {
      const query = new URLSearchParams(info.query);
      query.set('resourceVersion', String(commits.newest - back));
      query.set('resourceVersionMatch', 'Exact');
      if (info.verb === 'list') return carry(withUrl(request, `${pathOf(request)}?${query}`));
      query.set('fieldSelector', `metadata.name=${info.name}`);
      const collection = pathOf(request).replace(/\/[^/]*\/?$/, '');
      const asked = withUrl(request, `${collection}?${query}`);
      const headers = { ...asked.headers, accept: ['application/json'] };
      return only(info, await carry({ ...asked, headers }));
    },
  };
}

/** Commit times by revision. */
class Commits {
  readonly #storage: HistoryStorage;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #commits: Committed[] = [];
  #newest = 0;
  #subscription: Subscription | undefined;

  constructor(storage: HistoryStorage, clock: Pick<Clock, 'monotonic'>) {
    this.#storage = storage;
    this.#clock = clock;
  }

  get newest(): number {
    return this.#newest;
  }

  async follow(): Promise<void> {
    this.#note(await this.#storage.revision());
    this.#subscription = await this.#storage.watch('/', this.#newest, {
      onChange: ({ revision }) => this.#note(revision),
      onEnd: () => {},
    });
  }

  stop(): void {
    this.#subscription?.cancel();
  }

  /**
   * Returns the newest revision at a monotonic time. If that time is unknown, returns the oldest revision
   * with a known time.
   */
  oldestSince(atMs: number): number {
    if (atMs === Number.NEGATIVE_INFINITY) return 0;
    const before = this.#commits.findLast((commit) => commit.atMs <= atMs);
    return before?.revision ?? this.#commits[0]?.revision ?? this.#newest;
  }

  #note(revision: number): void {
    this.#newest = revision;
    this.#commits.push({ revision, atMs: this.#clock.monotonic() });
    if (this.#commits.length > MOST_COMMITS) this.#commits.splice(0, MOST_COMMITS / 10);
  }
}

const pathOf = ({ url }: HttpRequest): string => url.split('?')[0] ?? url;

/** True if the read can be replaced by a list at an older revision. */
const isReadable = ({ verb, subresource, query }: RequestInfo): boolean =>
  verb === 'list' ? !query.has('continue') : subresource === '';

/** Converts a list with at most one object to the response to a get request. */
async function only(info: RequestInfo, response: HttpResponse): Promise<HttpResponse> {
  if (response.status !== 200) return response;
  const list = readJson((await bytesOf(response.body)).toString()) as {
    readonly kind: string;
    readonly apiVersion: string;
    readonly items: readonly object[];
  };
  const [item] = list.items;
  if (item === undefined) return absent(info);
  const object = { kind: list.kind.replace(/List$/, ''), apiVersion: list.apiVersion, ...item };
  return { ...response, body: Buffer.from(`${writeJson(object)}\n`) };
}
