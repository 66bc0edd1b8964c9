import type { DeepReadonly, StrategyContext } from '../../kinds/kind.ts';
import {
  type FieldErrors,
  child,
  forbiddenField,
  requiredField,
  tooLongField,
} from '../../status/field-errors.ts';
import type { VolumeAttachment, VolumeAttachmentSource, VolumeError } from '../../types/storage-v1.ts';
import { validateDriverName } from './csi.ts';
import { checked } from '../metadata.ts';
import { isDns1123Subdomain } from '../names.ts';
import { validateInlineVolume } from './persistent-volume.ts';
import { validateParameters } from './storage-class.ts';

const MESSAGE_LIMIT = 1024;
const ONE_SOURCE = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';

/** Checks the rules of `ValidateVolumeAttachment` in Kubernetes 1.24. */
export function validateVolumeAttachment(
  { spec, status }: DeepReadonly<VolumeAttachment>,
  context: Pick<StrategyContext, 'vocabulary'>,
): FieldErrors {
  const { attacher = '', source = {}, nodeName = '' } = spec ?? {};
  return [
    ...(attacher === '' ? [requiredField('spec.attacher')] : []),
    ...validateSource(source, 'spec.source', context),
    ...checked('spec.nodeName', nodeName, isDns1123Subdomain),
    ...validateParameters(status?.attachmentMetadata ?? {}, 'status.attachmentMetadata'),
    ...validateError(status?.attachError, 'status.attachError'),
    ...validateError(status?.detachError, 'status.detachError'),
  ];
}

/** Checks the rules of `ValidateVolumeAttachmentV1` in Kubernetes 1.24, which apply only to new objects. */
export function validateNewAttachment({ spec }: DeepReadonly<VolumeAttachment>): FieldErrors {
  const volume = spec?.source?.persistentVolumeName;
  return [
    ...validateDriverName(spec?.attacher ?? '', 'spec.attacher'),
    ...(volume === undefined ? [] : checked('spec.source.persistentVolumeName', volume, isDns1123Subdomain)),
  ];
}

function validateSource(
  { persistentVolumeName, inlineVolumeSpec }: DeepReadonly<VolumeAttachmentSource>,
  path: string,
  context: Pick<StrategyContext, 'vocabulary'>,
): FieldErrors {
  if (persistentVolumeName === undefined) {
    return inlineVolumeSpec === undefined
      ? [requiredField(path, ONE_SOURCE)]
      : validateInlineVolume(inlineVolumeSpec, child(path, 'inlineVolumeSpec'), context);
  }
  if (inlineVolumeSpec !== undefined) return [forbiddenField(path, ONE_SOURCE)];
  return persistentVolumeName === ''
    ? [requiredField(child(path, 'persistentVolumeName'), 'must specify non empty persistentVolumeName')]
    : [];
}

const validateError = (error: DeepReadonly<VolumeError> | undefined, path: string): FieldErrors =>
  Buffer.byteLength(error?.message ?? '') > MESSAGE_LIMIT
    ? [tooLongField(child(path, 'message'), MESSAGE_LIMIT)]
    : [];
