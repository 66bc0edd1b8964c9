import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { PersistentVolume, PersistentVolumeSpec } from '../../api/types/core-v1-persistent-volume.ts';
import type { NodeSelectorRequirement, NodeSelectorTerm } from '../../api/types/core-v1-pod.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AdmissionPlugin } from '../request.ts';
import { coreKind, isCore, rejection } from './rejection.ts';

/** Cloud disk of a volume. Only the cloud provider knows its zone. */
interface CloudDisk {
  readonly sort: string;
  readonly name: string;
  readonly cloud: string;
}

/** Name of the disk in a volume that is being provisioned. */
const PLACEHOLDER = 'placeholder-for-provisioning';

function cloudDiskOf(spec: DeepReadonly<PersistentVolumeSpec> | undefined): CloudDisk | undefined {
  if (spec?.awsElasticBlockStore)
    return {
      sort: 'AWS EBS volume',
      name: spec.awsElasticBlockStore.volumeID,
      cloud: 'AWS cloud provider for EBS',
    };
  if (spec?.gcePersistentDisk)
    return { sort: 'GCE PD volume', name: spec.gcePersistentDisk.pdName, cloud: 'GCE cloud provider for PD' };
  if (spec?.azureDisk)
    return {
      sort: 'AzureDisk volume',
      name: spec.azureDisk.diskName,
      cloud: 'Azure cloud provider for AzureDisk',
    };
  if (spec?.vsphereVolume)
    return { sort: 'vSphere Volume', name: spec.vsphereVolume.volumePath, cloud: 'vSphere cloud provider' };
  return undefined;
}

/**
 * Creates a plugin that binds volumes to their zone and region. As there is no cloud provider to query, it
 * uses the labels that a provisioner has set. It rejects other cloud disks, as upstream does without a cloud
 * provider. Deprecated.
 */
export function createPersistentVolumeLabel(vocabulary: Vocabulary): AdmissionPlugin {
  const pairs = [
    { zone: vocabulary.key('topology', 'zone'), region: vocabulary.key('topology', 'region') },
    {
      zone: vocabulary.key('failure-domain.beta', 'zone'),
      region: vocabulary.key('failure-domain.beta', 'region'),
    },
  ];
  const provisioned = vocabulary.key('pv', 'provisioned-by');

  /**
   * Returns node requirements from the labels that the volume's provisioner has set. Returns undefined if
   * there are no such labels.
   */
  function requirementsOf({ metadata }: PersistentVolume): readonly NodeSelectorRequirement[] | undefined {
    const { labels = {}, annotations = {} } = metadata ?? {};
    if (!Object.hasOwn(annotations, provisioned)) return undefined;
    const pair = pairs.find(
      ({ zone, region }) => Object.hasOwn(labels, zone) && Object.hasOwn(labels, region),
    );
    if (pair === undefined) return undefined;
    return [
      { key: pair.zone, operator: 'In', values: zonesOf(labels[pair.zone] ?? '') },
      { key: pair.region, operator: 'In', values: [labels[pair.region] ?? ''] },
    ];
  }

  return {
    name: 'PersistentVolumeLabel',
    operations: ['CREATE'],
    concerns: coreKind('persistentvolumes'),
    async mutate(request) {
      const volume = request.object as PersistentVolume | undefined;
      if (!isCore(request, 'persistentvolumes') || volume === undefined) return;
      try {
        const requirements = requirementsOf(volume);
        if (requirements !== undefined) return requireOfNodes(volume, requirements);
      } catch (thrown) {
        if (thrown instanceof EmptyZone) throw rejection(request, vocabulary, thrown.message);
        throw thrown;
      }
      const disk = cloudDiskOf(volume.spec);
      if (disk !== undefined && disk.name !== PLACEHOLDER)
        throw rejection(
          request,
          vocabulary,
          `error querying ${disk.sort} ${disk.name}: unable to build ${disk.cloud}`,
        );
    },
  };
}

class EmptyZone extends Error {}

/** Separator of several zones in one label value. */
const ZONES = '__';

function zonesOf(label: string): string[] {
  const zones = label.split(ZONES).map((zone) => zone.trim());
  if (zones.includes('')) throw new EmptyZone(`failed to convert label string for Zone: ${label} to a Set`);
  return [...new Set(zones)].sort();
}

/** Adds requirements to every term, unless any term already has an expression with one of the keys. */
function requireOfNodes(volume: PersistentVolume, requirements: readonly NodeSelectorRequirement[]): void {
  const required = volume.spec?.nodeAffinity?.required;
  const terms: readonly NodeSelectorTerm[] = required?.nodeSelectorTerms?.length
    ? required.nodeSelectorTerms
    : [{}];
  const keys = new Set(requirements.map(({ key }) => key));
  if (terms.some(({ matchExpressions = [] }) => matchExpressions.some(({ key }) => keys.has(key)))) return;
  const nodeSelectorTerms = terms.map((term) => ({
    ...term,
    matchExpressions: [...(term.matchExpressions ?? []), ...requirements],
  }));
  volume.spec = {
    ...volume.spec,
    nodeAffinity: { ...volume.spec?.nodeAffinity, required: { ...required, nodeSelectorTerms } },
  };
}
