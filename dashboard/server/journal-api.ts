import type { AnyStateMachine } from 'xstate';
import type { Clock } from '../../base/clock/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { Soon } from '../../base/async/index.ts';
import { type HttpRequest, type HttpResponse, readTarget } from '../../base/http/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import { type AttentionItem, type Journal, type JournalEntry, journalLines } from '../../runtime/index.ts';
import type { Pictures } from '../chart/pictures.ts';
import type { Picture } from '../chart/layout.ts';
import { documentAt } from '../model/documents.ts';
import type { LifecycleTracker } from '../lifecycles/tracker.ts';
import type { Facts, View } from '../model/view.ts';
import { createInspectorFeed } from '../model/inspector.ts';
import { JournalModel } from '../model/journal-model.ts';
import { type EventStreams, createEventStreams } from './event-stream.ts';
import { lifecycleDocument, lifecyclePictures } from './lifecycle-documents.ts';
import { type EnqueueRequested, RECONCILE, reconcileNow } from './reconcile-now.ts';
import { json, refusal } from './responses.ts';

/** Sources of the journal API. */
export interface JournalApiOptions {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly pictures: Pictures;
  /** Returns the machines whose pictures are served, by controller. Called for each request. */
  readonly machines: () => ReadonlyMap<string, AnyStateMachine>;
  /** Pictures from a journal file. They take precedence over those of `machines`. */
  readonly charts?: { readonly [controller: string]: unknown };
  /**
   * Returns facts about the process that writes the journal. If undefined, the current time is that of the
   * last entry.
   */
  readonly facts?: () => Promise<Facts>;
  /** States of objects at `/journal/v1/lifecycles`. Without it, the path responds with 404. */
  readonly lifecycles?: LifecycleTracker;
  /** Returns the list of what needs attention. Without it, `/journal/v1/attention` is not served. */
  readonly attention?: () => readonly AttentionItem[];
  /** True to serve `/journal/v1/inspect`. The default is false. */
  readonly inspector?: boolean;
  /** Enqueues a key that a user requests. Without it, `POST /journal/v1/reconcile` is not served. */
  readonly enqueue?: EnqueueRequested;
}

/**
 * HTTP handler of the journal. `requester` is the user whom the API server authenticated and authorized.
 * Without it, for example on a port without authentication, nothing can be changed.
 */
export type JournalHandler = (
  request: HttpRequest,
  requester?: { readonly username: string },
) => Soon<HttpResponse>;

/** HTTP handler for the journal below `/journal/v1`. `stop` ends the streams. */
export interface JournalApi extends Lifetime {
  readonly handler: JournalHandler;
}

/** Path of the journal API. */
export const JOURNAL_PATH = '/journal/v1';
/** Period of streams in milliseconds. Changes within a period are sent together. */
const PERIOD_MS = 500;
/**
 * Period in milliseconds after which a document is sent even without a new entry, because times and rates
 * change.
 */
const REFRESH_MS = 2_000;
/** Maximum number of exported entries, the newest. About 200 bytes each. */
const EXPORTED_ENTRIES = 200_000;
/** Time before and after a moment whose reconciles are exported with it. */
const AROUND_MS = 300_000;
/** Maximum number of entries of the key of an exported moment. */
const KEY_ENTRIES = 5_000;

/** Creates the journal API. It also serves the entries that the journal already has. */
export function createJournalApi(options: JournalApiOptions): JournalApi {
  return new ServedJournal(options);
}

class ServedJournal implements JournalApi {
  readonly name = 'journal';
  readonly handler: JournalHandler;
  readonly #options: JournalApiOptions;
  readonly #model = new JournalModel();
  readonly #streams: EventStreams;
  readonly #unsubscribe: () => void;

  constructor(options: JournalApiOptions) {
    const { journal, clock } = options;
    this.#options = options;
    this.#streams = createEventStreams(clock, PERIOD_MS);
    for (const entry of journal.read({ since: 0, limit: Number.POSITIVE_INFINITY })) this.#model.apply(entry);
    this.#unsubscribe = journal.subscribe((entry) => this.#model.apply(entry));
    this.handler = (request, requester) => this.#respond(request, requester?.username);
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#streams.close();
    await this.#options.lifecycles?.stop();
  }

  async #respond(request: HttpRequest, requester: string | undefined): Promise<HttpResponse> {
    // The path is not normalized again: the authorizer has checked this path, and `machines/../export` must
    // not become another one.
    const { path, query } = readTarget(request.url);
    const { enqueue } = this.#options;
    const expected = path === `${JOURNAL_PATH}/${RECONCILE}` && enqueue !== undefined ? 'POST' : 'GET';
    if (request.method !== expected)
      return refusal(405, `method ${request.method} not allowed: expected ${expected}`);
    if (expected === 'POST' && enqueue !== undefined)
      return reconcileNow({ view: await this.#view(), query, requester, enqueue });
    if (path === JOURNAL_PATH || path === `${JOURNAL_PATH}/`) return json(this.#index());
    if (!path.startsWith(`${JOURNAL_PATH}/`))
      return refusal(404, `no ${JSON.stringify(path)} in the journal`);
    const below = path.slice(JOURNAL_PATH.length + 1);
    const [first, ...rest] = below.split('/');
    if (first === 'machines') return this.#machines(rest);
    if (first === 'lifecycles') return this.#lifecycles(rest, query);
    switch (below) {
      case 'export':
        return this.#export(query);
      case 'inspect':
        return this.#options.inspector === true
          ? this.#inspect()
          : refusal(404, 'inspector events are disabled: enable them with --journal-inspector');
      case 'next-runs':
        return this.#nextRuns(query);
      case 'certificate-request':
        return readSentRequest(query);
      default:
        return this.#document(below, query);
    }
  }

  async #nextRuns(query: URLSearchParams): Promise<HttpResponse> {
    // The module is imported on first use, because a process that serves a journal file needs no schedules.
    const { nextRunsOf } = await import('./next-runs.ts');
    try {
      return json(nextRunsOf(query, this.#options.clock.now()));
    } catch (thrown) {
      return refusal(400, messageOf(thrown));
    }
  }

  #index(): object {
    const { journal, machines } = this.#options;
    const [first] = journal.read({ since: 0, limit: 1 });
    return {
      kind: 'Journal',
      version: 1,
      recording: journal.enabled,
      entries: journal.size,
      bytes: journal.bytes,
      ...(first === undefined ? {} : { firstSeq: first.seq, firstMs: first.atMs }),
      lastSeq: this.#model.seq,
      machines: [...machines().keys()],
    };
  }

  async #machines([name, ...rest]: readonly string[]): Promise<HttpResponse> {
    if (name === undefined) return json({ kind: 'Machines', items: [...this.#options.machines().keys()] });
    const picture = rest.length === 0 ? await this.#pictureOf(name) : undefined;
    return picture === undefined ? refusal(404, `no machine ${JSON.stringify(name)}`) : json(picture);
  }

  async #pictureOf(name: string): Promise<Picture | object | undefined> {
    const { charts = {}, machines, pictures } = this.#options;
    const given = Object.hasOwn(charts, name) ? charts[name] : undefined;
    if (typeof given === 'object' && given !== null) return given;
    const machine = machines().get(name) ?? lifecyclePictures().get(name);
    return machine && pictures.of(machine);
  }

  async #lifecycles(below: readonly string[], query: URLSearchParams): Promise<HttpResponse> {
    const { lifecycles, clock } = this.#options;
    const read = (): Promise<object | undefined> => lifecycleDocument(lifecycles, below, query);
    const first = await read();
    if (first === undefined)
      return refusal(404, `no ${JSON.stringify(['lifecycles', ...below].join('/'))} in the journal`);
    if (!isWatch(query)) return json(first);
    let sentMs = Number.NEGATIVE_INFINITY;
    return this.#streams.open(async () => {
      if (clock.monotonic() - sentMs < REFRESH_MS) return undefined;
      sentMs = clock.monotonic();
      return read();
    });
  }

  /**
   * Exports the newest entries with the pictures of their machines. With `since`, exports only the entries after
   * it, without pictures. With `at`, exports the entries from which the state at each time around it follows.
   */
  async #export(query: URLSearchParams): Promise<HttpResponse> {
    const after = query.get('since');
    const since = Number(after ?? 0);
    if (!Number.isSafeInteger(since) || since < 0)
      return refusal(400, `invalid since ${JSON.stringify(after)}: expected the number of an entry, from 0`);
    const at = query.get('at');
    const atMs = Number(at ?? 0);
    if (at === '' || !Number.isSafeInteger(atMs) || atMs < 0)
      return refusal(
        400,
        `invalid at ${JSON.stringify(at)}: expected a time in milliseconds since the epoch, as a whole number`,
      );
    const { journal } = this.#options;
    const entries =
      at === null
        ? journal.read({ since, limit: Number.POSITIVE_INFINITY }).slice(-EXPORTED_ENTRIES)
        : withKey(journal.around(atMs - AROUND_MS, atMs + AROUND_MS), journal, query);
    const controllers = new Set(after === null ? entries.map(({ controller }) => controller) : []);
    const charts: Record<string, unknown> = {};
    for (const name of controllers) {
      const picture = await this.#pictureOf(name);
      if (picture !== undefined) charts[name] = picture;
    }
    return {
      status: 200,
      headers: {
        'content-type': 'application/x-ndjson',
        'content-disposition': 'attachment; filename="journal.ndjson"',
        'cache-control': 'no-store',
      },
      body: [...journalLines({ charts, entries })].map((line) => Buffer.from(`${line}\n`)),
    };
  }

  async #document(path: string, query: URLSearchParams): Promise<HttpResponse> {
    const first = documentAt(await this.#view(), path, query);
    if (first === undefined) return refusal(404, `no ${JSON.stringify(path)} in the journal`);
    if (!isWatch(query)) return json(first);
    if (path === 'entries') return this.#streams.open(this.#newEntries(query));
    let sentSeq = -1;
    let sentMs = Number.NEGATIVE_INFINITY;
    return this.#streams.open(async () => {
      const nowMs = this.#options.clock.monotonic();
      if (this.#model.seq === sentSeq && nowMs - sentMs < REFRESH_MS) return undefined;
      sentSeq = this.#model.seq;
      sentMs = nowMs;
      return documentAt(await this.#view(), path, query);
    });
  }

  /**
   * Returns a function that returns the entries since its last call. Its first call returns the entries after
   * the query parameter `since`, or after the last entry.
   */
  #newEntries(query: URLSearchParams): () => Promise<object | undefined> {
    const remaining = new URLSearchParams(query);
    if (!remaining.has('since')) remaining.set('since', String(this.#model.seq));
    return async () => {
      const view = await this.#view();
      const { seq } = view.model;
      const part = documentAt(view, 'entries', remaining);
      const last = part?.kind === 'Entries' ? part.items.at(-1) : undefined;
      // The next call must not scan the same entries again, even if no entry matched.
      remaining.set('since', String(last?.seq ?? seq));
      return last === undefined ? undefined : part;
    };
  }

  #inspect(): HttpResponse {
    const { journal, machines } = this.#options;
    let since = this.#model.seq;
    const feed = createInspectorFeed((name) => machines().get(name));
    return this.#streams.open(async () => {
      const entries: readonly JournalEntry[] = journal.read({ since, limit: 2_000 });
      since = entries.at(-1)?.seq ?? since;
      const items = entries.flatMap(feed);
      return items.length === 0 ? undefined : { kind: 'InspectorEvents', items };
    });
  }

  async #view(): Promise<View> {
    const { journal, clock, facts, attention } = this.#options;
    return {
      model: this.#model,
      nowMs: facts === undefined ? this.#model.atMs : clock.now(),
      entries: (query) => journal.read(query),
      finished: (visit) => journal.finished(visit),
      ...(facts === undefined ? {} : { facts: await facts() }),
      ...(attention === undefined ? {} : { attention }),
    };
  }
}

const isWatch = (query: URLSearchParams): boolean => ['true', '1'].includes(query.get('watch') ?? '');

/** Adds all entries of the key that the query names, if it names one. */
function withKey(
  around: readonly JournalEntry[],
  journal: Journal,
  query: URLSearchParams,
): readonly JournalEntry[] {
  const [controller, key] = [query.get('controller'), query.get('key')];
  if (controller === null || key === null) return around;
  const own = journal.read({ controller, key, limit: KEY_ENTRIES });
  const known = new Set(own.map(({ seq }) => seq));
  return [...around.filter(({ seq }) => !known.has(seq)), ...own].sort((a, b) => a.seq - b.seq);
}

/** Parses the certificate request in the query. */
async function readSentRequest(query: URLSearchParams): Promise<HttpResponse> {
  // The module is imported on first use, because most processes read no certificate request.
  const { certificateRequestOf } = await import('./certificate-request.ts');
  try {
    return json(certificateRequestOf(query));
  } catch (thrown) {
    return refusal(400, messageOf(thrown));
  }
}
