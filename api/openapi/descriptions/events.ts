import type { Descriptions } from './texts.ts';

export const events = (): Descriptions => ({
  Event: {
    '': 'Something that a controller did or saw, kept for a limited time.',
    action: 'What was done or failed, such as `Binding`; 128 characters at most.',
    deprecatedCount: 'Number of occurrences, for compatibility with the core Event.',
    deprecatedFirstTimestamp: 'When it first happened, for compatibility with the core Event.',
    deprecatedLastTimestamp: 'When it last happened, for compatibility with the core Event.',
    deprecatedSource: 'Reporter, for compatibility with the core Event.',
    eventTime: 'When it first happened; required.',
    note: 'What happened in words for people; 1 KiB at most.',
    reason: 'Why, as one word for programs; 128 characters at most.',
    regarding: 'Object the event is about, usually the one the controller is for.',
    related: 'A second object that took part.',
    reportingController: 'Name of the controller, such as `example.com/controller`; immutable.',
    reportingInstance: 'Which instance of the controller it was; 128 characters at most.',
    series: 'How often it has happened since; unset for a single event.',
    type: '`Normal` or `Warning`; others may follow.',
  },
  EventSeries: {
    '': 'Repetitions of an event.',
    count: 'Number of occurrences so far, 2 at least.',
    lastObservedTime: 'When it was last seen.',
  },
});
