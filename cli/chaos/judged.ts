import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { vocabularyOf } from '../../api/vocabulary/index.ts';
import type { Environment } from '../../base/environment.ts';
import { silentLogger } from '../../base/log/index.ts';
import { type WireReport, type WireVerdict, describeWireReport, storyOf } from '../../chaos/judge/index.ts';
import { type FaultPlan, readyPlanNames } from '../../chaos/plan/index.ts';
import { writeWhole } from '../files/files.ts';
import { UsageError } from '../flags/flags.ts';
import { createRunServers } from './judged-server.ts';
import { minimizePlan } from './judged-shrink.ts';
import { type Command, type JudgedFlags, type JudgedPlan, type Trial, createTrial } from './judged-trial.ts';
import { readPlan } from './plan.ts';
import { writeWireReport } from './report.ts';

const isOwnServer = ({ kubeconfig }: JudgedFlags): boolean => kubeconfig === '';

const exitCodes: Readonly<Record<WireVerdict, number>> = { PASS: 0, FAIL: 1, UNKNOWN: 2 };

/**
 * Runs `orch chaos proxy --run`: runs the command behind the proxy with each plan, and judges its requests.
 * Resolves with the exit code: 0 PASS, 1 FAIL, 2 UNKNOWN.
 */
export async function judgeCommand(
  flags: JudgedFlags,
  command: Command,
  given: Environment,
): Promise<number> {
  const plans = await plansOf(flags);
  const folder = await mkdtemp(join(tmpdir(), 'chaos-judge-'));
  // Requests are expected to fail, so nothing is logged.
  const environment = { ...given, log: silentLogger };
  const { clock } = environment;
  const servers = isOwnServer(flags)
    ? createRunServers(vocabularyOf(flags.vocabulary), clock, folder)
    : undefined;
  // An interrupted run must leave no server, and no directory with an administrator's keys.
  const removeAtExit = (): void => {
    servers?.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', removeAtExit);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  const startMs = clock.monotonic();
  try {
    const trial = await createTrial(flags, command, environment, folder, servers);
    const { failed, runs } = await search(trial, plans, servers !== undefined);
    const report = await reportOf(trial, failed, runs, flags, command);
    const whole = { ...report, seconds: (clock.monotonic() - startMs) / 1_000 };
    if (flags.report !== '') await writeWireReport(flags.report, whole);
    if (flags.minimal !== '' && whole.minimalPlan !== '') await writeWhole(flags.minimal, whole.minimalPlan);
    process.stdout.write(describeWireReport(whole));
    return exitCodes[whole.verdict];
  } finally {
    await servers?.stop();
    await rm(folder, { recursive: true, force: true });
    process.off('exit', removeAtExit);
  }
}

async function plansOf(flags: JudgedFlags): Promise<readonly (readonly [name: string, plan: FaultPlan])[]> {
  if (flags.target !== '')
    throw new UsageError(
      '--run takes no --target: expected --kubeconfig, or --manifests for a new API server',
    );
  if (isOwnServer(flags) && flags.manifests === '')
    throw new UsageError('--run needs --manifests for a new API server, or --kubeconfig');
  if (!flags.search) return flags.plan === '' ? [] : [[flags.plan, await readPlan(flags.plan)]];
  if (flags.plan !== '') throw new UsageError('--search and --plan exclude each other');
  if (!isOwnServer(flags)) throw new UsageError('--search needs a new API server: expected no --kubeconfig');
  return Promise.all(readyPlanNames().map(async (name) => [name, await readPlan(name)] as const));
}

/**
 * Runs the plans in order until one fails. If all runs start with the same state, the first run has no
 * faults.
 */
async function search(
  trial: Trial,
  plans: readonly (readonly [name: string, plan: FaultPlan])[],
  hasCalm: boolean,
): Promise<{ readonly failed: JudgedPlan | undefined; readonly runs: JudgedPlan[] }> {
  const runs: JudgedPlan[] = [];
  if (hasCalm || plans.length === 0) {
    const calm = await trial.play('without faults', undefined);
    runs.push(calm);
    if (calm.summary.verdict !== 'PASS')
      return { failed: calm.summary.verdict === 'FAIL' ? calm : undefined, runs };
    trial.calm = calm;
  }
  for (const [name, plan] of plans) {
    if (runs.length > 1 && !trial.goesOn()) break;
    const played = await trial.play(name, plan);
    runs.push(played);
    if (played.summary.verdict === 'FAIL') return { failed: played, runs };
  }
  return { failed: undefined, runs };
}

async function reportOf(
  trial: Trial,
  failed: JudgedPlan | undefined,
  runs: JudgedPlan[],
  flags: JudgedFlags,
  command: Command,
): Promise<Omit<WireReport, 'seconds'>> {
  const canShrink = flags.shrink && isOwnServer(flags) && failed?.plan !== undefined;
  const smallest = canShrink
    ? await minimizePlan(failed, trial, runs)
    : { failed, rules: undefined, isMinimal: false };
  const last = smallest.failed ?? runs.at(-1);
  const findings = last?.judged.findings ?? [];
  const [first] = findings;
  const { verdict, reason } = verdictOf(failed, runs);
  return {
    version: 1,
    verdict,
    reason,
    command: command.join(' '),
    runs: runs.map(({ summary }) => summary),
    tallies: failed === undefined || last === undefined ? sumOf(runs) : last.judged.tallies,
    findings,
    minimalPlan:
      smallest.rules === undefined
        ? ''
        : stringify({ rules: smallest.rules }, { aliasDuplicateObjects: false }),
    isMinimal: smallest.isMinimal,
    story: first === undefined || last === undefined ? [] : storyOf(last.run.history, first),
  };
}

function verdictOf(
  failed: JudgedPlan | undefined,
  runs: readonly JudgedPlan[],
): { readonly verdict: WireVerdict; readonly reason: string } {
  if (failed !== undefined) return { verdict: 'FAIL', reason: '' };
  const faulted = runs.filter(({ plan }) => plan !== undefined);
  const judged = faulted.length === 0 ? runs : faulted;
  // A search passes if some plans injected no fault, but not if a run was aborted.
  const unknown =
    judged.find(({ run }) => run.unknown !== undefined) ??
    (judged.every(({ summary }) => summary.verdict === 'UNKNOWN') ? judged[0] : undefined);
  return unknown === undefined
    ? { verdict: 'PASS', reason: '' }
    : { verdict: 'UNKNOWN', reason: `${unknown.name}: ${unknown.summary.reason}` };
}

/** Returns the sums of the tallies of all runs. */
const sumOf = (runs: readonly JudgedPlan[]): WireReport['tallies'] =>
  (runs[0]?.judged.tallies ?? []).map((tally, i) => ({
    ...tally,
    reached: runs.reduce((sum, { judged }) => sum + (judged.tallies[i]?.reached ?? 0), 0),
    broken: runs.reduce((sum, { judged }) => sum + (judged.tallies[i]?.broken ?? 0), 0),
  }));
