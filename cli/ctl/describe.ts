import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { CronJob } from '../../api/types/batch-v1.ts';
import { toTime } from '../../base/clock/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import { type FlagValues, UsageError, text } from '../flags/flags.ts';
import type { Terminal } from './terminal.ts';

/** Flags of `describe`. */
export const previewFlags = {
  namespace: text('', 'namespace; default that of the client configuration (-n)'),
};

const NAMES = ['cronjob', 'cronjobs', 'cj'];
/** Number of runs in the preview. */
const RUNS = 5;

/** Imports the kinds of the group only for this command, because the import doubles the start time. */
const batchGroup = () => import('../../api/groups/batch/index.ts');

/** Prints the schedule of a CronJob with its next runs. Throws `UsageError` for any other type. */
export async function describe(
  terminal: Terminal,
  words: readonly string[],
  flags: FlagValues<typeof previewFlags>,
): Promise<number> {
  const [type = '', name = '', ...more] = words;
  if (!NAMES.includes(type) || name === '' || more.length > 0)
    throw new UsageError(`describe takes cronjob NAME, found ${JSON.stringify(words.join(' '))}`);
  const namespace = flags.namespace === '' ? terminal.namespace : flags.namespace;
  const path = `/apis/batch/v1/namespaces/${encodeURIComponent(namespace)}/cronjobs/${encodeURIComponent(name)}`;
  const cronJob = (await terminal.ask({ method: 'GET', path })) as DeepReadonly<CronJob>;
  const { metadata, spec, status } = cronJob;
  const { dialectOf, scheduleOf } = await batchGroup();
  const rows: readonly (readonly [string, string])[] = [
    ['Name', metadata?.name ?? ''],
    ['Namespace', metadata?.namespace ?? ''],
    ['Schedule', spec?.schedule ?? ''],
    ['Schedule Dialect', dialectOf(metadata, terminal.vocabulary) ?? 'standard'],
    ['Time Zone', spec?.timeZone ?? '<unset>, next runs are in UTC'],
    ['Suspend', spec?.suspend === true ? 'True' : 'False'],
    ['Last Schedule Time', status?.lastScheduleTime ?? '<none>'],
    ['Next Runs', nextRuns(scheduleOf, cronJob, terminal, terminal.clock.now())],
  ];
  for (const [label, value] of rows) terminal.print(`${`${label}:`.padEnd(21)}${value}\n`);
  return 0;
}

/** Returns the next due times, one per line. */
function nextRuns(
  scheduleOf: Awaited<ReturnType<typeof batchGroup>>['scheduleOf'],
  { metadata, spec }: DeepReadonly<CronJob>,
  { vocabulary }: Terminal,
  nowMs: number,
): string {
  if (spec === undefined || spec.suspend === true) return '<none>';
  try {
    const schedule = scheduleOf(
      { ...(metadata && { metadata }), spec: { ...spec, timeZone: spec.timeZone ?? 'UTC' } },
      vocabulary,
    );
    const due: string[] = [];
    for (let ms = schedule.next(nowMs); ms !== undefined && due.length < RUNS; ms = schedule.next(ms))
      due.push(toTime(ms));
    return due.length === 0 ? '<none>' : due.join(`\n${' '.repeat(21)}`);
  } catch (thrown) {
    return `<invalid: ${messageOf(thrown)}>`;
  }
}
