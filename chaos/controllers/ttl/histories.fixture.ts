import { nodes } from '../../../api/groups/core-v1.ts';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { type History, cluster, makes, named, turns } from '../../invariants/histories/objects.fixture.ts';

const ANNOTATION = orchVocabulary.key('node.alpha', 'ttl');
const node = (seconds?: string) =>
  named('n1', {}, { ...cluster, ...(seconds && { annotations: { [ANNOTATION]: seconds } }) });

/** Histories of the invariants of `ttl`. */
export const histories: readonly History[] = [
  [
    'ttl/no-repeated-write',
    [turns('ttl', nodes, node('0'), node('0'))],
    [turns('ttl', nodes, node(), node('0'))],
  ],
  [
    'ttl/every-node-has-a-time',
    [makes('user', nodes, node('15'))],
    [makes('user', nodes, node()), turns('ttl', nodes, node(), node('0'))],
  ],
];
