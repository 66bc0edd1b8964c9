import { readJson } from '../../api/schema/index.ts';
import { ApiError, isNotFound } from '../../api/status/index.ts';
import { sleep } from '../../base/clock/index.ts';
import { isRecord } from '../../base/collections/index.ts';
import { queryText } from './get-request.ts';
import { metadataText } from './metadata.ts';
import { pathOf } from './resources.ts';
import type { Target } from './targets.ts';
import type { Terminal } from './terminal.ts';

/** Thrown after the time limit of a wait. */
export class WaitTimeout extends Error {}

/**
 * Waits until `accepts` returns true for an object, which is undefined once it does not exist. Reads the object,
 * and then follows its changes. Throws `WaitTimeout` after `limitMs`.
 */
export async function waitUntil(
  terminal: Terminal,
  { resource, namespace, name }: Target,
  accepts: (object: unknown) => boolean,
  limitMs: number,
): Promise<void> {
  const { clock } = terminal;
  const limit = new AbortController();
  const timer = clock.setTimeout(() => limit.abort(new WaitTimeout()), Math.min(limitMs, MAX_TIMER_MS));
  try {
    for (;;) {
      limit.signal.throwIfAborted();
      const object = await terminal
        .ask({ method: 'GET', path: pathOf(resource, namespace, name), signal: limit.signal })
        .catch(undefinedIfNotFound);
      if (accepts(object)) return;
      const query = queryText({
        watch: 'true',
        fieldSelector: `metadata.name=${name}`,
        resourceVersion: metadataText(object, 'resourceVersion'),
        timeoutSeconds: String(WATCH_SECONDS),
      });
      const path = `${pathOf(resource, namespace)}${query}`;
      for await (const line of terminal.follow(path, 'application/json', limit.signal)) {
        const event: unknown = readJson(line);
        const { type, object: changed } = isRecord(event) ? event : {};
        // An expired version ends the watch, and the object is read again.
        if (type === 'ERROR') break;
        if (accepts(type === 'DELETED' ? undefined : changed)) return;
      }
      await sleep(clock, PAUSE_MS, limit.signal);
    }
  } finally {
    clock.clearTimeout(timer);
  }
}

/** Longest delay of a timer of Node.js, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Pause before the object is read again, because a server may end every watch at once. */
const PAUSE_MS = 1_000;
/** Duration of a watch, after which the object is read again. */
const WATCH_SECONDS = 300;

function undefinedIfNotFound(thrown: unknown): undefined {
  if (thrown instanceof ApiError && isNotFound(thrown)) return undefined;
  throw thrown;
}
