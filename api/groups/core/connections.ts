import type { Connection, Kind } from '../../kinds/kind.ts';
import type { StructSchema } from '../../schema/schema.ts';
import {
  NodeProxyOptions,
  PodAttachOptions,
  PodExecOptions,
  PodLogOptions,
  PodPortForwardOptions,
  PodProxyOptions,
  ServiceProxyOptions,
} from '../../types/core-v1-connect.ts';

type Connections = NonNullable<Kind['connections']>;

/** Returns a stream that takes over the connection of the request. */
const stream = (kind: string, schema: StructSchema): Connection => ({
  kind,
  schema,
  verbs: ['create', 'get'],
  upgrades: true,
});

/** Returns a proxy, which forwards requests unchanged, together with the rest of the path. */
const proxy = (kind: string, schema: StructSchema): Connection => ({
  kind,
  schema,
  verbs: ['create', 'delete', 'get', 'patch', 'update'],
  upgrades: false,
});

/** Connections of pods. */
export const podConnections: Connections = {
  attach: stream('PodAttachOptions', PodAttachOptions),
  exec: stream('PodExecOptions', PodExecOptions),
  log: { kind: 'PodLogOptions', schema: PodLogOptions, verbs: ['get'], upgrades: false, reads: true },
  portforward: stream('PodPortForwardOptions', PodPortForwardOptions),
  proxy: proxy('PodProxyOptions', PodProxyOptions),
};

/** Connections of nodes. */
export const nodeConnections: Connections = { proxy: proxy('NodeProxyOptions', NodeProxyOptions) };
/** Connections of services. */
export const serviceConnections: Connections = { proxy: proxy('ServiceProxyOptions', ServiceProxyOptions) };
