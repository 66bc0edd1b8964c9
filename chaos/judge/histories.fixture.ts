import type { WireEntry, WireHistory, WireObject, WireRequest, WireVersion } from './wire-history.ts';

/** Builder of histories. Each call adds an entry or a version. */
export class HistoryBuilder implements WireHistory {
  readonly entries: WireEntry[] = [];
  readonly versions: WireVersion[] = [];
  #seq = 0;
  #revision = 10;
  #atMs = 0;
  /** Number of the client's current incarnation. */
  run = 1;

  /** Advances the time of the next entries. */
  wait(ms: number): this {
    this.#atMs += ms;
    return this;
  }

  /** Stores an object on behalf of another client. */
  store(object: WireObject): WireObject {
    return this.#stored(object, false);
  }

  /** Removes an object on behalf of another client. */
  remove(object: WireObject): WireObject {
    return this.#stored(object, true);
  }

  /** Delivers a watch event to the client. */
  deliver(event: string, object: WireObject): this {
    this.entries.push({
      ...this.#moment(),
      type: 'event',
      run: this.run,
      resource: 'configmaps',
      event,
      object,
    });
    return this;
  }

  /** Delivers a list to the client. */
  list(...items: readonly WireObject[]): this {
    const body = { metadata: { resourceVersion: String(this.#revision) }, items };
    this.#answered({ verb: 'list' }, 200, body);
    return this;
  }

  /**
   * Sends a create, update or patch that stores `object`. @param given fields of the request that replace the
   * defaults
   */
  write(verb: string, object: WireObject, given: Partial<WireRequest> = {}): WireObject {
    const name = verb === 'create' ? '' : (object.metadata.name ?? '');
    const sent = this.#request({ verb, name, body: object, ...given });
    const stored = this.#stored(object, false);
    this.#finish(sent, 200, stored, given);
    return stored;
  }

  /** Sends a delete that removes `object`. */
  delete(object: WireObject, given: Partial<WireRequest> = {}): this {
    const sent = this.#request({ verb: 'delete', name: object.metadata.name ?? '', ...given });
    this.#stored(object, true);
    this.#finish(sent, 200, { kind: 'Status', details: { uid: object.metadata.uid } }, given);
    return this;
  }

  /** Sends a request whose execution stores no version. */
  send(given: Partial<WireRequest>, status: number, retryAfterSeconds?: number): this {
    this.#answered(given, status, undefined, retryAfterSeconds);
    return this;
  }

  #answered(given: Partial<WireRequest>, status: number, body?: unknown, retryAfterSeconds?: number): void {
    const sent = this.#request(given);
    const response = { status, body, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
    this.entries.push({
      ...sent,
      carried: response,
      carriedSeq: ++this.#seq,
      delivered: response,
      deliveredSeq: ++this.#seq,
    });
  }

  #request(given: Partial<WireRequest>): WireRequest {
    return {
      ...this.#moment(),
      type: 'request',
      run: this.run,
      verb: 'get',
      resource: 'configmaps',
      subresource: '',
      namespace: 'default',
      name: '',
      query: {},
      contentType: 'application/json',
      ...given,
    };
  }

  #finish(sent: WireRequest, status: number, body: unknown, { fault }: Partial<WireRequest>): void {
    const response = { status, body };
    const isLost = fault === 'lost-response';
    this.entries.push({
      ...sent,
      carried: response,
      carriedSeq: ++this.#seq,
      ...(!isLost && { delivered: response, deliveredSeq: ++this.#seq }),
    });
  }

  #stored(object: WireObject, deleted: boolean): WireObject {
    const revision = ++this.#revision;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    this.versions.push({ ...this.#moment(), resource: 'configmaps', object: stored, revision, deleted });
    return stored;
  }

  #moment(): { seq: number; atMs: number } {
    return { seq: ++this.#seq, atMs: ++this.#atMs };
  }
}

/** Returns a ConfigMap. `more` contains further fields of its metadata. */
export const configMap = (
  name: string,
  uid: string,
  data: Readonly<Record<string, string>> = {},
  more: Partial<WireObject['metadata']> = {},
): WireObject => ({ metadata: { name, namespace: 'default', uid, ...more }, data });
