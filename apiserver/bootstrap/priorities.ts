import { SYSTEM_PRIORITY_CLASSES } from '../../api/groups/scheduling/priority-class.ts';
import {
  type Suggested,
  flowSchemas as suggestedSchemas,
  priorityLevels,
} from '../../api/groups/flowcontrol/index.ts';
import { flowSchemas, priorityClasses, priorityLevelConfigurations } from '../../api/groups/index.ts';
import type { ApiObject, Kind } from '../../api/kinds/index.ts';
import type { ObjectMeta } from '../../api/types/meta-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { BootstrapWriter } from './bootstrap-writer.ts';
import { isObsolete, maintained } from './flow-control-objects.ts';

/** Creates the missing priority classes of system pods. */
export async function ensurePriorityClasses(writer: BootstrapWriter, v: Vocabulary): Promise<void> {
  const apiVersion = v.apiVersion('scheduling', 'v1');
  await Promise.all(
    SYSTEM_PRIORITY_CLASSES.map(({ name, value, description }) =>
      writer.ensure(priorityClasses, {
        kind: 'PriorityClass',
        apiVersion,
        metadata: { name },
        value,
        description,
      }),
    ),
  );
}

/** Field manager of flow-control objects; equal to upstream's. */
export const FLOW_CONTROL_MANAGER = 'api-priority-and-fairness-config-producer-v1';

/**
 * Creates the missing PriorityLevelConfiguration and FlowSchema objects that every cluster has, and resets
 * changed ones. Deletes obsolete objects unless an administrator has taken them over
 * (https://github.com/kubernetes/kubernetes/tree/v1.24.0/pkg/registry/flowcontrol/ensurer).
 */
export async function ensureFlowControl(
  writer: BootstrapWriter,
  registry: Registry,
  v: Vocabulary,
): Promise<void> {
  await ensureAll(
    writer,
    flowSchemas,
    suggestedSchemas(v),
    (metadata, { spec }) => ({
      kind: 'FlowSchema',
      apiVersion: v.apiVersion('flowcontrol.apiserver', 'v1beta2'),
      metadata,
      spec: structuredClone(spec),
    }),
    v,
  );
  await ensureAll(
    writer,
    priorityLevelConfigurations,
    priorityLevels,
    (metadata, { spec }) => ({
      kind: 'PriorityLevelConfiguration',
      apiVersion: v.apiVersion('flowcontrol.apiserver', 'v1beta2'),
      metadata,
      spec: structuredClone(spec),
    }),
    v,
  );
  await removeObsolete(writer, registry, flowSchemas, suggestedSchemas(v), v);
  await removeObsolete(writer, registry, priorityLevelConfigurations, priorityLevels, v);
}

const annotationOf = (v: Vocabulary): string => v.key('apf', 'autoupdate-spec');

async function ensureAll<T extends ApiObject & { spec?: unknown }, S>(
  writer: BootstrapWriter,
  kind: Kind<T>,
  suggested: readonly Suggested<S>[],
  objectOf: (metadata: ObjectMeta, suggested: Suggested<S>) => T,
  v: Vocabulary,
): Promise<void> {
  const annotation = annotationOf(v);
  await Promise.all(
    suggested.map((each) => {
      const wanted = objectOf({ name: each.name, annotations: { [annotation]: 'true' } }, each);
      return writer.ensure<T>(kind, wanted, (current) => maintained<T>(current, each, annotation));
    }),
  );
}

async function removeObsolete<T extends ApiObject, S>(
  writer: BootstrapWriter,
  registry: Registry,
  kind: Kind<T>,
  suggested: readonly Suggested<S>[],
  v: Vocabulary,
): Promise<void> {
  for (const object of registry.reader(kind).list()) {
    if (!isObsolete(object, suggested, annotationOf(v))) continue;
    await writer.remove(kind, '', object.metadata?.name ?? '');
  }
}
