import { backoffMs } from '../../base/clock/backoff.ts';
import { sleep } from '../../base/clock/clock.ts';
import { messageOf } from '../../base/errors/coded.ts';
import type { Client } from '../client/client.ts';
import type { ControllerDefinition, Watch } from '../controller/controller.ts';
import {
  type ControllerDependencies,
  type Leadership,
  type RunningController,
  createController,
} from '../controller/run-controller.ts';
import type { QueueStats } from '../queue/work-queue.ts';
import { type LeaderElector, type LeaseTiming, createLeaderElector } from './leader-elector.ts';
import type { LeaseFence } from './lease-fence.ts';

export interface LeaderElectionOptions extends LeaseTiming {
  /** Of this process; no two have the same. */
  readonly identity: string;
  /** Namespace of the leases. */
  readonly namespace: string;
  /** Beginning of their names; the controller's follows. */
  readonly resourceName: string;
  /** Whether every controller is run by one process at a time, or only those that are declared `single`. */
  readonly all: boolean;
  /** The client of one term: its writes pass `fence`, on every try. */
  readonly clientFor: (fence: LeaseFence) => Client;
}

const NOTHING: QueueStats = { added: 0, ready: 0, delayed: 0, active: 0, oldestMs: 0 };

/**
 * A controller that one process runs at a time. Each term has a controller, a queue and a client of its own: what is left
 * of a former term can neither write nor be brought back. A process that follows is healthy.
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
  /** One term after another: the next begins when the last has come to rest. */
  #terms: Promise<void> = Promise.resolve();
  /** Aborts when the term is over. */
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
        // At once, and not in turn: the start of this term may still be waiting for a cache.
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

  /** No effect in a process that follows: the leader learns of the key by itself. */
  enqueue(key: string, afterMs?: number): void {
    this.#controller?.enqueue(key, afterMs);
  }

  bringAllUp(): void {
    this.#controller?.bringAllUp();
  }

  #then(step: () => Promise<void>): void {
    this.#terms = this.#terms.then(step).catch((thrown: unknown) => this.#failed(thrown));
  }

  #failed(thrown: unknown): void {
    const { log } = this.#dependencies;
    log.error({ controller: this.name, err: messageOf(thrown) }, 'controller failed to start or stop');
  }

  /** Tries until the controller runs or the term is over: a leader without one would keep all others from working. */
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
