import type { X509Certificate } from 'node:crypto';
import { MessageChannel } from 'node:worker_threads';
import type { ComponentHealth } from '../../apiserver/aggregation/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import { type HttpHandler, servePort } from '../../base/http/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import type { JournalHandler, ServerFacts } from '../../dashboard/index.ts';
import { readText } from '../../runtime/client/index.ts';
import { type Transport, createPortTransport } from '../../runtime/index.ts';
import type { ControllersThread } from './controllers-thread.ts';
import {
  CONTEXTS_LIMIT,
  CONTEXTS_PATH,
  HEALTH_PATH,
  REQUESTER_HEADER,
  type Step,
  type StepEnd,
  fromFailure,
} from './controllers-thread-messages.ts';
import { createForwarder } from '../program/hand-on.ts';

/** Controller manager in another thread. If the thread dies, only `stop` still resolves. */
export interface ThreadedManager extends Lifetime {
  /** Resolves once the manager can be started. Rejects if its settings are invalid. */
  readonly assembled: Promise<void>;
  /** HTTP handler of the manager's journal. */
  readonly journal: JournalHandler;
  healthy(): Promise<ComponentHealth>;
  /** Serves the manager's requests from now on. Earlier requests wait until then. */
  serve(server: ServerForManager): void;
}

/** API server for a manager in another thread. */
export interface ServerForManager {
  readonly handler: HttpHandler;
  readonly clock: Clock;
  /** Client certificate of the manager. */
  readonly certificate: X509Certificate;
  /** Returns the current state of the server. */
  readonly facts: () => Promise<ServerFacts>;
  /** Returns the trace contexts of the requests that wrote resource versions. Default: none is known. */
  readonly contextsOf?: (resourceVersions: readonly string[]) => Readonly<Record<string, string>>;
}

/** Requests a manager for arguments of `up` from the thread. */
export const openManager = (thread: ControllersThread, argv: readonly string[]): ThreadedManager =>
  new OpenManager(thread, argv);

class OpenManager implements ThreadedManager {
  readonly name = 'controllers';
  readonly assembled: Promise<void>;
  readonly journal: JournalHandler;
  /** Callbacks for the ends of steps, by step. */
  readonly #ends = new Map<Step, (end: StepEnd) => void>();
  readonly #failed: Promise<Error>;
  readonly #api = new MessageChannel();
  readonly #server = new MessageChannel();
  readonly #steps = new MessageChannel();
  readonly #manager: Transport;

  constructor(thread: ControllersThread, argv: readonly string[]) {
    this.#failed = thread.failed;
    const asked = new MessageChannel();
    this.#manager = createPortTransport(asked.port1);
    const forward = createForwarder(this.#manager);
    this.journal = (request, requester) =>
      forward(
        request,
        requester === undefined ? {} : { [REQUESTER_HEADER]: encodeURIComponent(requester.username) },
      );
    this.#steps.port1.on('message', (end: StepEnd) => this.#ends.get(end.step)?.(end));
    this.assembled = this.#endOf('assemble');
    // Prevents an unhandled rejection. The error is reported by another part.
    this.assembled.catch(() => {});
    thread.run({
      argv,
      api: this.#api.port2,
      server: this.#server.port2,
      manager: asked.port2,
      steps: this.#steps.port2,
    });
  }

  serve({ handler, clock, certificate, facts, contextsOf = () => ({}) }: ServerForManager): void {
    servePort(this.#api.port1, { handler, clock, peer: { address: '127.0.0.1', certificate } });
    servePort(this.#server.port1, {
      handler: async (request) => {
        const document =
          request.url === CONTEXTS_PATH
            ? contextsOf(JSON.parse(Buffer.from(await request.body(CONTEXTS_LIMIT)).toString()))
            : await facts();
        return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(document)) };
      },
    });
  }

  async healthy(): Promise<ComponentHealth> {
    try {
      const asked = { method: 'GET', path: HEALTH_PATH, headers: {}, headersTimeoutMs: 0 };
      return JSON.parse(await readText((await this.#manager.send(asked)).body)) as ComponentHealth;
    } catch (thrown) {
      return { healthy: false, message: messageOf(thrown) };
    }
  }

  start(): Promise<void> {
    return this.#step('start');
  }

  /** Also resolves if the thread has ended, because then no part of the manager runs. */
  async stop(): Promise<void> {
    await Promise.race([this.#step('stop'), this.#failed]);
    await this.#manager.close();
    for (const { port1 } of [this.#api, this.#server, this.#steps]) port1.close();
  }

  #step(step: Step): Promise<void> {
    const end = this.#endOf(step);
    this.#steps.port1.postMessage(step);
    return end;
  }

  #endOf(step: Step): Promise<void> {
    return new Promise((resolve, reject) =>
      this.#ends.set(step, ({ failure }) => {
        if (failure === undefined) resolve();
        else reject(fromFailure(failure));
      }),
    );
  }
}
