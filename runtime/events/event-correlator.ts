import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import type { Event } from '../../api/types/core-v1.ts';
import { createLruMap } from '../../base/cache/lru-map.ts';
import { type Clock, toMicroTime, toTime } from '../../base/clock/clock.ts';
import type { Random } from '../../base/random/random.ts';

/** Similar events are combined, and equal ones a series, for this long after the last of them. */
const WINDOW_MS = 600_000;
/** Similar events (all but the message equal) are combined from this many messages on. */
const SIMILAR = 10;
const COMBINED = '(combined from similar events): ';
/** Events about one object: so many at once, and one in 300 s in the long run, as client-go has it. */
const SPAM_BURST = 25;
const SPAM_REFILL_MS = 300_000;
/** Objects, groups and series that are remembered. */
const REMEMBERED = 4_096;
const LONGEST_MESSAGE = 1_024;
const LONGEST_NAME = 253;

/** One Event on the server and the occurrences it stands for. */
export interface Series {
  readonly namespace: string;
  readonly name: string;
  event: Event;
  /** Whether the server has it. */
  created: boolean;
  lastMs: number;
}

export interface Correlator {
  /** The series that the occurrence belongs to, counted; undefined when the component has told of the object too often. */
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
 * How equal events are counted: `count` in one Event with first and last time, as the core group has always had it; or
 * `series` of events/v1, where an event has the exact time it was first seen. Combined events keep there the message of the
 * first of them, which the API does not let change.
 */
export type EventForm = 'count' | 'series';

const SUBDOMAIN = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

const capped = (message: string): string =>
  message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE - 3)}...`;

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

/** What an event says of its first occurrence. */
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

/** The same event, seen once more. */
const again = (form: EventForm, event: Event, message: string, nowMs: number): Event =>
  form === 'count'
    ? { ...event, message, count: (event.count ?? 1) + 1, lastTimestamp: toTime(nowMs) }
    : {
        ...event,
        series: { count: (event.series?.count ?? 1) + 1, lastObservedTime: toMicroTime(nowMs) },
      };

/**
 * Counts equal events, combines similar ones and holds back what an object has too many of, by the rules of client-go's
 * `EventCorrelator` (tools/record/events_cache.go) in both forms. Its recorder of events/v1 counts events of one reason as
 * one, whatever their messages are, and so loses all but the first; here messages tell events apart.
 */
export function createCorrelator(options: { clock: Clock; random: Random; form: EventForm }): Correlator {
  const { clock, random, form } = options;
  const series = createLruMap<Series>(REMEMBERED);
  const messages = createLruMap<{ readonly seen: Set<string>; lastMs: number }>(REMEMBERED);
  const buckets = createLruMap<{ tokens: number; filledAtMs: number }>(REMEMBERED);

  const nameFor = (object: DeepReadonly<ApiObject>, nowMs: number): string => {
    // Nanoseconds as client-go writes them; those below the millisecond are drawn, so that no two are the same.
    const suffix = (BigInt(nowMs) * 1_000_000n + BigInt(random.int(1_000_000))).toString(16);
    const name = `${object.metadata?.name ?? ''}.${suffix}`;
    return SUBDOMAIN.test(name) && name.length <= LONGEST_NAME ? name : random.uuid();
  };
  /** Whether the message is one too many of its group. */
  const isOneOfMany = (group: string, message: string, nowMs: number): boolean => {
    let known = messages.get(group);
    if (known === undefined || nowMs - known.lastMs > WINDOW_MS) known = { seen: new Set(), lastMs: nowMs };
    known.lastMs = nowMs;
    known.seen.add(message);
    messages.set(group, known);
    const [oldest] = known.seen;
    if (known.seen.size < SIMILAR || oldest === undefined) return false;
    // The next new message is one too many again; one that is remembered goes on as an event of its own.
    known.seen.delete(oldest);
    return true;
  };
  const mayPass = (object: string): boolean => {
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
      // The core group knows no action.
      const group = JSON.stringify([about, type, reason, form === 'series' ? action : '']);
      const many = isOneOfMany(group, text, nowMs);
      const message = capped(many ? COMBINED + text : text);
      const key = many ? group : JSON.stringify([group, message]);
      let known = series.get(key);
      if (known !== undefined && (form === 'count' || nowMs - known.lastMs <= WINDOW_MS)) {
        known.event = again(form, known.event, message, nowMs);
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
      return mayPass(about) ? known : undefined;
    },
  };
}
