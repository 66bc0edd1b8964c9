import { persistentVolumes } from '../../../api/groups/index.ts';
import type { PersistentVolume } from '../../../api/types/core-v1-persistent-volume.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { creates, deletes, inGroups, planted, updates } from '../../explore/actions.ts';
import { NOON } from '../../explore/instants.ts';
import type { Scenario } from '../../explore/scenario.ts';
import { relabels } from '../../explore/scenarios/relabels.ts';
import { pvProtectionInvariants } from './invariants.ts';

type Phase = 'Available' | 'Bound' | 'Released';

const NAMES = ['a', 'b', 'c'];

/**
 * Returns a workload: volumes without the finalizer, one of which is bound, released, deleted and recreated.
 */
export function volumeScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const volume = (name: string): PersistentVolume => ({
    kind: 'PersistentVolume',
    apiVersion: 'v1',
    metadata: { name },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
    status: { phase: 'Available' },
  });
  const becomes = (text: string, from: Phase, to: Phase) =>
    updates(
      text,
      persistentVolumes,
      '',
      'a',
      ({ status }) => (status?.phase === from ? { status: { phase: to } } : undefined),
      { subresource: 'status' },
    );
  const changes = [
    becomes('the volume is bound', 'Available', 'Bound'),
    becomes('the claim releases it', 'Bound', 'Released'),
    deletes('the user deletes the volume', persistentVolumes, '', 'a'),
    creates('the user recreates the volume', persistentVolumes, volume('a')),
    updates('the user labels the volume', persistentVolumes, '', 'a', relabels),
  ];
  return {
    controller: 'pv-protection',
    instants: [NOON],
    ...inGroups(
      NAMES.slice(0, objects).map((name, at) => ({
        objects: [planted(persistentVolumes, volume(name))],
        actions: at === 0 ? changes : [],
      })),
    ),
    invariants: pvProtectionInvariants(vocabulary),
  };
}
