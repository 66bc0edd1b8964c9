import { closeSync, openSync, writeSync } from 'node:fs';
import type { Stage } from '../../apiserver/http/index.ts';
import type { Storage } from '../../apiserver/storage/index.ts';
import type { Environment } from '../../base/environment.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import { createChaosStage, createInterception, createStoreHistory } from '../../chaos/proxy/index.ts';
import {
  type FaultPlan,
  type StrikeRecord,
  type Strikes,
  createStrikes,
  isClientFault,
  journalHead,
  journalLine,
  parsePlan,
  readChoices,
  readyPlanText,
} from '../../chaos/plan/index.ts';
import { readParsed } from '../files/files.ts';

export interface PlanFiles {
  readonly plan: string;
  readonly seed: number;
  /** Path of the journal of injected faults; '' for no journal. */
  readonly journal: string;
  /** Path of the journal of an earlier run whose faults are injected again; '' for none. */
  readonly replay: string;
}

/** An open fault plan. `stop` closes its journal. */
export interface PlanAtWork extends Lifetime {
  readonly strikes: Strikes;
  /** Summary of the plan, such as `3 rules, seed 7`. */
  readonly about: string;
  /** Returns the number of faults that each rule has injected, such as `lost-creates 4, slow-lists 0`. */
  tally(): string;
}

/** Reads the plan in a file, or the ready plan with a name. */
export async function readPlan(name: string): Promise<FaultPlan> {
  const ready = readyPlanText(name);
  return ready === undefined ? readParsed(name, 'a fault plan', parsePlan) : parsePlan(ready);
}

/** Reads a plan and its files. Throws a `CodedError` that names the file and the problem. */
export async function openPlan(files: PlanFiles, { clock, log }: Environment): Promise<PlanAtWork> {
  const plan = await readPlan(files.plan);
  const inside = plan.rules.find(({ fault }) => isClientFault(fault.name));
  if (inside !== undefined)
    throw new CodedError(
      'ERR_PLAN',
      `${files.plan}: ${inside.name} injects ${inside.fault.name}, which needs a command that the proxy starts: expected --run`,
    );
  const replay =
    files.replay === ''
      ? undefined
      : await readParsed(files.replay, 'the journal of a run', (text) => readChoices(text, plan));
  const journal = files.journal === '' ? undefined : openJournal(files.journal);
  journal?.write(journalHead(plan, files.seed));
  const struck = new Map(plan.rules.map(({ name }) => [name, 0]));
  const onStrike = (strike: StrikeRecord): void => {
    struck.set(strike.rule, (struck.get(strike.rule) ?? 0) + 1);
    journal?.write(journalLine(strike));
    const { choices: _, ...fields } = strike;
    log.debug(fields, 'fault injected');
  };
  return {
    name: 'journal of strikes',
    strikes: createStrikes({ plan, seed: files.seed, clock, onStrike, ...(replay && { replay }) }),
    about: `${plan.rules.length} ${plan.rules.length === 1 ? 'rule' : 'rules'}, ${replay ? `replay of ${files.replay}` : `seed ${files.seed}`}`,
    tally: () => [...struck].map(([name, count]) => `${name} ${count}`).join(', '),
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(journal?.close()),
  };
}

/** Parts that a fault plan adds to an API server. */
export interface ServerChaos {
  readonly stages: readonly Stage[];
  readonly lifetimes: readonly Lifetime[];
  /** Text that is added to the ready line; '' without a plan. */
  readonly notice: string;
}

/**
 * Reads the fault plan that the flags of an API server name. Returns the plan as a stage of the request
 * pipeline; without a plan, returns no stage.
 */
export async function serverChaos(
  flags: {
    readonly 'chaos-plan': string;
    readonly 'chaos-seed': number;
    readonly 'chaos-journal': string;
  },
  storage: Storage,
  environment: Environment,
): Promise<ServerChaos> {
  if (flags['chaos-plan'] === '') return { stages: [], lifetimes: [], notice: '' };
  const plan = await openPlan(
    {
      plan: flags['chaos-plan'],
      seed: flags['chaos-seed'],
      journal: flags['chaos-journal'],
      replay: '',
    },
    environment,
  );
  const older = createStoreHistory(storage, environment.clock);
  const { log } = environment;
  log.warn(
    { plan: flags['chaos-plan'] },
    'REQUESTS FAIL ON PURPOSE: this server injects the faults of a plan',
  );
  return {
    stages: [createChaosStage(createInterception({ ...environment, strikes: plan.strikes, older }))],
    lifetimes: [plan, older],
    notice: ` — CHAOS: requests fail on purpose, by ${plan.about}`,
  };
}

/**
 * Opens a journal whose lines reach the operating system before `write` returns, so that the faults of a
 * killed program can be replayed.
 */
function openJournal(path: string): { write(line: string): void; close(): void } {
  let file: number;
  try {
    file = openSync(path, 'w', 0o600);
  } catch (cause) {
    throw new CodedError('ERR_FILE', `failed to write ${path}: ${messageOf(cause)}`, { cause });
  }
  let open = true;
  return {
    write: (line) => void (open && writeSync(file, line)),
    close: () => {
      if (open) closeSync(file);
      open = false;
    },
  };
}
