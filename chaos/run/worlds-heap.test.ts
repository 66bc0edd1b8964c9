import { PerformanceObserver, constants } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { keepWorldsYoung, youngCollector } from './worlds-heap.ts';

it('collects only the young generation between two worlds', async () => {
  keepWorldsYoung();
  const collect = youngCollector();
  const forced: unknown[] = [];
  const seen = new Promise<void>((resolve) => {
    const observer = new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries() as unknown as readonly { readonly detail: GcDetail }[])
        if ((detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0) forced.push(detail.kind);
      if (forced.length === 0) return;
      observer.disconnect();
      resolve();
    });
    observer.observe({ entryTypes: ['gc'] });
  });
  collect();
  await seen;
  expect(forced).toEqual([constants.NODE_PERFORMANCE_GC_MINOR]);
});

interface GcDetail {
  readonly kind: number;
  readonly flags: number;
}
