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

/** The column `hours` contains the expected end of life in hours after the creation of the request. */
describe('endOfLife', () => {
  it.each<[string, Partial<RequestTimes>, number]>([
    ['is a day after creation while undecided', {}, 24],
    ['is a day after creation if approved at once and never issued', { approvedMs: 0 }, 24],
    ['is a day after creation if approved late and never issued', { approvedMs: 20 * HOUR }, 24],
    ['is an hour after approval if issued', { approvedMs: 0, issued: true }, 1],
    ['is an hour after a late approval if issued', { approvedMs: 5 * HOUR, issued: true }, 6],
    [
      'is 25 hours after creation if approved after 24 hours and issued',
      { approvedMs: 24 * HOUR, issued: true },
      25,
    ],
    ['is a day after creation if issued without approval', { issued: true }, 24],
    ['is an hour after denial', { deniedMs: 0 }, 1],
    ['is an hour after a late denial', { deniedMs: 23 * HOUR }, 24],
    ['is an hour after failure', { failedMs: 2 * HOUR }, 3],
    ['is an hour after the earlier of denial and failure', { deniedMs: 2 * HOUR, failedMs: HOUR }, 2],
    ['is an hour after denial even if approved before', { approvedMs: 0, deniedMs: 3 * HOUR }, 4],
    ['is an hour after failure even if approved before', { approvedMs: 0, failedMs: 3 * HOUR }, 4],
    [
      'is the expiry of the certificate if that is sooner',
      { approvedMs: 0, issued: true, certificateEndsMs: HOUR / 2 },
      0.5,
    ],
    [
      'is in the past if the certificate expired before the request',
      { issued: true, certificateEndsMs: -HOUR },
      -1,
    ],
    [
      'is not delayed by a certificate that expires later',
      { approvedMs: 0, issued: true, certificateEndsMs: 99 * HOUR },
      1,
    ],
    [
      'is the expiry of the certificate if the request was never approved',
      { issued: true, certificateEndsMs: 10 * HOUR },
      10,
    ],
  ])('%s', (_when, changes, hours) => {
    expect(endOfLife({ ...pending, ...changes })).toBe(hours * HOUR);
  });
});
