import { defineVersion, sameShape } from '../conversion/version.ts';
import { FlowSchema, PriorityLevelConfiguration } from '../types/flowcontrol-v1beta1.ts';
import type { FlowSchema as StoredSchema } from '../types/flowcontrol-v1beta2-flow-schema.ts';
import type { PriorityLevelConfiguration as StoredLevel } from '../types/flowcontrol-v1beta2.ts';
import { flowSchemas, priorityLevelConfigurations } from './flowcontrol-v1beta2.ts';

const deprecated = (kind: string) => ({
  since: '1.23',
  removedRelease: '1.26',
  replacement: { group: 'flowcontrol.apiserver', version: 'v1beta2', kind },
});

/** Kind `FlowSchema` of `flowcontrol/v1beta1`. */
export const flowSchemasV1beta1 = defineVersion<StoredSchema, StoredSchema>(flowSchemas, {
  version: 'v1beta1',
  schema: FlowSchema,
  conversion: sameShape(),
  deprecated: deprecated('FlowSchema'),
});

/** Kind `PriorityLevelConfiguration` of `flowcontrol/v1beta1`. */
export const priorityLevelConfigurationsV1beta1 = defineVersion<StoredLevel, StoredLevel>(
  priorityLevelConfigurations,
  {
    version: 'v1beta1',
    schema: PriorityLevelConfiguration,
    conversion: sameShape(),
    deprecated: deprecated('PriorityLevelConfiguration'),
  },
);
