import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import { ApiError, type ResourceName, conflict } from '../../../api/status/index.ts';
import { type KeyRevision, type Storage, StorageConditionFailed } from '../../storage/storage.ts';
import type { WriteConditions } from '../../request.ts';
import { createRecent } from './recent.ts';
import { type ObjectStorage, type Resource, parseObject } from '../resource.ts';

/** Properties of another object that a write can depend on, by name. */
const FACTS = {
  uid: ({ metadata }: Found) => metadata?.uid ?? '',
  resourceVersion: (_found: Found, revision: number) => String(revision),
  /** Holder of a Lease. */
  holder: ({ spec }: Found) => spec?.holderIdentity ?? '',
  /** Number of times a Lease has changed its holder. */
  transitions: ({ spec }: Found) => String(spec?.leaseTransitions ?? 0),
} as const;

type Found = DeepReadonly<ApiObject> & {
  readonly spec?: { readonly holderIdentity?: string; readonly leaseTransitions?: number };
};

export type Fact = keyof typeof FACTS;

export const FACT_NAMES = Object.keys(FACTS) as readonly Fact[];

/** Condition on the object at `key`: the object must exist, and all of `facts` must be true of it. */
export interface WriteCondition {
  readonly key: string;
  /** Resource of the object, for error responses. */
  readonly resource: ResourceName;
  readonly name: string;
  readonly facts: ReadonlyMap<Fact, string>;
}

/**
 * Creates the conditions of a write. `held` returns the revisions at which the conditions hold, for a
 * conditional write. It rejects with a 409 if a condition does not hold.
 */
export const createWriteConditions = (
  storage: Pick<Storage, 'get'>,
  conditions: readonly WriteCondition[],
): WriteConditions => ({
  held: () => Promise.all(conditions.map((condition) => heldAt(storage, condition))),
});

async function heldAt(storage: Pick<Storage, 'get'>, condition: WriteCondition): Promise<KeyRevision> {
  const { key, facts } = condition;
  const stored = await storage.get(key);
  if (stored === undefined) throw rejected(condition, 'uid', 'it does not exist');
  const object = parseObject(stored.value);
  for (const [fact, wanted] of facts) {
    const found = FACTS[fact](object, stored.revision);
    if (found !== wanted)
      throw rejected(
        condition,
        fact,
        `expected ${fact} ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`,
      );
  }
  return { key, revision: stored.revision };
}

function rejected({ resource, name }: WriteCondition, field: Fact, why: string): ApiError {
  const { status } = conflict(
    resource,
    name,
    `the write has a condition on this object that does not hold: ${why}`,
  );
  const cause = { reason: 'WriteConditionFailed', message: why, field };
  return new ApiError({ ...status, details: { ...status.details, causes: [cause] } });
}

/**
 * Returns the resource for one write. Its store discards the writes of a dry run, and checks the conditions
 * if there are any.
 */
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

/**
 * Runs `write` under the conditions. An object that has changed may still satisfy them, such as a renewed
 * Lease, so they are checked again. Each repetition requires another such change.
 */
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
