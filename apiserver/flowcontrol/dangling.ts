import { flowSchemas } from '../../api/groups/flowcontrol-v1beta2.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import { isNotFound } from '../../api/status/index.ts';
import type { FlowSchema, FlowSchemaCondition } from '../../api/types/flowcontrol-v1beta2-flow-schema.ts';
import { type Clock, toTime } from '../../base/clock/index.ts';
import { ownWrite } from '../registry/write/own-requests.ts';
import type { Registry } from '../registry/registry.ts';

const DANGLING = 'Dangling';
const FIELD_MANAGER = 'api-priority-and-fairness-config-consumer-v1';
/**
 * Maximum number of status writes per schema and minute, as servers with different caches may overwrite each
 * other's conditions.
 */
const WRITES_A_MINUTE = 6;
const MINUTE_MS = 60_000;

type Schema = DeepReadonly<FlowSchema>;

/**
 * Returns the `Dangling` condition that a schema should have, without its time. Returns undefined if the
 * schema has this condition.
 */
function missingCondition(schema: Schema, found: boolean): FlowSchemaCondition | undefined {
  const level = JSON.stringify(schema.spec?.priorityLevelConfiguration.name ?? '');
  const refers = `This FlowSchema references the PriorityLevelConfiguration object named ${level}`;
  const wanted: FlowSchemaCondition = {
    type: DANGLING,
    status: found ? 'False' : 'True',
    reason: found ? 'Found' : 'NotFound',
    message: found ? `${refers} and it exists` : `${refers} but there is no such object`,
  };
  const present = schema.status?.conditions?.find(({ type }) => type === DANGLING);
  const isRight =
    present !== undefined &&
    present.status === wanted.status &&
    present.reason === wanted.reason &&
    present.message === wanted.message;
  return isRight ? undefined : wanted;
}

/** Writer of the `Dangling` conditions of flow schemas. */
export interface DanglingMarks {
  /**
   * Writes to the status of each schema whether its level exists. Returns the milliseconds to wait before a
   * retry if the write limit is reached, otherwise 0.
   */
  write(schemas: readonly Schema[], exists: (level: string) => boolean): Promise<number>;
}

export function createDanglingMarks(options: { registry: Registry; clock: Clock }): DanglingMarks {
  const { registry, clock } = options;
  let written: { readonly name: string; readonly atMs: number }[] = [];
  return {
    async write(schemas, exists) {
      let waitMs = 0;
      for (const schema of schemas) {
        const condition = missingCondition(
          schema,
          exists(schema.spec?.priorityLevelConfiguration.name ?? ''),
        );
        if (condition === undefined) continue;
        const { name = '' } = schema.metadata ?? {};
        const now = clock.monotonic();
        written = written.filter(({ atMs }) => now - atMs < MINUTE_MS);
        if (written.filter((each) => each.name === name).length >= WRITES_A_MINUTE) {
          waitMs = MINUTE_MS / 2;
          continue;
        }
        written.push({ name, atMs: now });
        await patchStatus(registry, name, { ...condition, lastTransitionTime: toTime(clock.now()) });
      }
      return waitMs;
    },
  };
}

async function patchStatus(registry: Registry, name: string, condition: FlowSchemaCondition): Promise<void> {
  try {
    await registry
      .of(flowSchemas)
      .patch(
        '',
        name,
        'status',
        'application/strategic-merge-patch+json',
        { status: { conditions: [condition] } },
        ownWrite(new AbortController().signal, FIELD_MANAGER),
      );
  } catch (thrown) {
    // The schema was deleted in the meantime; its deletion event follows.
    if (!isNotFound(thrown)) throw thrown;
  }
}
