import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { PersistentVolume } from '../../api/types/core-v1-persistent-volume.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import type { VolumeAttachment } from '../../api/types/storage-v1.ts';
import type { ObjectReader } from '../registry/registry.ts';
import { MembersByKey } from './members-by-key.ts';
import { type ReferencedKind, podReferences, referenceKey, volumeSecrets } from './object-references.ts';

export interface NodeGraphReaders {
  readonly pods: Pick<ObjectReader<Pod>, 'subscribe'>;
  readonly persistentVolumes: Pick<ObjectReader<PersistentVolume>, 'subscribe'>;
  readonly volumeAttachments: Pick<ObjectReader<VolumeAttachment>, 'subscribe'>;
}

/** Relations between nodes and the objects that their pods use. The graph follows changes of the readers. */
export interface NodeGraph {
  /**
   * True if a pod on the node refers to the object, directly or indirectly, or if the object is a
   * VolumeAttachment of the node.
   */
  relates(node: string, kind: ReferencedKind, namespace: string, name: string): boolean;
  stop(): void;
}

/** References of one pod or VolumeAttachment, which grant its node access. */
interface Holding {
  readonly node: string;
  readonly keys: readonly string[];
}

interface BoundVolume {
  readonly claim: string;
  readonly secrets: ReadonlySet<string>;
}

const FEW_VOLUMES = 16;

/** Reference counts per node. A lookup takes constant time, whatever the size of the cluster. */
class Holdings {
  readonly #byNode = new Map<string, Map<string, number>>();
  readonly #byOwner = new Map<string, Holding>();

  has(node: string, key: string): boolean {
    return this.#byNode.get(node)?.has(key) === true;
  }

  keysOf(node: string): Iterable<string> {
    return this.#byNode.get(node)?.keys() ?? [];
  }

  set(owner: string, holding: Holding | undefined): void {
    const previous = this.#byOwner.get(owner);
    if (previous) this.#release(previous);
    if (holding === undefined) {
      this.#byOwner.delete(owner);
      return;
    }
    this.#byOwner.set(owner, holding);
    const counts = this.#byNode.get(holding.node) ?? new Map<string, number>();
    this.#byNode.set(holding.node, counts);
    for (const key of holding.keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  }

  #release({ node, keys }: Holding): void {
    const counts = this.#byNode.get(node);
    if (counts === undefined) return;
    for (const key of keys) {
      const left = (counts.get(key) ?? 1) - 1;
      if (left === 0) counts.delete(key);
      else counts.set(key, left);
    }
    if (counts.size === 0) this.#byNode.delete(node);
  }
}

/**
 * PersistentVolumes that are bound to a claim, indexed by name, by claim, and by the Secrets needed to mount
 * them.
 */
class BoundVolumes {
  readonly #volumes = new Map<string, BoundVolume>();
  readonly ofClaim = new MembersByKey<BoundVolume>();
  readonly ofSecret = new MembersByKey<BoundVolume>();

  claimOf(volume: string): string | undefined {
    return this.#volumes.get(volume)?.claim;
  }

  set(name: string, volume: BoundVolume | undefined): void {
    const previous = this.#volumes.get(name);
    if (previous) {
      this.ofClaim.delete(previous.claim, previous);
      for (const secret of previous.secrets) this.ofSecret.delete(secret, previous);
    }
    this.#volumes.delete(name);
    if (volume === undefined) return;
    this.#volumes.set(name, volume);
    this.ofClaim.add(volume.claim, volume);
    for (const secret of volume.secrets) this.ofSecret.add(secret, volume);
  }
}

const podOwner = ({ metadata }: DeepReadonly<Pod>): string =>
  `pod|${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;

/**
 * True if the pod's references are unchanged. Apart from ephemeral containers, which can be added, references
 * of a running pod are immutable.
 */
const refersAlike = (pod: DeepReadonly<Pod>, previous: DeepReadonly<Pod> | undefined): boolean =>
  previous !== undefined &&
  pod.metadata?.uid === previous.metadata?.uid &&
  pod.spec?.nodeName === previous.spec?.nodeName &&
  (pod.spec?.ephemeralContainers ?? []).length === (previous.spec?.ephemeralContainers ?? []).length;

/**
 * Creates the graph and subscribes to the readers until `stop`. Pods with the annotation `mirrorAnnotation`
 * grant no access.
 */
export function createNodeGraph(readers: NodeGraphReaders, mirrorAnnotation: string): NodeGraph {
  const holdings = new Holdings();
  const volumes = new BoundVolumes();
  const unsubscribe = [
    followPods(readers.pods, holdings, mirrorAnnotation),
    followVolumes(readers.persistentVolumes, volumes),
    followAttachments(readers.volumeAttachments, holdings),
  ];
  return {
    relates(node, kind, namespace, name) {
      if (kind === 'volume') {
        const claim = volumes.claimOf(name);
        return claim !== undefined && holdings.has(node, claim);
      }
      const key = referenceKey(kind, namespace, name);
      return holdings.has(node, key) || (kind === 'secret' && mounts(holdings, volumes, node, key));
    },
    stop: () => {
      for (const each of unsubscribe) each();
    },
  };
}

const followPods = (
  pods: NodeGraphReaders['pods'],
  holdings: Holdings,
  mirrorAnnotation: string,
): (() => void) =>
  pods.subscribe((pod, previous) => {
    if (pod === undefined) {
      if (previous) holdings.set(podOwner(previous), undefined);
      return;
    }
    if (refersAlike(pod, previous)) return;
    const node = pod.spec?.nodeName ?? '';
    const holding = node === '' ? undefined : { node, keys: podReferences(pod, mirrorAnnotation) };
    holdings.set(podOwner(pod), holding);
  });

const followVolumes = (
  persistentVolumes: NodeGraphReaders['persistentVolumes'],
  volumes: BoundVolumes,
): (() => void) =>
  persistentVolumes.subscribe((volume, previous) => {
    const { claimRef } = volume?.spec ?? {};
    const claim = claimRef && referenceKey('claim', claimRef.namespace ?? '', claimRef.name ?? '');
    volumes.set(
      (volume ?? previous)?.metadata?.name ?? '',
      volume && claim !== undefined ? { claim, secrets: volumeSecrets(volume) } : undefined,
    );
  });

const followAttachments = (
  attachments: NodeGraphReaders['volumeAttachments'],
  holdings: Holdings,
): (() => void) =>
  attachments.subscribe((attachment, previous) => {
    const name = (attachment ?? previous)?.metadata?.name ?? '';
    const key = referenceKey('attachment', '', name);
    const node = attachment?.spec.nodeName ?? '';
    holdings.set(key, node === '' ? undefined : { node, keys: [key] });
  });

/**
 * True if the Secret is needed to mount a volume of the node. A Secret may be referenced by thousands of
 * volumes while a node has few claims, so the search iterates over the smaller set.
 */
function mounts(holdings: Holdings, volumes: BoundVolumes, node: string, secret: string): boolean {
  const mounted = volumes.ofSecret.of(secret);
  if (mounted === undefined) return false;
  if (mounted.size <= FEW_VOLUMES) {
    for (const { claim } of mounted) if (holdings.has(node, claim)) return true;
    return false;
  }
  for (const key of holdings.keysOf(node))
    for (const { secrets } of volumes.ofClaim.of(key) ?? []) if (secrets.has(secret)) return true;
  return false;
}
