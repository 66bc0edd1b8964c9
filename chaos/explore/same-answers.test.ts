import { describe, expect, it } from 'vitest';
import { compareServers } from './same-answers.fixture.ts';

describe('the model of the API server', () => {
  it('answers random sequences of requests like the API server', async () => {
    expect(await compareServers({ seed: 7, runs: 40 })).toBeGreaterThan(100);
  });
});
