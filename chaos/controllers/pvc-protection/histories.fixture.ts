import { persistentVolumeClaims, pods } from '../../../api/groups/index.ts';
import type { ApiObject } from '../../../api/kinds/kind.ts';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import {
  drops,
  ending,
  makes,
  named,
  turns,
  type History,
} from '../../invariants/histories/objects.fixture.ts';

const held = { finalizers: [orchVocabulary.key('', 'pvc-protection')] };

const claim = (metadata: object = {}): ApiObject => named('data', {}, metadata);
const heldClaim = claim(held);
const doomedClaim = claim({ ...held, ...ending });
const user = named('user', {
  spec: { nodeName: 'n', volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] },
});

/** Histories of the invariants of `pvc-protection`. */
export const histories: readonly History[] = [
  [
    'pvc-protection/no-release-while-used',
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
    'pvc-protection/no-release-undeleted',
    [turns('pvc-protection', persistentVolumeClaims, heldClaim, claim())],
    [drops('pvc-protection', persistentVolumeClaims, doomedClaim)],
  ],
  [
    'pvc-protection/every-object-protected',
    [makes('user', persistentVolumeClaims, claim())],
    [makes('user', persistentVolumeClaims, heldClaim)],
  ],
  [
    'pvc-protection/unused-is-released',
    [turns('user', persistentVolumeClaims, heldClaim, doomedClaim)],
    [makes('user', pods, user), turns('user', persistentVolumeClaims, heldClaim, doomedClaim)],
  ],
];
