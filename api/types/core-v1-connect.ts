import { type Infer, boolean, int32, listOf, optional, string, struct, value } from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';

/** What connections to pods, nodes and services are asked for with. Never stored. */
const streams = {
  stdin: value(1, boolean),
  stdout: value(2, boolean),
  stderr: value(3, boolean),
  tty: value(4, boolean),
  container: value(5, string),
};

export const PodExecOptions = struct('api.core.v1.PodExecOptions', {
  ...typeMeta,
  ...streams,
  command: optional(6, listOf(string)),
});
export interface PodExecOptions extends Infer<typeof PodExecOptions> {}

export const PodAttachOptions = struct('api.core.v1.PodAttachOptions', { ...typeMeta, ...streams });
export interface PodAttachOptions extends Infer<typeof PodAttachOptions> {}

export const PodPortForwardOptions = struct('api.core.v1.PodPortForwardOptions', {
  ...typeMeta,
  ports: value(1, listOf(int32)),
});
export interface PodPortForwardOptions extends Infer<typeof PodPortForwardOptions> {}

const path = { ...typeMeta, path: value(1, string) };

export const PodProxyOptions = struct('api.core.v1.PodProxyOptions', path);
export const NodeProxyOptions = struct('api.core.v1.NodeProxyOptions', path);
export const ServiceProxyOptions = struct('api.core.v1.ServiceProxyOptions', path);
