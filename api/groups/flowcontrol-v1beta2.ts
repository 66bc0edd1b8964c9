import { defineKind } from '../kinds/kind.ts';
import { WHOLE } from '../kinds/policy.ts';
import { FlowSchema } from '../types/flowcontrol-v1beta2-flow-schema.ts';
import { PriorityLevelConfiguration } from '../types/flowcontrol-v1beta2.ts';
import {
  flowSchemaColumns,
  flowSchemaOrder,
  flowSchemaStrategy,
  flowSchemaSubresources,
} from './flowcontrol/flow-schema.ts';
import {
  priorityLevelColumns,
  priorityLevelStrategy,
  priorityLevelSubresources,
} from './flowcontrol/priority-level.ts';

const flowcontrol = {
  group: 'flowcontrol.apiserver',
  version: 'v1beta2',
  namespaced: false,
  generation: true,
} as const;

/** Kind `FlowSchema` of `flowcontrol/v1beta2`. */
export const flowSchemas = defineKind<FlowSchema>({
  ...flowcontrol,
  kind: 'FlowSchema',
  plural: 'flowschemas',
  schema: FlowSchema,
  strategy: flowSchemaStrategy,
  subresources: flowSchemaSubresources,
  columns: flowSchemaColumns,
  rowOrder: flowSchemaOrder,
  policy: { rechecks: WHOLE },
});

/** Kind `PriorityLevelConfiguration` of `flowcontrol/v1beta2`. */
export const priorityLevelConfigurations = defineKind<PriorityLevelConfiguration>({
  ...flowcontrol,
  kind: 'PriorityLevelConfiguration',
  plural: 'prioritylevelconfigurations',
  schema: PriorityLevelConfiguration,
  strategy: priorityLevelStrategy,
  subresources: priorityLevelSubresources,
  columns: priorityLevelColumns,
  policy: { rechecks: WHOLE },
});
