import type { Kind, Scheme } from '../../api/kinds/index.ts';
import { ApiError, isAlreadyExists, isNotFound } from '../../api/status/index.ts';
import type { Event } from '../../api/types/core-v1.ts';
import { linkSignals, within } from '../../base/async/index.ts';
import { sleep } from '../../base/clock/index.ts';
import type { Environment } from '../../base/environment.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import type { Client, ResourceClient } from '../client/client.ts';
import { type Correlator, type EventForm, type Series, createCorrelator } from './event-correlator.ts';
import type { EventRecorder } from './recorder.ts';

/** Options of `createEventRecorder`. */
export interface EventRecorderOptions extends Environment {
  readonly client: Client;
  readonly scheme: Scheme;
  /**
   * Default source of the events: `source.component` or `reportingController`. `from` returns a recorder with
   * another source.
   */
  readonly component: string;
  /**
   * Form of the events. Default `count`, as in kube-controller-manager. The form `series` requires the kind
   * Event of events.k8s.io/v1 in the scheme.
   */
  readonly form?: EventForm;
  /** Maximum number of unsent events. Default 1,000, as in client-go. */
  readonly bufferSize?: number;
  /** Maximum number of attempts to send one event without a response. Default 12, as in client-go. */
  readonly tries?: number;
  /** Time between attempts in milliseconds. Default 10,000. */
  readonly retryMs?: number;
  /** Maximum time that `stop` waits for unsent events, in milliseconds. Default 2,000. */
  readonly flushMs?: number;
}

/** An event recorder with its lifecycle. */
export interface RunningEventRecorder extends EventRecorder, Lifetime {}

/**
 * Creates a recorder. Events recorded before `start` are sent afterwards. Throws `ERR_NO_EVENT_KIND` if the
 * scheme lacks the kind Event of the selected form.
 */
export const createEventRecorder = (options: EventRecorderOptions): RunningEventRecorder =>
  new BackgroundRecorder(options);

type RecordArguments = Parameters<EventRecorder['record']>;

/** Minimum time between two log lines about dropped events, in milliseconds. */
const DROP_LOG_INTERVAL_MS = 10_000;

class BackgroundRecorder implements RunningEventRecorder {
  readonly name = 'event-recorder';
  readonly #options: EventRecorderOptions;
  readonly #kind: Kind<Event>;
  readonly #correlator: Correlator;
  /** Unsent series, in the order of their first unsent change. */
  readonly #waiting = new Set<Series>();
  readonly #stopping = new AbortController();
  /** Aborts requests when the time limit of `stop` has passed. */
  readonly #aborting = new AbortController();
  /** Number of dropped events since the last log line. */
  #dropped = 0;
  #quietUntilMs = -Infinity;
  #state: 'new' | 'started' | 'stopped' = 'new';
  #sending: Promise<void> | undefined;

  constructor(options: EventRecorderOptions) {
    const { scheme, form = 'count' } = options;
    const apiVersion = form === 'count' ? 'v1' : scheme.vocabulary.apiVersion('events', 'v1');
    const kind = scheme.byApiVersion(apiVersion, 'Event') as unknown as Kind<Event> | undefined;
    if (kind === undefined)
      throw new CodedError('ERR_NO_EVENT_KIND', `the scheme has no kind Event of ${apiVersion}`);
    this.#options = options;
    this.#kind = kind;
    this.#correlator = createCorrelator({ ...options, form });
  }

  /** Counts a dropped event. Logs at intervals, because events are dropped in large numbers. */
  #drop(reason: string): void {
    const { clock, log } = this.#options;
    this.#dropped++;
    const nowMs = clock.monotonic();
    if (nowMs < this.#quietUntilMs) return;
    log.warn({ reason, dropped: this.#dropped }, 'event buffer is full; events were dropped');
    this.#quietUntilMs = nowMs + DROP_LOG_INTERVAL_MS;
    this.#dropped = 0;
  }

  record(...event: RecordArguments): void {
    this.#record(this.#options.component, ...event);
  }

  from(component: string): EventRecorder {
    return { record: (...event) => this.#record(component, ...event), from: (other) => this.from(other) };
  }

  #record(component: string, ...[object, type, reason, message, action]: RecordArguments): void {
    const { log, bufferSize = 1_000 } = this.#options;
    try {
      if (this.#state === 'stopped') return;
      // Checked before the correlation, as in client-go, because most events of a flood are dropped.
      if (this.#waiting.size >= bufferSize) return this.#drop(reason);
      const about = this.#asServed(object);
      const series = this.#correlator.correlate(component, about, type, reason, message, action);
      if (series === undefined || this.#waiting.has(series)) return;
      this.#waiting.add(series);
      this.#pump();
    } catch (thrown) {
      log.error({ reason, err: messageOf(thrown) }, 'failed to record an event');
    }
  }

  /**
   * Returns the object with the API version at which the server serves its kind. The object has the version
   * at which it was read.
   */
  #asServed(object: RecordArguments[0]): RecordArguments[0] {
    const { scheme, client } = this.#options;
    const kind = scheme.byApiVersion(object.apiVersion ?? '', object.kind ?? '');
    return kind === undefined ? object : { ...object, ...client.typeMetaOf(kind) };
  }

  start(): Promise<void> {
    if (this.#state === 'new') this.#state = 'started';
    this.#pump();
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    const { clock, log, flushMs = 2_000 } = this.#options;
    const started = this.#state === 'started';
    this.#state = 'stopped';
    this.#stopping.abort(new Error('the event recorder stops'));
    if (!started) return;
    const late = (): Error =>
      new CodedError('ERR_FLUSH_TIMEOUT', `events were not sent within ${flushMs} ms`);
    try {
      await within(clock, flushMs, linkSignals(), late, async () => {
        while (this.#sending !== undefined) await this.#sending;
      });
    } catch (thrown) {
      log.warn({ err: messageOf(thrown), dropped: this.#waiting.size }, 'events were dropped');
    } finally {
      this.#aborting.abort(this.#stopping.signal.reason);
      this.#waiting.clear();
    }
  }

  #pump(): void {
    if (this.#state === 'new' || this.#sending !== undefined || this.#waiting.size === 0) return;
    this.#sending = this.#drain().finally(() => {
      this.#sending = undefined;
      if (!this.#aborting.signal.aborted) this.#pump();
    });
  }

  async #drain(): Promise<void> {
    for (const series of this.#waiting) {
      if (this.#aborting.signal.aborted) return;
      this.#waiting.delete(series);
      await this.#deliver(series);
    }
  }

  /** Sends the event until the server has accepted or rejected it. */
  async #deliver(series: Series): Promise<void> {
    const { clock, log, tries = 12, retryMs = 10_000 } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send(series);
      } catch (thrown) {
        if (thrown instanceof ApiError || attempt >= tries || this.#stopping.signal.aborted) {
          const ref = `${series.namespace}/${series.name}`;
          log.warn({ ref, err: messageOf(thrown) }, 'failed to write an event');
          return;
        }
      }
      // If `stop` ends the pause, one more attempt follows.
      await sleep(clock, retryMs, this.#stopping.signal).catch(() => {});
    }
  }

  async #send(series: Series): Promise<void> {
    const { event } = series;
    if (!series.created) return this.#create(series, event);
    const { count, lastTimestamp, message } = event;
    const change = event.series === undefined ? { count, lastTimestamp, message } : { series: event.series };
    try {
      await this.#target(series).patch(series.name, 'strategic', change, { signal: this.#aborting.signal });
    } catch (thrown) {
      // Events expire after an hour. The series then continues as a new Event with the same name.
      if (!isNotFound(thrown)) throw thrown;
      await this.#create(series, event);
    }
  }

  async #create(series: Series, event: Event): Promise<void> {
    try {
      await this.#target(series).create(this.#written(event), { signal: this.#aborting.signal });
    } catch (thrown) {
      // The first attempt created the Event, but its response was lost.
      if (!isAlreadyExists(thrown)) throw thrown;
    }
    series.created = true;
  }

  /** Converts the event to the version at which it is written. */
  #written(event: Event): Event {
    const { scheme } = this.#options;
    const { storage } = this.#kind;
    if (storage === undefined) return event;
    return storage.fromStorage(event as never, { vocabulary: scheme.vocabulary }) as Event;
  }

  #target(series: Series): ResourceClient<Event> {
    return this.#options.client.namespaced(this.#kind, series.namespace);
  }
}
