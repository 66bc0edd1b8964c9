import { carryOver, sameValue } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import type { FieldErrors } from '../../status/field-errors.ts';
import type { VolumeAttachment } from '../../types/storage-v1.ts';
import { invalidTyped } from '../../validation/go-text/dump.ts';
import { IMMUTABLE } from '../../validation/metadata.ts';
import { validateNewAttachment, validateVolumeAttachment } from '../../validation/volume/attachment.ts';
import { defaultVolumeSource } from '../core/volume-source.ts';
import { statusAloneSubresource } from '../status-subresource.ts';

type Frozen = DeepReadonly<VolumeAttachment>;

const validateUpdate = (next: Frozen, previous: Frozen): FieldErrors =>
  sameValue(next.spec, previous.spec)
    ? []
    : [invalidTyped('spec', 'storage.VolumeAttachmentSpec', next.spec ?? {}, IMMUTABLE)];

/** Strategy of VolumeAttachments. */
export const volumeAttachmentStrategy: Strategy<VolumeAttachment> = {
  defaults({ spec }) {
    if (spec?.source?.inlineVolumeSpec) defaultVolumeSource(spec.source.inlineVolumeSpec);
  },
  prepareForCreate(next) {
    next.status = { attached: false };
  },
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'status'),
  validate: validateVolumeAttachment,
  validatesChangeToo: true,
  validateCreate: (next) => validateNewAttachment(next),
  validateUpdate,
};

const status = statusAloneSubresource<VolumeAttachment>(
  (next, _previous, context) => validateVolumeAttachment(next, context),
  ['labels', 'annotations', 'finalizers', 'ownerReferences', 'deletionTimestamp'],
);

/** Subresources of VolumeAttachments. */
export const volumeAttachmentSubresources = { status };

/** Table columns of VolumeAttachments. */
export const volumeAttachmentColumns: readonly Column<VolumeAttachment>[] = [
  nameColumn,
  {
    ...column<VolumeAttachment>(
      'Attacher',
      ({ spec }) => spec?.attacher ?? '',
      'Attacher indicates the name of the volume driver that MUST handle this request. This is the name returned by GetPluginName().',
    ),
    format: 'name',
  },
  column<VolumeAttachment>(
    'PV',
    ({ spec }) => spec?.source?.persistentVolumeName ?? '',
    'Name of the persistent volume to attach.',
  ),
  column<VolumeAttachment>(
    'Node',
    ({ spec }) => spec?.nodeName ?? '',
    'The node that the volume should be attached to.',
  ),
  {
    name: 'Attached',
    type: 'boolean',
    description:
      'Indicates the volume is successfully attached. This field must only be set by the entity completing the attach operation, i.e. the external-attacher.',
    cell: ({ status: reported }) => reported?.attached ?? false,
  },
  ageColumn,
];
