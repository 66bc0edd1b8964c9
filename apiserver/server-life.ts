/** Phase of a server's life. */
export type Phase = 'new' | 'starting' | 'ready' | 'stopping';

/** Step of a server's start. The steps run in this order. */
export type StartStep = 'registry' | 'extensions' | 'bootstrap' | 'flowcontrol' | 'aggregation';

/**
 * Progress of a server's start and stop. The server updates it; health checks and the readiness stage read
 * it.
 */
export class ServerLife {
  phase: Phase = 'new';
  readonly #done = new Set<StartStep>();

  /** True if requests are served: after startup and during the shutdown. */
  get isServing(): boolean {
    return this.phase === 'ready' || this.phase === 'stopping';
  }

  complete(step: StartStep): void {
    this.#done.add(step);
  }

  /** True if a step of the startup is complete. */
  hasDone(step: StartStep): boolean {
    return this.#done.has(step);
  }
}
