import { getHeapStatistics } from 'node:v8';

/** Returns the used share of this thread's heap limit, 0 to 1. */
export function heapUsed(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used / limit;
}
