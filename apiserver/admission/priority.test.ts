import { describe, expect, it } from 'vitest';
import { priorityClasses } from '../../api/groups/index.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';
import type { Pod, PodSpec } from '../../api/types/core-v1-pod.ts';
import type { PriorityClass } from '../../api/types/scheduling-v1.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { fixtureReader } from '../authorization/reader.fixture.ts';
import { createPriority } from './priority.ts';
import { admit } from './request.fixture.ts';

const classOf = (name: string, value: number, more: Partial<PriorityClass> = {}): PriorityClass => ({
  metadata: { name },
  value,
  preemptionPolicy: 'PreemptLowerPriority',
  ...more,
});
const high = classOf('high', 1000);
const meek = classOf('meek', 10, { preemptionPolicy: 'Never' });
const usual = classOf('usual', 5, { globalDefault: true });

const pluginOf = (classes: readonly PriorityClass[], lagging: readonly PriorityClass[] = []) =>
  createPriority({ priorityClasses: fixtureReader(classes, lagging), vocabulary: kubernetesVocabulary });
const podOf = (spec: Partial<PodSpec>): Pod => ({
  metadata: { name: 'web' },
  spec: { containers: [], ...spec },
});

async function resolved(
  spec: Partial<PodSpec>,
  classes = [high, meek],
  lagging: readonly PriorityClass[] = [],
) {
  const { spec: next } = await admit(pluginOf(classes, lagging), { object: podOf(spec) });
  return [next?.priorityClassName ?? '', next?.priority, next?.preemptionPolicy];
}

describe('Priority', () => {
  it.each<[string, Partial<PodSpec>, readonly PriorityClass[], readonly unknown[]]>([
    ['its class', { priorityClassName: 'high' }, [high], ['high', 1000, 'PreemptLowerPriority']],
    ['the policy of its class', { priorityClassName: 'meek' }, [meek], ['meek', 10, 'Never']],
    ['zero without a class', {}, [high], ['', 0, 'PreemptLowerPriority']],
    ['the default class', {}, [high, usual], ['usual', 5, 'PreemptLowerPriority']],
    [
      'the lower of two default classes',
      {},
      [usual, classOf('low', 1, { globalDefault: true })],
      ['low', 1, 'PreemptLowerPriority'],
    ],
    [
      'the priority that it already sets itself',
      { priorityClassName: 'high', priority: 1000, preemptionPolicy: 'PreemptLowerPriority' },
      [high],
      ['high', 1000, 'PreemptLowerPriority'],
    ],
    [
      'a system class, in any namespace',
      { priorityClassName: 'system-node-critical' },
      [classOf('system-node-critical', 2_000_001_000)],
      ['system-node-critical', 2_000_001_000, 'PreemptLowerPriority'],
    ],
  ])('sets on a pod %s', async (_what, spec, classes, expected) => {
    expect(await resolved(spec, [...classes])).toEqual(expected);
  });

  it('reads a class that the cache has not received yet', async () => {
    expect(await resolved({ priorityClassName: 'high' }, [], [high])).toEqual([
      'high',
      1000,
      'PreemptLowerPriority',
    ]);
  });

  it.each<[string, Partial<PodSpec>, string]>([
    ['an unknown class', { priorityClassName: 'none' }, 'no PriorityClass with name none was found'],
    [
      'a priority different from its class',
      { priorityClassName: 'high', priority: 7 },
      'the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 1000 from the given PriorityClass name',
    ],
    [
      'a priority without a class',
      { priority: 7 },
      'the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    ],
    [
      'a preemption policy different from its class',
      { priorityClassName: 'meek', preemptionPolicy: 'PreemptLowerPriority' },
      'the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name',
    ],
  ])('rejects a pod with %s', async (_what, spec, message) => {
    await expect(resolved(spec)).rejects.toMatchObject({
      code: 403,
      message: `pods "web" is forbidden: ${message}`,
    });
  });

  it('keeps values that an update omits, and ignores subresources', async () => {
    const previous = podOf({ priority: 3, preemptionPolicy: 'Never' });
    const next = await admit(pluginOf([]), { operation: 'UPDATE', object: podOf({}), previous });
    expect(next.spec).toMatchObject({ priority: 3, preemptionPolicy: 'Never' });
    const bound = await admit(pluginOf([]), { subresource: 'binding', object: podOf({}) });
    expect(bound.spec?.priority).toBeUndefined();
  });

  describe('for default classes', () => {
    const put = (object: PriorityClass, operation: 'CREATE' | 'UPDATE', classes: readonly PriorityClass[]) =>
      admit(pluginOf(classes), { kind: priorityClasses as unknown as AnyKind, operation, object });
    const second = classOf('second', 1, { globalDefault: true });

    it('admits the first class and changes of it', async () => {
      await put(second, 'CREATE', [high]);
      await put(usual, 'UPDATE', [usual]);
      await put(high, 'CREATE', [usual]);
    });

    it.each(['CREATE', 'UPDATE'] as const)('rejects a second class on %s', async (operation) => {
      await expect(put(second, operation, [usual])).rejects.toMatchObject({
        code: 403,
        message:
          'priorityclasses.scheduling.k8s.io "second" is forbidden: PriorityClass usual is already marked as default. Only one default can exist',
      });
    });
  });

  it('ignores kinds other than pods and priority classes', () => {
    const { concerns, mutates } = pluginOf([]);
    expect(concerns?.(priorityClasses as unknown as AnyKind)).toBe(true);
    expect(mutates?.(priorityClasses as unknown as AnyKind)).toBe(false);
  });
});
