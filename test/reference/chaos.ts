import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { faultKinds as explorerFaults, usualFaults } from '../../chaos/explore/faults.ts';
import { formerNumberOf } from '../../chaos/invariants/aliases.ts';
import { allInvariants } from '../../chaos/invariants/index.ts';
import type { Invariant } from '../../chaos/invariants/invariant.ts';
import { liveFaults } from '../../chaos/live/faults.ts';
import { excuses } from '../../chaos/oracles/differential/excuses.ts';
import { comparisonRules } from '../../chaos/oracles/differential/rules.ts';
import { isWireFault } from '../../chaos/plan/wire-faults.ts';
import { type FaultPoint, faultKinds, sharedKeyFaults } from '../../chaos/world/fault-kinds.ts';
import { cell, code, page, table } from './markdown.ts';

const POINTS: Readonly<Record<FaultPoint, string>> = {
  request: 'Requests to the API server',
  event: 'Events of a watch',
  process: 'Processes',
  server: 'The API server',
  command: 'Commands to Redis',
  redis: 'Redis',
};

const mark = (is: boolean): string => (is ? 'yes' : '');

export const faultsPage = (): string =>
  page(
    'Faults',
    'Faults that `orch chaos run` injects into the simulated world (`--faults`). Two columns say where else the fault exists: in a [fault plan](fault-plans.md) for proxy and API server, and in `orch chaos live`. `orch chaos run` injects faults of Redis only with `--queue bullmq`.',
    ...Object.entries(POINTS).flatMap(([point, title]) => [
      `## ${title}`,
      table(
        ['fault', 'effect', 'in plans', 'live', 'taxonomy'],
        faultKinds
          .filter((kind) => kind.point === point)
          .map(({ name, says, numbers }) => [
            code(name),
            cell(says),
            mark(isWireFault(name)),
            mark(liveFaults.some((each) => each === name)),
            numbers.join(', '),
          ]),
      ),
    ]),
    `Not injected unless \`--faults\` names it: ${faultKinds
      .filter(({ name }) => !sharedKeyFaults.includes(name))
      .map(({ name }) => code(name))
      .join(', ')}.`,
    '## Only in live runs',
    `${liveFaults
      .filter((name) => !faultKinds.some((kind) => kind.name === name))
      .map(code)
      .join(', ')}: the process is stopped for up to 8 seconds, or killed and restarted on its data.`,
    '## In the explorer',
    `\`orch chaos explore\` places each of these at every point where it is possible. By default: ${usualFaults.map(code).join(', ')}. Only with \`--fault-kinds\`: ${explorerFaults
      .filter((name) => !usualFaults.some((each) => each === name))
      .map(code)
      .join(', ')}.`,
    '## Excuses in a comparison',
    'A run is [compared with the same run without faults](../explanation/oracles.md#comparison-with-the-run-without-faults). After a fault, controllers may be behind for a while. Some faults may make them repeat a creation or deletion. A run with the others in it is not compared.',
    table(
      ['fault', 'behind for', 'may repeat'],
      faultKinds.flatMap(({ name }) => {
        const { behindMs, repeats, all } = excuses[name];
        return all ? [] : [[code(name), `${behindMs / 1_000} s`, mark(repeats === true)]];
      }),
    ),
    `Not compared: ${faultKinds
      .filter(({ name }) => excuses[name].all)
      .map(({ name }) => code(name))
      .join(', ')}.`,
    '## Not in this list',
    'Two faults of the research break promises of an API server to every client. A watch that goes on misses an event (F16), or a bookmark is ahead of its events (F17). No controller can be correct under them. `silent-watch` and `expired-watch` cover what a controller can miss and find again. Caches that fill late or in another order (F20) result from `slow-response` and `unanswered` of a list.',
  );

const invariantRows = (invariants: readonly Invariant[]): string =>
  table(
    ['identifier', 'kind', 'property', 'former number', 'not evaluated with'],
    invariants.map(({ id, kind, says, unless = [], ofSharedKeys, ofOwnKeys }) => [
      code(id),
      kind,
      cell(says),
      code(formerNumberOf(id)?.split('/')[1] ?? ''),
      [
        ...(ofSharedKeys ? ['keys in one process'] : []),
        ...(ofOwnKeys ? ['shared keys'] : []),
        ...[unless].flat().map(code),
      ].join(', '),
    ]),
  );

const COVERED = [
  ['`csrapproving/E2`', '`csrapproving/no-unpermitted-approval`'],
  ['`csrapproving/E3`', '`csrapproving/permitted-is-approved`'],
  ['`csrsigning/E2`', '`csrsigning/no-certificate-and-failure`, `csrsigning/approved-is-signed`'],
  ['`csrcleaner/E2`', '`csrcleaner/expired-is-deleted`'],
  ['`csrcleaner/E3`', '`csrcleaner/no-early-deletion`'],
  ['`cronjob/E7`', '`cronjob/no-missed-run` in the workload `cronjob/last`'],
  ['`tokencleaner/E2`', '`queue/no-early-key`'],
  ['`clusterrole-aggregation/E3`', '`clusterrole-aggregation/no-missing-rule`'],
  ['`garbagecollector/N3`, `N8`, `N10`', '`garbagecollector/no-owned-deletion`'],
  ['`garbagecollector/E4`', '`garbagecollector/garbage-is-deleted`'],
  ['`namespace/N5`', '`namespace/empty-is-removed`'],
  ['`serviceaccount-token/E5`', '`queue/no-forgotten-requeue`'],
];

/** Returns the page of invariants: first those of all controllers, then those of each controller. */
export function invariantsPage(): string {
  const all = allInvariants(orchVocabulary, { namespaced: [], cluster: [] });
  const of = (name: string): readonly Invariant[] => all.filter(({ controller }) => controller === name);
  const names = [...new Set(all.map(({ controller }) => controller))].filter((name) => name !== '*').sort();
  return page(
    'Invariants',
    'A `never` is evaluated on each commit and journal entry; an `eventually` once the system has converged. [Verdicts and reports](chaos-results.md) explains the results, and [invariants of your own](../how-to/chaos-test-your-controller.md) how to add one.',
    '## Every controller',
    invariantRows(of('*').filter((each) => each.onObservation === undefined)),
    '## Runtime',
    'Evaluated inside the processes of a seed, whatever the controller: notifications and caches of informers, adds and takes of work queues, and writes of clients. Neither the explorer nor live runs evaluate these.',
    invariantRows(of('*').filter((each) => each.onObservation !== undefined)),
    '## Compared with the run without faults',
    'Every sixteenth seed with one manager (`--compare-every`), and every single seed, is also run without faults. [Faults](faults.md#excuses-in-a-comparison) lists what each fault excuses.',
    table(
      ['identifier', 'property'],
      Object.values(comparisonRules).map(({ id, says }) => [code(id), cell(says)]),
    ),
    '## Numbers of the research',
    'The numbers are those of the research and of earlier releases; recorded traces with a number are still read. Some properties of the research are covered by another invariant.',
    table(['property', 'covered by'], COVERED),
    'Only the explorer evaluates what follows from another authority (`csrsigning/current-authority-signs`, `serviceaccount-token/current-certificate`) `serviceaccount-token/no-second-generated-token`, and `serviceaccount-token/one-of-two-left` in a workload that begins with two tokens. Only seeds and live runs evaluate `csrsigning/no-second-certificate` and `csrapproving/no-approval-after-failed-review`, which are read from journals. The explorer also checks that every state leads to convergence (`generic/converges`), and that repeated, late and lost events lead to the same end. It counts the ends with different objects.',
    'A write that is sent in time and arrives after another process has taken the lease breaks no `leaderelection` invariant: only a server with conditional writes can refuse it. The same applies to a Job whose creation arrives after its sender has crashed (`cronjob/no-duplicate-run`, `cronjob/forbid-runs-alone`).',
    ...names.flatMap((name) => [`## ${name}`, invariantRows(of(name))]),
  );
}
