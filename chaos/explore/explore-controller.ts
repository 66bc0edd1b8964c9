import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { type Vocabulary, orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { ControllerDefinition } from '../../runtime/index.ts';
import { interplayOf } from './apart.ts';
import { createControllerModel } from './controller-model.ts';
import { createEffectTable } from './effect-table.ts';
import { type Exploration, type ExploreOptions, explore } from './explorer.ts';
import { type FaultKind, usualFaults } from './faults.ts';
import { type Footprint, type FootprintRecord, createFootprint, takenDown } from './footprint.ts';
import { type ModelStore, createModelServer, emptyStore } from './model-store.ts';
import { createSteps, planted } from './steps.ts';
import { type Visits, createVisits, visitsOf } from './visits.ts';
import { type WalkOptions, type Walked, walk } from './walks.ts';
import type { Group, Scenario } from './world.ts';

/** One controller on a small workload, and what may go wrong. */
export interface SearchedController {
  readonly definition: ControllerDefinition;
  readonly scenario: Scenario;
  /** Default `orch`. */
  readonly vocabulary?: Vocabulary;
  /** Which faults strike; default `usualFaults`. */
  readonly faultKinds?: readonly FaultKind[];
  /** How many events an informer may be behind. */
  readonly lag: number;
  /** Whether the server checks conditions of writes, as ours may and others do not. Default false. */
  readonly conditions?: boolean;
  /** Whether what may as well happen later is left for later, which shows the same in fewer states. Default true. */
  readonly postpones?: boolean;
}

/** Whether groups of a workload that have nothing to do with each other are looked at one by one. Default true. */
interface Apart {
  readonly apart?: boolean;
}

export type ControllerWalkOptions = SearchedController & Apart & Omit<WalkOptions, 'steps'>;

export type ControllerExplorationOptions = SearchedController &
  Apart &
  Omit<ExploreOptions, 'steps'> & {
    /** Explores them on threads of their own, all at a time. Default none: here, one after the other. */
    readonly threads?: GroupThreads;
  };

/** The search of one group, and all that it came by: plain data, so that it may come from elsewhere. */
export interface GroupSearch {
  readonly result: ControllerExploration;
  readonly footprint: Footprint;
}

export interface GroupThreads {
  /** The search of the nth group of the workload, in `maxMs` at most. */
  explore(nth: number, maxMs: number): Promise<GroupSearch>;
  /** What is still under way is given up. */
  close(): Promise<void>;
}

export interface Grouped {
  /** How many groups were looked at one by one; 1 for a workload that was looked at as a whole. */
  readonly groups: number;
  /** In what groups meet that were to be looked at one by one. */
  readonly interplay?: string;
}

export type ControllerWalks = Walked & Grouped;

export type ControllerExploration = Exploration &
  Grouped & {
    /** Distinct transitions of the machine, and distinct stretches of effects, that came up. */
    readonly transitions: number;
    readonly stretches: number;
    /** Invariants whose premise never came up. */
    readonly vacuous: readonly string[];
    /** What of the controller's machine came up. */
    readonly visits: Visits;
  };

/** Walks by chance through the states that `exploreController` looks at one by one, in each group of a workload as often. */
export async function walkController(options: ControllerWalkOptions): Promise<ControllerWalks> {
  const { scenario, apart = true, walks, maxMs = Infinity } = options;
  const { groups = [] } = scenario;
  if (!apart || groups.length < 2) return walkWhole(options);
  const found: Walked[] = [];
  const footprints: Footprint[] = [];
  for (const [nth, group] of groups.entries()) {
    const record = createFootprint(scenario.invariants.length, sharedBy(scenario));
    const { steps } = await createSearch(options, group, record);
    const share = { walks: Math.floor((walks + nth) / groups.length), maxMs: maxMs / groups.length };
    const walked = await walk({ ...options, ...share, steps });
    if (walked.nearest) return { ...walked, groups: 1 };
    found.push(walked);
    footprints.push(takenDown(record));
  }
  const interplay = await interplayIn(options, footprints);
  if (interplay === undefined) return { ...walkedTogether(found), groups: groups.length };
  return { ...(await walkWhole(options)), interplay };
}

async function walkWhole(options: ControllerWalkOptions): Promise<ControllerWalks> {
  const whole = asWhole(options);
  const { steps } = await createSearch(whole, whole.scenario);
  return { ...(await walk({ ...whole, steps })), groups: 1 };
}

/** Of a workload that is looked at as a whole, no group is taught what it would learn of another. */
const asWhole = <T extends SearchedController>(options: T): T => ({
  ...options,
  scenario: { ...options.scenario, lessons: [] },
});

/** In what groups meet that have left these footprints; undefined where they have nothing to do with each other. */
const interplayIn = async (
  options: SearchedController,
  footprints: readonly Footprint[],
): Promise<string | undefined> => {
  const { scenario } = options;
  const search = await createSearch(options, scenario.groups?.[0] ?? scenario);
  return interplayOf(footprints, { ...search, lessons: scenario.lessons ?? [] });
};

/** Explores one controller, real machine and real effects, on a small workload. */
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

/** The searches of all groups, in their order. */
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
    // Of those that nobody waits for any more, none is to end the program.
    for (const each of running) each.catch(() => {});
    for (const each of running) yield await each;
  } finally {
    await threads.close();
  }
}

/** The search of one group of a workload alone, with what the others are not to have to do with. */
export async function exploreNth(options: ControllerExplorationOptions, nth: number): Promise<GroupSearch> {
  const { scenario } = options;
  const group = scenario.groups?.[nth];
  if (!group) throw new Error(`there is no group ${nth}: expected one of ${scenario.groups?.length ?? 0}`);
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
  const { steps, model, effects, visits, ...subject } = await createSearch(options, group, footprint);
  const found = await explore({ ...options, steps });
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
  const { definition, vocabulary = orchVocabulary } = options;
  const { objects, actions, prelude } = group;
  const scenario: Scenario = { ...options.scenario, objects, actions };
  const { invariants } = scenario;
  const scheme = createScheme(vocabulary, builtinKinds);
  const visits = createVisits();
  const server = createModelServer({
    scheme,
    ...(scenario.review ? { review: scenario.review } : {}),
    ...(scenario.documents ? { documents: scenario.documents } : {}),
  });
  const before = prelude ? scenario.objects.reduce(planted, emptyStore) : emptyStore;
  const model = await createControllerModel({
    definition,
    scheme,
    answer: (request) => server.handle(before, request, 0).answer,
    cached: (resource, key) => before.objects[`${resource} ${key}`],
    ...(prelude ? { prelude } : {}),
    visits,
    onTouch: (container, key) => footprint?.remember(container, key),
    conditions: options.conditions ?? false,
  });
  const effects = createEffectTable(model);
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
  });
  return { steps, model, effects, server, invariants, visits };
}

/** What the searches of groups that have nothing to do with each other say of all of them. */
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
