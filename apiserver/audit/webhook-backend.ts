import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { type Clock, backoffMs, sleep } from '../../base/clock/index.ts';
import { type Outbound, readOutbound } from '../../base/http/index.ts';
import type { Random } from '../../base/random/index.ts';
import type { Remote } from '../outbound/remote-review.ts';
import type { AuditBackend, ReportLost } from './backend.ts';
import { type AuditEvent, eventList } from './event.ts';
import { writeJson } from '../../api/schema/index.ts';

/** Endpoint, transport and retry interval of an audit webhook. */
export interface WebhookBackendOptions {
  readonly remote: Remote;
  readonly outbound: Outbound;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly random: Random;
  readonly lost: ReportLost;
  /**
   * Pause in milliseconds before the second attempt. Each later pause is 1.5 times as long as the previous
   * one.
   */
  readonly initialBackoffMs: number;
}

const TRIES = 5;
const TIMEOUT_MS = 30_000;
/**
 * Request timeout in milliseconds while the server stops; below the grace period of the server's components.
 */
const LAST_TIMEOUT_MS = 2_500;
const RESPONSE_LIMIT_BYTES = 1024 * 1024;

/** Creates a back end that posts event lists to a webhook. Events are lost after five failed attempts. */
export function createWebhookBackend(options: WebhookBackendOptions): AuditBackend {
  return new WebhookBackend(options);
}

class WebhookBackend implements AuditBackend {
  readonly name = 'audit webhook';
  readonly #options: WebhookBackendOptions;
  readonly #stopping = new AbortController();
  readonly #underWay = new Set<Promise<boolean>>();
  readonly #limits = new Set<AbortController>();
  #isOver = false;

  constructor(options: WebhookBackendOptions) {
    this.#options = options;
  }

  process(events: readonly AuditEvent[]): Promise<boolean> {
    const posted = this.#post(events).finally(() => this.#underWay.delete(posted));
    this.#underWay.add(posted);
    return posted;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  /**
   * Starts the last attempt of each waiting retry immediately. Aborts requests that take longer than the last
   * timeout.
   */
  async stop(): Promise<void> {
    const { clock } = this.#options;
    this.#stopping.abort();
    const timer = clock.setTimeout(() => {
      this.#isOver = true;
      for (const limit of this.#limits) limit.abort(new Error('server is stopping'));
    }, LAST_TIMEOUT_MS);
    await Promise.all(this.#underWay);
    clock.clearTimeout(timer);
  }

  async #post(events: readonly AuditEvent[]): Promise<boolean> {
    const { vocabulary, clock, random, initialBackoffMs, lost } = this.#options;
    const body = writeJson(eventList(events, vocabulary));
    const { signal } = this.#stopping;
    const backoff = { baseMs: initialBackoffMs, factor: 1.5, jitter: 0.2, maxMs: Infinity };
    for (let tries = 1; ; tries++) {
      const isLast = tries === TRIES || signal.aborted;
      try {
        await this.#send(body);
        return true;
      } catch (thrown) {
        if (isLast || this.#isOver) {
          lost('webhook', thrown, events);
          return false;
        }
      }
      await sleep(clock, backoffMs(tries, random, backoff), signal).catch(() => {});
    }
  }

  async #send(body: string): Promise<void> {
    const { remote, outbound, clock } = this.#options;
    const limit = new AbortController();
    this.#limits.add(limit);
    const timer = clock.setTimeout(() => limit.abort(new Error('context deadline exceeded')), TIMEOUT_MS);
    try {
      const { authorization, certificate, key } = await remote.credentials();
      const response = await outbound.send(
        { ...remote.peer, ...(certificate && { certificate }), ...(key && { key }) },
        {
          method: 'POST',
          path: remote.path,
          headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
          body,
          signal: limit.signal,
          headersTimeoutMs: TIMEOUT_MS,
        },
      );
      await readOutbound(response, RESPONSE_LIMIT_BYTES);
      if (response.status < 200 || response.status > 299)
        throw new Error(`unexpected status ${response.status} from ${remote.peer.origin}`);
    } finally {
      clock.clearTimeout(timer);
      this.#limits.delete(limit);
    }
  }
}
