import { createRequire } from 'node:module';
import { spend } from '../budget/work-budget.ts';

/** Work of parsing one item of a list in units of the work budget: about 60 microseconds. */
const ITEM_WORK = 60;

/** Text that error messages end with. */
export const ACCEPTED =
  'accepted are a descriptor such as @hourly, or 5 fields (minute, hour, day of month, month, day of week) ' +
  'or 6 with seconds first, of numbers, names, ranges, steps and lists, with H in every field, ' +
  'L, 15W and LW in the day of month, and 5L and FRI#2 in the day of week';

/** One item of one field as cron-parser reads it. */
interface ParsedItem {
  readonly values: readonly (number | string)[];
  /** Occurrence of the weekday in the month, 0 without `#`. */
  readonly nth: number;
}

/** Reads one item of the field at a position, seconds being 0. Throws for an invalid one. */
export type ReadItem = (position: number, item: string) => ParsedItem;

const POSITIONS = ['second', 'minute', 'hour', 'day of month', 'month', 'day of week'] as const;

/** True if an item is a star by the rule of the standard dialect: without a step above 1. */
export const isStar = (item: string): boolean => /^[*?](?:\/0*1)?$/.test(item);

const load = createRequire(import.meta.url);

/**
 * Creates a reader of single items. Lists are split before, because cron-parser refuses repeated values and
 * lists with `#`.
 */
export function createItemReader(seed: string): ReadItem {
  const { CronExpressionParser } = load('cron-parser') as typeof import('cron-parser');
  return (position, item) => {
    spend(ITEM_WORK);
    if (item === '') throw invalidItem(position, item, 'expected no empty item in a list');
    const fields = POSITIONS.map((_, at) => (at === position ? item : '*'));
    try {
      // Strict, so that an H outside of its field is refused; the seed must not be empty, or H is random.
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

/** Creates the error of an item that a field does not accept. */
export const invalidItem = (position: number, item: string, reason: string): Error =>
  new Error(`invalid ${POSITIONS[position] ?? 'field'} ${JSON.stringify(item)}: ${reason}; ${ACCEPTED}`);
