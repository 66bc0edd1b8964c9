import { describe, expect, it } from 'vitest';
import { inSteps } from '../../base/budget/steps.ts';
import { PAUSE_WORK, WorkBudget } from '../../base/budget/work-budget.ts';
import { CustomResourceDefinition } from '../types/apiextensions-v1.ts';
import { Pod } from '../types/core-v1-pod.ts';
import { Endpoints } from '../types/core-v1-service.ts';
import { type Decoded, decode, recode } from './decode.ts';
import { writeJson } from './exact-json.ts';
import { cloneJson } from './own.ts';
import type { StructSchema } from './schema.ts';

/** Runs the work and interrupts it before every part. */
async function inSmallSteps(work: () => Decoded): Promise<Decoded> {
  const budget = new WorkBudget(1e9);
  budget.spend(PAUSE_WORK);
  await budget.pause();
  return inSteps(budget, work, 0);
}

const field = (at: number): object => ({ type: 'string', nullable: at % 3 === 0 ? null : false, odd: at });

const documents: readonly (readonly [string, StructSchema, object])[] = [
  [
    'a definition',
    CustomResourceDefinition,
    {
      metadata: { name: 'a', labels: { b: null, a: '' }, ownerReferences: [null, { name: 'x', other: 1 }] },
      spec: {
        unknown: [],
        versions: [
          {
            name: 'v1',
            schema: {
              openAPIV3Schema: {
                properties: Object.fromEntries([3, 1, 2].map((at) => [`f${at}`, field(at)])),
                anyOf: [{ type: 'object', wrong: 1 }, null, {}],
                items: [{ properties: { z: { none: 1 }, a: null } }],
              },
            },
          },
          { name: 'v2', odd: true },
        ],
      },
    },
  ],
  [
    'a pod',
    Pod,
    {
      spec: {
        containers: [
          {
            name: 'a',
            env: [{ name: 'A', value: null }, { odd: 1 }],
            resources: { limits: { b: '1000m', a: 1 } },
          },
          null,
          { name: 'b', ports: [], volumeMounts: [{}] },
        ],
        volumes: [],
      },
    },
  ],
  ['endpoints', Endpoints, { subsets: [{ addresses: [{ ip: '1' }, null, { ip: '2', x: 1 }], ports: null }] }],
];

describe('decoding in steps', () => {
  it.each(documents)('decodes %s to the same result as in one step', async (_, schema, document) => {
    const emptied = { once: [] as string[], stepped: new Set<string>() };
    const once = decode(schema, cloneJson(document), { emptied: (path) => void emptied.once.push(path) });
    const body = cloneJson(document);
    const stepped = await inSmallSteps(() =>
      decode(schema, body, { emptied: (path) => void emptied.stepped.add(path) }),
    );
    expect(writeJson(stepped.value)).toBe(writeJson(once.value));
    expect(stepped.unknown).toEqual(once.unknown);
    expect([...emptied.stepped].toSorted()).toEqual(emptied.once.toSorted());
    const again = await inSmallSteps(() => recode(schema, once.value));
    expect(writeJson(again.value)).toBe(writeJson(once.value));
  });

  it('rejects invalid input with the same message as in one step', async () => {
    const document = (): object => ({
      spec: { containers: [{ name: 'a' }, { name: 'b', env: [{}, { name: 1 }] }] },
    });
    const body = document();
    const words = (run: () => unknown): string => {
      try {
        run();
      } catch (thrown) {
        return (thrown as Error).message;
      }
      return '';
    };
    const message = words(() => decode(Pod, document()));
    expect(message).toContain('containers.env.name');
    await expect(inSmallSteps(() => decode(Pod, body))).rejects.toThrow(message);
  });
});
