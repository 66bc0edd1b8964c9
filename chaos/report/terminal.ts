import type { CampaignReport } from '../run/campaign.ts';
import { type EndingOptions, describeEnding } from './campaign-text.ts';
import type { Story } from '../run/story.ts';
import type { StoryLine } from '../run/story-line.ts';

const pad = (text: string | number, width: number): string => String(text).padStart(width);

/**
 * Formats a campaign for the terminal, with the verdict in the last lines; `seconds` is its wall time.
 */
export function describeCampaign(
  report: CampaignReport,
  seconds: number,
  options: EndingOptions = {},
): string {
  const { seeds, hours, steps, commits, hash } = report;
  const perMinute = seconds > 0 ? Math.round((seeds / seconds) * 60) : seeds;
  const summary = `${seeds} seeds, ${Math.round(hours)} virtual hours, ${steps} steps, ${commits} commits in ${seconds.toFixed(1)} s (${perMinute} seeds a minute), hash ${hash}`;
  return `${describeChecks(report)}\n${describeEnding(report, summary, options)}`;
}

/** Formats a run of real processes for the terminal. */
export function describeLive(report: CampaignReport, seconds: number, options: EndingOptions = {}): string {
  const summary = `${report.steps} steps, ${report.commits} commits in ${seconds.toFixed(1)} s`;
  return `${describeChecks(report)}\n${describeEnding(report, summary, options)}`;
}

/** Formats invariants and faults. */
function describeChecks({ invariants, faults, refused }: CampaignReport): string {
  const missed = faults.filter(({ struck }) => struck === 0).map(({ name }) => name);
  return [
    `${pad('checked', 9)} ${pad('reached', 8)} ${pad('broken', 7)}  invariant`,
    ...invariants.map(
      ({ id, says, checked, reached, broken }) =>
        `${pad(checked, 9)} ${pad(reached, 8)} ${pad(broken, 7)}  ${id}${reached === 0 ? ' (vacuous)' : ''}: ${says}`,
    ),
    '',
    `${pad('injected', 9)} ${pad('places', 8)}  fault`,
    ...faults.map(({ name, struck, places }) => `${pad(struck, 9)} ${pad(places, 8)}  ${name}`),
    ...(missed.length === 0 ? [] : ['', `never injected: ${missed.join(', ')}`]),
    ...(refused
      ? [
          '',
          `refused: ${refused.actions} ${refused.actions === 1 ? 'action' : 'actions'} of users, the first in seed ${refused.seed}: ${refused.reason}`,
        ]
      : []),
    '',
  ].join('\n');
}

const lineOf = ({ atMs, lane, process, text }: StoryLine): string =>
  `${pad((atMs / 1_000).toFixed(3), 10)} s  ${lane.padEnd(20)} ${process === undefined ? '' : `${process}: `}${text}`;

/** Joins the consecutive states of one reconcile at one moment into one line. */
export function inCourses(lines: readonly StoryLine[]): readonly StoryLine[] {
  const joined: StoryLine[] = [];
  for (const line of lines) {
    const { course, atMs } = line;
    const last = joined.at(-1);
    const goesOn = course && last?.course?.reconcile === course.reconcile && last.atMs === atMs;
    if (goesOn) joined[joined.length - 1] = { ...last, text: `${last.text} → ${course.said}` };
    else joined.push(line);
  }
  return joined;
}

/** Returns the heading above the remaining parts of a shrunk trace. */
export const describeLeft = (minimal: boolean): string =>
  minimal
    ? 'without any one of these it passes'
    : 'the smallest found within the time limit; some of these may not be needed';

/** States that a story omits lines about its objects. */
export const describeOmitted = (omitted: number): string =>
  `(${omitted} more ${omitted === 1 ? 'change or reconcile' : 'changes and reconciles'} of these objects omitted; the journal of a shrunk trace has all)`;

/** Formats the story of one run for the terminal. */
export function describeStory(story: Story): string {
  const { verdict, failure, beliefs, wrongIndexes, lines, omitted, left, minimal } = story;
  const broke =
    failure === undefined
      ? []
      : [
          '',
          `${failure.id} is broken at step ${failure.step}: ${failure.broken}`,
          `  the invariant: ${failure.says}`,
        ];
  const believed = beliefs.flatMap(({ process, object, believed: held, true: actual }) => [
    `  ${process} about ${object}`,
    `      believed  ${held}`,
    `      true      ${actual}`,
  ]);
  return [
    `${verdict}  ${story.steps} steps, hash ${story.hash}`,
    '',
    ...(omitted === 0 ? [] : [describeOmitted(omitted)]),
    ...inCourses(lines.filter(({ lane }) => lane !== 'queue')).map(lineOf),
    ...broke,
    ...(wrongIndexes.length === 0 ? [] : ['', 'wrong indexes:', ...wrongIndexes.map((each) => `  ${each}`)]),
    ...(believed.length === 0 ? [] : ['', 'what was believed, and what was true:', ...believed]),
    ...(left.length === 0 ? [] : ['', `${describeLeft(minimal)}:`, ...left.map((each) => `  ${each}`)]),
    '',
  ].join('\n');
}
