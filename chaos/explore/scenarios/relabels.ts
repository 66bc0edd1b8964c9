import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';

/** Change that only labels an object, which enqueues it. */
export const relabels = ({ metadata }: DeepReadonly<ApiObject>) => ({
  metadata: { ...metadata, labels: { team: 'blue' } },
});
