import { hostname } from 'node:os';
import type { Vocabulary } from '../api/vocabulary/vocabulary.ts';
import type { Random } from '../base/random/random.ts';
import { type LeaderElectionOptions, checkLeaseTiming } from '../runtime/index.ts';
import { type FlagValues, duration, oneOf, text, toggle } from './flags.ts';

/** Flags of leader election, named as in release 1.24. */
export const leaderElectionFlags = {
  'leader-elect': toggle(
    false,
    'whether controllers are run by one process at a time: all of them, or over Redis those that must not run in several',
  ),
  'leader-elect-lease-duration': duration('15s', 'how long others wait for a leader that is not heard of'),
  'leader-elect-renew-deadline': duration('10s', 'how long a leader goes on that cannot renew its lease'),
  'leader-elect-retry-period': duration('2s', 'pause between two tries to acquire or renew'),
  'leader-elect-resource-lock': oneOf(['leases'], 'leases', 'kind of object that is locked'),
  'leader-elect-resource-name': text(
    '',
    "beginning of the leases' names, a controller's follows; default the name of the controller manager",
  ),
  'leader-elect-resource-namespace': text('', 'namespace of the leases; default the system namespace'),
};

/** Returns an identity of this process that is unique among processes. */
export const processIdentity = (random: Random): string => `${hostname()}_${random.uuid()}`;

/**
 * Returns the options the flags request; undefined without election. Throws for durations that contradict
 * each other.
 */
export function leaderElection(
  flags: FlagValues<typeof leaderElectionFlags>,
  {
    vocabulary,
    random,
    sharesKeys,
  }: {
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
    namespace: flags['leader-elect-resource-namespace'] || vocabulary.namespaces.system,
    resourceName: flags['leader-elect-resource-name'] || `${vocabulary.short}-controller-manager`,
    all: !sharesKeys,
  };
}
