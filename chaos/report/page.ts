import type { Tally } from '../run/judge.ts';
import { renderCauses } from './causes-html.ts';
import { renderGlossary } from './glossary-html.ts';
import { Markup, markup } from './markup.ts';
import type { ChaosReport } from './report.ts';
import { renderTold } from './story-html.ts';
import { diagramStyle } from './style-diagram.ts';
import { style } from './style.ts';
import { renderSurvey } from './survey-html.ts';
import { renderScroll } from './table-html.ts';

/** Renders a report as a self-contained HTML document without scripts or network access. */
export const renderReport = (report: ChaosReport): string =>
  `${
    markup`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>${report.verdict}: chaos report</title>
          <style>
            ${new Markup(`${style}${diagramStyle}`)}
          </style>
        </head>
        <body>
          <main>
            ${renderVerdict(report)} ${renderCauses(report)} ${report.told && renderTold(report.told)}
            ${renderFigures(report)} ${renderProperties(report)} ${report.survey && renderSurvey(report.survey)}
            ${renderFaults(report)} ${renderGlossary()}
          </main>
        </body>
      </html>`.text
  }\n`;

const renderFact = ([name, value]: readonly [name: string, value: string]): Markup =>
  markup`<div><span class="soft">${name}</span><b>${value}</b></div>`;

const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ' ');

const MEANING: Readonly<Record<ChaosReport['verdict'], string>> = {
  PASS: 'No invariant was violated, and the premise of each occurred.',
  FAIL: 'An invariant was violated.',
  VACUOUS: 'No invariant was violated, but the premise of some never occurred.',
  UNKNOWN: 'A run did not finish within its step limit.',
};

function renderVerdict({ verdict, seeds, passed, made }: ChaosReport): Markup {
  return markup`<h1><span class="verdict ${verdict}">${verdict}</span>Chaos report</h1>
    <p>${MEANING[verdict]} ${grouped(passed)} of ${grouped(seeds)} seeds passed.</p>
    ${
      made &&
      markup`<p class="soft">${made.program}, <time datetime="${new Date(made.atMs).toISOString()}">${new Date(made.atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC</time></p>`
    }`;
}

function renderFigures(report: ChaosReport): Markup {
  const { seeds, passed, hours, steps, commits, seconds, platform, command, hash } = report;
  const facts = [
    ['seeds', grouped(seeds)],
    ['passed', grouped(passed)],
    ['virtual hours', grouped(Math.round(hours))],
    ['steps', grouped(steps)],
    ['commits', grouped(commits)],
    ['wall time', `${seconds.toFixed(1)} s`],
    ['Node', platform.node],
    ['ICU', platform.icu],
    ['tzdata', platform.tzdata],
  ] as const;
  return markup`<h2>Campaign</h2>
    <div class="facts">${facts.map(renderFact)}</div>
    <p>To repeat it: <code>${command}</code></p>
    <p class="soft">Hash of all runs: <code>${hash}</code></p> `;
}

function renderProperties({ invariants }: ChaosReport): Markup {
  const broken = invariants.filter((each) => each.broken > 0).length;
  const missed = invariants.filter(({ reached }) => reached === 0).length;
  const title = `${invariants.length} invariants, ${broken} broken, ${missed} not tested`;
  return markup`<h2>Invariants</h2>
    <details>
      <summary>${title}</summary>
      ${renderScroll(
        title,
        markup`<table>
          <thead>
            <tr>
              <th>invariant</th>
              <th>what holds</th>
              <th class="n">checked</th>
              <th class="n">reached</th>
              <th class="n">broken</th>
            </tr>
          </thead>
          <tbody>
            ${invariants.toSorted((a, b) => b.broken - a.broken).map(renderProperty)}
          </tbody>
        </table>`,
      )}
    </details> `;
}

const renderProperty = ({ id, says, checked, reached, broken }: Tally): Markup =>
  markup`<tr>
    <td>${id}</td>
    <td>${says}</td>
    ${count(checked, false)}${count(reached, reached === 0)}${count(broken, broken > 0)}
  </tr> `;

const count = (value: number, bad: boolean): Markup =>
  markup`<td class="n${bad && ' bad'}">${grouped(value)}</td>`;

function renderFaults({ faults }: ChaosReport): Markup {
  const missed = faults.filter(({ struck }) => struck === 0).length;
  const title = `${faults.length} kinds of faults, ${missed} never injected`;
  return markup`<h2>Faults</h2>
    <details>
      <summary>${title}</summary>
      ${renderScroll(
        title,
        markup`<table>
          <thead>
            <tr>
              <th>fault</th>
              <th class="n">injected</th>
              <th class="n">kinds of places</th>
            </tr>
          </thead>
          <tbody>
            ${faults.map(
              ({ name, struck, places }) =>
                markup`<tr>
                  <td>${name}</td>
                  ${count(struck, struck === 0)}
                  <td class="n">${places}</td>
                </tr> `,
            )}
          </tbody>
        </table>`,
      )}
    </details> `;
}
