import { asCoreEvent, eventConversion } from '../conversion/events.ts';
import { defineVersion } from '../conversion/version.ts';
import type { Event as CoreEvent } from '../types/core-v1.ts';
import { Event } from '../types/events-v1.ts';
import { events } from './core-v1.ts';
import { eventV1Fields, eventV1Strategy } from './events/event.ts';

/** Kind `Event` of `events/v1`. */
export const eventsV1 = defineVersion<Event, CoreEvent>(events, {
  group: 'events',
  version: 'v1',
  schema: Event,
  conversion: eventConversion,
  shown: asCoreEvent,
  strategy: eventV1Strategy,
  selectableFields: eventV1Fields,
});
