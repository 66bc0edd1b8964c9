import { describe, expect, it } from 'vitest';
import { FormatError, canonicalDuration, canonicalMicroTime, canonicalTime } from './times.ts';

describe('canonicalTime', () => {
  it.each([
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00Z'],
    ['2024-01-01T00:30:00.999999999+01:00', '2023-12-31T23:30:00Z'],
    ['2024-12-31T23:30:00-00:45', '2025-01-01T00:15:00Z'],
    ['0099-03-01T00:00:00Z', '0099-03-01T00:00:00Z'],
    ['2024-01-01T5:00:00.5+01:30', '2024-01-01T03:30:00Z'],
  ])('writes %s as %s', (text, canonical) => {
    expect(canonicalTime(text)).toBe(canonical);
  });

  it("reads Go's zero time as null", () => {
    expect(canonicalTime('0001-01-01T00:00:00Z')).toBeNull();
  });

  it.each([
    ['2023-02-29T00:00:00Z', 'parsing time "2023-02-29T00:00:00Z": day out of range'],
    ['2023-13-01T00:00:00Z', 'parsing time "2023-13-01T00:00:00Z": month out of range'],
    ['2023-13-01 00:00', 'parsing time "2023-13-01 00:00": month out of range'],
    ['2023-02-30T00:60:00', 'parsing time "2023-02-30T00:60:00": minute out of range'],
    ['2023-01-01T24:00:00Z', 'parsing time "2023-01-01T24:00:00Z": hour out of range'],
    ['', 'parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"'],
    [
      '2023-01-01 00:00:00Z',
      'parsing time "2023-01-01 00:00:00Z" as "2006-01-02T15:04:05Z07:00": cannot parse " 00:00:00Z" as "T"',
    ],
    ['2023-01-01T00:00:00Zz', 'parsing time "2023-01-01T00:00:00Zz": extra text: "z"'],
  ])('rejects %j with the message of Go', (text, message) => {
    expect(() => canonicalTime(text)).toThrow(message);
  });
});

describe('canonicalMicroTime', () => {
  it('writes six decimals in UTC', () => {
    expect(canonicalMicroTime('2024-01-01T01:00:00.123456+01:00')).toBe('2024-01-01T00:00:00.123456Z');
  });

  it('rejects a time without decimals', () => {
    expect(() => canonicalMicroTime('2024-01-01T00:00:00Z')).toThrow('cannot parse "Z" as ".000000"');
  });
});

describe('canonicalDuration', () => {
  it.each([
    ['90s', '1m30s'],
    ['1.5h', '1h30m0s'],
    ['-90m', '-1h30m0s'],
    ['1h0m0.5s', '1h0m0.5s'],
    ['1500us', '1.5ms'],
    ['0', '0s'],
    ['3ns', '3ns'],
  ])('writes %s as %s', (text, canonical) => {
    expect(canonicalDuration(text)).toBe(canonical);
  });

  it.each([
    ['', 'time: invalid duration ""'],
    ['5', 'time: missing unit in duration "5"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['1h 2m', 'time: unknown unit "h " in duration "1h 2m"'],
    ['.s', 'time: invalid duration ".s"'],
    ['9999999999h', 'time: invalid duration "9999999999h"'],
    ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
    ['99999999999999999999d', 'time: invalid duration "99999999999999999999d"'],
  ])('rejects %j with the message of Go', (text, message) => {
    expect(() => canonicalDuration(text)).toThrow(new FormatError(message));
  });

  it('accepts durations of up to 64 bits of nanoseconds', () => {
    expect(canonicalDuration('9223372036854775807ns')).toBe('2562047h47m16.854775807s');
    expect(canonicalDuration('-9223372036854775808ns')).toBe('-2562047h47m16.854775808s');
  });

  it('rejects digits that can be split in many ways in linear time', () => {
    expect(() => canonicalDuration(`${'11s'.repeat(300)}1x`)).toThrow(/^time: unknown unit "x"/);
  });
});
