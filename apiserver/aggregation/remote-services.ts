import { apiServices } from '../../api/groups/apiregistration-v1.ts';
import { availabilityOf } from '../../api/groups/apiregistration/api-service.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { APIService } from '../../api/types/apiregistration-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { ObjectReader, Registry } from '../registry/registry.ts';
import { REGISTRATION_GROUP } from './priorities.ts';

/** A group version that another server answers, as its API service says. */
export interface RemoteService {
  /** `version.group`. */
  readonly name: string;
  /** The served group. */
  readonly group: string;
  readonly version: string;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  /** PEM bundle. */
  readonly ca: string | undefined;
  readonly insecureSkipVerify: boolean;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** What its condition says. */
  readonly available: boolean;
}

/** The group versions of other servers there are now. Follows the API services from `start` on. */
export interface RemoteServices {
  at(group: string, version: string): RemoteService | undefined;
  named(name: string): RemoteService | undefined;
  list(): readonly RemoteService[];
  start(): void;
  stop(): void;
}

const SERVICE_PORT = 443;

/** `onChange` is told the name of each API service that came, changed or went, remote before or after; not its condition. */
export function createRemoteServices(
  registry: Pick<Registry, 'reader'>,
  vocabulary: Vocabulary,
  onChange: (name: string) => void,
): RemoteServices {
  const reader: ObjectReader<APIService> = registry.reader(apiServices);
  const own = vocabulary.group(REGISTRATION_GROUP);
  const byName = new Map<string, RemoteService>();
  let stop = (): void => {};
  return {
    // An API service bears its group version as its name.
    at: (group, version) => (byName.size === 0 ? undefined : byName.get(`${version}.${group}`)),
    named: (name) => byName.get(name),
    list: () => [...byName.values()],
    start() {
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

/** Whether all is the same but what the server itself found out. */
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
