import type { Chart, ChartState, ChartTransition } from './chart.ts';

/**
 * Converts a chart to SCXML: https://www.w3.org/TR/scxml/. A guard becomes a condition with the guard's name.
 * An action becomes a `<raise>` of the event `do.<name>`.
 */
export function toScxml({ root }: Chart): string {
  const initial = root.initial === undefined ? '' : ` initial="${escaped(root.initial)}"`;
  const name = escaped(root.name);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" name="${name}"${initial}>`,
    ...root.states.flatMap((state) => stateLines(state, '  ')),
    '</scxml>',
    '',
  ].join('\n');
}

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => ESCAPED[sign] ?? sign);

const TAGS: Readonly<Record<ChartState['type'], string>> = {
  atomic: 'state',
  compound: 'state',
  parallel: 'parallel',
  final: 'final',
  history: 'history',
};

function stateLines(state: ChartState, indent: string): readonly string[] {
  const inner = `${indent}  `;
  const initial = state.initial === undefined ? '' : ` initial="${escaped(state.initial)}"`;
  const open = `${indent}<${TAGS[state.type]} id="${escaped(state.path)}"${initial}`;
  const body = [
    ...block('onentry', state.entry, inner),
    ...block('onexit', state.exit, inner),
    ...state.invokes.map((actor) => `${inner}<invoke id="${escaped(actor)}" type="${escaped(actor)}"/>`),
    ...state.transitions.flatMap((each) => transitionLines(each, state, inner)),
    ...state.states.flatMap((child) => stateLines(child, inner)),
  ];
  return body.length === 0 ? [`${open}/>`] : [`${open}>`, ...body, `${indent}</${TAGS[state.type]}>`];
}

const raised = (actions: readonly string[], indent: string): readonly string[] =>
  actions.map((action) => `${indent}<raise event="do.${escaped(action)}"/>`);

const block = (tag: string, actions: readonly string[], indent: string): readonly string[] =>
  actions.length === 0 ? [] : [`${indent}<${tag}>`, ...raised(actions, `${indent}  `), `${indent}</${tag}>`];

/**
 * Returns the event of a trigger. In SCXML, the end of an effect is the event `done.invoke.ID`, and there are
 * no delayed transitions.
 */
function eventOf({ trigger: { on, name } }: ChartTransition, state: ChartState): string {
  if (on === 'done') return state.invokes.includes(name) ? `done.invoke.${name}` : `done.state.${name}`;
  if (on === 'error') return `error.execution.${name}`;
  return on === 'after' ? `after.${name}` : name;
}

function transitionLines(transition: ChartTransition, state: ChartState, indent: string): readonly string[] {
  const { target, guard, actions } = transition;
  const event = eventOf(transition, state);
  const attributes = [
    ['event', event],
    ['cond', guard ?? ''],
    ['target', target ?? ''],
  ].flatMap(([name, value = '']) => (value === '' ? [] : [` ${name}="${escaped(value)}"`]));
  const open = `${indent}<transition${attributes.join('')}`;
  return actions.length === 0
    ? [`${open}/>`]
    : [`${open}>`, ...raised(actions, `${indent}  `), `${indent}</transition>`];
}
