import { builtinKinds } from '../../api/groups/index.ts';
import { type AnyKind, createScheme } from '../../api/kinds/index.ts';
import { type Vocabulary, orchVocabulary } from '../../api/vocabulary/index.ts';
import type { ControllerDefinition } from '../../runtime/index.ts';
import { interplayOf } from './apart.ts';
import { type ControllerModelOptions, createControllerModel } from './controller-model.ts';
import { createEffectTable } from './effect-table.ts';
import { type Exploration, type ExploreOptions, explore } from './explorer.ts';
import { type FaultKind, usualFaults } from './faults.ts';
import { type Footprint, type FootprintRecord, createFootprint, takenDown } from './footprint.ts';
import { type ModelStore, createModelServer, emptyStore } from './model-store.ts';
import { createSteps, planted } from './steps.ts';
import { createExecutions, verifyExecutions } from './reexecution.ts';
import { type Visits, createVisits, visitsOf } from './visits.ts';
import { type WalkOptions, type Walked, walk } from './walks.ts';
import type { Group, Scenario } from './scenario.ts';

/** A controller, a small workload and the faults to inject. */
export interface SearchedController {
  readonly definition: ControllerDefinition;
  readonly scenario: Scenario;
  /** Product whose names are used; default `orch`. */
  readonly vocabulary?: Vocabulary;
  /** Custom kinds that the controller uses; default none. */
  readonly kinds?: readonly AnyKind[] | undefined;
  /** Faults to inject; default `usualFaults`. */
  readonly faultKinds?: readonly FaultKind[];
  /** Maximum number of events that may be pending for an informer. */
  readonly lag: number;
  /**
   * True if the server checks conditions of writes on other objects, which is an extension of this project.
   * Default false.
   */
  readonly conditions?: boolean;
  /**
   * True if steps that commute are postponed, which finds the same violations with fewer states. Default
   * true.
   */
  readonly postpones?: boolean;
}

/** True if the groups of a workload are explored separately when they are independent. Default true. */
interface Apart {
  readonly apart?: boolean;
}

export type ControllerWalkOptions = SearchedController & Apart & Omit<WalkOptions, 'steps' | 'verify'>;

export type ControllerExplorationOptions = SearchedController &
  Apart &
  Omit<ExploreOptions, 'steps' | 'verify'> & {
    /**
     * Explores the groups in parallel threads. By default groups are explored one after the other in this
     * thread.
     */
    readonly threads?: GroupThreads;
  };

/** Result of the search of one group as plain data that a thread can send. */
export interface GroupSearch {
  readonly result: ControllerExploration;
  readonly footprint: Footprint;
}

export interface GroupThreads {
  /** Explores the group with the index `nth` for at most `maxMs` milliseconds. */
  explore(nth: number, maxMs: number): Promise<GroupSearch>;
  /** Stops the running searches. */
  close(): Promise<void>;
}

export interface Grouped {
  /** Number of groups that were explored separately; 1 if the workload was explored as a whole. */
  readonly groups: number;
  /** Description of the dependency that prevented separate exploration; undefined if there was none. */
  readonly interplay?: string;
}

export type ControllerWalks = Walked & Grouped;

/** Result of exploring one controller, and what the search reached. */
export type ControllerExploration = Exploration &
  Grouped & {
    /** Numbers of different machine transitions and effect segments that occurred. */
    readonly transitions: number;
    readonly stretches: number;
    /** Ids of the invariants whose premise was never reached. */
    readonly vacuous: readonly string[];
    /** Parts of the controller's machine that the search visited. */
    readonly visits: Visits;
  };

/**
 * Walks at random through the states that `exploreController` would visit. The walks are divided evenly among
 * the groups.
 */
export async function walkController(options: ControllerWalkOptions): Promise<ControllerWalks> {
  const { scenario, apart = true, walks, maxMs = Infinity } = options;
  const { groups = [] } = scenario;
  if (!apart || groups.length < 2) return walkWhole(options);
  const found: Walked[] = [];
  const footprints: Footprint[] = [];
  for (const [nth, group] of groups.entries()) {
    const record = createFootprint(scenario.invariants.length, sharedBy(scenario));
    const { steps, verify } = await createSearch(options, group, record);
    const share = { walks: Math.floor((walks + nth) / groups.length), maxMs: maxMs / groups.length };
    const walked = await walk({ ...options, ...share, steps, verify });
    if (walked.nearest || walked.because !== undefined) return { ...walked, groups: 1 };
    found.push(walked);
    footprints.push(takenDown(record));
  }
  const interplay = await interplayIn(options, footprints);
  if (interplay === undefined) return { ...walkedTogether(found), groups: groups.length };
  return { ...(await walkWhole(options)), interplay };
}

async function walkWhole(options: ControllerWalkOptions): Promise<ControllerWalks> {
  const whole = asWhole(options);
  const { steps, verify } = await createSearch(whole, whole.scenario);
  return { ...(await walk({ ...whole, steps, verify })), groups: 1 };
}

/**
 * Returns the options without lessons: in a workload that is explored as a whole, groups learn from each
 * other directly.
 */
const asWhole = <T extends SearchedController>(options: T): T => ({
  ...options,
  scenario: { ...options.scenario, lessons: [] },
});

/** Returns the description of a dependency between the groups; undefined if the groups are independent. */
const interplayIn = async (
  options: SearchedController,
  footprints: readonly Footprint[],
): Promise<string | undefined> => {
  const { scenario } = options;
  const search = await createSearch(options, scenario.groups?.[0] ?? scenario);
  return interplayOf(footprints, { ...search, lessons: scenario.lessons ?? [] });
};

/** Explores a controller with its real machine and effects on a small workload. */
export async function exploreController(
  options: ControllerExplorationOptions,
): Promise<ControllerExploration> {
  const { scenario, apart = true, clock, maxMs = Infinity } = options;
  const { groups = [] } = scenario;
  const whole = asWhole(options);
  if (!apart || groups.length < 2) return (await exploreGroup(whole, scenario)).result;
  const startedMs = clock.monotonic();
  const left = (all = options) => ({ ...all, maxMs: Math.max(0, maxMs - (clock.monotonic() - startedMs)) });
  const searches: GroupSearch[] = [];
  for await (const search of searchesOf(options, groups, () => left().maxMs)) {
    searches.push(search);
    if (search.result.verdict !== 'pass') return search.result;
  }
  const interplay = await interplayIn(
    options,
    searches.map(({ footprint }) => footprint),
  );
  const ms = clock.monotonic() - startedMs;
  if (interplay === undefined) return { ...together(searches.map(({ result }) => result)), ms };
  return { ...(await exploreGroup(left(whole), scenario)).result, interplay };
}

/** Yields the searches of all groups in order. */
async function* searchesOf(
  options: ControllerExplorationOptions,
  groups: readonly Group[],
  leftMs: () => number,
): AsyncGenerator<GroupSearch> {
  const { threads } = options;
  if (!threads) {
    for (const nth of groups.keys()) yield await exploreNth({ ...options, maxMs: leftMs() }, nth);
    return;
  }
  try {
    const running = groups.map((_, nth) => threads.explore(nth, leftMs()));
    // Prevents unhandled rejections of searches that are no longer awaited.
    for (const each of running) each.catch(() => {});
    for (const each of running) yield await each;
  } finally {
    await threads.close();
  }
}

/** Explores one group of a workload and records its footprint. */
export async function exploreNth(options: ControllerExplorationOptions, nth: number): Promise<GroupSearch> {
  const { scenario } = options;
  const group = scenario.groups?.[nth];
  if (!group) throw new Error(`there is no group ${nth}: expected less than ${scenario.groups?.length ?? 0}`);
  const record = createFootprint(scenario.invariants.length, sharedBy(scenario));
  const { result } = await exploreGroup(options, group, record);
  return { result, footprint: takenDown(record) };
}

const sharedBy = ({ shared = [] }: Scenario): ModelStore['objects'] =>
  shared.reduce(planted, emptyStore).objects;

async function exploreGroup(
  options: ControllerExplorationOptions,
  group: Group,
  footprint?: FootprintRecord,
) {
  const { steps, model, effects, visits, verify, ...subject } = await createSearch(options, group, footprint);
  const found = await explore({ ...options, steps, verify });
  const result: ControllerExploration = {
    ...found,
    transitions: model.machine.size,
    stretches: effects.size,
    vacuous: subject.invariants.map(({ id }) => id).filter((id) => !steps.reached.has(id)),
    groups: 1,
    visits,
  };
  return { result };
}

async function createSearch(options: SearchedController, group: Group, footprint?: FootprintRecord) {
  const { definition, vocabulary = orchVocabulary, kinds = [] } = options;
  const { objects, actions, prelude } = group;
  const scenario: Scenario = { ...options.scenario, objects, actions };
  const { invariants } = scenario;
  const scheme = createScheme(vocabulary, [...builtinKinds, ...kinds]);
  const visits = createVisits();
  const server = createModelServer({
    scheme,
    ...(scenario.review ? { review: scenario.review } : {}),
    ...(scenario.documents ? { documents: scenario.documents } : {}),
  });
  const before = prelude ? scenario.objects.reduce(planted, emptyStore) : emptyStore;
  const createModel = (recorded: Pick<ControllerModelOptions, 'visits' | 'onTouch'>) =>
    createControllerModel({
      definition,
      scheme,
      answer: (request) => server.handle(before, request, 0).answer,
      cached: (resource, key) => before.objects[`${resource} ${key}`],
      ...(prelude ? { prelude } : {}),
      ...recorded,
      conditions: options.conditions ?? false,
    });
  const model = await createModel({
    visits,
    onTouch: (container, key) => footprint?.remember(container, key),
  });
  const executions = createExecutions();
  const effects = createEffectTable(model, executions);
  const steps = createSteps({
    scenario,
    model,
    effects,
    server,
    lag: options.lag,
    faults: options.faultKinds ?? usualFaults,
    postpones: options.postpones ?? true,
    footprint,
    visits,
    executions,
  });
  /**
   * Repeats a sample of the executions if the search found no violation, and all recorded executions if it
   * did.
   */
  const verify = (verdict: 'pass' | 'fail'): Promise<void> =>
    verifyExecutions(executions.sample(verdict === 'pass' ? PASS_SAMPLE : Infinity), model, () =>
      createModel({ visits: createVisits(), onTouch: () => {} }),
    );
  return { steps, model, effects, server, invariants, visits, verify };
}

/** Number of executions that are repeated before a search may pass. */
const PASS_SAMPLE = 64;

/** Combines the results of independent groups. */
function together(results: readonly ControllerExploration[]): ControllerExploration {
  const sum = (of: (result: ControllerExploration) => number): number =>
    results.reduce((total, result) => total + of(result), 0);
  const [first] = results;
  if (!first) throw new Error('there are no groups to explore');
  return {
    ...first,
    states: sum(({ states }) => states),
    steps: sum(({ steps }) => steps),
    depth: Math.max(...results.map(({ depth }) => depth)),
    hash: results.map(({ hash }) => hash).join('-'),
    contents: results.map(({ contents }) => contents).join('-'),
    characters: sum(({ characters }) => characters),
    parts: sum(({ parts }) => parts),
    ends: results.reduce((product, { ends }) => product * ends, 1),
    faultyEnds:
      results.reduce((product, { ends }) => product * ends, 1) -
      results.reduce((product, { ends, faultyEnds }) => product * (ends - faultyEnds), 1),
    transitions: sum(({ transitions }) => transitions),
    stretches: sum(({ stretches }) => stretches),
    vacuous: first.vacuous.filter((id) => results.every(({ vacuous }) => vacuous.includes(id))),
    groups: results.length,
    visits: visitsOf(results.map(({ visits }) => visits)),
  };
}

const walkedTogether = (walked: readonly Walked[]): Walked =>
  walked.reduce((one, other) => ({
    walks: one.walks + other.walks,
    steps: one.steps + other.steps,
    looked: one.looked + other.looked,
    ms: one.ms + other.ms,
    broken: one.broken,
  }));
