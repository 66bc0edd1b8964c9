import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from './memory.ts';
import { describeStorage, plainStamp } from './storage.conformance.ts';

describeStorage('memory storage', async (limits) => createMemoryStorage({ stamp: plainStamp, ...limits }));

describe('memory storage', () => {
  it('limits its history by the size of the values', async () => {
    const storage = createMemoryStorage({ stamp: plainStamp, historyBytes: 1_000 });
    for (let i = 0; i < 10; i++) await storage.put(`/a/${i}`, Buffer.alloc(400, 'v'), 'absent');
    expect(storage.compacted()).toBe(8);
  });
});
