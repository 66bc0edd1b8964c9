import { deployments, replicaSets, replicationControllers, statefulSets } from '../../api/groups/index.ts';
import type { VirtualHandler } from '../http/virtual/virtual.ts';
import { createBindingHandlers } from './binding.ts';
import { createEvictionHandler } from './eviction.ts';
import type { HandlerParts } from './handler-parts.ts';
import { createScaleHandler } from './scale.ts';

/**
 * Creates the handlers of the built-in kinds' subresources that have a dedicated kind, except those of authentication.
 */
export function createSubresourceHandlers(options: HandlerParts): readonly VirtualHandler[] {
  const { registry, vocabulary } = options;
  return [
    createScaleHandler(deployments, registry, vocabulary),
    createScaleHandler(replicaSets, registry, vocabulary),
    createScaleHandler(statefulSets, registry, vocabulary),
    createScaleHandler(replicationControllers, registry, vocabulary),
    ...createBindingHandlers(options),
    createEvictionHandler(options),
  ];
}
