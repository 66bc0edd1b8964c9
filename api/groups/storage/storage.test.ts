import { describe, expect, it } from 'vitest';
import { created, row, texts, updated } from '../fixture.ts';
import {
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  storageClasses,
  volumeAttachments,
} from '../storage-v1.ts';

const metadata = { name: 'x', resourceVersion: '1' };

describe('a StorageClass', () => {
  const make = (fields: object = {}) =>
    created(storageClasses, { metadata, provisioner: 'a.b/c', ...fields });

  it('has the reclaim policy Delete and binds volumes immediately by default', () => {
    const { object, errors } = make();
    expect(errors).toEqual([]);
    expect(object).toMatchObject({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });
  });

  it.each([
    [{ provisioner: '' }, 'provisioner: Required value'],
    [
      { reclaimPolicy: 'Recycle' },
      'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
    ],
    [
      { volumeBindingMode: 'Never' },
      'volumeBindingMode: Unsupported value: "Never": supported values: "Immediate", "WaitForFirstConsumer"',
    ],
    [
      { allowedTopologies: [{ matchLabelExpressions: [{ key: 'k', values: ['a', 'a'] }] }] },
      'allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"',
    ],
    [{ allowedTopologies: [{}] }, 'allowedTopologies[0].matchLabelExpressions: Duplicate value: ""'],
  ])('is rejected with %j', (fields, text) => {
    expect(texts(make(fields).errors)).toEqual([text]);
  });

  it('allows only changes of volume expansion and metadata', () => {
    const { object } = make({ parameters: { a: 'b' } });
    const change = updated(storageClasses, object, (draft) => {
      draft.provisioner = 'd.e/f';
      draft.parameters = { a: 'c' };
      draft.reclaimPolicy = 'Retain';
      draft.volumeBindingMode = 'WaitForFirstConsumer';
      draft.allowVolumeExpansion = true;
    });
    expect(texts(change.errors)).toEqual([
      'parameters: Forbidden: updates to parameters are forbidden.',
      'provisioner: Forbidden: updates to provisioner are forbidden.',
      'reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.',
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ]);
  });

  it('is marked in its row if it is the default', () => {
    const annotations = { 'storageclass.orch.io/is-default-class': 'true' };
    const { object } = make({ metadata: { name: 'fast', annotations } });
    expect(row(storageClasses, object)).toMatchObject({
      Name: 'fast (default)',
      AllowVolumeExpansion: false,
    });
  });
});

describe('a CSIDriver', () => {
  const make = (spec: object = {}) => created(csiDrivers, { metadata, spec });

  it('requires attachment and supports persistent volumes by default', () => {
    const { object, errors } = make();
    expect(errors).toEqual([]);
    expect(object.spec).toEqual({
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      volumeLifecycleModes: ['Persistent'],
      requiresRepublish: false,
    });
    expect(row(csiDrivers, object)).toEqual({
      Name: 'x',
      AttachRequired: true,
      PodInfoOnMount: false,
      StorageCapacity: false,
      TokenRequests: '<unset>',
      RequiresRepublish: false,
      Modes: 'Persistent',
      Age: '0s',
    });
  });

  it('requires tokens with a bounded lifetime and unique audiences', () => {
    const tokenRequests = [
      { audience: 'a', expirationSeconds: 599 },
      { audience: 'a' },
      { audience: 'b', expirationSeconds: 2 ** 32 + 1 },
    ];
    expect(texts(make({ tokenRequests }).errors)).toEqual([
      'spec.tokenRequests[0].expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
      'spec.tokenRequests[1].audience: Duplicate value: "a"',
      'spec.tokenRequests[2].expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
    ]);
  });

  it('increments its generation on changes of mutable fields, and rejects other changes', () => {
    const { object } = make();
    const allowed = updated(csiDrivers, object, (draft) => {
      if (draft.spec) draft.spec.requiresRepublish = true;
    });
    expect(allowed.errors).toEqual([]);
    expect(allowed.object.metadata?.generation).toBe(1);
    const refused = updated(csiDrivers, object, (draft) => {
      if (draft.spec) draft.spec.attachRequired = false;
    });
    expect(texts(refused.errors)).toEqual([
      'spec.attachedRequired: Invalid value: false: field is immutable',
    ]);
  });
});

describe('a CSINode', () => {
  const driver = { name: 'a.b', nodeID: 'n', topologyKeys: ['k'] };
  const make = (...drivers: object[]) => created(csiNodes, { metadata, spec: { drivers } });

  it('requires unique drivers with node IDs', () => {
    expect(make(driver).errors).toEqual([]);
    expect(texts(make(driver, { ...driver, nodeID: '' }).errors)).toEqual([
      'spec.drivers[1].nodeID: Required value',
      'spec.drivers[1].name: Duplicate value: "a.b"',
    ]);
  });

  it('allows adding and removing drivers, but not changing them', () => {
    const { object } = make(driver);
    expect(updated(csiNodes, object, (draft) => void (draft.spec = { drivers: [] })).errors).toEqual([]);
    const { errors } = updated(csiNodes, object, (draft) => {
      draft.spec = { drivers: [{ ...driver, nodeID: 'm' }] };
    });
    expect(texts(errors)).toEqual([
      'CSINodeDriver: Invalid value: storage.CSINodeDriver{Name:"a.b", NodeID:"m", TopologyKeys:[]string{"k"}, Allocatable:(*storage.VolumeNodeResources)(nil)}: field is immutable',
    ]);
    expect(row(csiNodes, object)).toMatchObject({ Drivers: 1 });
  });
});

describe('a VolumeAttachment', () => {
  const spec = { attacher: 'a.b', nodeName: 'n', source: { persistentVolumeName: 'pv' } };
  const make = (changes: object = {}) =>
    created(volumeAttachments, { metadata, spec: { ...spec, ...changes }, status: { attached: true } });

  it('is not attached after creation', () => {
    const { object, errors } = make();
    expect(errors).toEqual([]);
    expect(object.status).toEqual({ attached: false });
    expect(row(volumeAttachments, object)).toMatchObject({
      Attacher: 'a.b',
      PV: 'pv',
      Node: 'n',
      Attached: false,
    });
  });

  it('ignores a deletion time in a status update', () => {
    const { object, errors } = updated(
      volumeAttachments,
      make().object,
      (draft) => {
        draft.metadata = { ...draft.metadata, deletionTimestamp: '2001-01-01T00:00:00Z' };
      },
      'status',
    );
    expect(errors).toEqual([]);
    expect(object.metadata?.deletionTimestamp).toBeUndefined();
  });

  it('requires exactly one source', () => {
    expect(texts(make({ source: {} }).errors)).toEqual([
      'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
    ]);
  });

  it.each<[string, object, readonly string[]]>([
    ['is a CSI volume', { csi: { driver: 'a.b', volumeHandle: 'h' } }, []],
    [
      'has fields of an independent volume',
      {
        azureDisk: { diskName: 'd', diskURI: '/subscriptions/d' },
        claimRef: {},
        capacity: { storage: '1Gi' },
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: 'c',
        nodeAffinity: {},
        volumeMode: 'Block',
      },
      [
        'claimRef: Forbidden: may not be specified in the context of inline volumes',
        'capacity: Forbidden: may not be specified in the context of inline volumes',
        'csi: Required value: has to be specified in the context of inline volumes',
        'persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the context of inline volumes',
        'nodeAffinity: Forbidden: may not be specified in the context of inline volumes',
        'azureDisk.diskURI: Unsupported value: "/subscriptions/d": supported values: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"',
        'storageClassName: Forbidden: may not be specified in the context of inline volumes',
        'volumeMode: Forbidden: may not specify volumeMode other than Filesystem in the context of inline volumes',
      ],
    ],
    [
      'has more than one source',
      { csi: { driver: 'a.b', volumeHandle: 'h' }, nfs: { path: '/p', server: 's' } },
      ['csi: Forbidden: may not specify more than 1 volume type'],
    ],
  ])('has the errors of upstream if its inline volume %s', (_what, source, complaints) => {
    const inlineVolumeSpec = { accessModes: ['ReadWriteOnce'], ...source };
    expect(texts(make({ source: { inlineVolumeSpec } }).errors)).toEqual(
      complaints.map((complaint) => `spec.source.inlineVolumeSpec.${complaint}`),
    );
  });

  it('allows only changes of its status', () => {
    const { object } = make();
    const change = updated(volumeAttachments, object, (draft) => {
      if (draft.spec) draft.spec.nodeName = 'm';
    });
    expect(texts(change.errors)[0]).toMatch(/^spec: Invalid value: .*: field is immutable$/);
    const attached = updated(
      volumeAttachments,
      object,
      (draft) => void (draft.status = { attached: true }),
      'status',
    );
    expect(attached.errors).toEqual([]);
    expect(attached.object.status).toEqual({ attached: true });
  });
});

it('a CSIStorageCapacity is rejected with a negative capacity or a changed class', () => {
  const body = { metadata: { ...metadata, namespace: 'd' }, storageClassName: 'c', capacity: '-1Gi' };
  expect(texts(created(csiStorageCapacities, body).errors)).toEqual([
    'capacity: Invalid value: "-1Gi": must be greater than or equal to 0',
  ]);
  const { object } = created(csiStorageCapacities, { ...body, capacity: '1Gi' });
  const { errors } = updated(csiStorageCapacities, object, (draft) => {
    draft.storageClassName = 'd';
    draft.capacity = '2Gi';
  });
  expect(texts(errors)).toEqual(['storageClassName: Invalid value: "d": field is immutable']);
});
