import { builtinKinds } from '../../api/groups/index.ts';
import { type AnyKind, type Scheme, createScheme } from '../../api/kinds/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { ApiServer } from '../../apiserver/server.ts';
import type { Storage } from '../../apiserver/storage/index.ts';
import { silentLogger } from '../../base/log/index.ts';
import { createSeededRandom } from '../../base/random/index.ts';
import { type ControllerSettings, createControllers } from '../../controllers/index.ts';
import { jobManifest } from '../../controllers/job/index.ts';
import {
  type ControllerDefinition,
  type Journal,
  createClient,
  offJournal,
  selectControllers,
} from '../../runtime/index.ts';
import { type Commit, type LiveView, resourceOf } from '../invariants/invariant.ts';
import type { Happening } from '../oracles/runtime/observation.ts';
import { type Tape, recordedTape } from '../tape/tape.ts';
import {
  type Connection,
  type Snapshot,
  assembleServer,
  connectionTo,
  createStorage,
  nothing,
  takeSnapshot,
} from './api-server.ts';
import { type ControllerProcess, startControllers } from './controller-process.ts';
import { type Credentials, credentialsOf } from './credentials.ts';
import type { ProcessFault, RedisFault, ServerFault } from './fault-kinds.ts';
import { type Faults, NO_ODDS, type Swarm, createFaults } from './faults.ts';
import { followHistory } from './history.ts';
import { type Network, type Sent, createNetwork } from './network.ts';
import { type RedisNetwork, type RedisNetworkOptions, createRedisNetwork } from './redis-network.ts';
import {
  type Node,
  type OnStep,
  type Process,
  type Timeline,
  createNode,
  createProcess,
  createTimeline,
} from './timeline.ts';
import { type Action, type Done, type User, createUser } from './user.ts';

export interface WorldOptions {
  readonly vocabulary: Vocabulary;
  readonly tape: Tape;
  readonly swarm: Swarm;
  /** Seed of random values that are not on the tape: uids and the jitter of retries. */
  readonly seed: number;
  /** Wall time at the start, in milliseconds since the epoch. */
  readonly startMs: number;
  /** Controller selection in the format of `--controllers`. */
  readonly controllers: readonly string[];
  /** Number of controller managers that run at the same time. */
  readonly managers: number;
  /**
   * True if each controller runs under a lease, so on one manager at a time. With shared keys, only
   * controllers that require a lease have one.
   */
  readonly leases?: boolean;
  /** True if the managers share keys over a simulated Redis. False, the default, for in-process queues. */
  readonly sharedKeys?: boolean;
  /** See `RedisNetworkOptions`. */
  readonly queueServer?: RedisNetworkOptions['queueServer'];
  /** Built-in resources that the API server serves, in the format of `resourceOf`; default all. */
  readonly resources?: readonly string[];
  /** True if the API server sends bookmarks. */
  readonly bookmarks: boolean;
  /** True if controller managers send Events; default true. */
  readonly events?: boolean;
  readonly workload: readonly Action[];
  /** Controller definitions; default those of the program. */
  readonly definitions?: (settings: ControllerSettings) => readonly ControllerDefinition[];
  /** Additional kinds that clients know, served after the workload has created their definitions. */
  readonly kinds?: readonly AnyKind[];
  /** Returns the journal for a process of a controller manager. */
  readonly journalOf: (process: Process) => Journal;
  readonly onRequest?: ((sent: Sent) => void) | undefined;
  /** Called with each observation inside a controller manager. If undefined, managers are not observed. */
  readonly onHappening?: ((happening: Happening, process: Process) => void) | undefined;
  /** Called with each change of the store. The live view already includes the change. */
  readonly onCommit: (commit: Commit, live: LiveView) => void;
  readonly onStep?: OnStep;
}

/** The whole system in one thread and in virtual time. A tape determines which faults occur. */
export interface SimulatedWorld {
  readonly timeline: Timeline;
  readonly faults: Faults;
  /** Results of user actions. */
  readonly done: readonly Done[];
  readonly live: LiveView;
  /** Starts the API server, runs the actions with negative times, and starts the controllers. */
  start(): Promise<void>;
  /** Returns the running controller managers. */
  processes(): readonly ControllerProcess[];
  /** Runs steps until the time `untilMs` on the timeline or until `done()` is true. */
  run(untilMs: number, done: () => boolean): Promise<void>;
  /** Reports the caches and queues of all controller managers to `onHappening`. */
  observeQuiescence(): void;
  /** Enqueues every key that the controllers have reconciled. */
  repeat(): void;
  /** Restarts every controller manager with empty memory. */
  restart(): void;
  /** Ends all faults: processes run, clocks are right, and connections work. */
  heal(): void;
}

const DAY_MS = 86_400_000;
/** Maximum age of objects at the start of a world, in milliseconds. */
const AGE_MS = 3 * DAY_MS;
/**
 * Creation time of the cluster from which every world starts. It is constant, so that the cluster does not
 * depend on the start time of a run.
 */
const BORN_MS = Date.UTC(2025, 11, 1);
/** Time in milliseconds within which the controllers converge on a new cluster. */
const SETTLED_MS = 300_000;
const TICK_MS = 30_000;

/** Creates a world; nothing runs before `start`. */
export const createWorld = (options: WorldOptions): SimulatedWorld => new ChaosWorld(options);

type Known = Pick<WorldOptions, 'vocabulary' | 'kinds'>;

/** Schemes by additional kinds and product; created once per process. */
const schemes = new WeakMap<readonly AnyKind[], Map<string, Scheme>>();
const NO_KINDS: readonly AnyKind[] = [];

function schemeFor({ vocabulary, kinds = NO_KINDS }: Known): Scheme {
  const known = schemes.get(kinds) ?? new Map<string, Scheme>();
  schemes.set(kinds, known);
  const scheme = known.get(vocabulary.product) ?? createScheme(vocabulary, [...builtinKinds, ...kinds]);
  known.set(vocabulary.product, scheme);
  return scheme;
}

/** Initial snapshots by scheme; created once per process. */
const snapshots = new WeakMap<Scheme, Promise<Snapshot>>();

function snapshotFor(known: Known): Promise<Snapshot> {
  const scheme = schemeFor(known);
  const made = snapshots.get(scheme) ?? settle(known);
  snapshots.set(scheme, made);
  return made;
}

/** Creates a new cluster and lets the program's controllers converge. */
async function settle({ vocabulary, kinds }: Known): Promise<Snapshot> {
  const world = new ChaosWorld(
    {
      vocabulary,
      ...(kinds && { kinds }),
      tape: recordedTape([]),
      swarm: { faults: [], budget: 0, odds: NO_ODDS, jitter: 0 },
      seed: 0,
      startMs: BORN_MS,
      controllers: ['*'],
      managers: 1,
      bookmarks: false,
      workload: [],
      journalOf: () => offJournal,
      onCommit: () => {},
    },
    nothing,
  );
  await world.start();
  await world.run(SETTLED_MS, () => false);
  return world.snapshot();
}

interface RunningServer {
  readonly server: ApiServer;
  readonly process: Process;
  readonly connection: Connection;
}

class ChaosWorld implements SimulatedWorld {
  readonly timeline: Timeline;
  readonly faults: Faults;
  readonly #options: WorldOptions;
  readonly #initial: Snapshot | undefined;
  readonly #scheme: Scheme;
  readonly #credentials: Credentials;
  readonly #network: Network;
  readonly #redis: RedisNetwork | undefined;
  readonly #serverNode = createNode('apiserver');
  readonly #running = new Map<Node, ControllerProcess>();
  #storage!: Storage;
  #server: RunningServer | undefined;
  #user: User | undefined;
  #live!: LiveView;
  #lives = 0;
  #newest = 0;

  /** @param initial the store to start from; default a converged cluster */
  constructor(options: WorldOptions, initial?: Snapshot) {
    this.#options = options;
    this.#initial = initial;
    this.#scheme = schemeFor(options);
    this.#credentials = credentialsOf(options.vocabulary);
    this.timeline = createTimeline(options.onStep);
    this.faults = createFaults(options.tape, options.swarm, () => ({
      step: this.timeline.steps,
      atMs: this.timeline.nowMs,
    }));
    this.#network = createNetwork({
      timeline: this.timeline,
      faults: this.faults,
      server: () => this.#server && { handler: this.#server.server.handler, process: this.#server.process },
      revisions: () => ({ newest: this.#newest, oldest: this.#storage.compacted() }),
      crash: (process) => this.#crash(process),
      administrator: this.#credentials.administrator,
      bookmarks: options.bookmarks,
      onRequest: options.onRequest,
    });
    this.#redis =
      options.sharedKeys === true
        ? createRedisNetwork({
            timeline: this.timeline,
            faults: this.faults,
            startMs: options.startMs,
            seed: options.seed,
            queueServer: options.queueServer,
            processes: () => this.processes().map(({ process }) => process),
          })
        : undefined;
  }

  get done(): readonly Done[] {
    return this.#user?.done ?? [];
  }

  get live(): LiveView {
    return this.#live;
  }

  processes(): readonly ControllerProcess[] {
    return [...this.#running.values()];
  }

  async start(): Promise<void> {
    const { workload, managers } = this.#options;
    const snapshot = this.#initial ?? (await snapshotFor(this.#options));
    this.#storage = createStorage(snapshot);
    await this.#follow(snapshot);
    await this.#startServer(this.#initial === undefined);
    const user = this.#createUser();
    this.#user = user;
    this.faults.active = false;
    for (const action of workload) if (action.atMs < 0) await this.#before(action, user);
    this.#serverNode.skewMs = 0;
    this.faults.active = true;
    user.plan(workload.filter(({ atMs }) => atMs >= 0));
    for (let i = 1; i <= managers; i++)
      this.#startManager(createNode(managers === 1 ? 'controller-manager' : `controller-manager-${i}`));
    this.#tick();
  }

  async run(untilMs: number, done: () => boolean): Promise<void> {
    while (!done() && (await this.timeline.step(untilMs)));
  }

  /** Returns a copy of the current store, from which other worlds can start. */
  snapshot(): Promise<Snapshot> {
    return takeSnapshot(this.#storage, this.#scheme);
  }

  observeQuiescence(): void {
    for (const each of this.processes()) each.observeQuiescence(this.#live);
  }

  repeat(): void {
    this.timeline.plan(0, 'repeat', () => {
      for (const { manager, keys } of this.processes())
        for (const { controller, key } of keys()) manager.enqueue(controller, key);
    });
  }

  restart(): void {
    for (const { process } of this.processes()) {
      this.#end(process);
      this.#startManager(process.node);
    }
  }

  heal(): void {
    this.faults.active = false;
    this.#serverNode.skewMs = 0;
    for (const node of this.#running.keys()) node.skewMs = 0;
    this.#network.heal();
    this.#redis?.heal();
  }

  async #follow(snapshot: Snapshot): Promise<void> {
    const { onCommit, startMs } = this.#options;
    const history = await followHistory({
      storage: this.#storage,
      scheme: this.#scheme,
      initial: snapshot.objects,
      nowMs: () => startMs + this.#serverNode.skewMs + this.timeline.nowMs,
      step: () => this.timeline.steps,
      timelineMs: () => this.timeline.nowMs,
      serving: () => this.#network.serving,
      onCommit: (commit) => {
        this.#newest = Number(commit.after?.metadata?.resourceVersion ?? this.#newest + 1);
        this.timeline.fold(this.#newest);
        this.#user?.onCommit(commit);
        onCommit(commit, this.#live);
      },
    });
    this.#newest = snapshot.revision;
    this.#live = history.live;
  }

  /** Runs an action before the start, at the negative time that the action states. */
  async #before(action: Action, user: User): Promise<void> {
    this.#serverNode.skewMs = Math.max(action.atMs, -AGE_MS);
    void user.act(action);
    while (await this.timeline.step(this.timeline.nowMs));
  }

  #createUser(): User {
    const { startMs } = this.#options;
    const process = createProcess(createNode('user'), this.timeline, startMs);
    const peer = this.#credentials.administrator;
    const client = createClient({
      scheme: this.#scheme,
      clock: process.clock,
      log: silentLogger,
      transport: this.#network.transport({ process, actor: 'user', peer, faulty: false }),
      userAgent: 'user',
    });
    return createUser({
      client,
      scheme: this.#scheme,
      timeline: this.timeline,
      live: this.#live,
      nowMs: () => process.clock.now(),
      endsJobs: !selectControllers(this.#definitions(), this.#options.controllers).some(
        ({ name }) => name === jobManifest.name,
      ),
    });
  }

  async #startServer(bootstrapped = false): Promise<void> {
    const process = createProcess(this.#serverNode, this.timeline, this.#options.startMs);
    const connection = connectionTo(this.#storage);
    const server = assembleServer({
      // Only clients know the additional kinds as types. The server learns them from their definitions.
      scheme: schemeFor({ vocabulary: this.#options.vocabulary }),
      environment: { clock: process.clock, random: this.#random(), log: silentLogger },
      storage: connection.storage,
      credentials: this.#credentials,
      serves: this.#serves(),
      bootstrapped,
    });
    await server.start();
    this.#server = { server, process, connection };
  }

  #serves(): (kind: AnyKind) => boolean {
    const { resources } = this.#options;
    if (resources === undefined) return () => true;
    const served = new Set(resources);
    return (kind) => kind.virtual || served.has(resourceOf(kind));
  }

  #random() {
    return createSeededRandom(this.#options.seed * 1_009 + ++this.#lives);
  }

  #definitions(): readonly ControllerDefinition[] {
    const { definitions = createControllers } = this.#options;
    return definitions(this.#credentials.settings);
  }

  #startManager(node: Node): void {
    const { controllers, journalOf, startMs, seed, leases, events = true, onHappening } = this.#options;
    const process = createProcess(node, this.timeline, startMs);
    const redis = this.#redis;
    const running = startControllers({
      process,
      seed: seed * 1_009 + ++this.#lives,
      scheme: this.#scheme,
      network: this.#network,
      credentials: this.#credentials,
      definitions: this.#definitions(),
      selection: controllers,
      events,
      journal: journalOf(process),
      onHappening: onHappening && ((happening) => process.alive && onHappening(happening, process)),
      ...(redis && { queuesFor: (environment) => redis.queues(process, environment) }),
      ...(leases && { identity: `${node.name}_${this.#lives}` }),
    });
    this.#running.set(node, running);
  }

  #end(process: Process): void {
    process.crash();
    this.#network.cut(process);
    this.#redis?.cut(process);
  }

  /** Crashes a process and restarts it after a while, followed by `more` further crashes. */
  #crash(process: Process, more = 0): void {
    if (!process.alive) return;
    this.#end(process);
    const { node } = process;
    this.timeline.plan(
      this.faults.lasting(`${node.name} is down`, 100, 120_000),
      `start ${node.name}`,
      () => {
        this.#startManager(node);
        const again = this.#running.get(node)?.process;
        if (more === 0 || again === undefined) return;
        const afterMs = this.faults.lasting(`${node.name} is up`, 1, 5_000);
        this.timeline.plan(afterMs, `crash ${node.name}`, () => this.#crash(again, more - 1), again);
      },
    );
  }

  /** Periodically injects faults that belong to no request or event. */
  #tick(): void {
    this.timeline.plan(TICK_MS, 'tick', () => {
      if (!this.faults.active) return;
      for (const running of this.processes()) {
        const { node } = running.process;
        const fault = this.faults.strike<ProcessFault>('process', node.name);
        if (fault !== undefined && running.process.alive) this.#disturb(running, fault);
      }
      const fault = this.faults.strike<ServerFault>('server', 'apiserver');
      if (fault !== undefined) this.#disturbServer(fault);
      if (this.#redis !== undefined) {
        const redisFault = this.faults.strike<RedisFault>('redis', 'redis');
        if (redisFault !== undefined) this.#redis.disturb(redisFault);
      }
      this.#tick();
    });
  }

  #disturb({ process, manager, keys }: ControllerProcess, fault: ProcessFault): void {
    const { faults, timeline } = this;
    const { node } = process;
    switch (fault) {
      case 'crash':
        return this.#crash(process);
      case 'restart-storm':
        return this.#crash(process, 2);
      case 'pause':
        node.pausedUntilMs = timeline.nowMs + faults.lasting(`${node.name} pause`, 100, 300_000);
        return undefined;
      case 'clock-forward':
        node.skewMs += faults.lasting(`${node.name} clock`, 1_000, 7_200_000);
        return undefined;
      case 'clock-back':
        node.skewMs -= faults.lasting(`${node.name} clock`, 1_000, 7_200_000);
        return undefined;
      case 'partition':
        return this.#network.partition(
          process,
          timeline.nowMs + faults.lasting(`${node.name} partition`, 1_000, 300_000),
        );
      case 'early-key': {
        const known = faults.pick(`${node.name} key`, keys());
        if (known !== undefined && manager.names.includes(known.controller))
          manager.enqueue(known.controller, known.key);
        return undefined;
      }
    }
  }

  #disturbServer(fault: ServerFault): void {
    switch (fault) {
      case 'compaction':
        void this.#storage.compact(this.#newest);
        return undefined;
      case 'api-clock-forward':
        this.#serverNode.skewMs += this.faults.lasting('apiserver clock', 1_000, 7_200_000);
        return undefined;
      case 'api-restart': {
        const dead = this.#server;
        if (dead === undefined) return undefined;
        this.#server = undefined;
        dead.process.crash();
        dead.connection.sever();
        this.#network.cut();
        const downMs = this.faults.lasting('apiserver is down', 100, 60_000);
        this.timeline.plan(downMs, 'start apiserver', () => void this.#startServer());
        return undefined;
      }
    }
  }
}
