import type { DeepReadonly } from '../kinds/kind.ts';
import { cloneJson } from '../schema/own.ts';
import type { Event as CoreEvent } from '../types/core-v1.ts';
import type { Event } from '../types/events-v1.ts';
import type { Conversion } from './version.ts';

/**
 * Field names of the group `events` by the field names of the core group. Other fields have the same name in
 * both groups.
 */
const NAMES = {
  involvedObject: 'regarding',
  message: 'note',
  source: 'deprecatedSource',
  firstTimestamp: 'deprecatedFirstTimestamp',
  lastTimestamp: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
  reportingComponent: 'reportingController',
} as const satisfies Partial<Record<keyof CoreEvent, keyof Event>>;

const FORTH: ReadonlyMap<string, string> = new Map(Object.entries(NAMES));
const BACK: ReadonlyMap<string, string> = new Map(Object.entries(NAMES).map(([core, own]) => [own, core]));

/** Returns an object with renamed fields. */
const renamed = (object: object, names: ReadonlyMap<string, string>): object =>
  Object.fromEntries(Object.entries(object).map(([field, value]) => [names.get(field) ?? field, value]));

/**
 * Returns an Event of the group `events` in the form of the core group. The result shares parts with the
 * original.
 */
export const asCoreEvent = (event: DeepReadonly<Event>): DeepReadonly<CoreEvent> =>
  renamed(event, BACK) as DeepReadonly<CoreEvent>;

/** Conversion of Events, which are always stored in the form of the core group. */
export const eventConversion: Conversion<Event, CoreEvent> = {
  toStorage: (event) => cloneJson(asCoreEvent(event)) as CoreEvent,
  fromStorage: (event) => cloneJson(renamed(event, FORTH)) as Event,
};
