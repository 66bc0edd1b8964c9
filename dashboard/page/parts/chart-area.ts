import type { Box, Picture } from '../../chart/layout.ts';

/** Visible part of a chart, in pixels of its picture. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const MARGIN = 14;
export const whole = ({ width, height }: Picture): Area => ({
  x: -MARGIN,
  y: -MARGIN,
  width: width + 2 * MARGIN,
  height: height + 2 * MARGIN,
});

export const zoomed = (area: Area, by: number, at = { x: 0.5, y: 0.5 }): Area => ({
  x: area.x + area.width * at.x * (1 - by),
  y: area.y + area.height * at.y * (1 - by),
  width: area.width * by,
  height: area.height * by,
});

export const moved = (area: Area, x: number, y: number): Area => ({
  ...area,
  x: area.x + area.width * x,
  y: area.y + area.height * y,
});

/** Smallest scale at which a chart opens. Its texts are then at least 9 pixels high. */
const LEAST_SCALE = 0.7;

/**
 * Returns the area that a chart shows at first: all of it if its texts are then legible, otherwise the part around
 * the focused box, or else around the beginning.
 */
export function openingArea(
  picture: Picture,
  frame: { readonly width: number; readonly height: number },
  focus: Box | undefined,
): Area {
  const all = whole(picture);
  const scale = Math.min(frame.width / all.width, frame.height / all.height);
  if (scale >= LEAST_SCALE || scale === 0) return all;
  const width = Math.min(all.width, frame.width / LEAST_SCALE);
  const height = Math.min(all.height, frame.height / LEAST_SCALE);
  const start = picture.beginnings[0]?.at ?? { x: 0, y: 0 };
  const { x, y } =
    focus === undefined ? start : { x: focus.x + focus.width / 2, y: focus.y + focus.height / 2 };
  const within = (value: number, least: number, most: number): number =>
    Math.max(least, Math.min(value, most));
  return {
    x: within(x - width / 2, all.x, all.x + all.width - width),
    y: within(y - height / 2, all.y, all.y + all.height - height),
    width,
    height,
  };
}
