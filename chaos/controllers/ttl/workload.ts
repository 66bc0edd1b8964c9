import { type Part, create, later, once, patch, remove, sometime } from '../../workload/parts.ts';

/** Part: nodes that appear and are deleted, whose cache time users change. */
export const nodes: Part = (making) => {
  const { random, vocabulary } = making;
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
    ...(once(random, 2) ? [set('15')] : []),
    ...(once(random, 2) ? [set(null)] : []),
    ...(once(random, 2) ? [remove(goneMs, '/nodes', '', 'ttl-1')] : []),
    ...(once(random, 4) ? [create(goneMs + 50, '/nodes', '', 'ttl-1')] : []),
  ];
};
