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

// The options of connections to pods, nodes and Services are never stored.
const streams = {
  stdin: value(1, boolean),
  stdout: value(2, boolean),
  stderr: value(3, boolean),
  tty: value(4, boolean),
  container: value(5, string),
};

/** Options of `exec`: the command to run in a container, and its streams. */
export const PodExecOptions = struct('api.core.v1.PodExecOptions', {
  ...typeMeta,
  ...streams,
  command: optional(6, listOf(string)),
});
export interface PodExecOptions extends Infer<typeof PodExecOptions> {}

/** Options of `attach`: the streams of a running container. */
export const PodAttachOptions = struct('api.core.v1.PodAttachOptions', { ...typeMeta, ...streams });
export interface PodAttachOptions extends Infer<typeof PodAttachOptions> {}

/** Options of `portforward`: the ports of a pod. */
export const PodPortForwardOptions = struct('api.core.v1.PodPortForwardOptions', {
  ...typeMeta,
  ports: value(1, listOf(int32)),
});
export interface PodPortForwardOptions extends Infer<typeof PodPortForwardOptions> {}

/** Options of `log`: the part of a container's log to return. */
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

/** Options of `proxy` to a pod: the path of the forwarded request. */
export const PodProxyOptions = struct('api.core.v1.PodProxyOptions', path);
/** Options of `proxy` to a node: the path of the forwarded request. */
export const NodeProxyOptions = struct('api.core.v1.NodeProxyOptions', path);
/** Options of `proxy` to a Service: the path of the forwarded request. */
export const ServiceProxyOptions = struct('api.core.v1.ServiceProxyOptions', path);
