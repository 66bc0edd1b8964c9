import type { Clock } from '../../base/clock/index.ts';
import { type Storage, StorageConflict } from '../storage/storage.ts';

/** Address at which clients reach an API server. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Registry of the API servers that share a store. Each server announces itself, as in upstream's lease
 * reconciler (https://github.com/kubernetes/kubernetes/tree/v1.24.0/pkg/controlplane/reconcilers).
 */
export interface ApiServers {
  /**
   * Announces this server. Resolves to all servers that announced themselves in the last 15 s, including this
   * one, sorted by storage key.
   */
  announce(address: ServerAddress): Promise<readonly ServerAddress[]>;
  /** Removes this server's announcement. */
  leave(): Promise<void>;
}

/** Key prefix of announcements; no kind stores objects under this prefix. */
const PREFIX = '/masterleases/';
/** Placeholder value, as the store accepts only objects. The key contains the address. */
const VALUE = Buffer.from('{"kind":"Endpoints","apiVersion":"v1","metadata":{}}');
/** Time in milliseconds without an announcement after which a server is treated as stopped. */
const SILENCE_MS = 15_000;

interface Sighting {
  readonly revision: number;
  readonly sinceMs: number;
}

/**
 * Creates the registry of API servers. Each server measures the silence of the others by its own monotonic
 * clock, so that clocks of different machines are never compared.
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
 * Ignores a write conflict: another server wrote first, or a silent server announced itself. The next
 * announcement reads the new state.
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
