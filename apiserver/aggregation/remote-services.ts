import { apiServices } from '../../api/groups/apiregistration-v1.ts';
import { availabilityOf } from '../../api/groups/apiregistration/api-service.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { APIService } from '../../api/types/apiregistration-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { ObjectReader, Registry } from '../registry/registry.ts';
import { REGISTRATION_GROUP } from './priorities.ts';

/** A group version that another server serves, from its APIService. */
export interface RemoteService {
  /** Name of the APIService: `VERSION.GROUP`. */
  readonly name: string;
  /** API group with its domain suffix. */
  readonly group: string;
  readonly version: string;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  /** PEM bundle of the CAs that verify the server's certificate. */
  readonly ca: string | undefined;
  readonly insecureSkipVerify: boolean;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** True if the condition `Available` of the APIService is `True`. */
  readonly available: boolean;
}

/** View of the group versions of other servers. The view follows the APIService objects after `start`. */
export interface RemoteServices {
  at(group: string, version: string): RemoteService | undefined;
  named(name: string): RemoteService | undefined;
  list(): readonly RemoteService[];
  /**
   * Follows the APIService objects. `onChange` receives the name of each object that was added, changed or
   * deleted, if it is or was remote. Changes of the `Available` condition alone are not reported.
   */
  start(onChange: (name: string) => void): void;
  stop(): void;
}

const SERVICE_PORT = 443;

/** Creates the view of the APIService objects in the registry. */
export function createRemoteServices(
  registry: Pick<Registry, 'reader'>,
  vocabulary: Vocabulary,
): RemoteServices {
  const reader: ObjectReader<APIService> = registry.reader(apiServices);
  const own = vocabulary.group(REGISTRATION_GROUP);
  const byName = new Map<string, RemoteService>();
  let stop = (): void => {};
  return {
    // The name of an APIService is its version and group.
    at: (group, version) => (byName.size === 0 ? undefined : byName.get(`${version}.${group}`)),
    named: (name) => byName.get(name),
    list: () => [...byName.values()],
    start(onChange) {
      stop = reader.subscribe((object, previous) => {
        const name = (object ?? previous)?.metadata?.name ?? '';
        const remote = object && toRemote(object);
        const known = byName.get(name);
        if (remote === undefined || remote.group === own) byName.delete(name);
        else byName.set(name, remote);
        if (!isSame(remote, known)) onChange(name);
      });
    },
    stop: () => stop(),
  };
}

/** True if the two states differ at most in `available`, which this server sets itself. */
const isSame = (a: RemoteService | undefined, b: RemoteService | undefined): boolean =>
  JSON.stringify(a && { ...a, available: true }) === JSON.stringify(b && { ...b, available: true });

function toRemote(object: DeepReadonly<APIService>): RemoteService | undefined {
  const { metadata, spec } = object;
  if (!spec?.service) return undefined;
  const { namespace = '', name = '', port = SERVICE_PORT } = spec.service;
  return {
    name: metadata?.name ?? '',
    group: spec.group ?? '',
    version: spec.version ?? '',
    service: { namespace, name, port },
    ca: spec.caBundle ? Buffer.from(spec.caBundle, 'base64').toString('utf8') : undefined,
    insecureSkipVerify: spec.insecureSkipTLSVerify === true,
    groupPriority: spec.groupPriorityMinimum ?? 0,
    versionPriority: spec.versionPriority ?? 0,
    available: availabilityOf(object)?.status === 'True',
  };
}
