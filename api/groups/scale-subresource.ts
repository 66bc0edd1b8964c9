import { ageColumn } from '../kinds/columns.ts';
import type { Column, ObjectSubresource, VirtualSubresource } from '../kinds/kind.ts';
import { Scale } from '../types/autoscaling-v1.ts';
import { nextGeneration } from '../kinds/generation.ts';

const replicasOf = (object: object): unknown =>
  (object as { readonly spec?: { readonly replicas?: number } }).spec?.replicas;

/**
 * Rules for the update of the parent object by a write to the scale subresource. The write changes only the
 * number of replicas. A change of this number increments the generation.
 */
const scaled: ObjectSubresource = {
  verbs: [],
  prepareForUpdate(next, previous) {
    if (replicasOf(next) === replicasOf(previous)) return;
    next.metadata = { ...next.metadata, generation: nextGeneration(previous.metadata?.generation) };
  },
};

const replicasColumn = (name: string, part: 'spec' | 'status'): Column => ({
  name,
  type: 'integer',
  cell: (object) => (object as Scale)[part]?.replicas ?? 0,
});

/**
 * Subresource for the number of replicas. It allows clients to scale any kind without knowing the schema of
 * the kind.
 */
export const scaleSubresource: VirtualSubresource = {
  verbs: ['get', 'patch', 'update'],
  group: 'autoscaling',
  version: 'v1',
  kind: 'Scale',
  schema: Scale,
  writes: scaled,
  columns: [
    { name: 'Name', type: 'string', cell: (object) => object.metadata?.name ?? '' },
    replicasColumn('Desired', 'spec'),
    replicasColumn('Available', 'status'),
    ageColumn,
  ],
};
