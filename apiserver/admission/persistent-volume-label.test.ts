import { describe, expect, it } from 'vitest';
import { persistentVolumes } from '../../api/groups/index.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';
import type { PersistentVolume } from '../../api/types/core-v1-persistent-volume.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createPersistentVolumeLabel } from './persistent-volume-label.ts';
import { admit } from './request.fixture.ts';

const plugin = createPersistentVolumeLabel(kubernetesVocabulary);
const ZONE = 'topology.kubernetes.io/zone';
const REGION = 'topology.kubernetes.io/region';

const volume = (
  spec: NonNullable<PersistentVolume['spec']>,
  metadata: PersistentVolume['metadata'] = {},
): PersistentVolume => ({ metadata: { name: 'v', ...metadata }, spec });

const run = (object: PersistentVolume) =>
  admit(plugin, { object, kind: persistentVolumes as unknown as AnyKind, namespace: '' });

const provisioned = (labels: Record<string, string>): PersistentVolume['metadata'] => ({
  labels,
  annotations: { 'pv.kubernetes.io/provisioned-by': 'p' },
});

describe('PersistentVolumeLabel', () => {
  it('keeps volumes without a cloud disk unchanged', async () => {
    const object = volume({ nfs: { server: 's', path: '/' } });
    expect(await run(structuredClone(object))).toEqual(object);
  });

  it.each<[NonNullable<PersistentVolume['spec']>, string]>([
    [
      { awsElasticBlockStore: { volumeID: 'vol-1' } },
      'error querying AWS EBS volume vol-1: unable to build AWS cloud provider for EBS',
    ],
    [
      { gcePersistentDisk: { pdName: 'pd' } },
      'error querying GCE PD volume pd: unable to build GCE cloud provider for PD',
    ],
    [
      { azureDisk: { diskName: 'd', diskURI: 'u' } },
      'error querying AzureDisk volume d: unable to build Azure cloud provider for AzureDisk',
    ],
    [
      { vsphereVolume: { volumePath: '/p' } },
      'error querying vSphere Volume /p: unable to build vSphere cloud provider',
    ],
  ])('rejects cloud disks that it cannot query: %j', async (spec, message) => {
    await expect(run(volume(spec))).rejects.toMatchObject({
      code: 403,
      message: `persistentvolumes "v" is forbidden: ${message}`,
    });
  });

  it('trusts only the labels of a provisioner', async () => {
    const spec = { awsElasticBlockStore: { volumeID: 'vol-1' } };
    const labels = { [ZONE]: 'a', [REGION]: 'r' };
    await expect(run(volume(spec, { labels }))).rejects.toMatchObject({ code: 403 });
    await expect(run(volume(spec, provisioned({ [ZONE]: 'a' })))).rejects.toMatchObject({ code: 403 });
  });

  it('admits a disk that is being provisioned', async () => {
    await run(volume({ awsElasticBlockStore: { volumeID: 'placeholder-for-provisioning' } }));
  });

  it.each([
    [ZONE, REGION],
    ['failure-domain.beta.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/region'],
  ])('binds a volume that a provisioner labelled %s to its zones and region', async (zone, region) => {
    const metadata = provisioned({ [zone]: 'b__a', [region]: 'r' });
    const { spec } = await run(volume({ awsElasticBlockStore: { volumeID: 'vol-1' } }, metadata));
    expect(spec?.nodeAffinity?.required?.nodeSelectorTerms).toEqual([
      {
        matchExpressions: [
          { key: zone, operator: 'In', values: ['a', 'b'] },
          { key: region, operator: 'In', values: ['r'] },
        ],
      },
    ]);
  });

  it('adds requirements to every term, or to none if a term already uses the labels', async () => {
    const affinity = (key: string): PersistentVolume =>
      volume(
        {
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key, operator: 'Exists' }] },
                { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] },
              ],
            },
          },
        },
        provisioned({ [ZONE]: 'a', [REGION]: 'r' }),
      );
    const added = await run(affinity('disk'));
    const terms = added.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
    expect(terms.map(({ matchExpressions }) => matchExpressions?.map(({ key }) => key))).toEqual([
      ['disk', ZONE, REGION],
      [ZONE, REGION],
    ]);
    expect(await run(affinity(ZONE))).toEqual(affinity(ZONE));
  });

  it('rejects a label with an empty zone', async () => {
    await expect(run(volume({}, provisioned({ [ZONE]: 'a__', [REGION]: 'r' })))).rejects.toMatchObject({
      message: expect.stringContaining('failed to convert label string for Zone: a__ to a Set'),
    });
  });
});
