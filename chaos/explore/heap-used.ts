import { getHeapStatistics } from 'node:v8';

/** How much of the heap that this thread may have is used, 0 to 1. */
export function heapUsed(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used / limit;
}
