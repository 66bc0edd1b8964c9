import { isRecord } from '../../../base/collections/index.ts';
import { canonical } from '../difference.ts';
import { groupBy, keyOf } from '../keys.ts';
import type { Reading } from '../reading.ts';
import type { Finding, WireRule } from '../rule.ts';
import type { WireRequest } from '../wire-history.ts';

const ID = 'hot-loop';
/** Number of equal requests without effect within `WINDOW_MS` that count as a loop. */
const MOST = 30;
const WINDOW_MS = 5_000;
/** Maximum number of reported requests that were sent before their `Retry-After` had passed. */
const MOST_IMPATIENT = 3;

/** Rule: a client does not repeat a request without effect at a high rate, and honours `Retry-After`. */
export const hotLoop: WireRule = {
  id: ID,
  says: 'no request without effect is repeated at once again and again, and Retry-After is honoured',
  judge(reading) {
    const idle = requestsWithoutEffect(reading);
    const groups = groupBy(idle, signatureOf);
    return {
      reached: idle.length,
      findings: [...groups.values()].flatMap((all) => loopIn(all) ?? impatienceIn(all) ?? []),
    };
  },
};

/**
 * Returns the requests that changed no object: reads, failed writes, and writes of the state that was already
 * stored.
 */
function requestsWithoutEffect({ requests, effects }: Reading): readonly WireRequest[] {
  const effective = new Set(
    effects.filter(({ before, after }) => before !== after).map(({ request }) => request),
  );
  return requests.filter((each) => !effective.has(each));
}

function signatureOf({
  run,
  verb,
  resource,
  subresource,
  namespace,
  name,
  query,
  body,
}: WireRequest): string {
  const { resourceVersion: _, ...selection } = query;
  return canonical([run, verb, resource, subresource, namespace, name, selection, withoutRevision(body)]);
}

const withoutRevision = (body: unknown): unknown =>
  isRecord(body) && isRecord(body['metadata'])
    ? { ...body, metadata: { ...body['metadata'], resourceVersion: undefined } }
    : body;

function loopIn(all: readonly WireRequest[]): Finding | undefined {
  const at = all.findIndex(({ atMs }, i) => (all[i + MOST - 1]?.atMs ?? Infinity) - atMs <= WINDOW_MS);
  const first = all[at];
  const last = all[at + MOST - 1];
  if (first === undefined || last === undefined) return undefined;
  return findingAbout(
    first,
    last,
    `sent ${MOST} times within ${last.atMs - first.atMs} ms, without any effect`,
  );
}

function impatienceIn(all: readonly WireRequest[]): Finding | undefined {
  const impatient = all.filter(({ atMs }, i) => {
    const { atMs: beforeMs = 0, delivered } = all[i - 1] ?? {};
    return (
      delivered?.retryAfterSeconds !== undefined && atMs - beforeMs < delivered.retryAfterSeconds * 1_000
    );
  });
  const [first] = impatient;
  const last = impatient.at(-1);
  if (first === undefined || last === undefined || impatient.length < MOST_IMPATIENT) return undefined;
  return findingAbout(first, last, `repeated ${impatient.length} times before Retry-After had passed`);
}

function findingAbout(first: WireRequest, last: WireRequest, what: string): Finding {
  const key = keyOf(first.resource, first.namespace, first.name);
  return {
    rule: ID,
    key,
    seq: last.seq,
    atMs: last.atMs,
    text: `${first.verb} of ${key} was ${what}`,
    evidence: [first.seq, last.seq],
  };
}
