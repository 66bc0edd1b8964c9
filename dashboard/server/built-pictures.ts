import { readFileSync } from 'node:fs';
import type { Picture } from '../chart/layout.ts';
import { type Pictures, createPictures } from '../chart/pictures.ts';
import { builtPath } from './built.ts';

/** Pictures that come with the program, so that a server that is asked for one need not stop to lay it out. */
export const createBuiltPictures = (): Pictures =>
  createPictures(() => {
    const path = builtPath('pictures.json');
    if (path === undefined) return {};
    const pictures: readonly Picture[] = JSON.parse(readFileSync(path, 'utf8'));
    return Object.fromEntries(pictures.map((picture) => [picture.chart.id, picture]));
  });
