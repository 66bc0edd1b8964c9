import { createRequire } from 'node:module';
import { spend } from '../budget/work-budget.ts';

/** Work units for parsing one item of a list; about 60 microseconds. */
const ITEM_WORK = 60;

/** Description of accepted schedules, with which error messages end. */
export const ACCEPTED =
  'accepted are a descriptor such as @hourly, or 5 fields (minute, hour, day of month, month, day of week) ' +
  'or 6 with seconds first, of numbers, names, ranges, steps and lists, with H in every field, ' +
  'L, 15W and LW in the day of month, and 5L and FRI#2 in the day of week';

/** One item of a field as parsed by cron-parser. */
interface ParsedItem {
  readonly values: readonly (number | string)[];
  /** Occurrence of the weekday in the month; 0 without `#`. */
  readonly nth: number;
}

/**
 * Function that reads one item of the field at a position, where 0 is the seconds field. Throws for an
 * invalid item.
 */
export type ReadItem = (position: number, item: string) => ParsedItem;

const POSITIONS = ['second', 'minute', 'hour', 'day of month', 'month', 'day of week'] as const;

/** True if an item is `*` or `?` without a step above 1, as in the standard dialect. */
export const isStar = (item: string): boolean => /^[*?](?:\/0*1)?$/.test(item);

const load = createRequire(import.meta.url);

/**
 * Creates a reader of single items. Callers must split lists, as cron-parser rejects repeated values and
 * lists with `#`.
 */
export function createItemReader(seed: string): ReadItem {
  const { CronExpressionParser } = load('cron-parser') as typeof import('cron-parser');
  return (position, item) => {
    spend(ITEM_WORK);
    if (item === '') throw invalidItem(position, item, 'expected no empty item in a list');
    const fields = POSITIONS.map((_, at) => (at === position ? item : '*'));
    try {
      // With `strict`, cron-parser rejects `H` in the wrong field. The seed must not be empty, or `H` would
      // be random.
      const options = { strict: true, hashSeed: `seed:${seed}`, currentDate: 0, tz: 'UTC' };
      const { second, minute, hour, dayOfMonth, month, dayOfWeek } = CronExpressionParser.parse(
        fields.join(' '),
        options,
      ).fields;
      const all = [second, minute, hour, dayOfMonth, month, dayOfWeek];
      return { values: all[position]?.values ?? [], nth: dayOfWeek.nthDay };
    } catch (thrown) {
      throw invalidItem(position, item, thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
}

/** Creates the error for an item that a field does not accept. */
export const invalidItem = (position: number, item: string, reason: string): Error =>
  new Error(`invalid ${POSITIONS[position] ?? 'field'} ${JSON.stringify(item)}: ${reason}; ${ACCEPTED}`);
