import { describe, expect, it } from 'vitest';
import { toRecord, toResourceList } from '../../api/quota/resource-list.ts';
import type { ResourceQuota } from '../../api/types/core-v1-quota.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createRecentCharges } from './charges.ts';

const at = (resourceVersion: string, pods: string): ResourceQuota => ({
  metadata: { name: 'q', namespace: 'ns', resourceVersion },
  status: { used: { pods } },
});

function start() {
  const clock = createSimulatedClock();
  const charges = createRecentCharges(clock);
  return {
    clock,
    charges,
    recent: () => {
      const { charged, settlesInMs } = charges.of('ns/q');
      return [toRecord(charged), settlesInMs];
    },
  };
}

describe('recent charges', () => {
  it('add up, and each charge expires after a second', async () => {
    const { charges, clock, recent } = start();
    charges.note('ns/q', at('2', '3'), at('1', '1'));
    await clock.advance(400);
    charges.note('ns/q', at('3', '4'), at('2', '3'));
    expect(recent()).toEqual([{ pods: '3' }, 1000]);
    await clock.advance(600);
    expect(recent()).toEqual([{ pods: '1' }, 400]);
    await clock.advance(400);
    expect(recent()).toEqual([{}, undefined]);
  });

  it('include neither a lower usage nor an increase that the controller wrote', () => {
    const { charges, recent } = start();
    charges.note('ns/q', at('2', '1'), at('1', '3'));
    charges.expect('ns/q', '2', toResourceList({ pods: '5' }));
    charges.note('ns/q', at('3', '5'), at('2', '1'));
    expect(recent()).toEqual([{}, undefined]);
    charges.note('ns/q', at('4', '6'), at('3', '5'));
    expect(recent()).toEqual([{ pods: '1' }, 1000]);
    charges.forget('ns/q');
    expect(recent()).toEqual([{}, undefined]);
  });

  it('are the complete usage of a quota that is observed for the first time', () => {
    const { charges, recent } = start();
    charges.note('ns/q', at('2', '3'), undefined);
    expect(recent()).toEqual([{ pods: '3' }, 1000]);
  });

  it('exclude a write of the controller that was only observed together with a charge', () => {
    const { charges, recent } = start();
    charges.expect('ns/q', '1', toResourceList({ pods: '2' }));
    charges.note('ns/q', at('3', '3'), at('1', '3'));
    expect(recent()).toEqual([{ pods: '1' }, 1000]);
  });
});
