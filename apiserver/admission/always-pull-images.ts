import type { DeepReadonly } from '../../api/kinds/index.ts';
import { notSupportedField } from '../../api/status/index.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../request.ts';
import { podContainers } from './pod-containers.ts';
import { coreKind, isCore, rejection } from './rejection.ts';
import { aggregateMessages } from '../aggregate-messages.ts';

const POLICY = 'Always';

/**
 * True unless the request is an update that adds no image. Such an update requires no new permission to pull
 * an image.
 */
function bringsImages(request: DeepReadonly<AdmissionRequest>, pod: DeepReadonly<Pod>): boolean {
  const previous = request.previous as DeepReadonly<Pod> | undefined;
  if (request.operation !== 'UPDATE' || previous?.spec === undefined || pod.spec === undefined) return true;
  const known = new Set(podContainers(previous.spec).map(({ container }) => container.image));
  return podContainers(pod.spec).some(({ container }) => !known.has(container.image));
}

/**
 * Creates a plugin that sets the pull policy `Always` on every container. A user who runs a pod then needs
 * permission to pull its images, even if another pod has left them on the node.
 */
export function createAlwaysPullImages(vocabulary: Vocabulary): AdmissionPlugin {
  return {
    name: 'AlwaysPullImages',
    operations: ['CREATE', 'UPDATE'],
    concerns: coreKind('pods'),
    async mutate(request) {
      const pod = request.object as Pod | undefined;
      if (!isCore(request, 'pods') || pod?.spec === undefined || !bringsImages(request, pod)) return;
      for (const { container } of podContainers(pod.spec)) container.imagePullPolicy = POLICY;
    },
    async validate(request) {
      const pod = request.object as DeepReadonly<Pod> | undefined;
      if (!isCore(request, 'pods') || pod?.spec === undefined || !bringsImages(request, pod)) return;
      const problems = podContainers(pod.spec).flatMap(({ container, path }) => {
        if (container.imagePullPolicy === POLICY) return [];
        const field = `${path}.imagePullPolicy`;
        return [`${field}: ${notSupportedField(field, container.imagePullPolicy ?? '', [POLICY]).message}`];
      });
      if (problems.length > 0) throw rejection(request, vocabulary, aggregateMessages(problems));
    },
  };
}
