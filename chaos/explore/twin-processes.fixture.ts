import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/index.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { ControllerDefinition } from '../../runtime/index.ts';
import type { Any, ApiAnswer, ApiRequest } from './api-request.ts';
import { type FollowedKind, createControllerModel } from './controller-model.ts';
import { Unknown, createEffectTable } from './effect-table.ts';
import { refusalOf } from './faults.ts';
import { type StoreCommit, createModelServer, emptyStore } from './model-store.ts';
import { createProcessModel } from './process-model.ts';
import type { Scenario } from './scenario.ts';
import { subjectOf } from './scenarios/index.ts';
import { createServing } from './serving.ts';
import { planted } from './steps.ts';
import { type RealProcess, createRealProcess } from './real-process.fixture.ts';
import { type Heard, deliver, relist, silence } from './views.ts';
import { type ModelWorld, type Process, withProcesses, withViews } from './world.ts';
import { createVisits } from './visits.ts';
import type { Cut } from './watched-history.fixture.ts';
import { replaced } from './caches.ts';

/** Outcome of a request: carried out, or one of the faults. `unsent` is a request that the server never gets. */
export type Reply = 'served' | 'conflict' | 'error' | 'lost' | 'unsent';

/** Workers of both processes. Several effects at once would share the random source of the real one. */
const WORKERS = 1;
/** Time in milliseconds that no scenario reaches. */
const NEVER_MS = 2 ** 50;
/** Virtual milliseconds between two comparisons while time passes. It is below every time limit of an effect. */
const STRIDE_MS = 5_000;

/** A controller that runs twice on one server: in the real runtime, and in the model of the explorer. */
export interface TwinProcesses {
  readonly scenario: Scenario;
  /** Number of informers. */
  readonly informers: number;
  /** Number of requests without response. */
  open(): number;
  /** Executes an action of the workload. Does nothing if the action is impossible. */
  act(nth: number): Promise<void>;
  deliver(informer: number): Promise<void>;
  /** Ends the watch of an informer, which resumes. The model has no such step. */
  cut(informer: number, how: Cut): Promise<void>;
  /** Ends the watch with 410 Gone, which causes a list. */
  expire(informer: number): Promise<void>;
  reply(nth: number, reply: Reply): Promise<void>;
  /** Lets time pass until `ms` have passed or a request waits for a response. */
  wait(ms: number): Promise<void>;
  resync(): Promise<void>;
  /** Delivers and answers everything, and lets time pass, until nothing is left to do. */
  settle(): Promise<void>;
  /** Returns the differences of the two processes, for an empty list expected. */
  differences(): readonly string[];
  stop(): Promise<void>;
}

/** Starts a controller of a workload twice. */
export async function createTwinProcesses(workload: string, objects: number): Promise<TwinProcesses> {
  const subject = subjectOf(workload, orchVocabulary, objects);
  if (!subject) throw new Error(`there is no workload ${workload}`);
  const twins = new Twins(subject.definition, subject.scenario);
  await twins.start();
  return twins;
}

class Twins implements TwinProcesses {
  readonly scenario: Scenario;
  readonly #definition: ControllerDefinition;
  readonly #taken = new Map<string, number>();
  /** Number of times that the runtime took a key once more than the model, by key. */
  readonly #repeats = new Map<string, number>();
  readonly #found: string[] = [];
  #commits: StoreCommit[] = [];
  #world: ModelWorld;
  #nowMs: number;
  #parts: Awaited<ReturnType<typeof createParts>> | undefined;
  #real: RealProcess | undefined;

  constructor(definition: ControllerDefinition, scenario: Scenario) {
    this.scenario = scenario;
    // Resyncs are steps of the test, because the real runtime draws their times.
    this.#definition = { ...definition, resyncMs: 0, concurrency: WORKERS };
    this.#nowMs = scenario.instants[0] ?? 0;
    const store = [...(scenario.shared ?? []), ...scenario.objects].reduce(planted, emptyStore);
    this.#world = { script: { at: 0, taken: {} }, store, zombies: [], ghosts: [], processes: [] };
  }

  async start(): Promise<void> {
    const { store } = this.#world;
    this.#parts = await createParts(this.#definition, this.scenario, store, (commits) =>
      this.#commits.push(...commits),
    );
    const { scheme, server, processes } = this.#parts;
    const started = await known(() => processes.started(store, this.#nowMs));
    this.#world = withProcesses(this.#world, [started]);
    this.#real = await createRealProcess({
      definition: this.#definition,
      scheme,
      server,
      startMs: this.#nowMs,
      objects: store.objects,
      answer: (request) => server.handle(this.scenario.prelude ? store : emptyStore, request, 0).answer,
      prelude: this.scenario.prelude,
    });
    await this.#follow();
  }

  get informers(): number {
    return this.#made.model.followed.length;
  }

  get #made() {
    if (!this.#parts) throw new Error('the processes have not started');
    return this.#parts;
  }

  get #process(): Process {
    return this.#world.processes[0] as Process;
  }

  get #live(): RealProcess {
    if (!this.#real) throw new Error('the processes have not started');
    return this.#real;
  }

  async #become(next: () => Process): Promise<void> {
    this.#world = withProcesses(this.#world, [await known(next)]);
  }

  /** Lets the real process run, and lets the model take the keys that the real workers took. */
  async #follow(ms = 0): Promise<void> {
    const { processes } = this.#made;
    for (const { key, atMs } of await this.#live.run(ms)) {
      await this.#ripen(atMs);
      if (!this.#process.queue.ready.includes(key) && this.#isRequeued(key))
        await this.#become(() => processes.add(this.#process, key));
      const { queue, reconciles } = this.#process;
      if (!queue.ready.includes(key) || reconciles.length >= WORKERS)
        this.#found.push(`only the real runtime takes ${key}; ready in the model: ${queue.ready.join(', ')}`);
      await this.#become(() => processes.take(this.#process, key, this.#nowMs));
    }
    await this.#ripen(this.#live.nowMs());
  }

  /**
   * True if the runtime may take a key once more than the model, which has one entry for a key that is requeued
   * and enqueued by an event.
   */
  #isRequeued(key: string): boolean {
    const used = this.#repeats.get(key) ?? 0;
    this.#repeats.set(key, used + 1);
    return used < this.#live.requeues(key);
  }

  async #ripen(nowMs: number): Promise<void> {
    const passedMs = nowMs - this.#nowMs;
    if (passedMs <= 0) return;
    this.#nowMs = nowMs;
    await this.#become(() => this.#made.processes.ripened(this.#process, nowMs, passedMs));
  }

  async #serve(request: ApiRequest): Promise<ApiAnswer> {
    this.#commits = [];
    const served = await known(() =>
      this.#made.serving.serve(this.#world, request, this.#nowMs, this.#definition.name),
    );
    this.#world = served.world;
    this.#live.feed(this.#commits, this.#world.store.objects);
    return served.answer;
  }

  open = (): number => this.#process.reconciles.reduce((sum, { open }) => sum + open.length, 0);

  async act(nth: number): Promise<void> {
    const { actions } = this.scenario;
    const action = actions[nth % Math.max(1, actions.length)];
    const count = this.#taken.get(action?.name ?? '') ?? 0;
    const request = action?.request(this.#world.store.objects, this.#nowMs);
    if (!action || !request || count > (action.times ?? 1) * 2) return;
    this.#taken.set(action.name, count + 1);
    await this.#serve(request);
    await this.#follow();
  }

  async deliver(informer: number): Promise<void> {
    const { model, processes } = this.#made;
    const at = informer % Math.max(1, model.followed.length);
    const view = this.#process.views[at];
    const followed = model.followed[at];
    if (!view || !followed || view.pending.length === 0) return;
    const changed = deliver(view);
    this.#live.heard(followed);
    await this.#become(() => processes.withView(this.#process, at, changed, this.#nowMs));
    this.#live.deliver(followed);
    await this.#follow();
    this.#compareHeard(followed, changed.heard);
  }

  /** Compares the notifications of one change or list. Those of a list may come in any order. */
  #compareHeard(followed: FollowedKind, heard: readonly Heard[]): void {
    const own = this.#live.heard(followed);
    this.#found.push(
      ...differenceOf(`notifications of ${followed.resource}`, heard.map(textOf), own.map(textOf)),
    );
  }

  async cut(informer: number, how: Cut): Promise<void> {
    const followed = this.#made.model.followed[informer % Math.max(1, this.informers)];
    if (followed) this.#live.cut(followed, how);
    await this.#follow(20);
  }

  async expire(informer: number): Promise<void> {
    const { model, processes } = this.#made;
    const at = informer % Math.max(1, model.followed.length);
    const followed = model.followed[at];
    const view = this.#process.views[at];
    if (!followed || !view) return;
    const silent = withViews(this.#process, replaced(this.#process.views, at, silence(view)));
    await this.#become(() => processes.relisted(silent, at, this.#world.store, this.#nowMs));
    const { heard } = relist(view, Object.values(this.#process.views[at]?.objects ?? {}));
    this.#live.heard(followed);
    this.#live.expire(followed);
    await this.#follow(20);
    this.#compareHeard(followed, heard);
  }

  async reply(nth: number, reply: Reply): Promise<void> {
    const all = this.#process.reconciles.flatMap(({ open }, at) => open.map((each) => ({ at, each })));
    const chosen = all[nth % Math.max(1, all.length)];
    if (!chosen) return;
    const { at, each } = chosen;
    const served = reply === 'served' || reply === 'lost' ? await this.#serve(each.request) : undefined;
    const answer: ApiAnswer =
      reply === 'served' && served
        ? served
        : reply === 'conflict' || reply === 'error'
          ? { refused: refusalOf(reply) }
          : { lost: 'ERR_CONNECTION' };
    await this.#become(() => this.#made.processes.answer(this.#process, at, each, answer, this.#nowMs));
    if (!this.#live.answer(each.request, answer))
      this.#found.push(`only the model sends ${JSON.stringify(each.request)}`);
    await this.#follow();
  }

  async wait(ms: number): Promise<void> {
    for (let leftMs = ms; leftMs > 0 && this.open() === 0; leftMs -= STRIDE_MS)
      await this.#follow(Math.min(STRIDE_MS, leftMs));
  }

  async resync(): Promise<void> {
    this.#live.resync();
    await this.#become(() => this.#made.processes.resynced(this.#process, this.#nowMs));
    await this.#follow();
  }

  async settle(): Promise<void> {
    const isPending = (): boolean => this.#process.views.some(({ pending }) => pending.length > 0);
    for (let round = 0; round < ROUNDS; round++) {
      for (let informer = 0; informer < this.informers; informer++) await this.deliver(informer);
      if (this.open() > 0) await this.reply(0, 'served');
      else if (!isPending() && !this.#live.isIdle()) await this.wait(STRIDE_MS);
      if (this.differences().length > 0) return;
      if (this.open() === 0 && !isPending() && this.#live.isIdle()) break;
    }
    // The runtime drops the later of two times of a key, and the model keeps both.
    const lost = this.#process.queue.ready.filter((key) => this.#live.requeues(key) === 0);
    const forgotten = this.#live.unsettled();
    if (this.#live.isIdle() && forgotten.length > 0)
      this.#found.push(`the runtime does not repeat ${forgotten.join(', ')}`);
    if (this.#live.isIdle() && lost.length > 0)
      this.#found.push(`only the model would take ${lost.join(', ')}`);
  }

  differences(): readonly string[] {
    const own = this.#process.reconciles.flatMap(({ open }) => open.map(({ request }) => textOf(request)));
    const requests = differenceOf('requests', own, this.#live.requests().map(textOf));
    const caches = this.#made.model.followed.flatMap((followed, at) =>
      differenceOf(
        `cache of ${followed.resource}`,
        Object.values(this.#process.views[at]?.objects ?? {}).map(textOf),
        this.#live.cached(followed).map(textOf),
      ),
    );
    return [...this.#found, ...requests, ...caches];
  }

  stop(): Promise<void> {
    return this.#live.stop();
  }
}

/** Maximum number of rounds until a process must have converged. Some controllers requeue for ever. */
const ROUNDS = 60;

const textOf = (value: unknown): string => JSON.stringify(value);

function differenceOf(what: string, model: readonly string[], real: readonly string[]): readonly string[] {
  const [ours, theirs] = [[...model].sort(), [...real].sort()];
  return ours.join('\n') === theirs.join('\n')
    ? []
    : [`${what}\n  model: ${ours.join('\n    ')}\n  runtime: ${theirs.join('\n    ')}`];
}

/** Creates the parts of the model. `onCommits` receives the commits of each executed request. */
async function createParts(
  definition: ControllerDefinition,
  scenario: Scenario,
  store: ModelWorld['store'],
  onCommits: (commits: readonly StoreCommit[]) => void,
) {
  const scheme = createScheme(orchVocabulary, builtinKinds);
  const { review, documents, prelude, soonMs } = scenario;
  const handling = createModelServer({ scheme, ...(review && { review }), ...(documents && { documents }) });
  const server: typeof handling = {
    ...handling,
    handle(...of) {
      const outcome = handling.handle(...of);
      onCommits(outcome.commits);
      return outcome;
    },
  };
  const model = await createControllerModel({
    definition,
    scheme,
    answer: (request) => handling.handle(store, request, 0).answer,
    cached: (resource, key) => store.objects[`${resource} ${key}`] as Any | undefined,
    ...(prelude && { prelude }),
    onTouch: () => {},
    visits: createVisits(),
    conditions: false,
  });
  const effects = createEffectTable(model);
  const processes = createProcessModel({ model, effects, server, lastMs: NEVER_MS, soonMs });
  const serving = createServing({
    model,
    server,
    processes,
    invariants: [],
    lag: Infinity,
    onReached: () => {},
  });
  return { scheme, server: handling, model, processes, serving };
}

/** Returns the result of a transition. Runs unknown segments of effects first. */
async function known<T>(transition: () => T): Promise<T> {
  for (;;)
    try {
      return transition();
    } catch (thrown) {
      if (!(thrown instanceof Unknown)) throw thrown;
      await thrown.run();
    }
}
