import type { JournalEntry } from '../../runtime/journal/journal.ts';

/** An event as `@statelyai/inspect` (version 0.4) takes it over any of its adapters. */
export type InspectorEvent = Readonly<Record<string, unknown>> & {
  readonly type: '@xstate.actor' | '@xstate.event' | '@xstate.snapshot';
};

const VERSION = '0.4.0';

/** What a journal entry tells an inspector. A pass is an actor of its own; its context is not in the journal. */
export function inspectorEvents(
  entry: JournalEntry,
  definition: (controller: string) => object | undefined,
): readonly InspectorEvent[] {
  const { passId: sessionId, controller, key, state = '', atMs, seq } = entry;
  if (sessionId === undefined) return [];
  const common = {
    _version: VERSION,
    name: `${controller} ${key}`,
    sessionId,
    rootId: sessionId,
    createdAt: String(atMs),
    id: String(seq),
  };
  const snapshot = (status: 'active' | 'done', value: unknown) => ({
    status,
    value,
    context: {},
    children: {},
  });
  switch (entry.kind) {
    case 'pass.started':
      return [
        {
          ...common,
          type: '@xstate.actor',
          definition: JSON.stringify(definition(controller) ?? { id: controller }),
          snapshot: snapshot('active', undefined),
          parentId: undefined,
        },
      ];
    case 'state': {
      const event = { type: entry.event ?? 'xstate.init' };
      return [
        { ...common, type: '@xstate.event', event, sourceId: undefined },
        { ...common, type: '@xstate.snapshot', event, snapshot: snapshot('active', valueOf(state)) },
      ];
    }
    case 'pass.finished':
      return [
        {
          ...common,
          type: '@xstate.snapshot',
          event: { type: 'xstate.done' },
          snapshot: { ...snapshot('done', undefined), output: { outcome: entry.outcome } },
        },
      ];
    default:
      return [];
  }
}

/** `signing.loading` as XState has it: `{ signing: 'loading' }`. */
function valueOf(state: string): unknown {
  const [outer = '', ...inner] = state.split('.');
  return inner.length === 0 ? outer : { [outer]: valueOf(inner.join('.')) };
}
