import {
  type Infer,
  boolean,
  int32,
  int64,
  listOf,
  optional,
  string,
  struct,
  time,
  value,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';

// Options of connections to pods, nodes and services. Never stored.
const streams = {
  stdin: value(1, boolean),
  stdout: value(2, boolean),
  stderr: value(3, boolean),
  tty: value(4, boolean),
  container: value(5, string),
};

/** Command to run in a container, and its streams. */
export const PodExecOptions = struct('api.core.v1.PodExecOptions', {
  ...typeMeta,
  ...streams,
  command: optional(6, listOf(string)),
});
export interface PodExecOptions extends Infer<typeof PodExecOptions> {}

/** Streams of a running container to attach to. */
export const PodAttachOptions = struct('api.core.v1.PodAttachOptions', { ...typeMeta, ...streams });
export interface PodAttachOptions extends Infer<typeof PodAttachOptions> {}

/** Ports of a pod to forward. */
export const PodPortForwardOptions = struct('api.core.v1.PodPortForwardOptions', {
  ...typeMeta,
  ports: value(1, listOf(int32)),
});
export interface PodPortForwardOptions extends Infer<typeof PodPortForwardOptions> {}

/** Options of a container's log. */
export const PodLogOptions = struct('api.core.v1.PodLogOptions', {
  ...typeMeta,
  container: value(1, string),
  follow: value(2, boolean),
  previous: value(3, boolean),
  sinceSeconds: optional(4, int64),
  sinceTime: optional(5, time),
  timestamps: value(6, boolean),
  tailLines: optional(7, int64),
  limitBytes: optional(8, int64),
  insecureSkipTLSVerifyBackend: value(9, boolean),
});
export interface PodLogOptions extends Infer<typeof PodLogOptions> {}

const path = { ...typeMeta, path: value(1, string) };

/** Options of a request that is forwarded to a pod. */
export const PodProxyOptions = struct('api.core.v1.PodProxyOptions', path);
/** Options of a request that is forwarded to a node. */
export const NodeProxyOptions = struct('api.core.v1.NodeProxyOptions', path);
/** Options of a request that is forwarded to a Service. */
export const ServiceProxyOptions = struct('api.core.v1.ServiceProxyOptions', path);
