import { type DeepReadonly, type ObjectOf, pods } from 'orch/api';
import { type ReconcileInput, type Plan, createPlanMachine } from 'orch/machines';
import { defineController, watch } from 'orch/runtime';

type Pod = DeepReadonly<ObjectOf<typeof pods>>;

export interface Observed {
  readonly key: string;
  /** Images of all containers, in the order of the containers. */
  readonly images: readonly string[];
}

interface Warn {
  readonly type: 'warn';
  readonly key: string;
  readonly images: readonly string[];
}

/** True if an image has a fixed version: a digest, or a tag other than `latest`. */
export const isPinned = (image: string): boolean => image.includes('@') || /:(?!latest$)[^/:]+$/.test(image);

export function plan({ key, images }: Observed): Plan<Warn> {
  const floating = images.filter((image) => !isPinned(image));
  return { actions: floating.length === 0 ? [] : [{ type: 'warn', key, images: floating }] };
}

const imagesOf = (pod: Pod | undefined): readonly string[] =>
  [...(pod?.spec?.initContainers ?? []), ...(pod?.spec?.containers ?? [])].map(({ image = '' }) => image);

/** Emits a warning for pods whose images may change without a change of the image name. */
export const imageAuditor = defineController({
  name: 'image-auditor',
  machine: createPlanMachine<Observed, Warn>({ id: 'image-auditor', actions: ['warn'], plan }),
  watches: () => [
    // The status of a pod changes often, but its images hardly ever.
    watch(pods, { when: (pod, before) => imagesOf(pod).join() !== imagesOf(before).join() }),
  ],
  effects: ({ informers, events }) => ({
    observe: async ({ key }: ReconcileInput): Promise<Observed> => ({
      key,
      images: imagesOf(informers.of(pods).store.get(key)),
    }),
    warn: async ({ key, images }: Warn) => {
      const pod = informers.of(pods).store.get(key);
      if (pod === undefined) return;
      events.record(pod, 'Warning', 'FloatingImage', `Images without a version: ${images.join(', ')}`);
    },
  }),
});
