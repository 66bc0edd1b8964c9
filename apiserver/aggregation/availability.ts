import { apiServices } from '../../api/groups/apiregistration-v1.ts';
import { endpoints, services } from '../../api/groups/core-v1-service.ts';
import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import { isConflict, isNotFound } from '../../api/status/index.ts';
import { availabilityOf } from '../../api/groups/apiregistration/api-service.ts';
import type { Timer } from '../../base/clock/index.ts';
import type { Environment } from '../../base/environment.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { Count, Family, Gauge, Metrics } from '../../base/metrics/index.ts';
import { ownWrite } from '../registry/write/own-requests.ts';
import type { Registry, WriteContext } from '../registry/registry.ts';
import {
  type AvailabilityFinding,
  failedDiscovery,
  passed,
  serviceFinding,
  withFinding,
} from './conditions.ts';
import type { RemoteDocument } from './discovery-request.ts';
import type { RemoteService, RemoteServices } from './remote-services.ts';

/** Components and options of `createAvailability`. */
export interface AvailabilityOptions {
  readonly registry: Registry;
  readonly environment: Environment;
  readonly metrics: Metrics;
  readonly remotes: Pick<RemoteServices, 'named' | 'list'>;
  /** Requests discovery from a server. Rejects with the message for the `Available` condition. */
  readonly discover: (remote: RemoteService, signal: AbortSignal) => Promise<RemoteDocument>;
  /** Receives the discovery document of a server; undefined if the server did not respond. */
  readonly onDiscovery: (name: string, document: RemoteDocument | undefined) => void;
}

/** Component that maintains the `Available` condition of APIService objects of other servers. */
export interface Availability {
  /** Requests a check of an APIService after a change of its spec, Service or Endpoints. */
  check(name: string): void;
  start(): void;
  stop(): void;
}

const CONCURRENT = 5;
const RECHECK_MS = 30_000;
const FIRST_RETRY_MS = 1_000;

/**
 * Creates the availability checks. At most five run at a time. Each check is repeated every 30 s, or sooner
 * with backoff after a failure.
 */
export function createAvailability(options: AvailabilityOptions): Availability {
  return new AvailabilityChecks(options);
}

class AvailabilityChecks implements Availability {
  readonly #options: AvailabilityOptions;
  readonly #context: WriteContext;
  readonly #stopping = new AbortController();
  readonly #waiting = new Set<string>();
  readonly #running = new Set<string>();
  readonly #timers = new Map<string, Timer>();
  /** Number of consecutive failures of each APIService. */
  readonly #failures = new Map<string, number>();
  #unsubscribe: readonly (() => void)[] = [];
  readonly #unavailable: Family<Gauge>;
  readonly #unavailableTotal: Family<Count>;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
    this.#unavailable = options.metrics.gauge(
      'aggregator_unavailable_apiservice',
      'Gauge of APIServices which are marked as unavailable broken down by APIService name.',
      ['name'],
    );
    this.#unavailableTotal = options.metrics.counter(
      'aggregator_unavailable_apiservice_total',
      'Counter of APIServices which are marked as unavailable broken down by APIService name and reason.',
      ['name', 'reason'],
    );
    this.#context = ownWrite(this.#stopping.signal);
  }

  start(): void {
    const { registry } = this.#options;
    this.#unsubscribe = [
      registry.reader(services).subscribe((now, before) => this.#serviceChanged(now ?? before)),
      registry.reader(endpoints).subscribe((now, before) => this.#serviceChanged(now ?? before)),
    ];
  }

  stop(): void {
    this.#stopping.abort();
    for (const end of this.#unsubscribe) end();
    for (const timer of this.#timers.values()) this.#options.environment.clock.clearTimeout(timer);
    this.#timers.clear();
    this.#waiting.clear();
  }

  check(name: string): void {
    if (this.#stopping.signal.aborted) return;
    this.#waiting.add(name);
    this.#pump();
  }

  #serviceChanged(object: DeepReadonly<ApiObject> | undefined): void {
    const { namespace, name } = object?.metadata ?? {};
    for (const remote of this.#options.remotes.list())
      if (remote.service.name === name && remote.service.namespace === namespace) this.check(remote.name);
  }

  #pump(): void {
    for (const name of this.#waiting) {
      if (this.#running.size >= CONCURRENT) return;
      if (this.#running.has(name)) continue;
      this.#waiting.delete(name);
      this.#running.add(name);
      void this.#run(name);
    }
  }

  async #run(name: string): Promise<void> {
    const { clock, log } = this.#options.environment;
    clock.clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
    let succeeded = false;
    try {
      succeeded = await this.#checkNow(name);
    } catch (thrown) {
      if (!this.#stopping.signal.aborted && !isConflict(thrown) && !isNotFound(thrown))
        log.warn({ err: thrown, apiService: name }, 'check of an API service failed');
    }
    this.#running.delete(name);
    if (this.#stopping.signal.aborted) return;
    this.#scheduleNext(name, succeeded);
    this.#pump();
  }

  #scheduleNext(name: string, succeeded: boolean): void {
    if (this.#options.remotes.named(name) === undefined) {
      this.#failures.delete(name);
      return;
    }
    const failures = succeeded ? 0 : (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, failures);
    const waitMs = succeeded
      ? RECHECK_MS
      : Math.min(RECHECK_MS, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 10));
    this.#timers.set(
      name,
      this.#options.environment.clock.setTimeout(() => this.check(name), waitMs),
    );
  }

  /** Checks an APIService and updates its condition. Returns true if no early retry is needed. */
  async #checkNow(name: string): Promise<boolean> {
    const { registry, environment, remotes } = this.#options;
    const remote = remotes.named(name);
    if (remote === undefined) {
      this.#options.onDiscovery(name, undefined);
      this.#unavailable.at(name).set(0);
    }
    const finding = remote === undefined ? 'local' : await this.#availabilityOf(remote);
    const current = registry.reader(apiServices).get('', name);
    if (current === undefined) return true;
    // During the check, the APIService may have changed between local and remote.
    if ((current.spec?.service === undefined) !== (finding === 'local')) return false;
    if (finding !== 'local') this.#count(name, finding, availabilityOf(current)?.status === 'True');
    const next = withFinding(current, finding, environment.clock.now());
    if (next !== undefined) await registry.of(apiServices).update('', name, 'status', next, this.#context);
    return finding === 'local' || finding.status === 'True';
  }

  /** Sets the unavailability gauge, and counts each change from available to unavailable. */
  #count(name: string, { status, reason = '' }: AvailabilityFinding, wasAvailable: boolean): void {
    const isAvailable = status === 'True';
    this.#unavailable.at(name).set(isAvailable ? 0 : 1);
    if (wasAvailable && !isAvailable) this.#unavailableTotal.at(name, reason).add(1);
  }

  async #availabilityOf(remote: RemoteService): Promise<AvailabilityFinding> {
    const { registry, discover, onDiscovery } = this.#options;
    const { namespace, name } = remote.service;
    const found = serviceFinding(
      remote,
      registry.reader(services).get(namespace, name),
      registry.reader(endpoints).get(namespace, name),
    );
    if (found !== undefined) {
      onDiscovery(remote.name, undefined);
      return found;
    }
    try {
      onDiscovery(remote.name, await discover(remote, this.#stopping.signal));
      return passed;
    } catch (thrown) {
      if (this.#stopping.signal.aborted) throw thrown;
      onDiscovery(remote.name, undefined);
      return failedDiscovery(messageOf(thrown));
    }
  }
}
