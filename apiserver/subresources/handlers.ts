import { deployments, replicaSets, replicationControllers, statefulSets } from '../../api/groups/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import type { VirtualHandler } from '../http/virtual.ts';
import type { Registry } from '../registry/registry.ts';
import { createBindingHandlers } from './binding.ts';
import { createEvictionHandler } from './eviction.ts';
import { createScaleHandler } from './scale.ts';

/** Answers the subresources of built-in kinds that have a kind of their own, but for those of authentication. */
export function createSubresourceHandlers(options: {
  readonly registry: Registry;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
}): readonly VirtualHandler[] {
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
