import { SYSTEM_PRIORITY_CLASSES } from '../../api/groups/scheduling/priority-class.ts';
import {
  type Suggested,
  flowSchemas as suggestedSchemas,
  priorityLevels,
} from '../../api/groups/flowcontrol/defaults.ts';
import { flowSchemas, priorityClasses, priorityLevelConfigurations } from '../../api/groups/index.ts';
import type { ObjectMeta } from '../../api/types/meta-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { BootstrapWriter } from './bootstrap-writer.ts';

/** Makes the priority classes of system pods where they are missing. */
export async function ensurePriorityClasses(writer: BootstrapWriter, v: Vocabulary): Promise<void> {
  const apiVersion = v.apiVersion('scheduling', 'v1');
  for (const { name, value, description } of SYSTEM_PRIORITY_CLASSES)
    await writer.ensure(priorityClasses, {
      kind: 'PriorityClass',
      apiVersion,
      metadata: { name },
      value,
      description,
    });
}

/**
 * Makes the levels and flow schemas of request priority that are missing; those that exist are an administrator's, and
 * the fixed ones cannot have been changed.
 */
export async function ensureFlowControl(writer: BootstrapWriter, v: Vocabulary): Promise<void> {
  const apiVersion = v.apiVersion('flowcontrol.apiserver', 'v1beta2');
  const key = v.key('apf', 'autoupdate-spec');
  const metadataOf = ({ name }: Suggested<unknown>): ObjectMeta => ({ name, annotations: { [key]: 'true' } });
  for (const level of priorityLevels)
    await writer.ensure(priorityLevelConfigurations, {
      kind: 'PriorityLevelConfiguration',
      apiVersion,
      metadata: metadataOf(level),
      spec: structuredClone(level.spec),
    });
  for (const schema of suggestedSchemas(v))
    await writer.ensure(flowSchemas, {
      kind: 'FlowSchema',
      apiVersion,
      metadata: metadataOf(schema),
      spec: structuredClone(schema.spec),
    });
}
