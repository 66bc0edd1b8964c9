import type { Tally } from '../run/judge.ts';
import { Markup, markup } from './markup.ts';
import type { ChaosReport, SmallestFailure } from './report.ts';
import { renderTold } from './story-html.ts';
import { style } from './style.ts';
import { renderSurvey } from './survey-html.ts';

/** Renders a report as a self-contained HTML document without scripts or network access. */
export const renderReport = (report: ChaosReport): string =>
  `${
    markup`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width" />
          <title>${report.verdict}: chaos report</title>
          <style>
            ${new Markup(style)}
          </style>
        </head>
        <body>
          ${renderVerdict(report)} ${report.told && renderTold(report.told)} ${renderProperties(report)}
          ${renderFailures(report)} ${report.survey && renderSurvey(report.survey)} ${renderFaults(report)}
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

function renderVerdict(report: ChaosReport): Markup {
  const { verdict, seeds, passed, hours, steps, commits, seconds, platform, command, hash } = report;
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
  return markup`<h1><span class="verdict ${verdict}">${verdict}</span>Chaos report</h1>
    <p>${MEANING[verdict]}</p>
    <div class="facts">${facts.map(renderFact)}</div>
    <p>To repeat it: <code>${command}</code></p>
    <p class="soft">Hash of all runs: <code>${hash}</code></p> `;
}

function renderProperties({ invariants, smallest }: ChaosReport): Markup {
  const failures = new Map(smallest.map((each) => [each.invariant, each]));
  return markup`<h2>Properties</h2>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>invariant</th>
            <th>what holds</th>
            <th class="n">checked</th>
            <th class="n">reached</th>
            <th class="n">broken</th>
            <th>shortest run</th>
          </tr>
        </thead>
        <tbody>
          ${invariants.map((tally) => renderProperty(tally, failures.get(tally.id)))}
        </tbody>
      </table>
    </div> `;
}

const count = (value: number, bad: boolean): Markup =>
  markup`<td class="n${bad && ' bad'}">${grouped(value)}</td>`;

const renderProperty = (
  { id, says, checked, reached, broken }: Tally,
  failure: SmallestFailure | undefined,
): Markup =>
  markup`<tr>
    <td>${id}</td>
    <td>${says}</td>
    ${count(checked, false)}${count(reached, reached === 0)}${count(broken, broken > 0)}
    <td>${failure && markup`${failure.step} steps, <code>${failure.command}</code>`}</td>
  </tr> `;

function renderFailures({ failures, unknown }: ChaosReport): Markup | false {
  if (failures.length + unknown.length === 0) return false;
  return markup`<h2>Seeds that did not pass</h2>
    <ul>
      ${failures.map(
        ({ seed, failure }) =>
          markup`<li>seed ${seed} breaks ${failure?.id} at step ${failure?.step}: ${failure?.broken}</li> `,
      )}${unknown.map(({ seed, reason }) => markup`<li>seed ${seed} did not finish: ${reason}</li> `)}
    </ul> `;
}

const renderFaults = ({ faults }: ChaosReport): Markup =>
  markup`<h2>Faults</h2>
    <table>
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
    </table> `;
