import { asCoreEvent, eventConversion } from '../conversion/events.ts';
import { defineVersion } from '../conversion/version.ts';
import type { Event as CoreEvent } from '../types/core-v1.ts';
import type { Event as EventV1 } from '../types/events-v1.ts';
import { Event } from '../types/events-v1beta1.ts';
import { events } from './core-v1.ts';
import { eventV1Fields, eventV1beta1Strategy } from './events/event.ts';

/** Kind `Event` of `events/v1beta1`. */
export const eventsV1beta1 = defineVersion<EventV1, CoreEvent>(events, {
  group: 'events',
  version: 'v1beta1',
  schema: Event,
  conversion: eventConversion,
  shown: asCoreEvent,
  strategy: eventV1beta1Strategy,
  selectableFields: eventV1Fields,
  deprecated: { since: '1.22', removedRelease: '1.25' },
});
