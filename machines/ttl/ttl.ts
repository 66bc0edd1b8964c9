import { createPlanMachine } from '../reconcile/plan-machine.ts';

/**
 * Numbers of nodes for which a cache time suits. The ranges overlap, so that few nodes are written if the
 * number alternates around a limit.
 */
interface SizeRange {
  readonly least: number;
  readonly most: number;
  readonly seconds: number;
}

/**
 * Ranges of upstream:
 * https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/controller/ttl/ttl_controller.go#L81
 */
const RANGES: readonly SizeRange[] = [
  { least: 0, most: 100, seconds: 0 },
  { least: 90, most: 500, seconds: 15 },
  { least: 450, most: 1_000, seconds: 30 },
  { least: 900, most: 2_000, seconds: 60 },
  { least: 1_800, most: Infinity, seconds: 300 },
];

/** Cache times that the controller writes, in seconds. */
export const CACHE_SECONDS: readonly number[] = RANGES.map(({ seconds }) => seconds);

/** True if a node in a cluster of `nodes` nodes may keep a cache time. */
export const suits = (seconds: number | undefined, nodes: number): boolean =>
  RANGES.some((range) => range.seconds === seconds && range.least <= nodes && nodes <= range.most);

/** Returns the minimum cache time that suits a cluster of `nodes` nodes, in seconds. */
export const cacheSeconds = (nodes: number): number => RANGES.find(({ most }) => nodes <= most)?.seconds ?? 0;

/** Node with the size of its cluster; null for a node that does not exist. */
export interface ObservedNode {
  /** Value of the node's annotation in seconds; undefined if it is missing or not a whole number. */
  readonly seconds: number | undefined;
  /** Number of nodes in the cluster, including this one. */
  readonly nodes: number;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Action that writes the annotation of a node. */
export interface Annotate {
  readonly type: 'annotate';
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly seconds: number;
}

/** Annotates a node whose cache time does not suit the number of nodes in the cluster. */
export const ttlMachine = createPlanMachine<ObservedNode | null, Annotate>({
  id: 'ttl',
  actions: ['annotate'],
  plan: (node, { key }) => {
    if (node === null || suits(node.seconds, node.nodes)) return { actions: [] };
    const { uid, resourceVersion, nodes } = node;
    return { actions: [{ type: 'annotate', key, uid, resourceVersion, seconds: cacheSeconds(nodes) }] };
  },
});
