import { atVersion } from '../schema/at-version.ts';
import * as stable from './events-v1.ts';

const types = atVersion('v1beta1', { EventSeries: stable.EventSeries, Event: stable.Event });

/** Kind Event: a report of a controller about an object, stored for a limited time. */
export const Event = types.Event;
export type Event = stable.Event;
