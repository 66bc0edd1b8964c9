import { nodes } from '../../api/groups/core-v1.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Node } from '../../api/types/core-v1-node.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import {
  type Annotate,
  CACHE_SECONDS,
  type ObservedNode,
  suits,
  ttlMachine,
} from '../../machines/ttl/ttl.ts';
import { type ControllerContext, type Effects, createObjectWrites, watch } from '../../runtime/index.ts';
import { implement } from '../implement.ts';
import { ttlManifest } from './manifest.ts';

/** Index of nodes by the value of their annotation. */
const BY_SECONDS = 'cache seconds';

/**
 * Annotates nodes with the time for which their agents may cache Secrets and ConfigMaps. The time grows with
 * the number of nodes:
 * https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/controller/ttl/ttl_controller.go
 *
 * Upstream has one time in memory and starts with the minimum. Here each node retains its time as long as the
 * time suits, so that a restart writes nothing.
 */
export const ttlController = implement(ttlManifest, {
  machine: ttlMachine,
  watches: ({ informers }) => {
    const { store } = informers.of(nodes);
    /** Returns the keys of the nodes whose time no longer suits the number of nodes. */
    const outdated = (): readonly string[] =>
      CACHE_SECONDS.filter((seconds) => !suits(seconds, store.size)).flatMap((seconds) =>
        store.byIndex(BY_SECONDS, String(seconds)).map(({ metadata }) => metadata?.name ?? ''),
      );
    return [
      watch(nodes, {
        // A change of other fields also enqueues the node. A cache that missed both a write of this
        // controller and a later removal contains no change of the annotation.
        keys: (node, previous) => [node.metadata?.name ?? '', ...(previous === undefined ? outdated() : [])],
      }),
    ];
  },
  effects: createEffects,
});

const annotationOf = ({ key }: Vocabulary): string => key('node.alpha', 'ttl');

/** Returns the value of the annotation, or undefined without an annotation. */
const textOf = ({ metadata }: DeepReadonly<Node>, vocabulary: Vocabulary): string | undefined =>
  metadata?.annotations?.[annotationOf(vocabulary)];

function createEffects({ client, informers, scheme: { vocabulary } }: ControllerContext): Effects {
  const informer = informers.of(nodes);
  informer.index(BY_SECONDS, (node) => [textOf(node, vocabulary) ?? '']);
  const { store } = informer;
  const writes = createObjectWrites(client, nodes);
  return {
    observe: async ({ key }: { key: string }): Promise<ObservedNode | null> => {
      const node = store.get(key);
      const { uid, resourceVersion = '' } = node?.metadata ?? {};
      if (node === undefined || uid === undefined) return null;
      const text = textOf(node, vocabulary) ?? '';
      const seconds = /^\d+$/.test(text) ? Number(text) : undefined;
      return { seconds, nodes: store.size, uid, resourceVersion };
    },

    annotate: async ({ seconds, ...target }: Annotate, signal: AbortSignal): Promise<void> => {
      const annotations = { [annotationOf(vocabulary)]: String(seconds) };
      await writes.patch(target, { metadata: { annotations } }, signal);
    },
  };
}
