import { carryOver, sameValue } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, ObjectSubresource, Strategy } from '../../kinds/kind.ts';
import { type FieldErrors, invalidField } from '../../status/field-errors.ts';
import type { VolumeAttachment } from '../../types/storage-v1.ts';
import { IMMUTABLE } from '../../validation/metadata.ts';
import { validateVolumeAttachment } from '../../validation/volume-attachment.ts';

type Frozen = DeepReadonly<VolumeAttachment>;

const validateUpdate = (next: Frozen, previous: Frozen): FieldErrors =>
  sameValue(next.spec, previous.spec) ? [] : [invalidField('spec', next.spec, IMMUTABLE)];

export const volumeAttachmentStrategy: Strategy<VolumeAttachment> = {
  prepareForCreate(next) {
    next.status = { attached: false };
  },
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'status'),
  validate: validateVolumeAttachment,
  validateUpdate,
};

const status: ObjectSubresource<VolumeAttachment> = {
  verbs: ['get', 'patch', 'update'],
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'spec'),
  validateUpdate: (next) => validateVolumeAttachment(next),
};

export const volumeAttachmentSubresources = { status };

export const volumeAttachmentColumns: readonly Column<VolumeAttachment>[] = [
  nameColumn,
  { ...column<VolumeAttachment>('Attacher', ({ spec }) => spec?.attacher ?? ''), format: 'name' },
  column<VolumeAttachment>('PV', ({ spec }) => spec?.source?.persistentVolumeName ?? ''),
  column<VolumeAttachment>('Node', ({ spec }) => spec?.nodeName ?? ''),
  { name: 'Attached', type: 'boolean', cell: ({ status: reported }) => reported?.attached ?? false },
  ageColumn,
];
