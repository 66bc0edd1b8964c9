import { features } from '../../api/features/features.ts';
import type { AnyKind, Scheme } from '../../api/kinds/index.ts';
import { assembleApiServer } from '../../apiserver/assembly/index.ts';
import { controllerPermissions } from '../../controllers/manifests.ts';
import type { ApiServer } from '../../apiserver/server.ts';
import {
  type Storage,
  StorageError,
  type Stored,
  type Subscription,
  createMemoryStorage,
  stampResourceVersion,
} from '../../apiserver/storage/index.ts';
import { deepFreeze } from '../../base/collections/index.ts';
import type { Environment } from '../../base/environment.ts';
import { createFeatureGates } from '../../base/feature-gates/feature-gates.ts';
import type { Credentials } from './credentials.ts';
import { type Objects, objectsIn, parseStored } from './history.ts';

/** A copy of the store at one revision. Any number of worlds can start from one snapshot. */
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
  // Parsed once, because all worlds and their servers share these objects.
  const items = stored.map((each) => ({ ...each, object: deepFreeze(parseStored(each.value)) }));
  return { items, revision, objects: objectsIn(items, scheme) };
}

export interface ServerOptions {
  readonly scheme: Scheme;
  readonly environment: Environment;
  readonly storage: Storage;
  readonly credentials: Credentials;
  /** True if clients can reach the kind. */
  readonly serves: (kind: AnyKind) => boolean;
  /** True if the store already has the bootstrap objects. */
  readonly bootstrapped: boolean;
}

/** Returns a server that has the settings of all worlds and is not started. */
export const assembleServer = ({ credentials, ...options }: ServerOptions): ApiServer =>
  assembleApiServer({
    ...options,
    controllerPermissions,
    clientCa: () => credentials.caPem,
    serverCa: credentials.caPem,
    serverUrl: () => 'https://127.0.0.1:6443',
    serviceAccountKey: credentials.settings.serviceAccountKey,
    // Off, because controllers must also be correct on servers without conditional writes.
    features: createFeatureGates(features, ['AllAlpha=true', 'ConditionalWrites=false']),
    // Without fair queuing, because the network of a world decides the order of requests.
    limits: { maxInFlight: 400, maxMutatingInFlight: 200, fair: false },
  });

/** A storage connection of one server; it ends when the server ends. */
export interface Connection {
  readonly storage: Storage;
  /** Closes the connection: later writes fail, and watches end. */
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
