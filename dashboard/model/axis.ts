import type { ReconcileEnd } from '../../runtime/journal/index.ts';
import type { View } from './view.ts';

/** Finished reconciles over the time of a journal, for a time axis with marks. */
export interface AxisDocument {
  readonly kind: 'Axis';
  readonly fromMs: number;
  readonly toMs: number;
  /** Number of reconciles in each of the equal parts of the time, oldest first. */
  readonly reconciles: readonly number[];
  /** Number of failed reconciles in each part. */
  readonly failures: readonly number[];
  /** Times of the newest failed reconciles, oldest first. */
  readonly errorsMs: readonly number[];
}

const PARTS = 240;
const MAX_ERRORS = 500;

/** Returns the axis of a whole journal, of one controller or of one key: `axis?controller=&key=`. */
export function axisOf(view: View, query: URLSearchParams): AxisDocument {
  const [controller, key] = [query.get('controller'), query.get('key')];
  const ends: ReconcileEnd[] = [];
  let fromMs = view.nowMs;
  view.finished((end) => {
    // The axis of a controller begins with the journal, so that its times do not change with the selection.
    fromMs = Math.min(fromMs, end.endMs);
    if ((controller === null || end.controller === controller) && (key === null || end.key === key))
      ends.push(end);
  });
  const reconciles = Array.from({ length: PARTS }, () => 0);
  const failures = Array.from({ length: PARTS }, () => 0);
  const errorsMs: number[] = [];
  const partMs = Math.max(1, view.nowMs - fromMs) / PARTS;
  for (const { endMs, outcome, repeats } of ends) {
    const part = Math.min(PARTS - 1, Math.floor((endMs - fromMs) / partMs));
    reconciles[part] = (reconciles[part] ?? 0) + 1 + repeats;
    if (outcome !== 'failed') continue;
    failures[part] = (failures[part] ?? 0) + 1 + repeats;
    errorsMs.push(endMs);
  }
  errorsMs.sort((a, b) => a - b);
  return {
    kind: 'Axis',
    fromMs,
    toMs: view.nowMs,
    reconciles,
    failures,
    errorsMs: errorsMs.slice(-MAX_ERRORS),
  };
}
