import { describe, expect, it } from 'vitest';
import type { Commit } from '../../invariants/invariant.ts';
import type { Observation } from '../runtime/observation.ts';
import { createKnowledge, knownSince, noteCommit, noteObservation } from './knowledge.ts';

const commit = { uid: 'u', after: { metadata: { uid: 'u', resourceVersion: '1' } } } as unknown as Commit;
const notified = (informer: string, more: object = {}): Observation =>
  ({
    type: 'notified',
    process: 'p',
    informer,
    change: 'apply',
    key: 'team/a',
    version: 'u@1',
    ...more,
  }) as unknown as Observation;

/**
 * Returns the moment since which the process knows the object after the notifications; undefined if it does
 * not know it.
 */
function knownAfter(...notifications: readonly Observation[]): number | undefined {
  const knowledge = createKnowledge();
  noteCommit(knowledge, commit, () => 'due');
  for (const each of notifications) noteObservation(knowledge, each);
  return knownSince(knowledge, 'p', 'u', 'due');
}

describe('the knowledge of a process about an object', () => {
  it('comes from a cache that contains the object', () => {
    expect(knownAfter(notified('secrets #1'))).toBeDefined();
  });

  it('does not come from a cache that contains only metadata', () => {
    expect(knownAfter(notified('secrets #1', { isMetadataOnly: true }))).toBeUndefined();
  });

  it('is incomplete until every cache that selects the object contains it', () => {
    const first = notified('secrets #1', { lacking: ['secrets #2'] });
    expect(knownAfter(first)).toBeUndefined();
    expect(knownAfter(first, notified('secrets #2'))).toBeDefined();
  });
});
