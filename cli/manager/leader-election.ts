import { hostname } from 'node:os';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Random } from '../../base/random/index.ts';
import { type LeaderElectionOptions, checkLeaseTiming } from '../../runtime/index.ts';
import { type FlagValues, duration, oneOf, text, toggle } from '../flags/flags.ts';

/** Flags of leader election, named as in release 1.24. */
export const leaderElectionFlags = {
  'leader-elect': toggle(
    false,
    'run controllers in one process at a time: all of them, or with Redis only those that must not run in several',
  ),
  'leader-elect-lease-duration': duration('15s', 'time without renewal after which others take over'),
  'leader-elect-renew-deadline': duration(
    '10s',
    'time after which a leader that cannot renew its lease stops',
  ),
  'leader-elect-retry-period': duration('2s', 'pause between two attempts to acquire or renew'),
  'leader-elect-resource-lock': oneOf(['leases'], 'leases', 'kind of the lock object'),
  'leader-elect-resource-name': text(
    '',
    "beginning of the leases' names, a controller's follows; default the name of the controller manager",
  ),
  'dashboard-address': text(
    '',
    'URL of the dashboard of this process, to which the dashboards of other replicas link while it leads; default the one on the health port, which only replicas on the same host can open',
  ),
  'leader-elect-resource-namespace': text('', 'namespace of the leases; default the system namespace'),
};

/** Returns an identity of this process that is unique among all processes. */
export const processIdentity = (random: Random): string => `${hostname()}_${random.uuid()}`;

/**
 * Returns the leader election options in the flags, or undefined without leader election. Throws for
 * inconsistent durations.
 */
export function leaderElection(
  flags: FlagValues<typeof leaderElectionFlags>,
  {
    vocabulary,
    random,
    sharesKeys,
    dashboard,
  }: {
    /** Address of the dashboard if the flag names none; '' without a dashboard. */
    readonly dashboard: string;
    readonly vocabulary: Vocabulary;
    readonly random: Random;
    /** True if the processes share their keys over Redis. */
    readonly sharesKeys: boolean;
  },
): Omit<LeaderElectionOptions, 'clientFor'> | undefined {
  if (!flags['leader-elect']) return undefined;
  return {
    ...checkLeaseTiming({
      leaseDurationMs: flags['leader-elect-lease-duration'],
      renewDeadlineMs: flags['leader-elect-renew-deadline'],
      retryPeriodMs: flags['leader-elect-retry-period'],
    }),
    identity: processIdentity(random),
    advertised: {
      annotation: vocabulary.key('coordination', 'dashboard-address'),
      address: flags['dashboard-address'] || dashboard,
    },
    namespace: flags['leader-elect-resource-namespace'] || vocabulary.namespaces.system,
    resourceName: flags['leader-elect-resource-name'] || `${vocabulary.short}-controller-manager`,
    all: !sharesKeys,
  };
}
