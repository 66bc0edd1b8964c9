import { describe, expect, it } from 'vitest';
import { type RequestTimes, endOfLife } from './csr-cleaner.ts';

const pending: RequestTimes = {
  createdMs: 0,
  approvedMs: undefined,
  deniedMs: undefined,
  failedMs: undefined,
  issued: false,
  certificateEndsMs: undefined,
};
const HOUR = 3_600_000;

/** Hours after its creation. */
describe('a certificate request may be deleted', () => {
  it.each<[string, Partial<RequestTimes>, number]>([
    ['a day after it was made, when nobody decides', {}, 24],
    ['a day after it was made, approved at once and never issued', { approvedMs: 0 }, 24],
    ['a day after it was made, approved late and never issued', { approvedMs: 20 * HOUR }, 24],
    ['an hour after its approval, once issued', { approvedMs: 0, issued: true }, 1],
    ['an hour after a late approval, once issued', { approvedMs: 5 * HOUR, issued: true }, 6],
    [
      'past the day of pending ones, when it was approved in the last moment',
      { approvedMs: 24 * HOUR, issued: true },
      25,
    ],
    ['a day after it was made, issued by someone who never approved it', { issued: true }, 24],
    ['an hour after its denial', { deniedMs: 0 }, 1],
    ['an hour after a late denial', { deniedMs: 23 * HOUR }, 24],
    ['an hour after its failure', { failedMs: 2 * HOUR }, 3],
    ['an hour after the earlier of denial and failure', { deniedMs: 2 * HOUR, failedMs: HOUR }, 2],
    ['an hour after its denial, approved before or not', { approvedMs: 0, deniedMs: 3 * HOUR }, 4],
    ['an hour after its failure, approved before or not', { approvedMs: 0, failedMs: 3 * HOUR }, 4],
    [
      'when its certificate ends, if that is sooner',
      { approvedMs: 0, issued: true, certificateEndsMs: HOUR / 2 },
      0.5,
    ],
    ['at once, when its certificate has ended before it', { issued: true, certificateEndsMs: -HOUR }, -1],
    [
      'no later for a certificate that lives longer',
      { approvedMs: 0, issued: true, certificateEndsMs: 99 * HOUR },
      1,
    ],
    ['when its certificate ends, approved by nobody', { issued: true, certificateEndsMs: 10 * HOUR }, 10],
  ])('%s', (_when, changes, hours) => {
    expect(endOfLife({ ...pending, ...changes })).toBe(hours * HOUR);
  });
});
