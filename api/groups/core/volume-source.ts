import type { PersistentVolumeSpec } from '../../types/core-v1-persistent-volume.ts';
import type { Volume } from '../../types/core-v1-volume.ts';

type Shared = 'hostPath' | 'iscsi' | 'rbd' | 'azureDisk' | 'scaleIO';

/** Sets the defaults of sources that pods and PersistentVolumes share, in place. */
export function defaultVolumeSource({
  hostPath,
  iscsi,
  rbd,
  azureDisk,
  scaleIO,
}: Pick<Volume, Shared> | Pick<PersistentVolumeSpec, Shared>): void {
  if (hostPath) hostPath.type ??= '';
  if (iscsi) iscsi.iscsiInterface ||= 'default';
  if (rbd) {
    rbd.pool ||= 'rbd';
    rbd.user ||= 'admin';
    rbd.keyring ||= '/etc/ceph/keyring';
  }
  if (azureDisk) {
    azureDisk.cachingMode ??= 'ReadWrite';
    azureDisk.kind ??= 'Shared';
    azureDisk.fsType ??= 'ext4';
    azureDisk.readOnly ??= false;
  }
  if (scaleIO) {
    scaleIO.storageMode ||= 'ThinProvisioned';
    scaleIO.fsType ||= 'xfs';
  }
}
