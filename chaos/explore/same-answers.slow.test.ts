import { describe, expect, it } from 'vitest';
import { compareServers } from './same-answers.fixture.ts';

describe('the model of the API server', () => {
  it.each([101, 102, 103])('answers many random requests like the API server, seed %i', async (seed) => {
    expect(await compareServers({ seed, runs: 300 })).toBeGreaterThan(1_500);
  });
});
