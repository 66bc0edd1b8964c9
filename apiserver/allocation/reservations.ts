import type { Logger } from '../../base/log/index.ts';
import { parseObject } from '../registry/resource.ts';
import {
  type Companion,
  type Storage,
  StorageConditionFailed,
  type WriteOptions,
} from '../storage/storage.ts';
import { repairReservations } from './repair.ts';
import { ADDRESSES, PORTS, RESERVATIONS, holderOf, reservationsOf, reservedBy } from './reservation-keys.ts';
import type { Taken } from './service-allocation.ts';

/**
 * Reservations of Services' addresses and ports as keys of the store, so that only one server can write each.
 */
export interface Reservations {
  /**
   * Store to which Services must be written. A Service and its reservations change in one transaction. A
   * write that reserves a value of another Service rejects with `StorageConditionFailed`.
   */
  readonly storage: Storage;
  /** Returns the currently reserved addresses and ports, by a consistent read. */
  taken(): Promise<Taken>;
  /** Makes the reservations match the stored Services, for a store that was written without reservations. */
  repair(): Promise<void>;
}

export interface ReservationOptions {
  readonly storage: Storage;
  /** Prefix of the storage keys of Services. */
  readonly services: string;
  readonly log: Logger;
}

/** Wraps a store so that writes of Services include their reservations. */
export function createReservations({ storage, services, log }: ReservationOptions): Reservations {
  const holders = { storage, services };
  return {
    storage: {
      revision: () => storage.revision(),
      get: (key) => storage.get(key),
      list: (prefix, options) => storage.list(prefix, options),
      watch: (prefix, after, observer) => storage.watch(prefix, after, observer),
      compact: (revision) => storage.compact(revision),
      compacted: () => storage.compacted(),
      close: () => storage.close(),
      put: (key, value, expected, options) =>
        key.startsWith(services)
          ? together(holders, { key, value, expected, options }, (more) =>
              storage.put(key, value, expected, more),
            )
          : storage.put(key, value, expected, options),
      delete: (key, expected, options) =>
        key.startsWith(services)
          ? together(holders, { key, value: undefined, expected, options }, (more) =>
              storage.delete(key, expected, more),
            )
          : storage.delete(key, expected, options),
    },
    async taken() {
      const { items } = await storage.list(RESERVATIONS);
      const below = (prefix: string): readonly string[] =>
        items.filter(({ key }) => key.startsWith(prefix)).map(({ key }) => key.slice(prefix.length));
      return { addresses: new Set(below(ADDRESSES)), ports: new Set(below(PORTS).map(Number)) };
    },
    repair: () => repairReservations({ ...holders, log }),
  };
}

type Holders = Pick<ReservationOptions, 'storage' | 'services'>;

interface ServiceWrite {
  readonly key: string;
  readonly value: Buffer | undefined;
  readonly expected: number | 'absent';
  readonly options: WriteOptions | undefined;
}

/**
 * Writes a Service together with its reservations. Repeats the write if a reservation that it releases was
 * changed meanwhile.
 */
async function together<T>(
  holders: Holders,
  write: ServiceWrite,
  execute: (options: WriteOptions) => Promise<T>,
): Promise<T> {
  for (;;) {
    const companions = await companionsOf(holders, write);
    try {
      return await execute({ ...write.options, with: companions });
    } catch (thrown) {
      const isReleased =
        thrown instanceof StorageConditionFailed &&
        companions.some(({ key, value }) => key === thrown.key && value === undefined);
      if (!isReleased) throw thrown;
    }
  }
}

/**
 * Returns the writes and deletions of reservations that belong to the write of a Service. Returns an empty
 * list if the Service has changed, because the write itself then fails.
 */
async function companionsOf(
  { storage, services }: Holders,
  { key, value, expected }: ServiceWrite,
): Promise<readonly Companion[]> {
  const stored = await storage.get(key);
  if ((stored?.revision ?? 'absent') !== expected) return [];
  const before = new Set(reservationsOf(stored && parseObject(stored.value)));
  const after = new Set(reservationsOf(value && parseObject(value)));
  const holder = key.slice(services.length);
  const made = [...after].filter((each) => !before.has(each));
  const released = [...before].filter((each) => !after.has(each));
  const found = await Promise.all(released.map((each) => storage.get(each)));
  return [
    ...made.map((each) => ({ key: each, value: reservedBy(holder), expected: 'absent' as const })),
    ...found
      .filter((each) => each !== undefined)
      .filter((each) => holderOf(each) === holder)
      .map((each) => ({ key: each.key, value: undefined, expected: each.revision })),
  ];
}
