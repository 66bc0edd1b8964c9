import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PersistentVolume } from '../../api/types/core-v1-persistent-volume.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import type { VolumeAttachment } from '../../api/types/storage-v1.ts';
import { createNodeGraph } from './node-graph.ts';
import type { ReferencedKind } from './object-references.ts';
import { fixtureReader } from './reader.fixture.ts';

const MIRROR = 'kubernetes.io/config.mirror';
const few = (prefix: string) => fc.nat(2).map((n) => `${prefix}${n}`);
const some = <T>(value: fc.Arbitrary<T>) => fc.array(value, { maxLength: 2 });

const pod = fc
  .record({
    name: few('p'),
    // Unique, as a reused name belongs to another object.
    uid: fc.nat(1_000_000),
    node: fc.constantFrom('', 'n0', 'n1'),
    secrets: some(few('s')),
    claims: some(few('d')),
    mirror: fc.boolean(),
  })
  .map(({ name, uid, node, secrets, claims, mirror }) => ({
    metadata: {
      namespace: 'ns',
      name,
      uid: String(uid),
      ...(mirror && { annotations: { [MIRROR]: 'x' } }),
    },
    spec: {
      nodeName: node,
      containers: [],
      volumes: [
        ...secrets.map((secretName, i) => ({ name: `s${i}`, secret: { secretName } })),
        ...claims.map((claimName, i) => ({ name: `d${i}`, persistentVolumeClaim: { claimName } })),
      ],
    },
  })) as unknown as fc.Arbitrary<Pod>;

const volume = fc
  .record({ name: few('v'), claim: fc.option(few('d')), secret: few('s') })
  .map(({ name, claim, secret }) => ({
    metadata: { name },
    spec: {
      ...(claim !== null && { claimRef: { namespace: 'ns', name: claim } }),
      csi: { driver: 'd', volumeHandle: 'h', nodePublishSecretRef: { namespace: 'ns', name: secret } },
    },
  })) as unknown as fc.Arbitrary<PersistentVolume>;

const attachment = fc.record({ name: few('a'), node: fc.constantFrom('n0', 'n1') }).map(({ name, node }) => ({
  metadata: { name },
  spec: { nodeName: node },
})) as unknown as fc.Arbitrary<VolumeAttachment>;

const step = fc.oneof(
  fc.record({ set: fc.constant('pods' as const), object: pod }),
  fc.record({ set: fc.constant('volumes' as const), object: volume }),
  fc.record({ set: fc.constant('attachments' as const), object: attachment }),
  fc.record({ unset: fc.constant('pods' as const), name: few('p') }),
  fc.record({ unset: fc.constant('volumes' as const), name: few('v') }),
  fc.record({ unset: fc.constant('attachments' as const), name: few('a') }),
);

const questions: readonly (readonly [ReferencedKind, string, string])[] = ['0', '1', '2'].flatMap((n) => [
  ['secret', 'ns', `s${n}`] as const,
  ['claim', 'ns', `d${n}`] as const,
  ['volume', '', `v${n}`] as const,
  ['attachment', '', `a${n}`] as const,
]);

describe('node graph', () => {
  it('has the same relations after any changes as a graph built from the remaining objects', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const pods = fixtureReader<Pod>();
        const volumes = fixtureReader<PersistentVolume>();
        const attachments = fixtureReader<VolumeAttachment>();
        const readers = { pods, persistentVolumes: volumes, volumeAttachments: attachments };
        const followed = createNodeGraph(readers, MIRROR);
        for (const each of steps) {
          if ('unset' in each) {
            if (each.unset === 'pods') pods.delete('ns', each.name);
            else if (each.unset === 'volumes') volumes.delete('', each.name);
            else attachments.delete('', each.name);
          } else if (each.set === 'pods') pods.set(each.object);
          else if (each.set === 'volumes') volumes.set(each.object);
          else attachments.set(each.object);
        }
        const rebuilt = createNodeGraph(readers, MIRROR);
        const relations = (graph: typeof rebuilt) =>
          ['n0', 'n1', ''].map((node) => questions.map((question) => graph.relates(node, ...question)));
        expect(relations(followed)).toEqual(relations(rebuilt));
      }),
      { numRuns: 500 },
    );
  });
});
