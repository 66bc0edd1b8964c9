import { features } from '../../api/features/features.ts';
import type { AnyKind, Scheme } from '../../api/kinds/scheme.ts';
import { assembleApiServer } from '../../apiserver/assembly/api-server.ts';
import type { ApiServer } from '../../apiserver/server.ts';
import { createMemoryStorage } from '../../apiserver/storage/memory.ts';
import { stampResourceVersion } from '../../apiserver/storage/stamp.ts';
import {
  type Storage,
  type Stored,
  StorageError,
  type Subscription,
} from '../../apiserver/storage/storage.ts';
import { deepFreeze } from '../../base/collections/deep-freeze.ts';
import type { Environment } from '../../base/environment.ts';
import { createFeatureGates } from '../../base/feature-gates/feature-gates.ts';
import type { Credentials } from './credentials.ts';
import { type Objects, objectsIn, parseStored } from './history.ts';

/** A store as it was at one revision, which any number of worlds begin with. */
export interface Snapshot {
  readonly revision: number;
  readonly items: readonly Stored[];
  readonly objects: Objects;
}

export const nothing: Snapshot = { revision: 0, items: [], objects: new Map() };

export const createStorage = ({ revision, items }: Snapshot): Storage =>
  createMemoryStorage({ stamp: stampResourceVersion, initial: { revision, items } });

export async function takeSnapshot(storage: Storage, scheme: Scheme): Promise<Snapshot> {
  const { items: stored, revision } = await storage.list('/registry/');
  // Parsed once for all worlds, and all servers in them.
  const items = stored.map((each) => ({ ...each, object: deepFreeze(parseStored(each.value)) }));
  return { items, revision, objects: objectsIn(items, scheme) };
}

export interface ServerOptions {
  readonly scheme: Scheme;
  readonly environment: Environment;
  readonly storage: Storage;
  readonly credentials: Credentials;
  /** Which kinds clients can reach. */
  readonly serves: (kind: AnyKind) => boolean;
  /** Whether a server like it has been there before and left what every cluster has. */
  readonly bootstrapped: boolean;
}

/** A server with what all of them have in common, not started. */
export const assembleServer = ({ credentials, ...options }: ServerOptions): ApiServer =>
  assembleApiServer({
    ...options,
    clientCa: () => credentials.caPem,
    serverCa: credentials.caPem,
    serverUrl: () => 'https://127.0.0.1:6443',
    serviceAccountKey: credentials.settings.serviceAccountKey,
    // Controllers must hold on servers that check no conditions of writes.
    features: createFeatureGates(features, ['AllAlpha=true', 'ConditionalWrites=false']),
    // Who is served first is the network's choice here.
    limits: { maxInFlight: 400, maxMutatingInFlight: 200, fair: false },
  });

/** A store whose connection ends with the server that has it. */
export interface Connection {
  readonly storage: Storage;
  /** From now on nothing is written and nothing is heard. */
  sever(): void;
}

export function connectionTo(storage: Storage): Connection {
  const subscriptions: Subscription[] = [];
  let severed = false;
  const assertOpen = (): void => {
    if (severed) throw new StorageError('ERR_CLOSED', 'the server that had this connection is dead');
  };
  return {
    storage: {
      ...storage,
      async put(...write) {
        assertOpen();
        return storage.put(...write);
      },
      async delete(...write) {
        assertOpen();
        return storage.delete(...write);
      },
      async watch(...what) {
        assertOpen();
        const subscription = await storage.watch(...what);
        subscriptions.push(subscription);
        return subscription;
      },
    },
    sever() {
      severed = true;
      for (const subscription of subscriptions) subscription.cancel();
    },
  };
}
