import type { Clock } from '../../base/clock/index.ts';
import { type Storage, StorageConflict } from '../storage/storage.ts';

/** Address at which an API server is reached. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * API servers that share a store and announce themselves
 * (https://github.com/kubernetes/kubernetes/tree/v1.24.0/pkg/controlplane/reconcilers, by leases).
 */
export interface ApiServers {
  /** Announces this server; resolves to all servers announced lately, including this one, sorted by key. */
  announce(address: ServerAddress): Promise<readonly ServerAddress[]>;
  /** Removes this server's announcement. */
  leave(): Promise<void>;
}

/** Prefix outside the keys of all kinds. */
const PREFIX = '/masterleases/';
/** Placeholder, as the store accepts only objects; the key contains everything. */
const VALUE = Buffer.from('{"kind":"Endpoints","apiVersion":"v1","metadata":{}}');
/** Milliseconds without an announcement after which a server counts as stopped. */
const SILENCE_MS = 15_000;

interface Sighting {
  readonly revision: number;
  readonly sinceMs: number;
}

/**
 * Each server measures the others' silence by its own monotonic clock: clocks of several machines are never
 * compared.
 */
export function createApiServers({ storage, clock }: { storage: Storage; clock: Clock }): ApiServers {
  let sightings: ReadonlyMap<string, Sighting> = new Map();
  let own: string | undefined;

  const isSilent = ({ sinceMs }: Sighting): boolean => clock.monotonic() - sinceMs >= SILENCE_MS;

  return {
    async announce({ host, port }) {
      const key = (own = `${PREFIX}${host}/${port}`);
      const current = await storage.get(key);
      await unlessOvertaken(storage.put(key, VALUE, current?.revision ?? 'absent'));
      const now = new Map<string, Sighting>();
      const { items } = await storage.list(PREFIX);
      for (const { key: each, revision } of items) {
        const before = sightings.get(each);
        const entry = before?.revision === revision ? before : { revision, sinceMs: clock.monotonic() };
        if (each === key || !isSilent(entry)) now.set(each, entry);
        else await unlessOvertaken(storage.delete(each, revision));
      }
      sightings = now;
      return [...now.keys()].map(addressOf);
    },
    async leave() {
      const current = own === undefined ? undefined : await storage.get(own);
      if (current) await unlessOvertaken(storage.delete(current.key, current.revision));
    },
  };
}

/**
 * Ignores a conflict: another server wrote first, or the silent one announced itself; the next check sees
 * both.
 */
async function unlessOvertaken(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (thrown) {
    if (!(thrown instanceof StorageConflict)) throw thrown;
  }
}

function addressOf(key: string): ServerAddress {
  const [host = '', port] = key.slice(PREFIX.length).split('/');
  return { host, port: Number(port) };
}
