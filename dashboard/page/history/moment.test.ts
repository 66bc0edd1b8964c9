import { describe, expect, it } from 'vitest';
import { momentOf, withMoment } from './moment.ts';

describe('momentOf', () => {
  it.each([
    ['', undefined],
    ['#/controllers/cronjob', undefined],
    ['#/controllers/cronjob?at=1767225600000', 1_767_225_600_000],
    ['#/?at=12', 12],
    ['#/?at=', undefined],
    ['#/?at=-1', undefined],
    ['#/?at=tomorrow', undefined],
  ])('parses the time in %j', (hash, atMs) => {
    expect(momentOf(hash)).toBe(atMs);
  });
});

describe('withMoment', () => {
  it.each([
    ['', 12.5, '#/?at=12'],
    ['#/controllers/cronjob', 12, '#/controllers/cronjob?at=12'],
    ['#/controllers/cronjob?at=12', 13, '#/controllers/cronjob?at=13'],
    ['#/controllers/cronjob?at=12', undefined, '#/controllers/cronjob'],
    ['#/?namespace=team', 12, '#/?namespace=team&at=12'],
    ['#/?namespace=team&at=12', undefined, '#/?namespace=team'],
  ])('puts a time into the address %j', (hash, atMs, address) => {
    expect(withMoment(hash, atMs)).toBe(address);
  });
});
