import type { Descriptions } from './texts.ts';

/** Descriptions of the group `events`. */
export const events = (): Descriptions => ({
  Event: {
    '': 'Something that a controller did or saw, kept for a limited time.',
    action: 'Action that was done or failed, such as `Binding`; 128 characters at most.',
    deprecatedCount: 'Number of occurrences, for compatibility with the core Event.',
    deprecatedFirstTimestamp: 'When it first happened, for compatibility with the core Event.',
    deprecatedLastTimestamp: 'When it last happened, for compatibility with the core Event.',
    deprecatedSource: 'Reporter, for compatibility with the core Event.',
    eventTime: 'When it first happened; required.',
    note: 'Description of the event for people; 1 KiB at most.',
    reason: 'Why, as one word for programs; 128 characters at most.',
    regarding: 'Object the event is about, usually the one the controller is for.',
    related: 'A second object that took part.',
    reportingController: 'Name of the controller, such as `example.com/controller`; immutable.',
    reportingInstance: 'Instance of the controller; 128 characters at most.',
    series: 'Number of occurrences so far; unset for a single event.',
    type: '`Normal` or `Warning`; others may follow.',
  },
  EventSeries: {
    '': 'Repetitions of an event.',
    count: 'Number of occurrences so far, 2 at least.',
    lastObservedTime: 'When it was last seen.',
  },
});
