import type { Descriptions } from './texts.ts';

/** Descriptions of the group `scheduling`. */
export const scheduling = (): Descriptions => ({
  PriorityClass: {
    '': 'Gives a name to a priority of pods.',
    description: 'For people: when to use the class.',
    globalDefault: 'True makes it the class of pods that name none; one class at most.',
    preemptionPolicy:
      '`PreemptLowerPriority`, the default, or `Never` to wait without evicting others; immutable.',
    value: 'Priority that pods of the class get, higher before lower; immutable.',
  },
});
