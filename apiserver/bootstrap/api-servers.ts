import type { Clock } from '../../base/clock/index.ts';
import { type Storage, StorageConflict } from '../storage/storage.ts';

/** Where an API server is reached. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** The API servers that share a store, as far as they say so (release 1.24, `controlplane/reconcilers`, by leases). */
export interface ApiServers {
  /** Says that this one is there; resolves with all that have said so lately, itself among them, sorted by key. */
  announce(address: ServerAddress): Promise<readonly ServerAddress[]>;
  /** Takes back what this one has said. */
  leave(): Promise<void>;
}

/** Beside the objects, where no kind looks. */
const PREFIX = '/masterleases/';
/** The store wants an object; all there is to say is in the key. */
const VALUE = Buffer.from('{"kind":"Endpoints","apiVersion":"v1","metadata":{}}');
/** A server that has said nothing for so long is gone. */
const SILENCE_MS = 15_000;

interface Heard {
  readonly revision: number;
  readonly sinceMs: number;
}

/** Whether a server still speaks each sees by his own monotonic clock: clocks of several machines are never compared. */
export function createApiServers({ storage, clock }: { storage: Storage; clock: Clock }): ApiServers {
  let heard: ReadonlyMap<string, Heard> = new Map();
  let own: string | undefined;

  const isSilent = ({ sinceMs }: Heard): boolean => clock.monotonic() - sinceMs >= SILENCE_MS;

  return {
    async announce({ host, port }) {
      const key = (own = `${PREFIX}${host}/${port}`);
      const current = await storage.get(key);
      await unlessOvertaken(storage.put(key, VALUE, current?.revision ?? 'absent'));
      const now = new Map<string, Heard>();
      const { items } = await storage.list(PREFIX);
      for (const { key: each, revision } of items) {
        const before = heard.get(each);
        const entry = before?.revision === revision ? before : { revision, sinceMs: clock.monotonic() };
        if (each === key || !isSilent(entry)) now.set(each, entry);
        else await unlessOvertaken(storage.delete(each, revision));
      }
      heard = now;
      return [...now.keys()].map(addressOf);
    },
    async leave() {
      const current = own === undefined ? undefined : await storage.get(own);
      if (current) await unlessOvertaken(storage.delete(current.key, current.revision));
    },
  };
}

/** Another server did the same, or the silent one has spoken: both are seen at the next look. */
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
