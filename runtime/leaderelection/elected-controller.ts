import { backoffMs, sleep } from '../../base/clock/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { Client } from '../client/client.ts';
import type { ControllerDefinition, Watch } from '../controller/controller.ts';
import { createController } from '../controller/run-controller.ts';
import type {
  ControllerDependencies,
  Leadership,
  RunningController,
} from '../controller/running-controller.ts';
import type { QueueStats } from '../queue/work-queue.ts';
import type { AdvertisedAddress } from './advertised-address.ts';
import { type LeaderElector, type LeaseTiming, createLeaderElector } from './leader-elector.ts';
import type { LeaseFence } from './lease-fence.ts';

/** Options of leader election. */
export interface LeaderElectionOptions extends LeaseTiming {
  /** Identity of this process, unique among all processes. */
  readonly identity: string;
  /** Address of the process's dashboard, which the process writes to its leases. Default none. */
  readonly advertised?: AdvertisedAddress | undefined;
  /** Namespace of the leases. */
  readonly namespace: string;
  /** Prefix of the lease names. A lease is named after the prefix and its controller. */
  readonly resourceName: string;
  /**
   * True if every controller runs in one process at a time, false if only controllers declared `single` do.
   */
  readonly all: boolean;
  /** Returns the client of one term, which checks `fence` before each attempt of a write. */
  readonly clientFor: (fence: LeaseFence) => Client;
}

const NOTHING: QueueStats = { added: 0, ready: 0, delayed: 0, active: 0, oldestMs: 0 };

/**
 * Creates a controller that runs in one process at a time. Each term has its own controller, queue and
 * client, so that leftovers of an earlier term cannot write. A process that does not lead is healthy.
 */
export function createElectedController(
  definition: ControllerDefinition,
  dependencies: ControllerDependencies,
  election: LeaderElectionOptions,
): RunningController {
  return new ElectedController(definition, dependencies, election);
}

class ElectedController implements RunningController {
  readonly definition: ControllerDefinition;
  readonly #dependencies: ControllerDependencies;
  readonly #identity: string;
  readonly #elector: LeaderElector;
  #controller: RunningController | undefined;
  /** Start and stop of the terms in sequence; a term starts after the previous term has stopped. */
  #terms: Promise<void> = Promise.resolve();
  /** Aborts at the end of the term. */
  #term = new AbortController();
  #stopping = false;

  constructor(
    definition: ControllerDefinition,
    dependencies: ControllerDependencies,
    election: LeaderElectionOptions,
  ) {
    this.definition = definition;
    this.#dependencies = dependencies;
    this.#identity = election.identity;
    const name = `${election.resourceName}-${definition.name}`;
    const leads = (isLeading: boolean): void => dependencies.metrics?.leads(name, isLeading);
    leads(false);
    this.#elector = createLeaderElector({
      ...dependencies,
      ...election,
      name,
      onLead: (fence) => {
        leads(true);
        const term = new AbortController();
        this.#term = term;
        this.#then(() => this.#begin(election.clientFor(fence), term.signal));
      },
      onFollow: () => {
        leads(false);
        // Stops the term at once instead of in sequence, because its start may still wait for a cache.
        void this.#endTerm();
        this.#then(() => this.#end());
      },
    });
  }

  get name(): string {
    return this.definition.name;
  }

  async start(): Promise<void> {
    await this.#elector.start();
    await this.#terms;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#endTerm();
    await this.#terms;
    await this.#end();
    await this.#elector.stop();
  }

  problems(): readonly string[] {
    return this.#controller?.problems() ?? (this.#elector.leading ? [`${this.name}: not running`] : []);
  }

  stats(): QueueStats {
    return this.#controller?.stats() ?? NOTHING;
  }

  watches(): readonly Watch[] {
    return this.#controller?.watches() ?? [];
  }

  leader(): Leadership | undefined {
    const { holder, leading } = this.#elector;
    if (holder === undefined) return undefined;
    const { identity, ...term } = holder;
    return { ...term, holder: identity, own: leading && identity === this.#identity };
  }

  /** Has no effect on a process that does not lead: the leader observes the change itself. */
  enqueue(key: string, afterMs?: number, requester?: string): void {
    this.#controller?.enqueue(key, afterMs, requester);
  }

  enqueueAll(): void {
    this.#controller?.enqueueAll();
  }

  #then(step: () => Promise<void>): void {
    this.#terms = this.#terms.then(step).catch((thrown: unknown) => this.#failed(thrown));
  }

  #failed(thrown: unknown): void {
    const { log } = this.#dependencies;
    log.error({ controller: this.name, err: messageOf(thrown) }, 'controller failed to start or stop');
  }

  /**
   * Starts the controller of a term. Retries until the controller runs or the term ends, because a leader
   * without a running controller would block all other processes.
   */
  async #begin(client: Client, term: AbortSignal): Promise<void> {
    const { clock, random } = this.#dependencies;
    for (let attempt = 1; !term.aborted && !this.#stopping; attempt++) {
      this.#controller = createController(this.definition, { ...this.#dependencies, client, alone: true });
      try {
        return await this.#controller.start();
      } catch (thrown) {
        this.#failed(thrown);
      }
      await this.#end();
      await sleep(clock, backoffMs(attempt, random), term).catch(() => {});
    }
  }

  async #endTerm(): Promise<void> {
    this.#term.abort(new Error(`the term of ${this.name} is over`));
    await this.#controller?.stop();
  }

  async #end(): Promise<void> {
    const controller = this.#controller;
    this.#controller = undefined;
    await controller?.stop();
  }
}
