import type { DeepReadonly } from '../kinds/kind.ts';
import { cloneJson } from '../schema/own.ts';
import type { Event as CoreEvent } from '../types/core-v1.ts';
import type { Event } from '../types/events-v1.ts';
import type { Conversion } from './version.ts';

/** Fields of the events group by what the core group calls them; all others have one name. */
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

/** The same values under other names. */
const renamed = (object: object, names: ReadonlyMap<string, string>): object =>
  Object.fromEntries(Object.entries(object).map(([field, value]) => [names.get(field) ?? field, value]));

/** An event of the events group as the core group would show it; parts are shared with the original. */
export const asCoreEvent = (event: DeepReadonly<Event>): DeepReadonly<CoreEvent> =>
  renamed(event, BACK) as DeepReadonly<CoreEvent>;

/** Events are kept as those of the core group, whichever group they are written through. */
export const eventConversion: Conversion<Event, CoreEvent> = {
  toStorage: (event) => cloneJson(asCoreEvent(event)) as CoreEvent,
  fromStorage: (event) => cloneJson(renamed(event, FORTH)) as Event,
};
