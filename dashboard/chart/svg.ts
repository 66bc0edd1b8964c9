import { createHash } from 'node:crypto';
import type { Chart } from './chart.ts';
import { type Drawn, drawPicture } from './draw.ts';
import type { Picture } from './layout.ts';
import { chartStyle, fileColours } from './style.ts';

/** Returns a digest of a chart. A picture with another digest is outdated. */
export const chartDigest = (chart: Chart): string =>
  createHash('sha256').update(JSON.stringify(chart)).digest('hex').slice(0, 16);

/** Converts a picture to a self-contained SVG document for light and dark backgrounds. */
export function toSvg(picture: Picture): string {
  const { width, height, chart } = picture;
  return `${text({
    tag: 'svg',
    attributes: {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'chart',
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: 'img',
      'data-machine': chartDigest(chart),
      'aria-label': `the machine ${chart.id}`,
    },
    children: [
      { tag: 'style', attributes: {}, children: [`${fileColours}${chartStyle}`] },
      { tag: 'rect', attributes: { class: 'ground', width, height, rx: 12 }, children: [] },
      ...drawPicture(picture),
    ],
  })}\n`;
}

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (value: string | number): string =>
  String(value).replace(/[&<>"]/g, (sign) => ESCAPED[sign] ?? sign);

function text(part: Drawn | string, parent = ''): string {
  // An escaped '>' would break the child selectors of the style.
  if (typeof part === 'string') return parent === 'style' ? part : escaped(part);
  const attributes = Object.entries(part.attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`);
  const open = `<${part.tag}${attributes.join('')}`;
  return part.children.length === 0
    ? `${open}/>`
    : `${open}>${part.children.map((child) => text(child, part.tag)).join('')}</${part.tag}>`;
}
