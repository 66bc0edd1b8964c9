import { sameValue } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn, orNone } from '../../kinds/columns.ts';
import type { ApiObject, Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import { type FieldErrors, child, invalidField } from '../../status/field-errors.ts';
import type { CSIDriver, CSINode, CSIStorageCapacity } from '../../types/storage-v1.ts';
import {
  validateCsiDriverSpec,
  validateCsiNodeSpec,
  validateCsiStorageCapacity,
} from '../../validation/csi.ts';
import { invalidTyped } from '../../validation/go-dump.ts';
import { IMMUTABLE } from '../../validation/metadata.ts';

const GO_TYPES: { readonly [field: string]: string } = {
  volumeLifecycleModes: '[]storage.VolumeLifecycleMode',
  nodeTopology: 'v1.LabelSelector',
};

/** Each field that an update changed, as immutable; `shownAs` where upstream's path is another. */
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
  next.metadata = { ...next.metadata, generation: (previous.metadata?.generation ?? 0) + 1 };
};

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
  // Upstream counts changes of what can change, and begins at none.
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

export const csiDriverColumns: readonly Column<CSIDriver>[] = [
  nameColumn,
  { name: 'AttachRequired', type: 'boolean', cell: ({ spec }) => spec?.attachRequired ?? true },
  { name: 'PodInfoOnMount', type: 'boolean', cell: ({ spec }) => spec?.podInfoOnMount ?? false },
  { name: 'StorageCapacity', type: 'boolean', cell: ({ spec }) => spec?.storageCapacity ?? false },
  column<CSIDriver>('TokenRequests', ({ spec }) =>
    spec?.tokenRequests === undefined
      ? '<unset>'
      : spec.tokenRequests.map(({ audience }) => audience).join(','),
  ),
  { name: 'RequiresRepublish', type: 'boolean', cell: ({ spec }) => spec?.requiresRepublish ?? false },
  column<CSIDriver>('Modes', ({ spec }) => orNone((spec?.volumeLifecycleModes ?? []).join(','))),
  ageColumn,
];

export const csiNodeStrategy: Strategy<CSINode> = {
  validate: ({ spec }) => validateCsiNodeSpec(spec ?? { drivers: [] }, 'spec'),
  validateUpdate: ({ spec }, previous) => {
    const before = new Map((previous.spec?.drivers ?? []).map((driver) => [driver.name, driver]));
    return (spec?.drivers ?? [])
      .filter(({ name }) => before.has(name))
      .filter((driver) => !sameValue(driver, before.get(driver.name)))
      .map((driver) => invalidTyped('CSINodeDriver', 'storage.CSINodeDriver', driver, IMMUTABLE));
  },
};

export const csiNodeColumns: readonly Column<CSINode>[] = [
  nameColumn,
  { name: 'Drivers', type: 'integer', cell: ({ spec }) => (spec?.drivers ?? []).length },
  ageColumn,
];

export const csiStorageCapacityStrategy: Strategy<CSIStorageCapacity> = {
  validate: validateCsiStorageCapacity,
  validateUpdate: (next, previous) => immutable(next, previous, '', ['nodeTopology', 'storageClassName']),
};
