import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';

/** Returns a change that only labels an object, so that the object is enqueued. */
export const relabels = ({ metadata }: DeepReadonly<ApiObject>) => ({
  metadata: { ...metadata, labels: { team: 'blue' } },
});
