import type { Logger } from '../../base/log/logger.ts';
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

/** Addresses and ports of services as keys of the store, of which one server at most can write each. */
export interface Reservations {
  /**
   * The store to write services through. A service and what it reserves or gives up change in one transaction. A write
   * that reserves what another service has throws `StorageConditionFailed`.
   */
  readonly storage: Storage;
  /** Returns the addresses and ports reserved now, by a consistent read. */
  taken(): Promise<Taken>;
  /** Makes the reservations those of the stored services: for a store that was written without them. */
  repair(): Promise<void>;
}

export interface ReservationOptions {
  readonly storage: Storage;
  /** Prefix of the keys of services. */
  readonly services: string;
  readonly log: Logger;
}

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

/** Writes a service together with its reservations; retries if a reservation it releases was changed meanwhile. */
async function together<T>(
  holders: Holders,
  write: ServiceWrite,
  carryOut: (options: WriteOptions) => Promise<T>,
): Promise<T> {
  for (;;) {
    const companions = await companionsOf(holders, write);
    try {
      return await carryOut({ ...write.options, with: companions });
    } catch (thrown) {
      const isGivenUp =
        thrown instanceof StorageConditionFailed &&
        companions.some(({ key, value }) => key === thrown.key && value === undefined);
      if (!isGivenUp) throw thrown;
    }
  }
}

/** The reservations that a write makes and gives up. None where the service has changed: then the write itself fails. */
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
  const givenUp = [...before].filter((each) => !after.has(each));
  const found = await Promise.all(givenUp.map((each) => storage.get(each)));
  return [
    ...made.map((each) => ({ key: each, value: reservedBy(holder), expected: 'absent' as const })),
    ...found
      .filter((each) => each !== undefined)
      .filter((each) => holderOf(each) === holder)
      .map((each) => ({ key: each.key, value: undefined, expected: each.revision })),
  ];
}
