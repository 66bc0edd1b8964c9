/** A machine as plain JSON, without its functions. */
export interface Chart {
  /** The machine's id. */
  readonly id: string;
  readonly description: string;
  /** The machine itself, with the path ''. */
  readonly root: ChartState;
}

/** A state with its children. */
export interface ChartState {
  /** Dotted path from below the root, such as `watching.listening`. It is unique in its chart. */
  readonly path: string;
  /** The last part of the path. For the root, it is the machine's id. */
  readonly name: string;
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  /** Path of the initial child of a compound state. */
  readonly initial?: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** Names of the actors that run while the machine is in the state. */
  readonly invokes: readonly string[];
  readonly entry: readonly string[];
  readonly exit: readonly string[];
  readonly states: readonly ChartState[];
  readonly transitions: readonly ChartTransition[];
}

/** A transition of the state that contains it. */
export interface ChartTransition {
  /** Path of the target. Absent if the transition only runs actions. */
  readonly target?: string;
  readonly trigger: Trigger;
  readonly guard?: string;
  readonly actions: readonly string[];
}

/** Cause of a transition. */
export interface Trigger {
  readonly on: 'always' | 'done' | 'error' | 'after' | 'event';
  /** Name of the actor or delay, or type of the event; '' for `always`. */
  readonly name: string;
}

/** Yields a state and all its descendants, each parent before its children. */
export function* statesOf(state: ChartState): Generator<ChartState> {
  yield state;
  for (const child of state.states) yield* statesOf(child);
}

/** Returns the path of a state's parent, or '' for an outermost state. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('.')));

/**
 * Formats a trigger as `done(createJob)`, `error(createJob)` or `after effectTimeout`. For `always`, returns
 * ''.
 */
export const triggerText = ({ on, name }: Trigger): string => {
  if (on === 'done' || on === 'error') return `${on}(${name})`;
  return on === 'after' ? `after ${name}` : name;
};

/**
 * Returns the paths of the active leaf states for a state value of the journal. `signing.loading` is one
 * path. In `watching.stream.open,silence.waiting`, each part after a comma belongs to the nearest ancestor of
 * the previous part that has such a child: here `watching`. Parts that the chart lacks are skipped.
 */
export function activeLeaves(chart: Chart, value: string): readonly string[] {
  const paths = new Set([...statesOf(chart.root)].map(({ path }) => path));
  const leaves: string[] = [];
  let before = '';
  for (const part of value.split(',')) {
    let around = before;
    const within = (): string => (around === '' ? part : `${around}.${part}`);
    while (around !== '' && !paths.has(within())) around = parentOf(around);
    if (!paths.has(within())) continue;
    leaves.push(within());
    before = within();
  }
  return leaves;
}
