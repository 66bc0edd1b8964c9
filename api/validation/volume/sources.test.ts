import { describe, expect, it } from 'vitest';
import { decode } from '../../schema/decode.ts';
import type { PersistentVolumeSource } from '../../types/core-v1-persistent-volume.ts';
import { Volume, type VolumeSource } from '../../types/core-v1-volume.ts';
import { kubernetesVocabulary as vocabulary } from '../../vocabulary/vocabulary.ts';
import { validateVolume, validateVolumeUpdate } from './persistent-volume.ts';
import { validateVolumes } from '../pod/volumes.ts';

const IQN = 'iqn.2015-02.example.com:test';
const PORTAL = '127.0.0.1:3260';

const text = ({ field, message }: { readonly field: string; readonly message: string }): string =>
  `${field}: ${message}`;

/** Returns the errors for a pod volume with this source. */
const ofPod = (source: VolumeSource, name = 'v', pod = ''): readonly string[] =>
  validateVolumes([{ name, ...source }], 'spec.volumes', pod, vocabulary).errors.map(text);

const ofVolume = (source: PersistentVolumeSource, name = 'v'): readonly string[] =>
  validateVolume(
    {
      metadata: { name },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...source },
    },
    { vocabulary },
  ).map(text);

const at = 'spec.volumes[0]';

describe('validateVolumes', () => {
  it.each<[string, VolumeSource, readonly string[]]>([
    [
      'more than one source',
      { emptyDir: {}, downwardAPI: {}, cephfs: { monitors: ['m'] } },
      ['cephFS', 'downwarAPI'].map(
        (name) => `${at}.${name}: Forbidden: may not specify more than 1 volume type`,
      ),
    ],
    ['an iSCSI target', { iscsi: { targetPortal: PORTAL, iqn: IQN, lun: 1 } }, []],
    [
      'an iSCSI target of unknown form',
      { iscsi: { targetPortal: PORTAL, iqn: 'x', lun: 256 } },
      [
        `${at}.iscsi.iqn: Invalid value: "x": must be valid format starting with iqn, eui, or naa`,
        `${at}.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive`,
      ],
    ],
    [
      'an iSCSI target of a partly valid form and without a secret',
      {
        iscsi: {
          targetPortal: PORTAL,
          iqn: 'eui.0123',
          lun: 0,
          chapAuthSession: true,
          initiatorName: 'naa.1',
        },
      },
      [
        `${at}.iscsi.iqn: Invalid value: "eui.0123": must be valid format`,
        `${at}.iscsi.secretRef: Required value`,
        `${at}.iscsi.initiatorname: Invalid value: "naa.1": must be valid format`,
      ],
    ],
    [
      'a Fibre Channel source without a LUN',
      { fc: { targetWWNs: ['a'], wwids: ['b'] } },
      [
        `${at}.fc.targetWWNs: Invalid value: []string{"a"}: targetWWNs and wwids can not be specified simultaneously`,
        `${at}.fc.lun: Required value: lun is required if targetWWNs is specified`,
      ],
    ],
    [
      'a disk whose partition number is too high',
      { gcePersistentDisk: { pdName: 'd', partition: 300 } },
      [`${at}.persistentDisk.partition: Invalid value: 300: must be between 1 and 255, inclusive`],
    ],
    [
      'a Git repository outside of the volume',
      { gitRepo: { repository: 'r', directory: '../up' } },
      [`${at}.gitRepo.directory: Invalid value: "../up": must not contain '..'`],
    ],
    [
      'a source without a path',
      { nfs: { server: 's', path: '' } },
      [`${at}.nfs.path: Required value`, `${at}.nfs.path: Invalid value: "": must be an absolute path`],
    ],
    [
      'a data set with a name and a UUID',
      { flocker: { datasetName: 'a/b', datasetUUID: 'u' } },
      [
        `${at}.flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously`,
        `${at}.flocker.datasetName: Invalid value: "a/b": must not contain '/'`,
      ],
    ],
    [
      'a registry that is not an address with a port',
      { quobyte: { registry: 'a:1,b', volume: 'v' } },
      [
        `${at}.quobyte.registry: Invalid value: "a:1,b": must be a host:port pair or multiple pairs separated by commas`,
      ],
    ],
    [
      "an option in the product's domain",
      { flexVolume: { driver: 'd', options: { 'a.kubernetes.io/x': '1', 'mine/x': '2' } } },
      [
        `${at}.flexVolume.options[a.kubernetes.io/x]: Invalid value: "a.kubernetes.io/x": kubernetes.io and k8s.io namespaces are reserved`,
      ],
    ],
    [
      'a managed disk with the URI of a blob',
      { azureDisk: { diskName: 'd', diskURI: 'https://x', kind: 'Managed' } },
      [
        `${at}.azureDisk.diskURI: Unsupported value: "https://x": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"`,
      ],
    ],
    [
      'a driver whose name has too many bytes',
      { csi: { driver: 'é'.repeat(40) } },
      [
        `${at}.csi.driver: Too long: must have at most 63 bytes`,
        expect.stringContaining(`${at}.csi.driver: Invalid value: "é`) as string,
      ],
    ],
    [
      'a driver without a name',
      { csi: { driver: '' } },
      [
        `${at}.csi.driver: Required value`,
        expect.stringContaining(`${at}.csi.driver: Invalid value: ""`) as string,
      ],
    ],
    [
      'two files with one path',
      {
        projected: {
          sources: [
            { secret: { name: 's', items: [{ key: 'k', path: 'p' }] } },
            { configMap: { name: 'm', items: [{ key: 'k', path: 'p' }] } },
          ],
        },
      },
      [`${at}.projected: Invalid value: "m": conflicting duplicate paths`],
    ],
    [
      'two sources',
      { emptyDir: {}, cephfs: { monitors: ['m'] } },
      [`${at}.cephFS: Forbidden: may not specify more than 1 volume type`],
    ],
  ])('reports the errors of %s', (_what, source, complaints) => expect(ofPod(source)).toEqual(complaints));

  it('requires a valid claim name for an ephemeral volume', () => {
    const ephemeral = {
      volumeClaimTemplate: {
        metadata: { name: 'n', labels: { a: 'b' } },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    } as const;
    expect(ofPod({ ephemeral } as never, 'v', 'p')).toEqual([
      `${at}.ephemeral.volumeClaimTemplate.metadata.Name: Forbidden: cannot be set for an ephemeral volume`,
    ]);
    const { errors } = validateVolumes(
      [
        {
          name: 'v',
          ephemeral: { volumeClaimTemplate: { spec: ephemeral.volumeClaimTemplate.spec } },
        } as never,
        { name: 'w', persistentVolumeClaim: { claimName: 'p-v' } },
      ],
      'spec.volumes',
      'p',
      vocabulary,
    );
    expect(errors.map(text)).toEqual([
      'spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "p-v": must not reference a PVC that gets created for an ephemeral volume',
    ]);
  });

  it('returns no volume that has errors', () => {
    const { volumes } = validateVolumes(
      [{ name: 'good', emptyDir: {} }, { name: 'bad' }],
      'spec.volumes',
      '',
      vocabulary,
    );
    expect([...volumes.keys()]).toEqual(['good']);
  });
});

describe('decode of a volume source', () => {
  it.each([
    [
      { iscsi: { targetPortal: PORTAL, iqn: IQN, lun: 1, chapAuthDiscovery: false, chapAuthSession: false } },
      {
        iscsi: { targetPortal: PORTAL, iqn: IQN, lun: 1 },
      },
    ],
    [
      { scaleIO: { gateway: 'g', system: 's', volumeName: 'v', sslEnabled: false } },
      {
        scaleIO: { gateway: 'g', system: 's', volumeName: 'v', secretRef: null },
      },
    ],
  ])('writes %j as %j', (given, written) => {
    const volumeOf = (source: object): object => decode<object>(Volume, { name: 'v', ...source }).value;
    expect(volumeOf(given)).toEqual({ name: 'v', ...written });
  });
});

describe('validateVolume', () => {
  it.each<[string, PersistentVolumeSource, readonly string[]]>([
    [
      'an iSCSI target of unknown form',
      { iscsi: { targetPortal: PORTAL, iqn: 'x', lun: 1, secretRef: {} } },
      [
        'spec.iscsi.iqn: Invalid value: "x": must be valid format',
        'spec.iscsi.secretRef.name: Required value',
      ],
    ],
    [
      'a secret without a namespace',
      { cinder: { volumeID: 'v', secretRef: { name: 's' } } },
      ['spec.cinder.secretRef.namespace: Required value'],
    ],
    [
      'a local volume without a node affinity',
      { local: { path: '/a/../b' } },
      [
        `spec.local.path: Invalid value: "/a/../b": must not contain '..'`,
        'spec.nodeAffinity: Required value: Local volume requires node affinity',
      ],
    ],
    [
      'Glusterfs endpoints without a namespace',
      { glusterfs: { endpoints: 'e', path: 'p', endpointsNamespace: '' } },
      [
        'spec.glusterfs.endpointsNamespace: Invalid value: "": if the endpointnamespace is set, it must be a valid namespace name',
      ],
    ],
    [
      'a driver whose secret has an invalid namespace',
      { csi: { driver: 'd', volumeHandle: 'h', nodePublishSecretRef: { name: 's', namespace: 'A' } } },
      [expect.stringContaining('spec.csi.nodePublishSecretRef.namespace: Invalid value: "A"') as string],
    ],
  ])('reports the errors of %s', (_what, source, complaints) => expect(ofVolume(source)).toEqual(complaints));

  it('requires a short name for an iSCSI volume with an initiator name', () => {
    const iscsi = { targetPortal: PORTAL, iqn: IQN, lun: 1, initiatorName: IQN };
    expect(ofVolume({ iscsi }, 'v'.repeat(60))).toEqual([
      expect.stringContaining('metadata.name: Invalid value') as string,
    ]);
  });

  it('accepts an expansion secret that an update adds, and rejects a changed volume mode', () => {
    const csi = { driver: 'd', volumeHandle: 'h' };
    const controllerExpandSecretRef = { name: 's', namespace: 'n' };
    const previous = { spec: { csi, volumeMode: 'Filesystem' } } as const;
    expect(
      validateVolumeUpdate(
        { spec: { csi: { ...csi, controllerExpandSecretRef }, volumeMode: 'Block' } },
        previous,
      ).map(text),
    ).toEqual(['volumeMode: Invalid value: "Block": field is immutable']);
  });
});
