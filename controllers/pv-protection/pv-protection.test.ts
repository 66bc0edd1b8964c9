import { describe, expect, it } from 'vitest';
import { persistentVolumes } from '../../api/groups/index.ts';
import { isNotFound } from '../../api/status/api-error.ts';
import { useWorld } from '../../test/world/use-world.ts';

const MINUTE = 60_000;

async function start() {
  const world = await useWorld({ controllers: ['pv-protection'] });
  const volumes = world.client.cluster(persistentVolumes);
  return {
    ...world,
    volumes,
    finalizer: world.vocabulary.key('', 'pv-protection'),
    volume: () =>
      volumes.create({
        metadata: { name: 'disk' },
        spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp' } },
      }),
    setPhase: (phase: 'Bound' | 'Released') =>
      volumes.subresource('status').patch('disk', 'merge', { status: { phase } }),
    gone: async () => expect(await volumes.get('disk').catch(isNotFound)).toBe(true),
  };
}

describe('protection of volumes', () => {
  it('a volume that is bound to no claim goes when it is deleted', async () => {
    const { volume, volumes, eventually, gone, finalizer } = await start();
    expect((await volume()).metadata?.finalizers).toEqual([finalizer]);
    await volumes.delete('disk');
    await eventually(gone);
  });

  it('a bound volume stays until it is released', async () => {
    const { volume, volumes, eventually, gone, setPhase, clock } = await start();
    await volume();
    await setPhase('Bound');
    await volumes.delete('disk');
    await clock.advance(MINUTE);
    expect((await volumes.get('disk')).metadata?.deletionTimestamp).toBeDefined();
    await setPhase('Released');
    await eventually(gone);
  });

  it('a volume that lost its protection gets it again', async () => {
    const { volume, volumes, eventually, finalizer } = await start();
    await volume();
    await volumes.patch('disk', 'merge', { metadata: { finalizers: null } });
    await eventually(async () =>
      expect((await volumes.get('disk')).metadata?.finalizers).toEqual([finalizer]),
    );
  });
});
