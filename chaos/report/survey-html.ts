import type { LifecycleSurvey } from '../coverage/lifecycles.ts';
import { type ControllerSurvey, type Matrix, type Survey, holesOf } from '../coverage/survey.ts';
import { type Markup, markup } from './markup.ts';
import { renderScroll } from './table-html.ts';

const percent = (part: number, of: number): string => (of === 0 ? '–' : `${Math.floor((100 * part) / of)} %`);

/** Renders how often commits took the transitions of a lifecycle. */
export function renderLifecycle({ noun, transitions }: LifecycleSurvey): Markup {
  const possible = transitions.filter(({ seen }) => seen !== null);
  const taken = possible.filter(({ seen }) => seen !== 0).length;
  return markup`<details>
    <summary><b>${noun}</b>: ${taken} of ${possible.length} transitions (${percent(taken, possible.length)})</summary>
    ${renderScroll(
      `Transitions of ${noun}`,
      markup`<table>
      <thead>
        <tr>
          <th class="n">taken</th>
          <th>from</th>
          <th>to</th>
          <th>reason</th>
          <th>by</th>
        </tr>
      </thead>
      <tbody>
        ${transitions.map(
          ({ from, to, reason, by, seen }) =>
            markup`<tr${seen === 0 && markup` class="bad"`}><td class="n">${seen ?? '·'}</td><td>${from}</td><td>${to}</td><td>${reason}</td><td>${by}</td></tr>`,
        )}
      </tbody>
    </table>`,
    )}
  </details> `;
}

/** Renders a matrix as a heat map; combinations that are possible but never occurred are red. */
export function renderMatrix(title: string, matrix: Matrix): Markup {
  const { columns, rows } = matrix;
  const applicable = rows.flatMap(({ cells }) => cells.filter((cell) => cell !== null));
  const most = Math.max(1, ...applicable);
  const holes = holesOf(matrix);
  const found = applicable.length - holes.length;
  if (rows.length === 0) return markup`<p>${title}: none applied</p>`;
  return markup`<details>
    <summary>${title}: ${found} of ${applicable.length} (${percent(found, applicable.length)})</summary>
    ${renderScroll(
      title,
      markup`<table class="heat">
        <thead>
          <tr>
            <td></td>
            ${columns.map((column) => markup`<th class="up" scope="col"><span>${column}</span></th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ({ name, cells }) =>
              markup`<tr>
                <th class="row" scope="row">${name}</th>
                ${cells.map((cell) => renderCell(cell, most))}
              </tr> `,
          )}
        </tbody>
      </table>`,
    )}
    ${holes.length > 0 && renderHoles(holes)}
  </details> `;
}

function renderCell(cell: number | null, most: number): Markup {
  if (cell === null) return markup`<td class="none" title="does not apply">·</td>`;
  if (cell === 0) return markup`<td class="hole" title="never occurred">0</td>`;
  // Logarithmic, so that cells with one occurrence remain visible.
  const strength = 0.12 + (0.4 * Math.log1p(cell)) / Math.log1p(most);
  return markup`<td style="background: rgb(var(--heat) / ${strength.toFixed(2)})">${cell}</td>`;
}

const renderHoles = (holes: readonly string[]): Markup =>
  markup`<details>
    <summary>${holes.length} ${holes.length === 1 ? 'hole' : 'holes'}</summary>
    <ul>
      ${holes.map((hole) => markup`<li>${hole}</li>`)}
    </ul>
  </details> `;

/** Renders the coverage of a controller's machine. Uncovered parts are red and always visible. */
function renderController({ controller, states, transitions }: ControllerSurvey): Markup {
  const entered = states.filter(({ seen }) => seen > 0).length;
  const possible = transitions.filter(({ seen }) => seen !== null).length;
  const taken = transitions.filter(({ seen }) => seen !== null && seen > 0).length;
  const missed = states.length + possible - entered - taken;
  return markup`<details>
      <summary>
        <b>${controller}</b>: ${entered} of ${states.length} states, ${taken} of ${possible}
        transitions (${percent(taken, possible)})
      </summary>
      ${renderScroll(
        `Coverage of ${controller}`,
        markup`<div class="side">
        <table>
          <thead>
            <tr>
              <th class="n">entered</th>
              <th>state</th>
            </tr>
          </thead>
          <tbody>
            ${states.map(
              ({ state, seen }) =>
                markup`<tr${seen === 0 && markup` class="bad"`}><td class="n">${seen}</td><td>${state}</td></tr>`,
            )}
          </tbody>
        </table>
        <table>
          <thead>
            <tr>
              <th class="n">taken</th>
              <th>from</th>
              <th>on</th>
              <th>to</th>
            </tr>
          </thead>
          <tbody>
            ${transitions.map(
              ({ from, on, to, seen }) =>
                markup`<tr${seen === 0 && markup` class="bad"`}><td class="n">${seen ?? '·'}</td><td>${from}</td><td>${on}</td><td>${to}</td></tr>`,
            )}
          </tbody>
        </table>
      </div>`,
      )}
    </details>
    ${missed > 0 && renderMissed({ controller, states, transitions })}`;
}

const renderMissed = ({ states, transitions }: ControllerSurvey): Markup =>
  markup`<ul>
    ${states
      .filter(({ seen }) => seen === 0)
      .map(({ state }) => markup`<li class="bad">never in ${state}</li>`)}${transitions
      .filter(({ seen }) => seen === 0)
      .map(({ from, on, to }) => markup`<li class="bad">never ${from} → ${to} on ${on}</li>`)}
  </ul> `;

const WIDTH = 720;
const HEIGHT = 200;
const EDGE = 44;

/** Renders the number of different observations by number of seeds. */
export function renderCurve(curve: Survey['curve']): Markup {
  const last = curve.at(-1);
  if (last === undefined) return markup``;
  const x = (seeds: number): string => (EDGE + ((WIDTH - EDGE - 12) * seeds) / last.seeds).toFixed(1);
  const y = (seen: number): string => (HEIGHT - 24 - ((HEIGHT - 40) * seen) / last.seen).toFixed(1);
  const steps = curve.map(({ seeds, seen }) => `H${x(seeds)}V${y(seen)}`).join('');
  return markup`<svg
    class="curve"
    viewBox="0 0 ${WIDTH} ${HEIGHT}"
    role="img"
    aria-label="${last.seen} different things seen after ${last.seeds} seeds"
  >
    <path class="grid" d="M${EDGE} 16V${HEIGHT - 24}H${WIDTH - 12}" />
    <path class="line" d="M${x(0)} ${y(0)}${steps}" />
    <text x="${EDGE - 6}" y="${y(last.seen)}" text-anchor="end" dominant-baseline="middle">${last.seen}</text>
    <text x="${WIDTH - 12}" y="${HEIGHT - 8}" text-anchor="end">${last.seeds} seeds</text>
  </svg> `;
}

export const renderSurvey = ({
  controllers,
  lifecycles,
  faultsByState,
  faultsByRequest,
  faultsByWatch,
  curve,
}: Survey): Markup =>
  markup`<h2>Coverage</h2>
    <details>
      <summary>States and transitions of ${controllers.length} controllers</summary>
      <div class="inner">${controllers.map(renderController)}</div>
    </details>
    <details>
      <summary>States of objects: transitions that commits took</summary>
      <div class="inner">${lifecycles.map(renderLifecycle)}</div>
    </details>
    ${renderMatrix('Faults by the state whose request they affected', faultsByState)}
    ${renderMatrix('Faults, verbs and resources', faultsByRequest)}
    ${renderMatrix('Faults and watched resources', faultsByWatch)}
    <details>
      <summary>Distinct states, transitions, requests and faults seen</summary>
      ${renderCurve(curve)}
    </details> `;
