import { describe, expect, it } from 'vitest';
import { parseImagePolicy } from './image-policy-configuration.ts';

const parsed = (fields: Record<string, unknown> = {}) =>
  parseImagePolicy({ imagePolicy: { kubeConfigFile: '/f', ...fields } });

describe('configuration of ImagePolicyWebhook', () => {
  it('has defaults for every field except the file', () => {
    const defaults = {
      kubeConfigFile: '/f',
      allowTtlMs: 300_000,
      denyTtlMs: 30_000,
      retryBackoffMs: 500,
      defaultAllow: false,
    };
    expect(parsed()).toEqual(defaults);
    expect(parsed({ allowTTL: 0, denyTTL: null, retryBackoff: 0, defaultAllow: false })).toEqual(defaults);
  });

  it('has lifetimes in seconds and pauses in milliseconds, and -1 for none', () => {
    expect(parsed({ allowTTL: 2, denyTTL: 1_800, retryBackoff: 300_000, defaultAllow: true })).toMatchObject({
      allowTtlMs: 2_000,
      denyTtlMs: 1_800_000,
      retryBackoffMs: 300_000,
      defaultAllow: true,
    });
    expect(parsed({ allowTTL: -1, denyTTL: -1, retryBackoff: -1 })).toMatchObject({
      allowTtlMs: 0,
      denyTtlMs: 0,
      retryBackoffMs: 0,
    });
  });

  it.each<[unknown, string]>([
    [undefined, 'no config specified'],
    [[], 'the configuration must be an object'],
    [{}, 'imagePolicy must be an object'],
    [{ imagePolicy: {} }, 'imagePolicy.kubeConfigFile must be the path of a client configuration file'],
  ])('is rejected if it is %j', (given, message) => {
    expect(() => parseImagePolicy(given)).toThrow(message);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ allowTTL: 1 }, 'imagePolicy.allowTTL: valid value is between 1s and 30m0s, got 1s'],
    [{ denyTTL: 1_801 }, 'imagePolicy.denyTTL: valid value is between 1s and 30m0s, got 30m1s'],
    [
      { retryBackoff: 300_001 },
      'imagePolicy.retryBackoff: valid value is between 1ns and 5m0s, got 5m0.001s',
    ],
    [{ allowTTL: -2 }, 'imagePolicy.allowTTL: valid value is between 1s and 30m0s, got -2s'],
    [{ allowTTL: '30s' }, 'imagePolicy.allowTTL must be a whole number'],
    [{ defaultAllow: 'yes' }, 'imagePolicy.defaultAllow must be true or false'],
  ])('is rejected with the fields %j', (fields, message) => {
    expect(() => parsed(fields)).toThrow(message);
  });
});
