import { describe, expect, it } from 'vitest';
import { persistentVolumeClaims, persistentVolumes, resourceQuotas } from '../core-v1-storage.ts';
import { podTemplates, replicationControllers } from '../core-v1-workload.ts';
import { created, row, texts, updated } from '../fixture.ts';

const metadata = { name: 'x', namespace: 'd', resourceVersion: '1' };

describe('a PersistentVolumeClaim', () => {
  const body = (spec: object = {}): object => ({
    metadata,
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  });

  it('is pending and has the volume mode Filesystem by default', () => {
    const { object, errors } = created(persistentVolumeClaims, body());
    expect(errors).toEqual([]);
    expect(object).toMatchObject({ spec: { volumeMode: 'Filesystem' }, status: { phase: 'Pending' } });
  });

  it('requires access modes and a size', () => {
    expect(texts(created(persistentVolumeClaims, { metadata, spec: {} }).errors)).toEqual([
      'spec.accessModes: Required value: at least 1 access mode is required',
      'spec.resources[storage]: Required value',
    ]);
    const wrong = body({ accessModes: ['Nope'], resources: { requests: { storage: '-1' } } });
    expect(texts(created(persistentVolumeClaims, wrong).errors)).toEqual([
      'spec.accessModes: Unsupported value: "Nope": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"',
      'spec.resources[storage]: Invalid value: "-1": must be greater than zero',
    ]);
  });

  it('shows its StorageClass in its row, preferring the older annotation', () => {
    const { object } = created(persistentVolumeClaims, body({ storageClassName: 'new' }));
    expect(row(persistentVolumeClaims, object)).toMatchObject({ StorageClass: 'new' });
    const annotations = { 'volume.beta.orch.io/storage-class': 'old' };
    object.metadata = { ...object.metadata, annotations };
    expect(row(persistentVolumeClaims, object)).toMatchObject({ StorageClass: 'old' });
  });

  it('may grow once it is bound, but not shrink', () => {
    const { object } = created(persistentVolumeClaims, body());
    const sized = (storage: string) => (draft: typeof object) => {
      if (draft.spec) draft.spec.resources = { requests: { storage } };
    };
    const [refused = ''] = texts(updated(persistentVolumeClaims, object, sized('2Gi')).errors);
    expect(refused).toMatch(
      /^spec: Forbidden: spec is immutable after creation except resources\.requests for bound claims\n/,
    );
    expect(refused).toContain('+ \t\t\ts"storage": {i: resource.int64Amount{value: 2147483648}, s: "2Gi"');
    const gone = updated(persistentVolumeClaims, object, (draft) => {
      if (draft.spec) draft.spec.resources = {};
    });
    expect(texts(gone.errors)).toContain(
      'spec.resources.requests.storage: Forbidden: field can not be less than previous value',
    );
    object.status = { phase: 'Bound' };
    expect(updated(persistentVolumeClaims, object, sized('2Gi')).errors).toEqual([]);
    expect(texts(updated(persistentVolumeClaims, object, sized('1Mi')).errors)).toEqual([
      'spec.resources.requests.storage: Forbidden: field can not be less than previous value',
    ]);
  });
});

describe('a PersistentVolume', () => {
  const body = (spec: object = {}): object => ({
    metadata: { name: 'x' },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
      hostPath: { path: '/x' },
      ...spec,
    },
  });

  it('has the reclaim policy Retain by default', () => {
    const { object, errors } = created(persistentVolumes, body({ claimRef: { namespace: 'd', name: 'c' } }));
    expect(errors).toEqual([]);
    expect(row(persistentVolumes, object)).toMatchObject({
      Capacity: '1Gi',
      'Access Modes': 'RWO,ROX',
      'Reclaim Policy': 'Retain',
      Status: 'Pending',
      Claim: 'd/c',
      VolumeMode: 'Filesystem',
    });
  });

  it.each([
    [{ capacity: {} }, 'spec.capacity: Required value'],
    [
      { capacity: { cpu: '1' } },
      'spec.capacity: Unsupported value: core.ResourceList{"cpu":resource.Quantity{i:resource.int64Amount{value:1, scale:0}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1", Format:"DecimalSI"}}: supported values: "storage"',
    ],
    [{ hostPath: undefined }, 'spec: Required value: must specify a volume type'],
    [{ nfs: { server: 's', path: '/' } }, 'spec.nfs: Forbidden: may not specify more than 1 volume type'],
    [
      { hostPath: { path: '/' }, persistentVolumeReclaimPolicy: 'Recycle' },
      "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
    ],
    [{ accessModes: [] }, 'spec.accessModes: Required value'],
    [
      { hostPath: { path: '/a/../b' } },
      'spec.hostPath.path: Invalid value: "/a/../b": must not contain \'..\'',
    ],
    [
      { hostPath: undefined, nfs: { server: 's', path: 'x' } },
      'spec.nfs.path: Invalid value: "x": must be an absolute path',
    ],
    [
      {
        hostPath: undefined,
        csi: { driver: 'a.b', volumeHandle: 'h', nodePublishSecretRef: { name: 'n' } },
      },
      'spec.csi.nodePublishSecretRef.namespace: Required value',
    ],
    [
      { nodeAffinity: { required: { nodeSelectorTerms: [] } } },
      'spec.nodeAffinity.required.nodeSelectorTerms: Required value: must have at least one node selector term',
    ],
  ])('is rejected with the spec %j', (spec, complaint) => {
    expect(texts(created(persistentVolumes, body(spec)).errors)).toContain(complaint);
  });

  it('has an immutable source', () => {
    const { object } = created(persistentVolumes, body());
    const { errors } = updated(
      persistentVolumes,
      object,
      ({ spec }) => spec && (spec.hostPath = { path: '/y', type: '' }),
    );
    expect(texts(errors)).toEqual([
      [
        'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation',
        '  core.PersistentVolumeSource{',
        '  \tGCEPersistentDisk:    nil,',
        '  \tAWSElasticBlockStore: nil,',
        '  \tHostPath: &core.HostPathVolumeSource{',
        '- \t\tPath: "/x",',
        '+ \t\tPath: "/y",',
        '  \t\tType: &"",',
        '  \t},',
        '  \tGlusterfs: nil,',
        '  \tNFS:       nil,',
        '  \t... // 17 identical fields',
        '  }',
        '',
      ].join('\n'),
    ]);
  });

  it.each<[object, object, RegExp]>([
    [
      { iscsi: { targetPortal: 'p', iqn: 'iqn.2022-01.a:b', lun: 0, iscsiInterface: 'a' } },
      { iscsiInterface: 'b' },
      /^\+ \t\tISCSIInterface: +"b",$/m,
    ],
    [{ rbd: { monitors: ['m'], image: 'i' } }, { image: 'j' }, /^\+ \t\tRBDImage: +"j",$/m],
    [{ fc: { wwids: ['a'] } }, { wwids: ['b'] }, /^\+ \t\tWWIDs: +\[\]string\{"b"\},$/m],
    [{ glusterfs: { endpoints: 'e', path: 'p' } }, { endpoints: 'f' }, /^\+ \t\tEndpointsName: +"f",$/m],
    [{ azureDisk: { diskName: 'd', diskURI: 'u' } }, { diskURI: 'w' }, /^\+ \t\tDataDiskURI: +"w",$/m],
  ])(
    "prints the fields of its source by upstream's names in the error for a changed source: %j",
    (source, change, line) => {
      const { object } = created(persistentVolumes, body({ hostPath: undefined, ...source }));
      const [name = ''] = Object.keys(source);
      const { errors } = updated(persistentVolumes, object, ({ spec }) => {
        if (spec) Object.assign(spec, { [name]: { ...Object(spec[name as keyof typeof spec]), ...change } });
      });
      expect(texts(errors).join('\n')).toMatch(line);
    },
  );
});

describe('a ResourceQuota', () => {
  it('shows usage and limits in its row', () => {
    const { object, errors } = created(resourceQuotas, {
      metadata,
      spec: { hard: { pods: '3', 'limits.cpu': '1' } },
    });
    expect(errors).toEqual([]);
    object.status = { hard: { pods: '3', 'limits.cpu': '1' }, used: { pods: '2' } };
    expect(row(resourceQuotas, object)).toMatchObject({ Request: 'pods: 2/3', Limit: 'limits.cpu: 0/1' });
  });

  it.each([
    [
      { hard: { odd: '1' } },
      'spec.hard[odd]: Invalid value: "odd": must be a standard resource type or fully qualified',
      'spec.hard[odd]: Invalid value: "odd": must be a standard resource for quota',
    ],
    [
      { hard: { storage: '1' } },
      'spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota',
    ],
    [
      { hard: { pods: '1500m' } },
      'spec.hard[pods]: Invalid value: resource.Quantity{i:resource.int64Amount{value:1500, scale:-3}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1500m", Format:"DecimalSI"}: must be an integer',
    ],
    [
      { hard: { pods: '1', services: '1' }, scopes: ['BestEffort'] },
      'spec.scopes: Invalid value: []core.ResourceQuotaScope{"BestEffort"}: unsupported scope applied to resource',
    ],
    [
      { hard: { secrets: '1', 'limits.cpu': '1' }, scopes: ['PriorityClass'] },
      'spec.scopes: Invalid value: []core.ResourceQuotaScope{"PriorityClass"}: unsupported scope applied to resource',
    ],
    [
      { hard: { secrets: '1' }, scopes: ['Odd'] },
      'spec.scopes: Invalid value: []core.ResourceQuotaScope{"Odd"}: unsupported scope',
    ],
    [
      { scopes: ['Terminating', 'NotTerminating'] },
      'spec.scopes: Invalid value: []core.ResourceQuotaScope{"Terminating", "NotTerminating"}: conflicting scopes',
    ],
  ])('is rejected with the spec %j', (spec, ...complaints) => {
    expect(texts(created(resourceQuotas, { metadata, spec }).errors)).toEqual(complaints);
  });
});

describe('a ReplicationController', () => {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };

  it('selects the pods of its template by default', () => {
    const { object, errors } = created(replicationControllers, { metadata, spec: { template } });
    expect(errors).toEqual([]);
    expect(object).toMatchObject({
      metadata: { labels: { a: 'b' } },
      spec: { replicas: 1, selector: { a: 'b' } },
    });
    expect(row(replicationControllers, object)).toMatchObject({ Desired: 1, Current: 0, Selector: 'a=b' });
  });

  it('restores the labels of its pods if a status update omits labels', () => {
    const { object: before } = created(replicationControllers, {
      metadata: { ...metadata, labels: { own: 'l' } },
      spec: { template },
    });
    const report = (labels: Record<string, string> | undefined) =>
      updated(
        replicationControllers,
        before,
        (draft) => {
          const { labels: _own, ...rest } = draft.metadata ?? {};
          draft.metadata = { ...rest, ...(labels && { labels }) };
          delete draft.spec;
        },
        'status',
      ).object;
    expect(before.metadata?.labels).toEqual({ own: 'l' });
    expect(report({ other: 'l' }).metadata?.labels).toEqual({ other: 'l' });
    for (const none of [undefined, {}]) expect(report(none).metadata?.labels).toEqual({ a: 'b' });
  });

  it('requires a pod template', () => {
    expect(texts(created(replicationControllers, { metadata, spec: {} }).errors)).toEqual([
      'spec.selector: Required value',
      'spec.template: Required value',
    ]);
  });

  it('a changed PodTemplate increments its generation', () => {
    const { object } = created(podTemplates, { metadata, template });
    expect(object.metadata?.generation).toBe(1);
    const { object: next } = updated(podTemplates, object, (draft) => {
      draft.template = { ...draft.template, metadata: { labels: { c: 'd' } } };
    });
    expect(next.metadata?.generation).toBe(2);
  });
});
