import { leases } from '../../api/groups/coordination-v1.ts';
import { fromTime } from '../../base/clock/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import type { Logger } from '../../base/log/index.ts';
import type { Client } from '../../runtime/index.ts';

/**
 * Checks once at startup whether the cluster has another controller manager, which holds the lease with the
 * name of release 1.24. In that case logs a warning, because two managers repeat or undo each other's work.
 * An unreadable or expired lease causes no warning.
 */
export function lookForOtherManager(client: Client, log: Logger): Lifetime {
  const ended = new AbortController();
  const look = async (): Promise<void> => {
    const { short, namespaces } = client.scheme.vocabulary;
    const [namespace, name] = [namespaces.system, `${short}-controller-manager`];
    const { spec = {} } = await client.namespaced(leases, namespace).get(name, { signal: ended.signal });
    const { holderIdentity = '', renewTime, leaseDurationSeconds = 0 } = spec;
    const untilMs = (fromTime(renewTime) ?? -Infinity) + leaseDurationSeconds * 1_000;
    if (holderIdentity === '' || untilMs <= client.serverClock.now()) return;
    log.warn(
      { lease: `${namespace}/${name}`, holder: holderIdentity },
      'another controller manager runs in this cluster: controllers that both run do their work twice; disable them in one of the two with --controllers',
    );
  };
  return {
    name: 'look for another controller manager',
    start: async () => void look().catch(() => {}),
    stop: async () => ended.abort(),
  };
}
