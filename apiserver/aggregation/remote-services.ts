import { apiServices } from '../../api/groups/apiregistration-v1.ts';
import { availabilityOf } from '../../api/groups/apiregistration/api-service.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { APIService } from '../../api/types/apiregistration-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { ObjectReader, Registry } from '../registry/registry.ts';
import { REGISTRATION_GROUP } from './priorities.ts';

/** A group version of another server, from its API service. */
export interface RemoteService {
  /** Name of the API service: `version.group`. */
  readonly name: string;
  /** The served group. */
  readonly group: string;
  readonly version: string;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  /** PEM bundle of the CAs that the server's certificate is verified against. */
  readonly ca: string | undefined;
  readonly insecureSkipVerify: boolean;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** True if its condition `Available` is true. */
  readonly available: boolean;
}

/** The group versions of other servers; follows the API services after `start`. */
export interface RemoteServices {
  at(group: string, version: string): RemoteService | undefined;
  named(name: string): RemoteService | undefined;
  list(): readonly RemoteService[];
  /**
   * Follows the API services. `onChange` receives the name of each one that was added, changed or deleted, if it is or
   * was remote; changes of its condition alone are not reported.
   */
  start(onChange: (name: string) => void): void;
  stop(): void;
}

const SERVICE_PORT = 443;

/** Creates the view of the API services in the registry. */
export function createRemoteServices(
  registry: Pick<Registry, 'reader'>,
  vocabulary: Vocabulary,
): RemoteServices {
  const reader: ObjectReader<APIService> = registry.reader(apiServices);
  const own = vocabulary.group(REGISTRATION_GROUP);
  const byName = new Map<string, RemoteService>();
  let stop = (): void => {};
  return {
    // The name of an API service is its group version.
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

/** True if two states differ at most in `available`, which this server sets itself. */
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
