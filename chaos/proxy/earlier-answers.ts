import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock/index.ts';
import type { HttpRequest, HttpResponse } from '../../base/http/index.ts';
import { type OlderViews, isJson } from './interception.ts';
import { bytesOf } from './whole-request.ts';

/** A response that the proxy has sent. */
interface Kept {
  readonly key: string;
  readonly atMs: number;
  /** Revision of the response. Undefined if the response has no comparable revision. */
  readonly revision: number | undefined;
  readonly response: HttpResponse & { readonly body: Buffer };
}

/** Maximum total size of stored responses in bytes; the oldest responses are dropped. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Creates the source of stale reads of a proxy: the responses that it has sent.
 *
 * Responses are stored by URL, media types and credentials, so that no client gets the data of another
 * client.
 */
export const createEarlierAnswers = (clock: Pick<Clock, 'monotonic'>, mostBytes = MOST_BYTES): OlderViews => {
  const answers = new KeptAnswers(mostBytes);
  return {
    reach:
      (_, request) =>
      ({ revisions, ageMs }) => {
        const known = answers.of(keyOf(request));
        const newest = known.at(-1)?.revision;
        const fromMs = clock.monotonic() - ageMs;
        const isWithin = ({ atMs, revision }: Kept): boolean =>
          atMs >= fromMs &&
          (newest === undefined || revision === undefined || newest - revision <= revisions);
        return known.filter(isWithin).length;
      },
    async read(_, request, back) {
      const found = answers.of(keyOf(request)).at(-back);
      if (found === undefined) throw new Error(`the kept response ${back} has been dropped`);
      return found.response;
    },
    async note(_, request, response) {
      if (response.status !== 200) return response;
      const body = await bytesOf(response.body);
      const whole = { ...response, body };
      if (body.length * 2 <= mostBytes)
        answers.keep({
          key: keyOf(request),
          atMs: clock.monotonic(),
          revision: isJson(response) ? revisionOf(body) : undefined,
          response: whole,
        });
      return whole;
    },
  };
};

/** Stored responses within a memory limit. */
class KeptAnswers {
  readonly #mostBytes: number;
  /** Responses by key, oldest first. */
  readonly #byKey = new Map<string, Kept[]>();
  /** All responses, oldest first. */
  readonly #all: Kept[] = [];
  #heldBytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Returns the responses of a key, oldest first. */
  of(key: string): readonly Kept[] {
    return this.#byKey.get(key) ?? [];
  }

  keep(kept: Kept): void {
    const known = this.#byKey.get(kept.key);
    const last = known?.at(-1);
    // An identical response is not an older view.
    if (last !== undefined && last.response.body.equals(kept.response.body)) return;
    if (known === undefined) this.#byKey.set(kept.key, [kept]);
    else known.push(kept);
    this.#all.push(kept);
    this.#heldBytes += kept.response.body.length;
    while (this.#heldBytes > this.#mostBytes) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const oldest = this.#all.shift();
    if (oldest === undefined) return;
    this.#heldBytes -= oldest.response.body.length;
    const rest = this.of(oldest.key).slice(1);
    if (rest.length === 0) this.#byKey.delete(oldest.key);
    else this.#byKey.set(oldest.key, rest);
  }
}

const SAYS_WHO = /^(authorization|impersonate-.*|x-remote-.*|user-agent|accept)$/;

/**
 * Returns the hash of a request's URL, media types and credentials. A hash, because the key must not contain
 * credentials.
 */
function keyOf({ method, url, headers, peer }: HttpRequest): string {
  const said = Object.entries(headers).filter(([name]) => SAYS_WHO.test(name));
  const certificate = peer.certificate?.fingerprint256 ?? '';
  return createHash('sha256')
    .update(JSON.stringify([method, url, said.sort(), certificate]))
    .digest('base64');
}

const VERSION = /"resourceVersion":"(\d+)"/;

/**
 * Returns the first resource version in a body: the version of the list, or that of the object. In a list,
 * the list's version precedes those of its items.
 */
function revisionOf(body: Buffer): number | undefined {
  const [, digits] = VERSION.exec(body.subarray(0, 64 * 1024).toString()) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
