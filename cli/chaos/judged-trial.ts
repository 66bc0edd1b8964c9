import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { vocabularyOf } from '../../api/vocabulary/index.ts';
import type { Environment } from '../../base/environment.ts';
import {
  type JudgedHistory,
  type WireRule,
  type WireRunSummary,
  judgeHistory,
  parseUserRules,
  wireRules,
} from '../../chaos/judge/index.ts';
import type { FaultPlan } from '../../chaos/plan/index.ts';
import { type ClientConfig, loadKubeconfig } from '../../runtime/client/index.ts';
import { readParsed, readRequired } from '../files/files.ts';
import type { FlagValues } from '../flags/flags.ts';
import { skewedEnvironment } from './judged-clock.ts';
import { type JudgedRun, runJudged } from './judged-run.ts';
import type { RunServers } from './judged-server.ts';
import { readWorkload } from './judged-workload.ts';
import type { chaosProxyFlags } from './proxy-flags.ts';

/** Flags of `orch chaos proxy`. */
export type JudgedFlags = FlagValues<typeof chaosProxyFlags>;

/** Program and arguments of the command under test. */
export type Command = readonly [program: string, ...argv: readonly string[]];

/** Plan of a run with the verdict of the run. */
export interface JudgedPlan {
  readonly name: string;
  readonly plan: FaultPlan | undefined;
  readonly run: JudgedRun;
  readonly judged: JudgedHistory;
  readonly summary: WireRunSummary;
}

/** State that the runs of one command share. */
export interface Trial {
  readonly rules: readonly WireRule[];
  /**
   * The run without faults. Undefined if the user provides the API server, because runs then start with
   * different states.
   */
  calm: JudgedPlan | undefined;
  /** Runs the command once with a plan. */
  play(name: string, plan: FaultPlan | undefined): Promise<JudgedPlan>;
  /** True while `--within` permits a further run. */
  goesOn(): boolean;
}

/** Creates the state of the runs. `servers` is undefined if `--kubeconfig` names the API server. */
export async function createTrial(
  flags: JudgedFlags,
  command: Command,
  environment: Environment,
  folder: string,
  servers: RunServers | undefined,
): Promise<Trial> {
  const { clock } = environment;
  const untilMs = flags.within === 0 ? Infinity : clock.monotonic() + flags.within;
  const workload = flags.manifests === '' ? undefined : await readWorkload(flags.manifests);
  const own = flags.rules === '' ? [] : await readParsed(flags.rules, 'rules', parseUserRules);
  const rules = [...wireRules, ...own];
  const commandEnvironment = skewedEnvironment(flags, process.env);
  const output = flags['run-log'] === '' ? undefined : createWriteStream(flags['run-log'], { mode: 0o600 });
  const trial: Trial = {
    rules,
    calm: undefined,
    goesOn: () => clock.monotonic() < untilMs,
    async play(name, plan) {
      const startMs = clock.monotonic();
      const server = await servers?.next();
      try {
        const upstream = await connection(server?.config ?? flags.kubeconfig, flags, clock);
        const run = await runJudged({
          ...environment,
          plan,
          seed: flags.seed,
          command,
          commandEnvironment,
          workload,
          upstream,
          configPath: join(folder, 'kubeconfig'),
          settleMs: flags.settle,
          durationMs: flags.duration,
          cleansUp: server === undefined,
          onOutput: (chunk) => void output?.write(chunk),
        });
        return judgedPlan(name, plan, run, trial, (clock.monotonic() - startMs) / 1_000);
      } finally {
        await server?.stop();
      }
    },
  };
  return trial;
}

async function connection(
  path: string,
  { vocabulary }: JudgedFlags,
  clock: Environment['clock'],
): Promise<ClientConfig> {
  return loadKubeconfig(await readRequired(path), {
    path,
    readFile: readRequired,
    vocabulary: vocabularyOf(vocabulary),
    clock,
    environment: process.env,
  });
}

function judgedPlan(
  name: string,
  plan: FaultPlan | undefined,
  run: JudgedRun,
  { calm, rules }: Pick<Trial, 'calm' | 'rules'>,
  seconds: number,
): JudgedPlan {
  const judged = judgeHistory(run.history, calm?.run.history, rules);
  const isIdle = plan !== undefined && run.strikes.length === 0;
  const reason = run.unknown ?? (isIdle ? 'no fault of the plan was injected' : '');
  const verdict = judged.findings.length > 0 ? 'FAIL' : reason === '' ? 'PASS' : 'UNKNOWN';
  const requests = run.history.entries.filter(({ type }) => type === 'request').length;
  const summary: WireRunSummary = {
    plan: name,
    verdict,
    injected: run.strikes.length,
    requests,
    findings: judged.findings.length,
    reason: verdict === 'FAIL' ? '' : reason,
    seconds,
  };
  process.stderr.write(
    `${verdict.padEnd(7)} ${name}: ${run.strikes.length} faults, ${requests} requests, ${judged.findings.length} violations, ${seconds.toFixed(1)} s${summary.reason === '' ? '' : ` (${summary.reason})`}\n`,
  );
  return { name, plan, run, judged, summary };
}
