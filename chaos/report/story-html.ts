import type { StoryLine } from '../run/story-line.ts';
import { type Markup, markup } from './markup.ts';
import { renderSpaceTime } from './space-time-svg.ts';
import { spaceTimeOf, withoutActor } from './space-time.ts';
import { renderScroll } from './table-html.ts';
import { describeLeft, describeOmitted } from './terminal.ts';
import type { ToldFailure } from './report.ts';

/** All lines of one step, by lane. */
export interface LaneRow {
  readonly step: number;
  readonly atMs: number;
  readonly fault: boolean;
  /** Cells with the lines of each lane, in the order of the lanes. */
  readonly cells: readonly (readonly string[])[];
}

/** A story as a table. Each actor has a column, and time runs downwards. */
export interface Lanes {
  readonly lanes: readonly string[];
  readonly rows: readonly LaneRow[];
}

const USER = 'user';
const STORE = 'API server';
const QUEUE = 'queue';
const FAULT = 'fault';

/**
 * Returns the lane of each part of a line. A change is shown in the lane of its author, its revision in that
 * of the API server.
 */
function cellsOf({
  lane,
  process,
  text,
  by,
  revision,
}: StoryLine): readonly (readonly [lane: string, text: string])[] {
  if (lane !== 'store') return [[lane, process === undefined ? text : `${process}: ${text}`]];
  const said: readonly [string, string] = [STORE, revision === undefined ? 'gone' : `revision ${revision}`];
  return by === undefined ? [[STORE, text]] : [[by, withoutActor(text, by)], said];
}

export function lanesOf(lines: readonly StoryLine[]): Lanes {
  const all = lines.map((line) => ({ line, cells: cellsOf(line) }));
  const used = new Set(all.flatMap(({ cells }) => cells.map(([lane]) => lane)));
  const fixed = [FAULT, USER, STORE, QUEUE].filter((lane) => used.has(lane));
  const lanes = [...fixed, ...[...used].filter((lane) => !fixed.includes(lane))];
  const rows: { step: number; atMs: number; fault: boolean; cells: string[][] }[] = [];
  for (const { line, cells } of all) {
    let row = rows.at(-1);
    if (row === undefined || row.step !== line.step) {
      row = { step: line.step, atMs: line.atMs, fault: false, cells: lanes.map(() => []) };
      rows.push(row);
    }
    row.fault ||= line.lane === FAULT;
    for (const [lane, text] of cells) row.cells[lanes.indexOf(lane)]?.push(text);
  }
  return { lanes, rows };
}

const clockOf = (atMs: number): string => `${(atMs / 1_000).toFixed(3)} s`;

const renderRow = ({ step, atMs, fault, cells }: LaneRow, broke: boolean): Markup =>
  markup`<tr${(broke || fault) && markup` class="${broke ? 'broke' : 'fault'}"`}><td class="at">${step}</td><td class="at">${clockOf(atMs)}</td>${cells.map(
    (texts) => markup`<td>${texts.map((text) => markup`<div class="pill">${text}</div>`)}</td>`,
  )}</tr>
`;

/** Renders the story of a failed run, from its first action to the violation. */
export function renderTold({ seed, story }: ToldFailure): Markup {
  const { failure, beliefs, wrongIndexes, lines, omitted, left, minimal } = story;
  const title = `${minimal ? 'Minimal trace' : 'Trace'} of seed ${seed}`;
  return markup`<h2>${title}</h2>
    ${
      failure &&
      markup`<p><b>${failure.id}</b> is broken at step ${failure.step}: ${failure.broken}</p>
        <p class="soft">The invariant: ${failure.says}</p>`
    }
    ${renderKey()} ${renderSpaceTime(spaceTimeOf(lines, failure), title)}
    ${omitted > 0 && markup`<p class="soft">${describeOmitted(omitted)}</p>`} ${renderLanes(story)}
    ${
      wrongIndexes.length > 0 &&
      markup`<h3>Wrong indexes</h3>
        <ul>
          ${wrongIndexes.map((each) => markup`<li>${each}</li>`)}
        </ul> `
    }
    ${beliefs.length > 0 && renderBeliefs(beliefs)}
    ${
      left.length > 0 &&
      markup`<h3>${describeLeft(minimal)}</h3>
        <ol>
          ${left.map((each) => markup`<li>${each}</li>`)}
        </ol> `
    }`;
}

/** Renders the meaning of lines and colours in the diagram. */
const renderKey = (): Markup => {
  const line = (names: string, text: string): Markup =>
    markup`<li><svg class="space-time" aria-hidden="true" viewBox="0 0 34 12"><path class="message ${names}" d="M0 6H34" /></svg>${text}</li> `;
  return markup`<ul class="key">
    ${line('request', 'request')} ${line('event', 'event of a watch')} ${line('faulty', 'message that a fault affects')}
    <li><svg class="space-time" aria-hidden="true" viewBox="0 0 34 12"><path class="cross" d="M12 1l10 10m0 -10l-10 10" /></svg>never arrives</li>
    <li><span class="box fault"></span>fault</li>
    <li><span class="box violation"></span>violation</li>
    <li>Time runs downwards; distances do not show durations.</li>
  </ul> `;
};

/** Renders the lines as a table, with a column for each actor. */
function renderLanes({ lines, failure }: ToldFailure['story']): Markup {
  const { lanes, rows } = lanesOf(lines);
  const brokeAt = rows.findLast(({ step }) => step <= (failure?.step ?? -1));
  return markup`<details>
    <summary>The same as a table</summary>
    ${renderScroll(
      'Trace as a table',
      markup`<table class="lanes">
        <thead>
          <tr>
            <th>step</th>
            <th>clock</th>
            ${lanes.map((lane) => markup`<th>${lane === FAULT ? '⚡ fault' : lane}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map((row) => renderRow(row, row === brokeAt))}
        </tbody>
      </table>`,
    )}
  </details> `;
}

const renderBeliefs = (beliefs: ToldFailure['story']['beliefs']): Markup =>
  markup`<h3>What was believed, and what was true</h3>
    ${renderScroll(
      'Beliefs',
      markup`<table>
        <thead>
          <tr>
            <th>process</th>
            <th>about</th>
            <th>believed</th>
            <th>true</th>
          </tr>
        </thead>
        <tbody>
          ${beliefs.map(
            (belief) =>
              markup`<tr>
                <td>${belief.process}</td>
                <td>${belief.object}</td>
                <td>${belief.believed}</td>
                <td>${belief.true}</td>
              </tr>`,
          )}
        </tbody>
      </table>`,
    )}`;
