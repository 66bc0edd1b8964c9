import { type Part, create, later, patch, remove, sometime } from '../../workload/parts.ts';

/** Returns actions on nodes that are created and deleted, and whose cache time users change. */
export const nodes: Part = (making) => {
  const { draw, vocabulary } = making;
  const annotation = vocabulary.key('node.alpha', 'ttl');
  const bornMs = sometime(making);
  const goneMs = later(making, bornMs);
  const set = (value: string | null) =>
    patch(later(making, bornMs), '/nodes', '', 'ttl-1', {
      metadata: { annotations: { [annotation]: value } },
    });
  return [
    create(bornMs, '/nodes', '', 'ttl-1'),
    create(later(making, bornMs), '/nodes', '', 'ttl-2'),
    ...(draw.once('ttl set', 2) ? [set('15')] : []),
    ...(draw.once('ttl unset', 2) ? [set(null)] : []),
    ...(draw.once('ttl delete', 2) ? [remove(goneMs, '/nodes', '', 'ttl-1')] : []),
    ...(draw.once('ttl recreate', 4) ? [create(goneMs + 50, '/nodes', '', 'ttl-1')] : []),
  ];
};
