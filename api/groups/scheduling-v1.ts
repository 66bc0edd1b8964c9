import { defineKind } from '../kinds/kind.ts';
import { CHANGE } from '../kinds/policy.ts';
import { PriorityClass } from '../types/scheduling-v1.ts';
import {
  SYSTEM_PRIORITY_CLASSES,
  priorityClassColumns,
  priorityClassStrategy,
} from './scheduling/priority-class.ts';

/** Kind `PriorityClass` of `scheduling/v1`. */
export const priorityClasses = defineKind<PriorityClass>({
  group: 'scheduling',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  shortNames: ['pc'],
  namespaced: false,
  generation: true,
  schema: PriorityClass,
  strategy: priorityClassStrategy,
  columns: priorityClassColumns,
  policy: {
    undeletable: {
      names: SYSTEM_PRIORITY_CLASSES.map(({ name }) => name),
      because: 'this is a system priority class and cannot be deleted',
    },
    rechecks: CHANGE,
  },
});
