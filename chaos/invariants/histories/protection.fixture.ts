import { persistentVolumeClaims, persistentVolumes, pods } from '../../../api/groups/index.ts';
import type { ApiObject } from '../../../api/kinds/kind.ts';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { cluster, drops, ending, makes, named, turns, type History } from './objects.fixture.ts';

const held = (controller: string) => ({ finalizers: [orchVocabulary.key('', controller)] });

const volume = (phase: string, metadata: object = {}): ApiObject =>
  named('disk', { status: { phase } }, { ...cluster, ...metadata });
const boundVolume = volume('Bound', held('pv-protection'));
const doomedVolume = volume('Bound', { ...held('pv-protection'), ...ending });

const claim = (metadata: object = {}): ApiObject => named('data', {}, metadata);
const heldClaim = claim(held('pvc-protection'));
const doomedClaim = claim({ ...held('pvc-protection'), ...ending });
const user = named('user', {
  spec: { nodeName: 'n', volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] },
});

export const protectionHistories: readonly History[] = [
  [
    'pv-protection/N1',
    [
      turns('user', persistentVolumes, boundVolume, doomedVolume),
      drops('pv-protection', persistentVolumes, doomedVolume),
    ],
    [
      turns('user', persistentVolumes, boundVolume, doomedVolume),
      drops('pv-protection', persistentVolumes, volume('Released', { ...held('pv-protection'), ...ending })),
    ],
  ],
  [
    'pv-protection/N2',
    [turns('pv-protection', persistentVolumes, boundVolume, volume('Bound'))],
    [drops('pv-protection', persistentVolumes, doomedVolume)],
  ],
  [
    'pv-protection/E1',
    [makes('user', persistentVolumes, volume('Available'))],
    [makes('user', persistentVolumes, boundVolume)],
  ],
  [
    'pv-protection/E2',
    [
      turns(
        'user',
        persistentVolumes,
        volume('Released', held('pv-protection')),
        volume('Released', { ...held('pv-protection'), ...ending }),
      ),
    ],
    [turns('user', persistentVolumes, boundVolume, doomedVolume)],
  ],
  [
    'pvc-protection/N1',
    [
      makes('user', pods, user),
      turns('user', persistentVolumeClaims, heldClaim, doomedClaim),
      drops('pvc-protection', persistentVolumeClaims, doomedClaim),
    ],
    [
      makes('user', pods, user),
      turns('user', persistentVolumeClaims, heldClaim, doomedClaim),
      drops('user', pods, user),
      drops('pvc-protection', persistentVolumeClaims, doomedClaim),
    ],
  ],
  [
    'pvc-protection/N2',
    [turns('pvc-protection', persistentVolumeClaims, heldClaim, claim())],
    [drops('pvc-protection', persistentVolumeClaims, doomedClaim)],
  ],
  [
    'pvc-protection/E1',
    [makes('user', persistentVolumeClaims, claim())],
    [makes('user', persistentVolumeClaims, heldClaim)],
  ],
  [
    'pvc-protection/E2',
    [turns('user', persistentVolumeClaims, heldClaim, doomedClaim)],
    [makes('user', pods, user), turns('user', persistentVolumeClaims, heldClaim, doomedClaim)],
  ],
];
