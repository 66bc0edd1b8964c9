import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import type { Event } from '../../api/types/core-v1.ts';
import { createLruMap } from '../../base/cache/index.ts';
import { type Clock, toMicroTime, toTime } from '../../base/clock/index.ts';
import type { Random } from '../../base/random/index.ts';

/**
 * Time in milliseconds after the last occurrence for which similar events are combined and equal events form
 * a series.
 */
const WINDOW_MS = 600_000;
/**
 * Number of messages of similar events from which they are combined. Similar events differ only in the
 * message.
 */
const SIMILAR = 10;
const COMBINED = '(combined from similar events): ';
/** Budget of events per object, as in client-go: a burst of 25, then one event in 300 s. */
const SPAM_BURST = 25;
const SPAM_REFILL_MS = 300_000;
/** Maximum number of remembered objects, groups and series, each. */
const REMEMBERED = 4_096;
const MAX_MESSAGE_LENGTH = 1_024;
const MAX_NAME_LENGTH = 253;

/** One Event object on the server and the occurrences that it counts. */
export interface Series {
  readonly namespace: string;
  readonly name: string;
  event: Event;
  /** True once the server has stored the event. */
  created: boolean;
  lastMs: number;
}

/** Assigner of occurrences to Event objects. */
export interface Correlator {
  /**
   * Counts an occurrence and returns its series. Returns undefined if the budget of the object is used up.
   */
  correlate(
    component: string,
    object: DeepReadonly<ApiObject>,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    action?: string,
  ): Series | undefined;
}

/**
 * Form in which equal events are counted.
 *
 * - `count`: core/v1, one Event with a count, first and last time;
 * - `series`: events.k8s.io/v1, one Event with the exact time of the first occurrence and a series. A
 * combined Event retains its first message, because the API rejects a changed message.
 */
export type EventForm = 'count' | 'series';

const SUBDOMAIN = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

const capped = (message: string): string =>
  message.length <= MAX_MESSAGE_LENGTH ? message : `${message.slice(0, MAX_MESSAGE_LENGTH - 3)}...`;

function involved({ kind, apiVersion, metadata = {} }: DeepReadonly<ApiObject>): Event['involvedObject'] {
  const { name, namespace, uid, resourceVersion } = metadata;
  const reference: Event['involvedObject'] = {};
  if (kind !== undefined) reference.kind = kind;
  if (namespace !== undefined) reference.namespace = namespace;
  if (name !== undefined) reference.name = name;
  if (uid !== undefined) reference.uid = uid;
  if (apiVersion !== undefined) reference.apiVersion = apiVersion;
  if (resourceVersion !== undefined) reference.resourceVersion = resourceVersion;
  return reference;
}

/** Returns the fields that describe a first occurrence. */
const occurrence = (form: EventForm, component: string, reason: string, action: string, nowMs: number) =>
  form === 'count'
    ? {
        source: { component },
        firstTimestamp: toTime(nowMs),
        lastTimestamp: toTime(nowMs),
        count: 1,
        reportingComponent: '',
        reportingInstance: '',
      }
    : {
        eventTime: toMicroTime(nowMs),
        action: action === '' ? reason : action,
        reportingComponent: component,
        reportingInstance: component,
      };

/** Returns the event with one more occurrence. */
const withOccurrence = (form: EventForm, event: Event, message: string, nowMs: number): Event =>
  form === 'count'
    ? { ...event, message, count: (event.count ?? 1) + 1, lastTimestamp: toTime(nowMs) }
    : {
        ...event,
        series: { count: (event.series?.count ?? 1) + 1, lastObservedTime: toMicroTime(nowMs) },
      };

/**
 * Creates a correlator with the rules of client-go's `EventCorrelator` for both forms: it counts equal
 * events, combines similar events and limits events per object. See
 * https://github.com/kubernetes/client-go/blob/v0.24.0/tools/record/events_cache.go.
 *
 * Unlike client-go's recorder for events.k8s.io/v1, it treats events with different messages as different, so
 * that no message is lost.
 */
export function createCorrelator(options: { clock: Clock; random: Random; form: EventForm }): Correlator {
  const { clock, random, form } = options;
  const series = createLruMap<Series>(REMEMBERED);
  const messages = createLruMap<{ readonly seen: Set<string>; lastMs: number }>(REMEMBERED);
  const buckets = createLruMap<{ tokens: number; filledAtMs: number }>(REMEMBERED);

  const nameFor = (object: DeepReadonly<ApiObject>, nowMs: number): string => {
    // The suffix is the time in nanoseconds, as in client-go. The part below a millisecond is random, so that
    // names are unique.
    const suffix = (BigInt(nowMs) * 1_000_000n + BigInt(random.int(1_000_000))).toString(16);
    const name = `${object.metadata?.name ?? ''}.${suffix}`;
    return SUBDOMAIN.test(name) && name.length <= MAX_NAME_LENGTH ? name : random.uuid();
  };
  /** True if the message exceeds the limit of its group. */
  const isOneOfMany = (group: string, message: string, nowMs: number): boolean => {
    let known = messages.get(group);
    if (known === undefined || nowMs - known.lastMs > WINDOW_MS) known = { seen: new Set(), lastMs: nowMs };
    known.lastMs = nowMs;
    known.seen.add(message);
    messages.set(group, known);
    const [oldest] = known.seen;
    if (known.seen.size < SIMILAR || oldest === undefined) return false;
    // The next new message exceeds the limit again, whereas a remembered message continues its own event.
    known.seen.delete(oldest);
    return true;
  };
  const isWithinBudget = (object: string): boolean => {
    const nowMs = clock.monotonic();
    const bucket = buckets.get(object) ?? { tokens: SPAM_BURST, filledAtMs: nowMs };
    bucket.tokens = Math.min(SPAM_BURST, bucket.tokens + (nowMs - bucket.filledAtMs) / SPAM_REFILL_MS);
    bucket.filledAtMs = nowMs;
    buckets.set(object, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  };
  return {
    correlate(component, object, type, reason, text, action = '') {
      const nowMs = clock.now();
      const { apiVersion, kind, metadata } = object;
      const { uid, namespace = 'default', name } = metadata ?? {};
      const about = JSON.stringify([component, apiVersion, kind, metadata?.namespace, name, uid]);
      // The action does not distinguish core/v1 events, as in client-go.
      const group = JSON.stringify([about, type, reason, form === 'series' ? action : '']);
      const many = isOneOfMany(group, text, nowMs);
      const message = capped(many ? COMBINED + text : text);
      const key = many ? group : JSON.stringify([group, message]);
      let known = series.get(key);
      if (known !== undefined && (form === 'count' || nowMs - known.lastMs <= WINDOW_MS)) {
        known.event = withOccurrence(form, known.event, message, nowMs);
        known.lastMs = nowMs;
      } else {
        const eventName = nameFor(object, nowMs);
        const event: Event = {
          metadata: { name: eventName, namespace },
          involvedObject: involved(object),
          reason,
          message,
          type,
          ...occurrence(form, component, reason, action, nowMs),
        };
        known = { namespace, name: eventName, event, created: false, lastMs: nowMs };
        series.set(key, known);
      }
      return isWithinBudget(about) ? known : undefined;
    },
  };
}
