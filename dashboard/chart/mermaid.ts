import { type Chart, type ChartState, type ChartTransition, statesOf, triggerText } from './chart.ts';

/** Converts a chart to a Mermaid diagram: https://mermaid.js.org/syntax/stateDiagram.html */
export function toMermaid(chart: Chart): string {
  return `${['stateDiagram-v2', ...bodyOf(chart.root, '  '), ...edgesOf(chart.root)].join('\n')}\n`;
}

/** Converts a path to an id. Ids of Mermaid contain only word characters. */
const idOf = (path: string): string => path.replace(/[^\w]/g, '_');

const labelOf = ({ name, invokes }: ChartState): string =>
  invokes.length === 0 ? name : `${name} / ${invokes.join(', ')}`;

function bodyOf(state: ChartState, indent: string): readonly string[] {
  const lines = state.initial === undefined ? [] : [`${indent}[*] --> ${idOf(state.initial)}`];
  const between = state.type === 'parallel' ? [`${indent}--`] : [];
  const children = state.states.flatMap((child, at) => [
    ...(at === 0 ? [] : between),
    ...declarationOf(child, indent),
  ]);
  return [...lines, ...children];
}

function declarationOf(state: ChartState, indent: string): readonly string[] {
  const id = idOf(state.path);
  const head = `${indent}state "${labelOf(state)}" as ${id}`;
  const nested =
    state.states.length === 0
      ? [head]
      : [head, `${indent}state ${id} {`, ...bodyOf(state, `${indent}  `), `${indent}}`];
  return state.type === 'final' ? [...nested, `${indent}${id} --> [*]`] : nested;
}

/** Returns one line for all transitions between two states. The line contains all their labels. */
function edgesOf(root: ChartState): readonly string[] {
  const labels = new Map<string, Set<string>>();
  for (const state of statesOf(root))
    for (const transition of state.transitions) {
      if (transition.target === undefined || state.path === '') continue;
      const edge = `  ${idOf(state.path)} --> ${idOf(transition.target)}`;
      labels.set(edge, (labels.get(edge) ?? new Set()).add(textOf(transition)));
    }
  return [...labels].map(([edge, texts]) => {
    const text = [...texts].filter((each) => each !== '').join(', ');
    return text === '' ? edge : `${edge}: ${text}`;
  });
}

const textOf = ({ trigger, guard }: ChartTransition): string =>
  [triggerText(trigger), ...(guard === undefined ? [] : [`[${guard}]`])]
    .filter((each) => each !== '')
    .join(' ');
