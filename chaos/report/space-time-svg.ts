import { type Markup, markup } from './markup.ts';
import type { Arrow } from './space-time-arrow.ts';
import type { Moment, SpaceTime } from './space-time.ts';

/** Widths in pixels: the clock, and one lane. */
const CLOCK = 92;
const LANE = 176;
/** Distance in pixels between a lane's line and its texts. */
const GAP = 9;
const LINE_HEIGHT = 15;
/** Space in pixels below the texts of a moment, in which its arrows are drawn. */
const ARROW_HEIGHT = 18;
/** Average width of a character in pixels, a little more than that of the font. */
const CHARACTER = 6.3;
const MOST_LINES = 4;

/** Breaks a text into lines of at most `width` characters; a text that is too long ends with an ellipsis. */
export function wrapped(text: string, width: number, most = MOST_LINES): readonly string[] {
  const lines: string[] = [];
  let rest = text.trim();
  while (rest.length > width) {
    // Breaks after a space, or else after a sign that keys and names contain.
    const head = rest.slice(0, width + 1);
    const space = head.lastIndexOf(' ');
    const sign = Math.max(head.lastIndexOf('/', width - 1), head.lastIndexOf('-', width - 1)) + 1;
    const end = space > width / 3 ? space : sign > width / 3 ? sign : width;
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  if (rest !== '') lines.push(rest);
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), `${(lines[most - 1] ?? '').slice(0, width - 1)}…`];
}

const charactersIn = (pixels: number): number => Math.floor(pixels / CHARACTER);

/** A moment with the lines of its texts, and its place. */
interface Placed {
  readonly moment: Moment;
  readonly texts: readonly {
    readonly x: number;
    readonly whole: string;
    readonly lines: readonly string[];
  }[];
  readonly top: number;
  /** Height of the line on which arrows of this moment begin and end. */
  readonly base: number;
  readonly bottom: number;
}

const xOf = (lane: number): number => CLOCK + 12 + lane * LANE;
const widthOf = (lanes: number): number => CLOCK + 12 + lanes * LANE;

function placed({ moments, lanes }: SpaceTime): readonly Placed[] {
  let top = 6;
  return moments.map((moment): Placed => {
    const { band, marks } = moment;
    const texts = band
      ? [
          {
            x: xOf(0) + GAP,
            whole: band.text,
            lines: wrapped(band.text, charactersIn(Math.min(lanes.length, 4) * LANE - 16), 6),
          },
        ]
      : marks.map(({ lane, text }) => ({
          x: xOf(lane) + GAP,
          whole: text,
          lines: wrapped(text, charactersIn(LANE - GAP - 4)),
        }));
    const count = Math.max(1, ...texts.map(({ lines }) => lines.length));
    const base = top + count * LINE_HEIGHT + ARROW_HEIGHT / 2;
    const row = { moment, texts, top, base, bottom: base + ARROW_HEIGHT / 2 };
    top = row.bottom + 4;
    return row;
  });
}

/** Renders a diagram as SVG below the names of its lanes, which remain visible while the page scrolls. */
export function renderSpaceTime(diagram: SpaceTime, title: string): Markup {
  const rows = placed(diagram);
  const { lanes, arrows } = diagram;
  const width = widthOf(lanes.length);
  const height = (rows.at(-1)?.bottom ?? 0) + 8;
  return markup`<div class="scroll diagram" tabindex="0" role="region" aria-label="${title}">
  <div class="names" style="width: ${width}px">
    <span style="width: ${CLOCK}px">clock</span>
    ${lanes.map(
      ({ title: name, process }) =>
        markup`<span style="width: ${LANE}px">${process && markup`<small>${process}</small>`}${name}</span> `,
    )}
  </div>
  <svg class="space-time" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}. The table below has the same lines.">
    <defs>${['request', 'response', 'event', 'faulty'].map(renderHead)}</defs>
    ${rows.map((row) => renderBand(row, width))}
    ${lanes.map((_, lane) => markup`<path class="lane" d="M${xOf(lane)} 0V${height}" />`)}
    ${arrows.map((arrow) => renderArrow(arrow, rows))}
    ${rows.map((row, at) => renderRow(row, rows[at - 1]))}
  </svg>
</div> `;
}

const renderHead = (name: string): Markup =>
  markup`<marker id="head-${name}" class="${name}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8Z" /></marker>`;

const renderBand = ({ moment: { band }, top, bottom }: Placed, width: number): Markup | undefined =>
  band &&
  markup`<rect class="band ${band.is}" x="0" y="${top - 2}" width="${width}" height="${bottom - top + 4}" />`;

const clockOf = (atMs: number): string => `${(atMs / 1_000).toFixed(3)} s`;

function renderRow({ moment, texts, top, base }: Placed, before: Placed | undefined): Markup {
  const { atMs, marks, band, struck } = moment;
  const isNew = before === undefined || clockOf(before.moment.atMs) !== clockOf(atMs);
  return markup`${isNew && markup`<text class="clock" x="${CLOCK}" y="${top + 12}">${clockOf(atMs)}</text>`}${marks.map(
    ({ lane }) => markup`<circle class="mark" cx="${xOf(lane)}" cy="${base}" r="3.5" />`,
  )}${struck.map(
    (lane) => markup`<circle class="struck" cx="${xOf(lane)}" cy="${base}" r="5" />`,
  )}${texts.map(
    ({ x, whole, lines }) =>
      markup`<text class="${band ? band.is : 'said'}" y="${top}"><title>${whole}</title>${lines.map(
        (line, at) => markup`<tspan x="${x}" y="${top + 12 + at * LINE_HEIGHT}">${line}</tspan>`,
      )}</text>`,
  )}
`;
}

function renderArrow(arrow: Arrow, rows: readonly Placed[]): Markup | undefined {
  const [from, to] = [rows[arrow.fromRow], rows[arrow.toRow]];
  if (from === undefined || to === undefined) return undefined;
  const { carries, isLost, isFaulty } = arrow;
  const [x1, y1, x2, y2] = [xOf(arrow.from), from.base, xOf(arrow.to), to.base];
  // A message that is lost ends halfway, with a cross instead of a head.
  const part = isLost ? 0.55 : 1;
  const [x, y] = [x1 + (x2 - x1) * part, y1 + (y2 - y1) * part];
  const end = isLost ? 0 : Math.sign(x2 - x1) * 4;
  const head = isFaulty ? 'faulty' : carries;
  return markup`<path class="message ${carries}${isFaulty && ' faulty'}" d="M${x1} ${y1}L${(x - end).toFixed(1)} ${y.toFixed(1)}"${
    isLost ? '' : markup` marker-end="url(#head-${head})"`
  } />${isLost && markup`<path class="cross" d="M${x - 5} ${y - 5}l10 10m0 -10l-10 10" />`}`;
}
