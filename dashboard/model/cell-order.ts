const UNITS: Readonly<Record<string, number>> = { y: 31_536_000, d: 86_400, h: 3_600, m: 60, s: 1 };
const DURATION = /^(?:\d+[ydhms])+$/;

/** Returns the seconds of a printed age, such as `3d4h`; undefined for other texts. */
function secondsOf(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  const parts = text.matchAll(/(\d+)([ydhms])/g);
  return [...parts].reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
}

/** Returns the value by which a cell is sorted: a number for ages, numbers and `1/3`, otherwise the text. */
function valueOf(text: string): number | string {
  const seconds = secondsOf(text);
  if (seconds !== undefined) return seconds;
  const [, number] = /^(-?\d+(?:\.\d+)?)(?:\/\d+|%)?$/.exec(text) ?? [];
  return number === undefined ? text : Number(number);
}

const isMissing = (text: string): boolean => text === '' || /^<[a-z ]+>$/.test(text);

/**
 * Compares two cells of a table as printed by the server. Ages and numbers are compared by value, other texts
 * as text. Missing values, such as `<none>`, are last.
 */
export function compareCells(a: string, b: string): number {
  if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
  const [left, right] = [valueOf(a), valueOf(b)];
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left !== typeof right) return typeof left === 'number' ? -1 : 1;
  return a.localeCompare(b, 'en', { numeric: true });
}
