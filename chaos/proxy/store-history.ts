import type { Storage, Subscription } from '../../apiserver/storage/storage.ts';
import type { RequestInfo } from '../../apiserver/request.ts';
import type { Clock } from '../../base/clock/clock.ts';
import type { HttpRequest, HttpResponse } from '../../base/http/message.ts';
import type { Lifetime } from '../../base/lifetime/lifetimes.ts';
import type { OlderViews } from './interception.ts';
import { absent } from './refusals.ts';
import { bytesOf, withUrl } from './whole-request.ts';

/** When a revision was committed, on the monotonic clock. */
interface Committed {
  readonly revision: number;
  readonly atMs: number;
}

/** Commits whose time is remembered; stale reads by age go no further back. */
const MOST_COMMITS = 100_000;

/** Older views as our own API server has them: any revision that its store still holds. */
export function createStoreHistory(
  storage: Pick<Storage, 'watch' | 'revision' | 'compacted'>,
  clock: Pick<Clock, 'monotonic'>,
): OlderViews & Lifetime {
  const commits: Committed[] = [];
  let newest = 0;
  let subscription: Subscription | undefined;

  const oldestSince = (atMs: number): number => {
    if (atMs === Number.NEGATIVE_INFINITY) return 0;
    const before = commits.findLast((commit) => commit.atMs <= atMs);
    return before?.revision ?? commits[0]?.revision ?? newest;
  };
  return {
    name: 'history for stale reads',
    async start() {
      newest = await storage.revision();
      commits.push({ revision: newest, atMs: clock.monotonic() });
      subscription = await storage.watch('/', newest, {
        onChange({ revision }) {
          newest = revision;
          commits.push({ revision, atMs: clock.monotonic() });
          if (commits.length > MOST_COMMITS) commits.splice(0, MOST_COMMITS / 10);
        },
        onEnd: () => {},
      });
    },
    stop() {
      subscription?.cancel();
      return Promise.resolve();
    },
    reach:
      ({ info }) =>
      ({ revisions, ageMs }) =>
        isReadable(info)
          ? Math.max(
              0,
              newest -
                Math.max(1, storage.compacted(), newest - revisions, oldestSince(clock.monotonic() - ageMs)),
            )
          : 0,
    async read({ info }, request, back, carry) {
      const query = new URLSearchParams(info.query);
      query.set('resourceVersion', String(newest - back));
      query.set('resourceVersionMatch', 'Exact');
      if (info.verb === 'list') return carry(withUrl(request, `${pathOf(request)}?${query}`));
      query.set('fieldSelector', `metadata.name=${info.name}`);
      const collection = pathOf(request).replace(/\/[^/]*\/?$/, '');
      const asked = withUrl(request, `${collection}?${query}`);
      return only(
        info,
        await carry({ ...asked, headers: { ...asked.headers, accept: ['application/json'] } }),
      );
    },
  };
}

const pathOf = ({ url }: HttpRequest): string => url.split('?')[0] ?? url;

/** Whether a list can be asked for in its place that is of one revision. */
const isReadable = ({ verb, subresource, query }: RequestInfo): boolean =>
  verb === 'list' ? !query.has('continue') : subresource === '';

/** The one object of a list, as a get answers it. */
async function only(info: RequestInfo, response: HttpResponse): Promise<HttpResponse> {
  if (response.status !== 200) return response;
  const list = JSON.parse((await bytesOf(response.body)).toString()) as {
    readonly kind: string;
    readonly apiVersion: string;
    readonly items: readonly object[];
  };
  const [item] = list.items;
  if (item === undefined) return absent(info);
  const object = { kind: list.kind.replace(/List$/, ''), apiVersion: list.apiVersion, ...item };
  return { ...response, body: Buffer.from(`${JSON.stringify(object)}\n`) };
}
