import { persistentVolumes } from '../../../api/groups/index.ts';
import type { ApiObject } from '../../../api/kinds/kind.ts';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import {
  cluster,
  drops,
  ending,
  makes,
  named,
  turns,
  type History,
} from '../../invariants/histories/objects.fixture.ts';

const held = { finalizers: [orchVocabulary.key('', 'pv-protection')] };

const volume = (phase: string, metadata: object = {}): ApiObject =>
  named('disk', { status: { phase } }, { ...cluster, ...metadata });
const boundVolume = volume('Bound', held);
const doomedVolume = volume('Bound', { ...held, ...ending });

/** Histories of the invariants of `pv-protection`. */
export const histories: readonly History[] = [
  [
    'pv-protection/no-release-while-used',
    [
      turns('user', persistentVolumes, boundVolume, doomedVolume),
      drops('pv-protection', persistentVolumes, doomedVolume),
    ],
    [
      turns('user', persistentVolumes, boundVolume, doomedVolume),
      drops('pv-protection', persistentVolumes, volume('Released', { ...held, ...ending })),
    ],
  ],
  [
    'pv-protection/no-release-undeleted',
    [turns('pv-protection', persistentVolumes, boundVolume, volume('Bound'))],
    [drops('pv-protection', persistentVolumes, doomedVolume)],
  ],
  [
    'pv-protection/every-object-protected',
    [makes('user', persistentVolumes, volume('Available'))],
    [makes('user', persistentVolumes, boundVolume)],
  ],
  [
    'pv-protection/unused-is-released',
    [turns('user', persistentVolumes, volume('Released', held), volume('Released', { ...held, ...ending }))],
    [turns('user', persistentVolumes, boundVolume, doomedVolume)],
  ],
];
