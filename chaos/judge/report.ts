import { Markup, markup } from '../report/markup.ts';
import type { Check } from '../report/checks.ts';
import { style } from '../report/style.ts';
import type { RuleTally } from './judge.ts';
import type { Finding } from './rule.ts';
import type { WireStoryLine } from './story.ts';

/** Verdict on one run, or on all runs of a command. */
export type WireVerdict = 'PASS' | 'FAIL' | 'UNKNOWN';

/** Summary of one run of the command under one plan. */
export interface WireRunSummary {
  /** Name of a ready plan, a file, or `without faults`. */
  readonly plan: string;
  readonly verdict: WireVerdict;
  /** Number of injected faults. */
  readonly injected: number;
  readonly requests: number;
  readonly findings: number;
  /** Reason of the verdict `UNKNOWN`, or else ''. */
  readonly reason: string;
  readonly seconds: number;
}

/** Result of all runs of a command. This is the JSON that `--report FILE.json` writes. */
export interface WireReport {
  readonly version: 1;
  readonly verdict: WireVerdict;
  /** Reason of the verdict `UNKNOWN`, or else ''. */
  readonly reason: string;
  readonly command: string;
  readonly seconds: number;
  readonly runs: readonly WireRunSummary[];
  readonly tallies: readonly RuleTally[];
  /** Violations of the run that failed. */
  readonly findings: readonly Finding[];
  /** Source of the smallest plan that fails. Empty if the failure needs no plan, or if no run failed. */
  readonly minimalPlan: string;
  /** True if every rule of the minimal plan is necessary for the failure. */
  readonly isMinimal: boolean;
  /** Story of the first violation. */
  readonly story: readonly WireStoryLine[];
}

/** Returns a check for each rule and for each run without a verdict. */
export const wireChecks = ({ tallies, findings, runs }: WireReport): readonly Check[] => [
  ...tallies.map(({ id, says, reached, broken }): Check => {
    const found = findings.find(({ rule }) => rule === id);
    return {
      group: 'rules',
      name: id,
      says,
      outcome: broken > 0 ? 'failed' : reached === 0 ? 'untested' : 'passed',
      ...(found && { message: found.text }),
    };
  }),
  ...runs
    .filter(({ verdict }) => verdict === 'UNKNOWN')
    .map(({ plan, reason }): Check => ({
      group: 'runs',
      name: plan,
      says: 'the run shows something',
      outcome: 'unknown',
      message: reason,
    })),
];

const clockOf = (atMs: number): string => `${(atMs / 1_000).toFixed(3)} s`;
const MEANING: Readonly<Record<WireVerdict, string>> = {
  PASS: 'No rule was broken in any run.',
  FAIL: 'A rule was broken.',
  UNKNOWN: 'The runs do not show whether the rules hold.',
};

/** Formats a report for the terminal. */
export function describeWireReport(report: WireReport): string {
  const { verdict, reason, runs, findings, story, minimalPlan, isMinimal, seconds, tallies } = report;
  const lines = [
    `${verdict}  ${runs.length} ${runs.length === 1 ? 'run' : 'runs'} in ${seconds.toFixed(1)} s${reason === '' ? '' : `: ${reason}`}`,
    '',
    ...tallies.map(
      ({ id, says, reached, broken }) =>
        `${String(reached).padStart(6)} reached ${String(broken).padStart(3)} broken  ${id}: ${says}`,
    ),
    ...(findings.length === 0
      ? []
      : ['', 'violations:', ...findings.map(({ rule, text }) => `  ${rule}: ${text}`)]),
    ...(story.length === 0 ? [] : ['', 'what happened:', ...story.map(lineOf)]),
    ...(minimalPlan === ''
      ? []
      : [
          '',
          isMinimal ? 'smallest plan that fails:' : 'plan that fails:',
          ...minimalPlan
            .trim()
            .split('\n')
            .map((each) => `  ${each}`),
        ]),
    '',
  ];
  return lines.join('\n');
}

const lineOf = ({ atMs, lane, text, isEvidence }: WireStoryLine): string =>
  `${clockOf(atMs).padStart(11)} ${isEvidence ? '>' : ' '} ${lane.padEnd(11)} ${text}`;

/** Renders a report as a self-contained HTML document without scripts or network access. */
export const renderWireReport = (report: WireReport): string =>
  `${
    markup`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width" />
          <title>${report.verdict}: ${report.command}</title>
          <style>
            ${new Markup(style)}
          </style>
        </head>
        <body>
          <h1><span class="verdict ${report.verdict}">${report.verdict}</span>Chaos report</h1>
          <p>${MEANING[report.verdict]} ${report.reason}</p>
          <p>Command: <code>${report.command}</code></p>
          ${renderFindings(report)} ${renderStory(report)} ${renderPlan(report)} ${renderRules(report)} ${renderRuns(report)}
        </body>
      </html>`.text
  }\n`;

const renderFindings = ({ findings }: WireReport): Markup | false =>
  findings.length > 0 &&
  markup`<h2>Violations</h2>
    <ul>
      ${findings.map(({ rule, text }) => markup`<li><b>${rule}</b>: ${text}</li> `)}
    </ul> `;

const LANES = ['fault', 'user', 'API server', 'controller'] as const;

const renderStory = ({ story }: WireReport): Markup | false =>
  story.length > 0 &&
  markup`<h2>What happened</h2>
    <div class="scroll">
      <table class="lanes">
        <thead>
          <tr>
            <th>clock</th>
            ${LANES.map((lane) => markup`<th>${lane === 'fault' ? '⚡ fault' : lane}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${story.map(
            ({ atMs, lane, text, isEvidence }) =>
              markup`<tr class="${isEvidence ? 'broke' : lane === 'fault' ? 'fault' : ''}">
                <td class="at">${clockOf(atMs)}</td>
                ${LANES.map((each) => markup`<td>${each === lane && markup`<div class="pill">${text}</div>`}</td>`)}
              </tr> `,
          )}
        </tbody>
      </table>
    </div> `;

const renderPlan = ({ minimalPlan, isMinimal }: WireReport): Markup | false =>
  minimalPlan !== '' &&
  markup`<h2>${isMinimal ? 'Smallest plan that fails' : 'Plan that fails'}</h2>
    <p>For <code>orch chaos proxy --plan FILE</code>:</p>
    <pre><code>${minimalPlan}</code></pre> `;

const renderRules = ({ tallies }: WireReport): Markup =>
  markup`<h2>Rules</h2>
    <table>
      <thead>
        <tr>
          <th>rule</th>
          <th>what holds</th>
          <th class="n">reached</th>
          <th class="n">broken</th>
        </tr>
      </thead>
      <tbody>
        ${tallies.map(
          ({ id, says, reached, broken }) =>
            markup`<tr>
              <td>${id}</td>
              <td>${says}</td>
              <td class="n">${reached}</td>
              <td class="n${broken > 0 && ' bad'}">${broken}</td>
            </tr> `,
        )}
      </tbody>
    </table> `;

const renderRuns = ({ runs }: WireReport): Markup =>
  markup`<h2>Runs</h2>
    <table>
      <thead>
        <tr>
          <th>plan</th>
          <th>verdict</th>
          <th class="n">faults</th>
          <th class="n">requests</th>
          <th class="n">violations</th>
          <th class="n">seconds</th>
          <th>reason</th>
        </tr>
      </thead>
      <tbody>
        ${runs.map(
          ({ plan, verdict, injected, requests, findings, seconds, reason }) =>
            markup`<tr>
              <td>${plan}</td>
              <td>${verdict}</td>
              <td class="n">${injected}</td>
              <td class="n">${requests}</td>
              <td class="n${findings > 0 && ' bad'}">${findings}</td>
              <td class="n">${seconds.toFixed(1)}</td>
              <td>${reason}</td>
            </tr> `,
        )}
      </tbody>
    </table> `;
