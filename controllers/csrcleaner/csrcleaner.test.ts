import { describe, expect, it } from 'vitest';
import { isNotFound } from '../../api/status/api-error.ts';
import { toTime } from '../../base/clock/clock.ts';
import { certificateRequests } from '../../test/world/certificate-requests.ts';
import { requestPem } from '../../test/world/request-pem.ts';
import { useWorld } from '../../test/world/use-world.ts';
import type { WorldOptions } from '../../test/world/world.ts';
import { withFastClock } from '../fast-clock.fixture.ts';
import { csrCleanerController } from './csrcleaner.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const pem = requestPem('/CN=a');

async function start(options: WorldOptions = {}) {
  const world = await useWorld({ controllers: ['csrcleaner', 'csrsigning'], ...options });
  const csr = certificateRequests(world);
  const signerName = world.vocabulary.signers.apiserverClient;
  const isThere = () =>
    csr.get('r').then(
      () => true,
      (thrown: unknown) => {
        if (isNotFound(thrown)) return false;
        throw thrown;
      },
    );
  return {
    ...world,
    ...csr,
    post: (spec: { readonly expirationSeconds?: number; readonly signerName?: string } = {}) =>
      csr.post('r', pem, { signerName, ...spec }),
    isThere,
    /** Expects that the request exists one millisecond before `ms` and is deleted at `ms`. */
    async expectEndAfter(ms: number) {
      await world.clock.advance(ms - 1);
      expect(await isThere()).toBe(true);
      await world.clock.advance(1);
      expect(await isThere()).toBe(false);
    },
  };
}

describe('csrCleanerController', () => {
  it('deletes an undecided request after 24 hours', async () => {
    const { post, expectEndAfter } = await start();
    await post();
    await expectEndAfter(24 * HOUR);
  });

  it('deletes an approved request that is not signed after 24 hours', async () => {
    const { post, decide, expectEndAfter } = await start();
    await post({ signerName: 'example.com/nobody' });
    await decide('r', 'Approved');
    await expectEndAfter(24 * HOUR);
  });

  it('deletes an issued request an hour after its approval', async () => {
    const { post, decide, clock, expectEndAfter, certificate } = await start();
    await post();
    await clock.advance(10 * MINUTE);
    await decide('r', 'Approved');
    await clock.advance(1_000);
    expect(await certificate('r')).toBeDefined();
    await expectEndAfter(HOUR - 1_000);
  });

  it('deletes a denied request an hour after its denial', async () => {
    const { post, decide, clock, expectEndAfter } = await start();
    await post();
    await clock.advance(10 * MINUTE);
    await decide('r', 'Denied');
    await expectEndAfter(HOUR);
  });

  it('deletes a failed request an hour after its failure', async () => {
    const { post, requests, get, clock, expectEndAfter } = await start();
    await post();
    await clock.advance(10 * MINUTE);
    const request = await get('r');
    await requests.subresource('status').update({
      ...request,
      status: { conditions: [{ type: 'Failed', status: 'True', lastUpdateTime: toTime(clock.now()) }] },
    });
    await expectEndAfter(HOUR);
  });

  it('deletes an issued request at the expiry of its certificate if that is within the hour', async () => {
    const { post, decide, expectEndAfter } = await start();
    await post({ expirationSeconds: 600 });
    await decide('r', 'Approved');
    await expectEndAfter(10 * MINUTE);
  });

  it('counts the time of a new request of the same name from its own creation', async () => {
    const { post, requests, clock, expectEndAfter } = await start();
    await post();
    await clock.advance(23 * HOUR);
    await requests.delete('r');
    await post();
    await expectEndAfter(24 * HOUR);
  });

  it('keeps a request for another hour if it is decided during its deletion', async () => {
    const { post, decide, clock, isThere, manager } = await start();
    await post();
    let decided: Promise<unknown> | undefined;
    manager.faults.add(({ method }) => {
      if (method !== 'DELETE' || decided) return undefined;
      decided = decide('r', 'Denied');
      return 'refused';
    });
    await clock.advance(24 * HOUR + 1_000);
    await decided;
    expect(await isThere()).toBe(true);
    await clock.advance(HOUR);
    expect(await isThere()).toBe(false);
  });

  it('retries a deletion that fails', async () => {
    const { post, eventually, clock, isThere, manager } = await start();
    await post();
    const heal = manager.faults.add(({ method }) =>
      method === 'DELETE' ? { status: 500, reason: 'InternalError' } : undefined,
    );
    await clock.advance(24 * HOUR + MINUTE);
    expect(await isThere()).toBe(true);
    heal();
    await eventually(async () => expect(await isThere()).toBe(false), 5 * MINUTE);
  });

  it('deletes nothing early if the clock of the manager jumps ahead', async () => {
    const { post, expectEndAfter } = await start({
      controllers: ['csrcleaner'],
      definitions: () => [withFastClock(csrCleanerController, 48 * HOUR)],
    });
    await post();
    await expectEndAfter(24 * HOUR);
  });

  it('deletes requests that expired while no manager ran', async () => {
    const { post, clock, isThere, manager, startManager } = await start();
    await post();
    await manager.stop();
    await clock.advance(30 * HOUR);
    expect(await isThere()).toBe(true);
    await startManager({ controllers: ['csrcleaner'] });
    await clock.advance(1_000);
    expect(await isThere()).toBe(false);
  });
});
