import { describe, expect, it } from 'vitest';
import type { Picture } from '../../chart/layout.ts';
import { openingArea, whole } from './chart-area.ts';

const picture = (width: number, height: number): Picture => ({
  chart: { id: 'm', root: { name: '', path: '', type: 'compound', invokes: [], states: [] } } as never,
  width,
  height,
  states: [],
  edges: [],
  beginnings: [{ at: { x: width / 2, y: 10 }, line: [] }],
});
const PHONE = { width: 360, height: 420 };

describe('openingArea', () => {
  it('shows all of a chart whose texts are then legible', () => {
    expect(openingArea(picture(340, 400), PHONE, undefined)).toEqual(whole(picture(340, 400)));
  });

  it('shows a part at a legible scale if the chart is larger than its frame', () => {
    const area = openingArea(picture(1_400, 1_600), PHONE, undefined);
    expect(PHONE.width / area.width).toBeCloseTo(0.7);
    expect(area.y).toBe(whole(picture(1_400, 1_600)).y);
  });

  it.each([
    ['at the left', { x: 0, y: 700 }],
    ['in the middle', { x: 600, y: 700 }],
    ['at the lower right', { x: 1_300, y: 1_560 }],
  ])('contains a focused state %s, and nothing outside the picture', (_, corner) => {
    const box = { ...corner, width: 100, height: 40 };
    const all = whole(picture(1_400, 1_600));
    const area = openingArea(picture(1_400, 1_600), PHONE, box);
    expect(area.x).toBeLessThanOrEqual(box.x);
    expect(area.x + area.width).toBeGreaterThanOrEqual(box.x + box.width);
    expect(area.y).toBeLessThanOrEqual(box.y);
    expect(area.y + area.height).toBeGreaterThanOrEqual(box.y + box.height);
    expect(area.x).toBeGreaterThanOrEqual(all.x);
    expect(area.y + area.height).toBeLessThanOrEqual(all.y + all.height);
  });

  it('shows all of a chart in a frame without a size', () => {
    expect(openingArea(picture(1_400, 1_600), { width: 0, height: 0 }, undefined)).toEqual(
      whole(picture(1_400, 1_600)),
    );
  });
});
