import { readFileSync } from 'node:fs';
import type { Picture } from '../chart/layout.ts';
import { type Pictures, createPictures } from '../chart/pictures.ts';
import { builtPath } from './built.ts';

/** Creates pictures from the layouts of the build, because computing a layout would block the event loop. */
export const createBuiltPictures = (): Pictures =>
  createPictures(() => {
    const path = builtPath('pictures.json');
    if (path === undefined) return {};
    const pictures: readonly Picture[] = JSON.parse(readFileSync(path, 'utf8'));
    return Object.fromEntries(pictures.map((picture) => [picture.chart.id, picture]));
  });
