import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pods } from '../../../api/groups/index.ts';
import type { AnyKind } from '../../../api/kinds/scheme.ts';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import { admit } from '../request.fixture.ts';
import { quotaOf, quotaStore, ticks } from './quota-store.fixture.ts';
import { createResourceQuota } from './resource-quota.ts';

const podOf = (milli: number): Pod => ({
  metadata: { name: 'web', namespace: 'ns' },
  spec: { containers: [{ name: 'c', resources: { requests: { cpu: `${milli}m` } } }] },
});

interface Arrival {
  readonly afterTicks: number;
  readonly server: number;
  readonly milli: number;
}

const arrival = fc.record<Arrival>({
  afterTicks: fc.nat(20),
  server: fc.nat(2),
  milli: fc.integer({ min: 1, max: 400 }),
});

describe('concurrent creates', () => {
  it('never exceed a quota on several servers with stale caches, while other clients write the quota', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(arrival, { minLength: 5, maxLength: 40 }),
        fc.array(fc.nat(40), { maxLength: 6 }),
        fc.nat(5),
        async (arrivals, touches, lag) => {
          const hard = { 'requests.cpu': '2', pods: '12' };
          const store = quotaStore([quotaOf(hard, { 'requests.cpu': '0', pods: '0' })], lag);
          const servers = [0, 1, 2].map(() =>
            createResourceQuota(
              { ...store, vocabulary: kubernetesVocabulary, clock: createSimulatedClock() },
              undefined,
            ),
          );
          const admitted: number[] = [];
          const refused: unknown[] = [];
          const creators = arrivals.map(async ({ afterTicks, server, milli }) => {
            await ticks(afterTicks);
            const plugin = servers[server];
            if (plugin === undefined) throw new Error(`no server ${server}`);
            await admit(plugin, { kind: pods as unknown as AnyKind, object: podOf(milli) }).then(
              () => admitted.push(milli),
              (thrown: unknown) => refused.push(thrown),
            );
          });
          const others = touches.map(async (afterTicks) => {
            await ticks(afterTicks);
            await store.touch().catch(() => {});
          });
          await Promise.all([...creators, ...others]);
          const total = admitted.reduce((sum, milli) => sum + milli, 0);
          expect(admitted.length + refused.length).toBe(arrivals.length);
          expect(total).toBeLessThanOrEqual(2000);
          expect(admitted.length).toBeLessThanOrEqual(12);
          const used = store.get()?.status?.used ?? {};
          expect(used['pods']).toBe(String(admitted.length));
          for (const thrown of refused) expect(thrown).toMatchObject({ code: 403 });
        },
      ),
      { numRuns: 100 },
    );
  });
});
