import { defineKind } from '../kinds/kind.ts';
import { PriorityClass } from '../types/scheduling-v1.ts';
import { priorityClassColumns, priorityClassStrategy } from './scheduling/priority-class.ts';

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
});
