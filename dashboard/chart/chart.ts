/** A machine as a picture needs it: plain JSON, without its functions. */
export interface Chart {
  /** The machine's id. */
  readonly id: string;
  readonly description: string;
  /** Its path is ''. */
  readonly root: ChartState;
}

export interface ChartState {
  /** Dotted from below the root: `watching.listening`. Unique in its chart. */
  readonly path: string;
  /** The last part of the path; of the root the machine's id. */
  readonly name: string;
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  /** Path of the child that a compound state begins in. */
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

export interface ChartTransition {
  /** Path; undefined where actions run and the state stays. */
  readonly target?: string;
  readonly trigger: Trigger;
  readonly guard?: string;
  readonly actions: readonly string[];
}

/** What takes a transition. */
export interface Trigger {
  readonly on: 'always' | 'done' | 'error' | 'after' | 'event';
  /** The actor that ended, the delay, or the event's type; '' of `always`. */
  readonly name: string;
}

/** All states below one, in document order, itself first. */
export function* statesOf(state: ChartState): Generator<ChartState> {
  yield state;
  for (const child of state.states) yield* statesOf(child);
}

/** The path of the state around one; '' of the outermost. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('.')));

/** `done(createJob)`, `error`, `after effectTimeout`; '' of `always`. */
export const triggerText = ({ on, name }: Trigger): string => {
  if (on === 'done' || on === 'error') return `${on}(${name})`;
  return on === 'after' ? `after ${name}` : name;
};

/**
 * The innermost states that a value names which the journal has as text: `signing.loading`, and for parallel regions
 * `watching.stream.open,silence.waiting`, where what follows a comma belongs to the nearest state around the one before
 * that has such a child. Parts that the chart does not have are left out.
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
