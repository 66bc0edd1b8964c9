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

/** A stream, which takes over the connection of the request. */
const stream = (kind: string, schema: StructSchema): Connection => ({
  kind,
  schema,
  verbs: ['create', 'get'],
  upgrades: true,
});

/** Requests that are handed on, each as it is; what follows in the path is theirs. */
const proxy = (kind: string, schema: StructSchema): Connection => ({
  kind,
  schema,
  verbs: ['create', 'delete', 'get', 'patch', 'update'],
  upgrades: false,
});

export const podConnections: Connections = {
  attach: stream('PodAttachOptions', PodAttachOptions),
  exec: stream('PodExecOptions', PodExecOptions),
  log: { kind: 'PodLogOptions', schema: PodLogOptions, verbs: ['get'], upgrades: false, reads: true },
  portforward: stream('PodPortForwardOptions', PodPortForwardOptions),
  proxy: proxy('PodProxyOptions', PodProxyOptions),
};

export const nodeConnections: Connections = { proxy: proxy('NodeProxyOptions', NodeProxyOptions) };
export const serviceConnections: Connections = { proxy: proxy('ServiceProxyOptions', ServiceProxyOptions) };
