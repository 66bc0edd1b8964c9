import { describe, expect, it } from 'vitest';
import { enabledByDefault } from '../../api/features/features.ts';
import { pods } from '../../api/groups/core-v1.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';
import { parseRequestInfo } from '../http/request/request-info.ts';
import { createWatchTracker } from './watch-tracker.ts';
import { createWorkEstimator, narrowed } from './work.ts';

const kind = pods as unknown as AnyKind;
const PODS = '/api/v1/namespaces/default/pods';

function estimate(method: string, url: string, options: { stored?: number; watchers?: number } = {}) {
  const { stored = 0, watchers = 0 } = options;
  const estimator = createWorkEstimator({
    countOf: () => stored,
    watchersOf: () => watchers,
    enabled: enabledByDefault,
  });
  return estimator({ info: parseRequestInfo(method, url), kind }, () => {});
}

describe('estimate of a list request', () => {
  it.each([
    ['', 0, 1],
    ['', 49, 1],
    ['', 51, 2],
    ['', 10_000, 10],
    ['?limit=100', 10_000, 2],
    ['?limit=100&labelSelector=a', 300, 4],
    ['?fieldSelector=spec.nodeName=n', 200, 4],
    ['?resourceVersion=0', 300, 3],
    ['?resourceVersion=0&limit=10', 300, 3],
    ['?resourceVersion=7&limit=10', 300, 1],
    ['?resourceVersion=7&resourceVersionMatch=Exact', 300, 6],
    ['?continue=x&limit=100', 300, 2],
    ['?limit=many', 0, 10],
  ])('is, for %j with %i objects, %i seats', (query, stored, width) => {
    expect(estimate('GET', PODS + query, { stored }).initialSeats).toBe(width);
  });

  it('is one seat for the resource of another server', () => {
    const estimator = createWorkEstimator({
      countOf: () => 1e6,
      watchersOf: () => 0,
      enabled: enabledByDefault,
    });
    const info = parseRequestInfo('GET', '/apis/metrics.k8s.io/v1beta1/pods');
    expect(estimator({ info, kind: undefined }, () => {}).initialSeats).toBe(1);
  });
});

describe('estimate of a write request', () => {
  it.each([
    [9, 0, 0],
    [10, 1, 5],
    [95, 10, 5],
    [1_000, 10, 50],
  ])('is, with %i watchers, %i final seats for %i ms', (watchers, finalSeats, additionalLatencyMs) => {
    for (const [method, url] of [
      ['POST', PODS],
      ['DELETE', `${PODS}/p`],
    ] as const)
      expect(estimate(method, url, { watchers })).toEqual({
        initialSeats: 1,
        finalSeats,
        additionalLatencyMs,
      });
  });

  it('counts no watcher for a token request', () => {
    const url = '/api/v1/namespaces/default/serviceaccounts/a/token';
    expect(estimate('POST', url, { watchers: 100 }).finalSeats).toBe(0);
  });

  it('keeps its total work when the number of final seats is reduced', () => {
    const work = { initialSeats: 1, finalSeats: 10, additionalLatencyMs: 5 };
    expect(narrowed(work, 2)).toEqual({ initialSeats: 1, finalSeats: 2, additionalLatencyMs: 25 });
    expect(narrowed(work, 10)).toBe(work);
  });
});

it('the estimate of a read, a watch and any other request is one seat', () => {
  for (const url of [`${PODS}/p`, `${PODS}?watch=1`, '/version'])
    expect(estimate('GET', url, { stored: 1e6, watchers: 1e6 })).toEqual({
      initialSeats: 1,
      finalSeats: 0,
      additionalLatencyMs: 0,
    });
});

describe('watch tracker', () => {
  it('counts the watches of the resource, its namespace or the object until they end', () => {
    const tracker = createWatchTracker();
    const info = (url: string) => parseRequestInfo('GET', url);
    const leave = tracker.register(info('/api/v1/pods?watch=1'));
    tracker.register(info(`${PODS}?watch=1`));
    tracker.register(info('/api/v1/namespaces/other/pods?watch=1'));
    tracker.register(info('/api/v1/watch/namespaces/default/pods/p'));
    expect(tracker.interestedIn(parseRequestInfo('PUT', `${PODS}/p`))).toBe(3);
    expect(tracker.interestedIn(parseRequestInfo('PUT', `${PODS}/q`))).toBe(2);
    expect(tracker.interestedIn(parseRequestInfo('POST', '/api/v1/namespaces/other/pods'))).toBe(2);
    leave();
    expect(tracker.interestedIn(parseRequestInfo('PUT', `${PODS}/q`))).toBe(1);
  });
});
