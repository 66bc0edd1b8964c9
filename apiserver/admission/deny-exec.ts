import type { DeepReadonly } from '../../api/kinds/index.ts';
import { notFound } from '../../api/status/index.ts';
import type { Pod, PodSpec } from '../../api/types/core-v1-pod.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { ObjectReader } from '../registry/registry.ts';
import type { AdmissionPlugin } from '../request.ts';
import { podContainers } from './pod-containers.ts';
import { coreKind, rejection } from './rejection.ts';

/** Reader of pods, and vocabulary for error messages. */
export interface DenyExecOptions {
  readonly pods: ObjectReader<Pod>;
  readonly vocabulary: Vocabulary;
}

/**
 * Function that returns the reason why exec and attach are forbidden for a pod, or undefined if they are
 * allowed.
 */
type Objection = (spec: DeepReadonly<PodSpec>) => string | undefined;

const privileged: Objection = (spec) =>
  podContainers(spec).some(({ container }) => container.securityContext?.privileged === true)
    ? 'cannot exec into or attach to a privileged container'
    : undefined;

const escalating: Objection = (spec) => {
  const uses = 'cannot exec into or attach to a container using host';
  if (spec.hostNetwork) return `${uses} network`;
  if (spec.hostPID) return `${uses} pid`;
  return spec.hostIPC ? `${uses} ipc` : privileged(spec);
};

/**
 * Creates a plugin that rejects exec and attach for pods with privileged containers. Deprecated upstream in
 * favor of `DenyEscalatingExec`.
 */
export const createDenyExecOnPrivileged = (options: DenyExecOptions): AdmissionPlugin =>
  denyExec('DenyExecOnPrivileged', privileged, options);

/** Creates a plugin that rejects exec and attach for pods with privileged containers or host namespaces. */
export const createDenyEscalatingExec = (options: DenyExecOptions): AdmissionPlugin =>
  denyExec('DenyEscalatingExec', escalating, options);

const isPods = coreKind('pods');

function denyExec(
  name: string,
  objection: Objection,
  { pods, vocabulary }: DenyExecOptions,
): AdmissionPlugin {
  return {
    name,
    operations: ['CONNECT'],
    concerns: isPods,
    async validate(request) {
      const { kind, namespace, subresource } = request;
      if (!isPods(kind) || (subresource !== 'exec' && subresource !== 'attach')) return;
      // The read bypasses the cache, as a privileged pod of the same name may have replaced the pod.
      const pod = await pods.live(namespace, request.name);
      if (pod === undefined) {
        const { message } = notFound({ group: '', resource: 'pods' }, request.name);
        throw rejection(request, vocabulary, message);
      }
      const message = pod.spec && objection(pod.spec);
      if (message !== undefined) throw rejection(request, vocabulary, message);
    },
  };
}
