import type { Logger } from '../../base/log/index.ts';
import { parseObject } from '../registry/resource.ts';
import { type Storage, StorageConditionFailed, StorageConflict, type Stored } from '../storage/storage.ts';
import { RESERVATIONS, holderOf, reservationsOf, reservedBy } from './reservation-keys.ts';

interface RepairOptions {
  readonly storage: Storage;
  /** Prefix of the storage keys of Services. */
  readonly services: string;
  readonly log: Logger;
}

/** Maximum number of concurrent writes. */
const WIDTH = 64;

/**
 * Writes missing reservations of Services and deletes reservations without a Service, until no repair is
 * left. If two Services have the same address or port, the first by key gets the reservation, and a warning
 * names both. See
 * https://github.com/kubernetes/kubernetes/blob/release-1.24/pkg/registry/core/service/ipallocator/controller/repair.go.
 */
export async function repairReservations(options: RepairOptions): Promise<void> {
  for (let isRight = false, attempts = 0; !isRight; attempts++) {
    const { repairs, shared } = await findingsOf(options);
    if (attempts === 0) for (const each of shared) warnOf(each, options.log);
    isRight = true;
    for (let at = 0; at < repairs.length; at += WIDTH) {
      const made = await Promise.all(repairs.slice(at, at + WIDTH).map((repair) => repair()));
      isRight &&= made.every(Boolean);
    }
  }
}

interface Held {
  readonly key: string;
  readonly services: readonly Stored[];
}

interface Findings {
  /**
   * Writes that repair the reservations. Each resolves with false if another server has written one of its
   * keys meanwhile.
   */
  readonly repairs: readonly (() => Promise<boolean>)[];
  /** Addresses and ports that more than one Service has. */
  readonly shared: readonly Held[];
}

async function findingsOf({ storage, services }: RepairOptions): Promise<Findings> {
  const { items, revision } = await storage.list(services);
  const reserved = await storage.list(RESERVATIONS, { revision });
  const found = new Map(reserved.items.map((stored) => [stored.key, stored]));
  const held = holdersOf(items);
  const nameOf = ({ key }: Stored): string => key.slice(services.length);
  const repairs: (() => Promise<boolean>)[] = [];
  for (const [key, [first, ...others]] of held) {
    const present = found.get(key);
    const holder = present && holderOf(present);
    if ([first, ...others].some((each) => nameOf(each) === holder)) continue;
    const condition = { key: first.key, revision: first.revision };
    const value = reservedBy(nameOf(first));
    repairs.push(() =>
      isMade(storage.put(key, value, present?.revision ?? 'absent', { while: [condition] })),
    );
  }
  for (const { key, revision: at } of reserved.items)
    if (!held.has(key)) repairs.push(() => isMade(storage.delete(key, at)));
  const shared = [...held].map(([key, holders]) => ({ key, services: holders }));
  return { repairs, shared: shared.filter((each) => each.services.length > 1) };
}

/** Returns the Services for each reservation key. */
function holdersOf(services: readonly Stored[]): ReadonlyMap<string, readonly [Stored, ...Stored[]]> {
  const held = new Map<string, [Stored, ...Stored[]]>();
  for (const stored of services)
    for (const key of reservationsOf(parseObject(stored.value))) {
      const holders = held.get(key);
      if (holders === undefined) held.set(key, [stored]);
      else holders.push(stored);
    }
  return held;
}

const warnOf = ({ key, services }: Held, log: Logger): void =>
  log.warn(
    { reservation: key.slice(RESERVATIONS.length), services: services.map((each) => each.key) },
    'services hold the same address or port: keep one of them, delete the others and create them again',
  );

async function isMade(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (thrown) {
    if (thrown instanceof StorageConflict || thrown instanceof StorageConditionFailed) return false;
    throw thrown;
  }
}
