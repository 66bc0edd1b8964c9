import { sameValue } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn, orNone } from '../../kinds/columns.ts';
import type { ApiObject, Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import { type FieldErrors, child, invalidField } from '../../status/field-errors.ts';
import type { CSIDriver, CSINode, CSIStorageCapacity } from '../../types/storage-v1.ts';
import {
  validateCsiDriverSpec,
  validateCsiNodeSpec,
  validateCsiStorageCapacity,
} from '../../validation/volume/csi.ts';
import { invalidTyped } from '../../validation/go-text/dump.ts';
import { IMMUTABLE } from '../../validation/metadata.ts';
import { nextGeneration } from '../../kinds/generation.ts';

const GO_TYPES: { readonly [field: string]: string } = {
  volumeLifecycleModes: '[]storage.VolumeLifecycleMode',
  nodeTopology: 'v1.LabelSelector',
};

/**
 * Reports each changed field as immutable. `shownAs` holds the path in upstream's error for fields where it
 * differs.
 */
function immutable<T extends object>(
  next: T | undefined,
  previous: T | undefined,
  path: string,
  fields: readonly (keyof T & string)[],
  shownAs: { readonly [field: string]: string } = {},
): FieldErrors {
  return fields
    .filter((field) => !sameValue(next?.[field], previous?.[field]))
    .map((field) => {
      const [at, now, type] = [child(path, shownAs[field] ?? field), next?.[field], GO_TYPES[field]];
      return type ? invalidTyped(at, type, now, IMMUTABLE) : invalidField(at, now, IMMUTABLE);
    });
}

const bump = (next: ApiObject, previous: DeepReadonly<ApiObject>): void => {
  next.metadata = { ...next.metadata, generation: nextGeneration(previous.metadata?.generation) };
};

/** Strategy of CSIDrivers. */
export const csiDriverStrategy: Strategy<CSIDriver> = {
  defaults({ spec }) {
    if (spec === undefined) return;
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
    if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ['Persistent'];
    spec.requiresRepublish ??= false;
  },
  // Upstream counts the changes of the mutable fields. The generation of a new object is not set.
  prepareForUpdate(next, previous) {
    const same = (['tokenRequests', 'requiresRepublish'] as const).every((field) =>
      sameValue(next.spec?.[field], previous.spec?.[field]),
    );
    if (!same) bump(next, previous);
  },
  validate: ({ spec }) => validateCsiDriverSpec(spec ?? {}, 'spec'),
  validateUpdate: (next, previous) =>
    immutable(
      next.spec,
      previous.spec,
      'spec',
      ['attachRequired', 'fsGroupPolicy', 'podInfoOnMount', 'volumeLifecycleModes'],
      { attachRequired: 'attachedRequired' },
    ),
};

/** Table columns of CSIDrivers. */
export const csiDriverColumns: readonly Column<CSIDriver>[] = [
  nameColumn,
  {
    name: 'AttachRequired',
    type: 'boolean',
    description:
      'attachRequired indicates this CSI volume driver requires an attach operation (because it implements the CSI ControllerPublishVolume() method), and that the {Product} attach detach controller should call the attach volume interface which checks the volumeattachment status and waits until the volume is attached before proceeding to mounting. The CSI external-attacher coordinates with CSI volume driver and updates the volumeattachment status when the attach operation is complete. If the CSIDriverRegistry feature gate is enabled and the value is specified to false, the attach operation will be skipped. Otherwise the attach operation will be called.  This field is immutable.',
    cell: ({ spec }) => spec?.attachRequired ?? true,
  },
  {
    name: 'PodInfoOnMount',
    type: 'boolean',
    description: `If set to true, podInfoOnMount indicates this CSI volume driver requires additional pod information (like podName, podUID, etc.) during mount operations. If set to false, pod information will not be passed on mount. Default is false. The CSI driver specifies podInfoOnMount as part of driver deployment. If true, Kubelet will pass pod information as VolumeContext in the CSI NodePublishVolume() calls. The CSI driver is responsible for parsing and validating the information passed in as VolumeContext. The following VolumeConext will be passed if podInfoOnMount is set to true. This list might grow, but the prefix will be used. "csi.storage.{groupSuffix}/pod.name": pod.Name "csi.storage.{groupSuffix}/pod.namespace": pod.Namespace "csi.storage.{groupSuffix}/pod.uid": string(pod.UID) "csi.storage.{groupSuffix}/ephemeral": "true" if the volume is an ephemeral inline volume                                 defined by a CSIVolumeSource, otherwise "false"  "csi.storage.{groupSuffix}/ephemeral" is a new feature in {Product} 1.16. It is only required for drivers which support both the "Persistent" and "Ephemeral" VolumeLifecycleMode. Other drivers can leave pod info disabled and/or ignore this field. As {Product} 1.15 doesn't support this field, drivers can only support one mode when deployed on such a cluster and the deployment determines which mode that is, for example via a command line parameter of the driver.  This field is immutable.`,
    cell: ({ spec }) => spec?.podInfoOnMount ?? false,
  },
  {
    name: 'StorageCapacity',
    type: 'boolean',
    description:
      'If set to true, storageCapacity indicates that the CSI volume driver wants pod scheduling to consider the storage capacity that the driver deployment will report by creating CSIStorageCapacity objects with capacity information.  The check can be enabled immediately when deploying a driver. In that case, provisioning new volumes with late binding will pause until the driver deployment has published some suitable CSIStorageCapacity object.  Alternatively, the driver can be deployed with the field unset or false and it can be flipped later when storage capacity information has been published.  This field is immutable.  This is a beta field and only available when the CSIStorageCapacity feature is enabled. The default is false.',
    cell: ({ spec }) => spec?.storageCapacity ?? false,
  },
  column<CSIDriver>(
    'TokenRequests',
    ({ spec }) =>
      spec?.tokenRequests === undefined
        ? '<unset>'
        : spec.tokenRequests.map(({ audience }) => audience).join(','),
    `TokenRequests indicates the CSI driver needs pods' service account tokens it is mounting volume for to do necessary authentication. Kubelet will pass the tokens in VolumeContext in the CSI NodePublishVolume calls. The CSI driver should parse and validate the following VolumeContext: "csi.storage.{groupSuffix}/serviceAccount.tokens": {   "<audience>": {     "token": <token>,     "expirationTimestamp": <expiration timestamp in RFC3339>,   },   ... }  Note: Audience in each TokenRequest should be different and at most one token is empty string. To receive a new token after expiry, RequiresRepublish can be used to trigger NodePublishVolume periodically.`,
  ),
  {
    name: 'RequiresRepublish',
    type: 'boolean',
    description:
      'RequiresRepublish indicates the CSI driver wants `NodePublishVolume` being periodically called to reflect any possible change in the mounted volume. This field defaults to false.  Note: After a successful initial NodePublishVolume call, subsequent calls to NodePublishVolume should only update the contents of the volume. New mount points will not be seen by a running container.',
    cell: ({ spec }) => spec?.requiresRepublish ?? false,
  },
  column<CSIDriver>(
    'Modes',
    ({ spec }) => orNone((spec?.volumeLifecycleModes ?? []).join(',')),
    'volumeLifecycleModes defines what kind of volumes this CSI volume driver supports. The default if the list is empty is "Persistent", which is the usage defined by the CSI specification and implemented in {Product} via the usual PV/PVC mechanism. The other mode is "Ephemeral". In this mode, volumes are defined inline inside the pod spec with CSIVolumeSource and their lifecycle is tied to the lifecycle of that pod. A driver has to be aware of this because it is only going to get a NodePublishVolume call for such a volume. For more information about implementing this mode, see https://{product}-csi.github.io/docs/ephemeral-local-volumes.html A driver can support one or more of these modes and more modes may be added in the future. This field is beta.  This field is immutable.',
  ),
  ageColumn,
];

/** Strategy of CSINodes. */
export const csiNodeStrategy: Strategy<CSINode> = {
  validate: ({ spec }) => validateCsiNodeSpec(spec ?? { drivers: [] }, 'spec'),
  validatesChangeToo: true,
  validateUpdate: ({ spec }, previous) => {
    const before = new Map((previous.spec?.drivers ?? []).map((driver) => [driver.name, driver]));
    return (spec?.drivers ?? [])
      .filter(({ name }) => before.has(name))
      .filter((driver) => !sameValue(driver, before.get(driver.name)))
      .map((driver) => invalidTyped('CSINodeDriver', 'storage.CSINodeDriver', driver, IMMUTABLE));
  },
};

/** Table columns of CSINodes. */
export const csiNodeColumns: readonly Column<CSINode>[] = [
  nameColumn,
  {
    name: 'Drivers',
    type: 'integer',
    description: 'Drivers indicates the number of CSI drivers registered on the node',
    cell: ({ spec }) => (spec?.drivers ?? []).length,
  },
  ageColumn,
];

/** Strategy of CSIStorageCapacities. */
export const csiStorageCapacityStrategy: Strategy<CSIStorageCapacity> = {
  validate: validateCsiStorageCapacity,
  validateUpdate: (next, previous) => immutable(next, previous, '', ['nodeTopology', 'storageClassName']),
};
