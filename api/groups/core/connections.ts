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

/** Returns a connection subresource that turns the connection of the request into a stream. */
const stream = (kind: string, schema: StructSchema): Connection => ({
  kind,
  schema,
  verbs: ['create', 'get'],
  upgrades: true,
});

/** Returns a connection subresource that forwards requests unchanged, including the remaining path. */
const proxy = (kind: string, schema: StructSchema): Connection => ({
  kind,
  schema,
  verbs: ['create', 'delete', 'get', 'patch', 'update'],
  upgrades: false,
});

/** Connection subresources of Pods. */
export const podConnections: Connections = {
  attach: stream('PodAttachOptions', PodAttachOptions),
  exec: stream('PodExecOptions', PodExecOptions),
  log: { kind: 'PodLogOptions', schema: PodLogOptions, verbs: ['get'], upgrades: false, reads: true },
  portforward: stream('PodPortForwardOptions', PodPortForwardOptions),
  proxy: proxy('PodProxyOptions', PodProxyOptions),
};

/** Connection subresources of Nodes. */
export const nodeConnections: Connections = { proxy: proxy('NodeProxyOptions', NodeProxyOptions) };
/** Connection subresources of Services. */
export const serviceConnections: Connections = { proxy: proxy('ServiceProxyOptions', ServiceProxyOptions) };
