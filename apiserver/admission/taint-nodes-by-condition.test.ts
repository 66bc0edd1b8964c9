import { describe, expect, it } from 'vitest';
import { nodes, pods } from '../../api/groups/index.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';
import type { Node, Taint } from '../../api/types/core-v1-node.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { admit } from './request.fixture.ts';
import { createTaintNodesByCondition } from './taint-nodes-by-condition.ts';

const plugin = createTaintNodesByCondition(kubernetesVocabulary);
const notReady: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
const taintsOf = async (taints?: Taint[]) => {
  const object: Node = { metadata: { name: 'n' }, ...(taints && { spec: { taints } }) };
  return (await admit(plugin, { kind: nodes as unknown as AnyKind, object })).spec?.taints;
};

describe('TaintNodesByCondition', () => {
  it('adds one taint to a new node', async () => {
    const other: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' };
    expect(await taintsOf()).toEqual([notReady]);
    expect(await taintsOf([other])).toEqual([other, notReady]);
    expect(await taintsOf([notReady])).toEqual([notReady]);
  });

  it('ignores all requests except the creation of nodes', () => {
    expect(plugin.concerns?.(pods as unknown as AnyKind)).toBe(false);
    expect(plugin.operations).toEqual(['CREATE']);
  });
});
