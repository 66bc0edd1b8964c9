import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoryLine } from '../run/story-line.ts';
import { faultKinds } from '../world/fault-kinds.ts';
import { lanePlaces } from './space-time-lanes.ts';
import { messageOfFault } from './space-time-faults.ts';
import { renderSpaceTime, wrapped } from './space-time-svg.ts';
import { spaceTimeOf } from './space-time.ts';

const change = (step: number, by: string, more: Partial<StoryLine> = {}): StoryLine => ({
  step,
  atMs: step * 10,
  lane: 'store',
  text: `${by} create jobs a (uid 1, revision ${step})`,
  by,
  revision: String(step),
  ...more,
});
const fault = (step: number, name: (typeof faultKinds)[number]['name'], where: string): StoryLine => ({
  step,
  atMs: step * 10,
  lane: 'fault',
  text: `${name} at ${where}`,
  fault: { name, where },
});

describe('a space-time diagram', () => {
  it('has lanes for users, the API server, and the parts of each process', () => {
    const { lanes } = spaceTimeOf([
      change(1, 'user', { arrivals: [{ step: 2, atMs: 20, process: 'two' }] }),
      change(3, 'job', { node: 'one' }),
      { step: 4, atMs: 40, lane: 'job', process: 'two', text: 'a in observing' },
    ]);
    expect(lanes).toEqual([
      { title: 'user' },
      { title: 'API server' },
      { title: 'reflectors', process: 'one' },
      { title: 'job', process: 'one' },
      { title: 'reflectors', process: 'two' },
      { title: 'job', process: 'two' },
    ]);
  });

  it('draws a request from its sending to its commit, and events to the reflectors', () => {
    const { moments, arrows } = spaceTimeOf([
      change(5, 'job', { sentAtMs: 12, arrivals: [{ step: 8, atMs: 80 }] }),
      change(2, 'user'),
    ]);
    expect(moments.map(({ atMs }) => atMs)).toEqual([12, 20, 50, 80]);
    expect(arrows).toEqual([
      expect.objectContaining({ from: 0, to: 1, fromRow: 1, toRow: 1, carries: 'request' }),
      expect.objectContaining({ from: 3, to: 1, fromRow: 0, toRow: 2, carries: 'request' }),
      expect.objectContaining({ from: 1, to: 2, fromRow: 2, toRow: 3, carries: 'event' }),
    ]);
  });

  it('shades faults, and ends with the violation', () => {
    const { moments, arrows } = spaceTimeOf(
      [
        change(1, 'job'),
        fault(2, 'lost-response', 'job create jobs team/'),
        fault(3, 'api-restart', 'apiserver'),
      ],
      { step: 3, atMs: 30, broken: 'a was created twice' },
    );
    expect(moments.map(({ band }) => band?.is)).toEqual([undefined, 'fault', 'fault', 'violation']);
    expect(moments.map(({ struck }) => struck)).toEqual([[], [3], [1], []]);
    expect(arrows.at(-1)).toMatchObject({
      from: 1,
      to: 3,
      carries: 'response',
      isLost: true,
      isFaulty: true,
    });
  });

  it('draws no message of a fault whose process is unknown', () => {
    const lines = [change(1, 'job', { node: 'one' }), change(2, 'job', { node: 'two' })];
    const found = messageOfFault({ name: 'refused', where: 'job create jobs team/' }, lanePlaces(lines));
    expect(found).toEqual({ struck: [] });
  });

  it.each(faultKinds.map(({ name, point }) => [name, point] as const))(
    'places the fault %s',
    (name, point) => {
      const where = { process: 'manager', event: 'manager jobs ADDED', request: 'job create jobs team/' };
      const { struck } = messageOfFault(
        { name, where: where[point as keyof typeof where] ?? 'x' },
        lanePlaces([change(1, 'job', { arrivals: [{ step: 2, atMs: 3 }] })]),
      );
      expect(struck.length > 0).toBe(point !== 'command' && point !== 'redis');
    },
  );

  it('renders each text whole in a title, and a cross for a lost message', () => {
    const lines = [change(1, 'job'), fault(2, 'refused', 'job create jobs team/')];
    const { text } = renderSpaceTime(spaceTimeOf(lines), 'Trace of seed 1');
    expect(text).toContain('<title>refused at job create jobs team/</title>');
    expect(text).toContain('class="cross"');
    expect(text).toContain('marker-end="url(#head-request)"');
  });

  it('breaks any text into lines that fit, and loses no sign of a text that fits', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z/ -]{0,120}$/), fc.integer({ min: 5, max: 40 }), (text, width) => {
        const lines = wrapped(text, width, Infinity);
        expect(lines.every((line) => line.length <= width)).toBe(true);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
        expect(wrapped(text, width).length).toBeLessThanOrEqual(4);
      }),
    );
  });
});
