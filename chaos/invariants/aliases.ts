import { twins } from '../controllers/index.ts';

/** Present ids of the generic invariants by their former ids, which earlier releases used. */
const GENERIC: Readonly<Record<string, string>> = {
  'generic/G1': 'generic/no-blind-write',
  'generic/G2': 'generic/no-blind-delete',
  'generic/G3': 'generic/no-empty-write',
  'generic/G3-loop': 'generic/no-hot-loop',
  'generic/G4': 'generic/no-write-after-resync',
  'generic/G6': 'generic/converges',
  'generic/G7': 'generic/no-write-after-restart',
  'generic/G10': 'generic/no-effect-after-later-reconcile',
  'generic/G11': 'generic/status-is-current',
  'generic/G12': 'generic/no-foreign-write',
  'generic/G13': 'generic/every-reconcile-ends',
  'generic/G14': 'generic/retries-back-off',
  'generic/G15': 'generic/no-leaked-secret',
  'apiserver/W1': 'apiserver/versions-grow',
  'apiserver/W2': 'apiserver/no-reused-uid',
  'apiserver/W3': 'apiserver/deletion-is-final',
  'queue/Q1': 'queue/no-forgotten-key',
  'queue/Q2': 'queue/no-forgotten-requeue',
  'queue/Q3': 'queue/no-early-key',
  'queue/Q4': 'queue/no-busy-key',
  'queue/Q5': 'queue/no-effect-of-taken-key',
  'leaderelection/LE1': 'leaderelection/one-leader',
  'leaderelection/LE2': 'leaderelection/no-request-after-expiry',
  'leaderelection/LE3': 'leaderelection/some-leader',
};

/** Present ids of all invariants by their former ids, such as `generic/G3`. */
const renamed: ReadonlyMap<string, string> = new Map([
  ...Object.entries(GENERIC),
  ...twins.flatMap(({ name, formerNumbers = {} }) =>
    Object.entries(formerNumbers).map(
      ([number, property]) => [`${name}/${number}`, `${name}/${property}`] as const,
    ),
  ),
]);

const numbers: ReadonlyMap<string, string> = new Map([...renamed].map(([number, id]) => [id, number]));

/** Returns the present id of an invariant. A present id is returned unchanged. */
export const invariantIdOf = (text: string): string => renamed.get(text) ?? text;

/**
 * Returns the former id of an invariant, such as `generic/G3`. Undefined if the invariant never had another
 * id.
 */
export const formerNumberOf = (id: string): string | undefined => numbers.get(id);
