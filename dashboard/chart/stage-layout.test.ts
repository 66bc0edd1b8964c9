import { describe, expect, it } from 'vitest';
import { cronJobMachine } from '../../machines/cronjob/index.ts';
import { serviceAccountMachine } from '../../machines/serviceaccount/service-account.ts';
import { createPlanMachine } from '../../machines/reconcile/plan-machine.ts';
import { describeMachine } from './describe.ts';
import { drawPicture } from './draw.ts';
import { edgesOf } from './edges.ts';
import { createPictures } from './pictures.ts';
import { stageLineOf } from './stage-layout.ts';
import { toSvg } from './svg.ts';

const planMachine = createPlanMachine<null, { readonly type: 'create' | 'renew' | 'remove' }>({
  id: 'copier',
  actions: ['create', 'renew', 'remove'],
  plan: () => ({ actions: [] }),
});
const lineOf = (machine: typeof planMachine) => {
  const chart = describeMachine(machine);
  return stageLineOf(chart, edgesOf(chart));
};
const laidOut = (machine: typeof planMachine) => createPictures().of(machine);

describe('a machine whose stages may be skipped', () => {
  it.each([
    ['of a plan', planMachine, ['observing', 'choosing', 'create', 'renew', 'remove']],
    [
      'of CronJobs',
      cronJobMachine,
      ['observing', 'deciding', 'recording', 'replacing', 'creating', 'cleaning', 'announcing'],
    ],
  ])('%s is a line of stages, and ends with failed', async (_, machine, stages) => {
    const picture = await laidOut(machine);
    const tops = picture.states.map(({ box }) => box.y);
    expect(picture.states.slice(0, stages.length).map(({ path }) => path)).toEqual(stages);
    expect(picture.states.at(-1)?.path).toBe('failed');
    expect(tops).toEqual(tops.toSorted((a, b) => a - b));
    expect(new Set(picture.states.map(({ box }) => box.x)).size).toBe(1);
  });

  it('leads every skip over one rail, and keeps all transitions', async () => {
    const picture = await laidOut(cronJobMachine);
    const skips = picture.edges.filter(({ line, failure }) => !failure && line.length === 4);
    expect(skips.length).toBeGreaterThan(10);
    expect(new Set(skips.map(({ line }) => line[1]?.x)).size).toBe(1);
    expect(picture.edges.map(({ id }) => id)).toEqual(edgesOf(picture.chart).map(({ id }) => id));
  });

  it('has one label for each stage, with the reason for which it is skipped', async () => {
    const { edges } = await laidOut(cronJobMachine);
    expect(edges.filter(({ label }) => label !== '').map(({ to, label }) => [to, label])).toEqual([
      ['recording', 'skipped unless the status is outdated'],
      ['replacing', 'skipped unless running Jobs must make room'],
      ['creating', 'skipped unless a run is due'],
      ['cleaning', 'skipped unless the history is too long'],
      ['announcing', 'skipped unless events are planned'],
      ['waiting', 'if a run is scheduled'],
    ]);
  });

  it('leads back from each action of a plan on another rail', async () => {
    const { edges } = await laidOut(planMachine);
    const railOf = (id: string) => edges.find((edge) => edge.id === id)?.line[1]?.x ?? 0;
    expect(railOf('renew→choosing')).toBe(railOf('remove→choosing'));
    expect(railOf('renew→choosing')).toBeLessThan(railOf('choosing→remove'));
  });

  it('keeps labels and boxes inside the picture, and apart from each other', async () => {
    for (const machine of [planMachine, cronJobMachine]) {
      const { edges, states, width, height } = await laidOut(machine);
      const boxes = [...states.map(({ box }) => box), ...edges.flatMap(({ labelBox }) => labelBox ?? [])];
      for (const box of boxes) {
        expect(box.x).toBeGreaterThan(0);
        expect(box.x + box.width).toBeLessThan(width);
        expect(box.y + box.height).toBeLessThan(height);
        const overlapping = boxes.filter(
          (each) => each.y < box.y + box.height && box.y < each.y + each.height,
        );
        expect(overlapping).toEqual([box]);
      }
    }
  });

  it('draws the stages that were taken over those that were not', async () => {
    const picture = await laidOut(cronJobMachine);
    const marked = 'deciding→settled';
    const drawn = drawPicture(picture, { taken: new Map([[marked, 3]]), marked: new Set([marked]) });
    const ids = drawn.flatMap(({ attributes }) => attributes['data-edge'] ?? []);
    expect(ids.at(-1)).toBe(marked);
    expect(toSvg(picture)).toContain('skipped unless a run is due');
  });

  it('is not recognized in machines of other shapes', () => {
    expect(lineOf(serviceAccountMachine)).toBeUndefined();
  });
});
