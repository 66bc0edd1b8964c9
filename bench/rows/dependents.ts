import { configMaps } from '../../api/groups/core-v1.ts';
import { inFolder } from '../rig/folder.ts';
import { forEachNumber, pause } from '../rig/objects.ts';
import { type System, startSystem } from '../rig/system.ts';
import { type Row, type Times, timedBoth, toFigure } from '../row.ts';

const WIDTH = 20;

async function createDependents({ client }: System, count: number): Promise<() => Promise<void>> {
  const maps = client.namespaced(configMaps, 'default');
  const owner = await maps.create({ metadata: { name: 'owner' } });
  const { uid = '' } = owner.metadata ?? {};
  await forEachNumber(count, WIDTH, (number) =>
    maps.create({
      metadata: {
        name: `dependent-${number}`,
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }],
      },
    }),
  );
  return () => maps.delete('owner', { propagationPolicy: 'Background' });
}

/** Resolves once `count` more objects have been deleted. */
function deletions({ server }: System, count: number): Promise<void> {
  let left = count;
  return new Promise((resolve) => {
    const stop = server.registry.reader(configMaps).subscribe((object) => {
      if (object !== undefined || --left > 0) return;
      stop();
      resolve();
    });
  });
}

/**
 * Compares two durations: from the deletion of an owner until its last dependent is deleted, and of the same
 * number of deletions by a client.
 */
export const dependentsRow: Row = {
  name: 'dependents',
  async measure(scale) {
    const [count, rounds] = scale === 'full' ? [10_000, 3] : [300, 1];
    const measured: { readonly ours: Times; readonly bare: Times }[] = [];
    await inFolder(async (folder) => {
      await using system = await startSystem(folder);
      await system.startControllers();
      const maps = system.client.namespaced(configMaps, 'default');
      for (let round = 0; round < rounds; round++) {
        const deleteOwner = await createDependents(system, count);
        await pause(scale === 'full' ? 3_000 : 500);
        const ours = await timedBoth(async () => {
          const gone = deletions(system, count + 1);
          await deleteOwner();
          await gone;
        });
        await forEachNumber(count, WIDTH, (number) => maps.create({ metadata: { name: `bare-${number}` } }));
        await pause(scale === 'full' ? 3_000 : 500);
        const bare = await timedBoth(() =>
          forEachNumber(count, WIDTH, (number) => maps.delete(`bare-${number}`)),
        );
        // The first round only warms up the compiler, so it is not measured.
        if (round > 0 || rounds === 1) measured.push({ ours, bare });
      }
    });
    return (['wallMs', 'cpuMs'] as const).map((which) =>
      toFigure(
        `${count} dependents of a deleted owner${which === 'cpuMs' ? ', processor' : ''}`,
        'ms',
        { ours: measured.map(({ ours }) => ours[which]), ceiling: measured.map(({ bare }) => bare[which]) },
        { ratioAtMost: 2 },
      ),
    );
  },
};
