import { configMaps, namespaces } from 'orch/api';
import { type ReconcileInput, type Plan, createPlanMachine } from 'orch/machines';
import { type Target, createObjectWrites, defineController, targetOf, watch } from 'orch/runtime';

/** Label that config maps inherit from their namespace. */
export const TEAM = 'example.com/team';

export interface Observed {
  /** Label of the namespace; null for none. */
  readonly team: string | null;
  readonly configMaps: readonly { readonly target: Target; readonly team: string | null }[];
}

interface Label {
  readonly type: 'label';
  readonly target: Target;
  /** New label; null removes it. */
  readonly team: string | null;
}

export const plan = ({ team, configMaps }: Observed): Plan<Label> => ({
  actions: configMaps
    .filter((each) => each.team !== team)
    .map(({ target }) => ({ type: 'label', target, team })),
});

/**
 * Copies the team label of a namespace to its config maps. A key is a namespace: one reconcile labels
 * everything in it.
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
