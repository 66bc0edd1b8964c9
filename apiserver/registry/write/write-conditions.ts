import type { ApiObject, DeepReadonly } from '../../../api/kinds/kind.ts';
import { ApiError, type ResourceName, conflict } from '../../../api/status/api-error.ts';
import { type KeyRevision, type Storage, StorageConditionFailed } from '../../storage/storage.ts';
import type { WriteConditions } from '../../request.ts';
import { createRecent } from './recent.ts';
import { type ObjectStorage, type Resource, parseObject } from '../resource.ts';

/** What can be demanded of another object while a write is made: how it is called, and where it is read. */
const FACTS = {
  uid: ({ metadata }: Found) => metadata?.uid ?? '',
  resourceVersion: (_found: Found, revision: number) => String(revision),
  /** Of a Lease: who has it. */
  holder: ({ spec }: Found) => spec?.holderIdentity ?? '',
  /** Of a Lease: how often it went from one holder to another. */
  transitions: ({ spec }: Found) => String(spec?.leaseTransitions ?? 0),
} as const;

type Found = DeepReadonly<ApiObject> & {
  readonly spec?: { readonly holderIdentity?: string; readonly leaseTransitions?: number };
};

export type Fact = keyof typeof FACTS;

export const FACT_NAMES = Object.keys(FACTS) as readonly Fact[];

/** All of `facts` must hold of the object at `key`, which exists then. */
export interface WriteCondition {
  readonly key: string;
  /** What the object is called in refusals. */
  readonly resource: ResourceName;
  readonly name: string;
  readonly facts: ReadonlyMap<Fact, string>;
}

export const createWriteConditions = (
  storage: Pick<Storage, 'get'>,
  conditions: readonly WriteCondition[],
): WriteConditions => ({
  held: () => Promise.all(conditions.map((condition) => heldAt(storage, condition))),
});

async function heldAt(storage: Pick<Storage, 'get'>, condition: WriteCondition): Promise<KeyRevision> {
  const { key, facts } = condition;
  const stored = await storage.get(key);
  if (stored === undefined) throw refused(condition, 'uid', 'it does not exist');
  const object = parseObject(stored.value);
  for (const [fact, wanted] of facts) {
    const found = FACTS[fact](object, stored.revision);
    if (found !== wanted)
      throw refused(
        condition,
        fact,
        `${fact} must be ${JSON.stringify(wanted)}, and is ${JSON.stringify(found)}`,
      );
  }
  return { key, revision: stored.revision };
}

function refused({ resource, name }: WriteCondition, field: Fact, why: string): ApiError {
  const { status } = conflict(resource, name, `the write was to be made under a condition on it: ${why}`);
  const cause = { reason: 'WriteConditionFailed', message: why, field };
  return new ApiError({ ...status, details: { ...status.details, causes: [cause] } });
}

/** The resource as one write sees it: a dry run has a store that keeps nothing, and conditions hold for each write. */
export function writable(
  resource: Resource,
  { dryRun, conditions }: { readonly dryRun: boolean; readonly conditions?: WriteConditions | undefined },
): Resource {
  if (!dryRun && conditions === undefined) return resource;
  const { storage, recent } = dryRun ? { storage: resource.trials, recent: createRecent() } : resource;
  return {
    ...resource,
    recent,
    storage: conditions === undefined ? storage : conditionedStorage(storage, conditions),
  };
}

const conditionedStorage = (base: ObjectStorage, conditions: WriteConditions): ObjectStorage => ({
  revision: () => base.revision(),
  get: (key) => base.get(key),
  list: (prefix, options) => base.list(prefix, options),
  put: (key, value, expected, options) =>
    whileHeld(conditions, (held) => base.put(key, value, expected, { ...options, while: held })),
  delete: (key, expected, options) =>
    whileHeld(conditions, (held) => base.delete(key, expected, { ...options, while: held })),
});

/** An object that has changed may still be as demanded: a Lease that was renewed. Each further round is such a change. */
async function whileHeld<T>(
  conditions: WriteConditions,
  write: (held: readonly KeyRevision[]) => Promise<T>,
): Promise<T> {
  for (;;) {
    const held = await conditions.held();
    try {
      return await write(held);
    } catch (thrown) {
      if (!(thrown instanceof StorageConditionFailed) || !held.some(({ key }) => key === thrown.key))
        throw thrown;
    }
  }
}
