import { configMaps, namespaces } from 'orch/api';
import { type ReconcileInput, type Plan, createPlanMachine } from 'orch/machines';
import { type Target, createObjectWrites, defineController, targetOf, watch } from 'orch/runtime';

/** Label that ConfigMaps inherit from their namespace. */
export const TEAM = 'example.com/team';

export interface Observed {
  /** Value of the namespace's label; null without the label. */
  readonly team: string | null;
  readonly configMaps: readonly { readonly target: Target; readonly team: string | null }[];
}

interface Label {
  readonly type: 'label';
  readonly target: Target;
  /** New value of the label; null removes the label. */
  readonly team: string | null;
}

export const plan = ({ team, configMaps }: Observed): Plan<Label> => ({
  actions: configMaps
    .filter((each) => each.team !== team)
    .map(({ target }) => ({ type: 'label', target, team })),
});

/**
 * Copies the team label of a namespace to its ConfigMaps. A key is the name of a namespace, so one reconcile
 * labels all ConfigMaps in it.
 */
export const labelPropagator = defineController({
  name: 'label-propagator',
  machine: createPlanMachine<Observed, Label>({ id: 'label-propagator', actions: ['label'], plan }),
  watches: () => [
    watch(namespaces),
    watch(configMaps, { keys: ({ metadata }) => [metadata?.namespace ?? ''] }),
  ],
  effects: ({ client, informers }) => {
    const writes = createObjectWrites(client, configMaps);
    return {
      observe: async ({ key }: ReconcileInput): Promise<Observed> => ({
        team: informers.of(namespaces).store.get(key)?.metadata?.labels?.[TEAM] ?? null,
        configMaps: informers
          .of(configMaps)
          .store.byIndex('namespace', key)
          .map((object) => ({ target: targetOf(object), team: object.metadata?.labels?.[TEAM] ?? null })),
      }),
      label: ({ target, team }: Label, signal: AbortSignal) =>
        writes.patch(target, { metadata: { labels: { [TEAM]: team } } }, signal),
    };
  },
});
