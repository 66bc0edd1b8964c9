import { writeFile } from 'node:fs/promises';
import { createSystemClock } from '../../base/clock/index.ts';
import {
  type ChaosReport,
  type Check,
  checksOf,
  renderJunit,
  renderReport,
  renderSarif,
} from '../../chaos/report/index.ts';
import { type WireReport, renderWireReport, wireChecks } from '../../chaos/judge/index.ts';
import type { CampaignVerdict } from '../../chaos/run/index.ts';
import { versionLine } from '../program/version.ts';

export const exitCodes: Readonly<Record<CampaignVerdict, number>> = {
  PASS: 0,
  FAIL: 1,
  UNKNOWN: 2,
  VACUOUS: 3,
};

/** True for a terminal, unless the user set NO_COLOR (https://no-color.org) or has a dumb terminal. */
export const showsColour = (
  { isTTY }: { readonly isTTY?: boolean },
  { NO_COLOR = '', TERM = '' }: { readonly [name: string]: string | undefined } = process.env,
): boolean => isTTY === true && NO_COLOR === '' && TERM !== 'dumb';

/** Returns the program with its version, and the time. */
export const madeNow = (): NonNullable<ChaosReport['made']> => ({
  program: versionLine('orch').trim(),
  atMs: createSystemClock().now(),
});

export function platform(): ChaosReport['platform'] {
  const { node, icu = '', tz = '' } = process.versions;
  return { node, icu, tzdata: tz };
}

/** Renders JUnit or SARIF, depending on the file extension. Returns undefined for any other extension. */
function renderChecks(path: string, name: string, checks: readonly Check[]): string | undefined {
  if (path.endsWith('.xml')) return renderJunit(name, checks);
  return path.endsWith('.sarif') ? renderSarif(checks) : undefined;
}

/**
 * Writes a campaign as JSON, JUnit or SARIF, depending on the file extension, and otherwise as one HTML page.
 */
export async function writeReport(path: string, report: ChaosReport): Promise<void> {
  const text = path.endsWith('.json')
    ? `${JSON.stringify(report, null, 2)}\n`
    : (renderChecks(path, report.command, checksOf(report)) ?? renderReport(report));
  await writeFile(path, text);
}

/** Writes the report of a judged command, in the formats of `writeReport`. */
export async function writeWireReport(path: string, report: WireReport): Promise<void> {
  const text = path.endsWith('.json')
    ? `${JSON.stringify(report, null, 2)}\n`
    : (renderChecks(path, report.command, wireChecks(report)) ?? renderWireReport(report));
  await writeFile(path, text);
}

/** Writes checks as JUnit or SARIF, depending on the file extension, and otherwise as JSON. */
export async function writeChecks(path: string, name: string, checks: readonly Check[]): Promise<void> {
  await writeFile(path, renderChecks(path, name, checks) ?? `${JSON.stringify(checks, null, 2)}\n`);
}

/** Returns the command line that repeats a run, without the flags in `dropped`. */
export function commandOf(command: string, argv: readonly string[], dropped: readonly string[]): string {
  const isDropped = (arg = ''): boolean =>
    dropped.some((name) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  const kept = argv.filter((arg, at) => {
    const before = argv[at - 1] ?? '';
    return !isDropped(arg) && !(isDropped(before) && !before.includes('=') && !arg.startsWith('--'));
  });
  return [command, ...kept].join(' ');
}
